import type { BoneShape, WorldShape } from 'poise/dynamics';
import type { Figure } from 'poise/figure';
import { cross, dot, length, plus, product, rotate, type V } from '../rigid/vectors.js';
import type { Bodies } from './bodies.js';

/** A step of the stairs: a box along the world's axes. */
export interface Block {
  readonly center: V;
  readonly half: V;
}

/**
 * How deep the surfaces of a figure's shapes are in the floor y <= 0 and in blocks, m; below 0 how high above the floor. Of round shapes the depth of the deepest point,
 * of boxes in blocks the minimum translation over the 15 separating axes of two boxes.
 */
export function deepest(
  figure: Figure,
  shapes: readonly BoneShape[],
  bodies: Bodies,
  blocks: readonly Block[],
): number {
  let max = Number.NEGATIVE_INFINITY;
  const boneOf = (name: string | number): number =>
    typeof name === 'number' ? name : figure.bones.findIndex((bone) => bone.name === name);
  for (const shape of shapes) {
    const b = boneOf(shape.bone);
    const [p, q] = [bodies.position[b], bodies.rotation[b]];
    const place = (x: V): number[] => plus(p, rotate(q, x));
    if (shape.type === 'box') {
      const { position = [0, 0, 0], rotation = [0, 0, 0, 1] } = shape.placement ?? {};
      const center = place(position);
      const relativeRotation = product(q, rotation);
      const axes = [0, 1, 2].map((n) =>
        rotate(
          relativeRotation,
          [0, 1, 2].map((m) => (m === n ? 1 : 0)),
        ),
      );
      const low = center[1] - axes.reduce((sum, axis, n) => sum + Math.abs(axis[1]) * shape.halfSizes[n], 0);
      max = larger(max, -low);
      for (const block of blocks) max = larger(max, boxDepth(center, axes, shape.halfSizes, block));
      continue;
    }
    const [from, to] =
      shape.type === 'sphere'
        ? [place(shape.center ?? [0, 0, 0]), place(shape.center ?? [0, 0, 0])]
        : [place(shape.from), place(shape.to)];
    max = larger(max, shape.radius - Math.min(from[1], to[1]));
    for (const block of blocks)
      max = larger(max, shape.radius - segmentDistance(from, to, block, shape.radius));
  }
  return max;
}

/** The larger; NaN if one is NaN. */
const larger = (a: number, b: number): number => (a >= b ? a : b > a ? b : Number.NaN);

const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** Least signed distance of a segment to a block, which is convex along it; at least `far` where it is farther than that. */
function segmentDistance(from: V, to: V, block: Block, far: number): number {
  for (let k = 0; k < 3; k++) {
    const reach = block.half[k] + far;
    if (Math.min(from[k], to[k]) - block.center[k] > reach) return far;
    if (block.center[k] - Math.max(from[k], to[k]) > reach) return far;
  }
  const at = (x: number): number => blockDistance(plus(from, plus(to, from, -1), x), block);
  let [low, high] = [0, 1];
  let [a, b] = [1 - GOLDEN, GOLDEN];
  let [fa, fb] = [at(a), at(b)];
  for (let n = 0; n < 30; n++) {
    if (fa < fb) {
      [high, b, fb] = [b, a, fa];
      a = high - GOLDEN * (high - low);
      fa = at(a);
    } else {
      [low, a, fa] = [a, b, fb];
      b = low + GOLDEN * (high - low);
      fb = at(b);
    }
  }
  return Math.min(at(0), at(1), fa, fb);
}

/** Distance of a point to a block; inside, less the distance to the nearest face. */
function blockDistance(x: V, { center, half }: Block): number {
  const out = [0, 1, 2].map((k) => Math.abs(x[k] - center[k]) - half[k]);
  const outer = Math.hypot(...out.map((d) => Math.max(0, d)));
  return outer > 0 ? outer : Math.max(...out);
}

function boxDepth(center: V, axes: readonly V[], half: V, block: Block): number {
  const between = plus(center, block.center, -1);
  const world = [0, 1, 2].map((n) => [0, 1, 2].map((m) => (m === n ? 1 : 0)));
  const edges = axes.flatMap((a) => world.map((b) => cross(a, b)));
  let min = Infinity;
  for (const axis of [...axes, ...world, ...edges]) {
    const size = length(axis);
    if (size < 1e-6) continue;
    let reach = -Math.abs(dot(between, axis));
    for (let n = 0; n < 3; n++) {
      reach += half[n] * Math.abs(dot(axes[n], axis)) + block.half[n] * Math.abs(axis[n]);
    }
    if (reach <= 0) return 0;
    min = Math.min(min, reach / size);
  }
  return min;
}

/** Floor and blocks as shapes of a simulation. */
export function worldShapes(blocks: readonly Block[]): WorldShape[] {
  const triple = (v: V) => [v[0], v[1], v[2]] as const;
  return [
    { type: 'plane' },
    ...blocks.map(
      ({ center, half }): WorldShape => ({
        type: 'box',
        halfSizes: triple(half),
        placement: { position: triple(center) },
      }),
    ),
  ];
}

/** A staircase that rises along x from the origin, each step solid from the floor to the far end of the landing. */
export function staircase(steps: number, rise: number, run: number, width: number): Block[] {
  const end = (steps + 5) * run;
  return Array.from({ length: steps }, (_, k) => ({
    center: [(k * run + end) / 2, ((k + 1) * rise) / 2, 0],
    half: [(end - k * run) / 2, ((k + 1) * rise) / 2, width / 2],
  }));
}
