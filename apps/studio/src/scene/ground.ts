import type { Triple } from 'poise/figure';
import type { GroundId } from '../animate/clip/bounds.js';

/** A box of the ground, in the scene: m, rad. */
export interface Block {
  readonly size: Triple;
  readonly position: Triple;
  /** Rotation about +Y, and after it about +Z. */
  readonly turn: number;
  readonly tilt: number;
}

/** What a body falls on: blocks on the floor. */
export interface Ground {
  readonly id: GroundId;
  readonly label: string;
  /** Height that the body starts at, m. */
  readonly lift: number;
  readonly blocks: readonly Block[];
  /** Drawn below a block that leans: its horizontal and its vertical edge, m. */
  readonly wedge?: { readonly from: number; readonly to: number; readonly height: number };
}

/** Rise and run of a step, and half the landing, m. */
const RISE = 0.17;
const RUN = 0.3;
const STEPS = 4;
const LANDING = 0.3;
export const WIDTH = 1.7;
const HEIGHT = (STEPS + 1) * RISE;
/** Of the slope, rad: steeper than what friction holds. */
const SLOPE = 0.62;

function block(size: Triple, position: Triple, turn = 0, tilt = 0): Block {
  return { size, position, turn, tilt };
}

/** From x to x, from the floor up. */
function stair(from: number, to: number, height: number): Block {
  return block([to - from, height, WIDTH], [(from + to) / 2, height / 2, 0]);
}

const landing = stair(-1.1, LANDING, HEIGHT);
const steps = Array.from({ length: STEPS }, (_, k) =>
  stair(LANDING + k * RUN, LANDING + (k + 1) * RUN, HEIGHT - (k + 1) * RISE),
);

/** A slab whose upper face goes down from the edge of the landing to the floor. */
function ramp(): Block {
  const length = HEIGHT / Math.sin(SLOPE);
  const thickness = 0.1;
  const [cos, sin] = [Math.cos(SLOPE), Math.sin(SLOPE)];
  const x = LANDING + (length / 2) * cos - (thickness / 2) * sin;
  const y = HEIGHT / 2 - (thickness / 2) * cos;
  return block([length, thickness, WIDTH], [x, y, 0], 0, -SLOPE);
}

export const GROUNDS: readonly Ground[] = [
  { id: 'flat', label: 'Flat', lift: 0, blocks: [] },
  { id: 'steps', label: 'Steps', lift: HEIGHT, blocks: [landing, ...steps] },
  {
    id: 'boxes',
    label: 'Boxes',
    lift: 0,
    blocks: [
      block([0.5, 0.34, 0.4], [0.62, 0.17, 0.25], 0.4),
      block([0.4, 0.22, 0.5], [-0.6, 0.11, 0.35], -0.5),
      block([0.55, 0.42, 0.4], [0.05, 0.21, -0.62], 0.15),
      block([0.4, 0.16, 0.4], [0.12, 0.08, 0.66], 0.8),
      block([0.3, 0.3, 0.3], [-0.62, 0.15, -0.35], 0.25),
    ],
  },
  {
    id: 'slope',
    label: 'Slope',
    lift: HEIGHT,
    blocks: [landing, ramp()],
    wedge: { from: LANDING, to: LANDING + HEIGHT / Math.tan(SLOPE), height: HEIGHT },
  },
];
