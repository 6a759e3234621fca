import { boneIndex, createFigure, type Figure, type Triple } from 'poise/figure';
import { BodyModel } from '../body-model.js';
import type { BoneShape, Part } from '../body-shapes.js';
import { type Character, createCharacter } from '../character.js';

const DEGREE = Math.PI / 180;
const X: Triple = [1, 0, 0];
const Y: Triple = [0, 1, 0];
/** Bones from the base up: where each starts in the one before, m, its axis, its range and where it begins, degrees. */
const LINKS: readonly {
  readonly name: string;
  readonly at: Triple;
  readonly axis: Triple;
  readonly range: readonly [number, number];
  readonly start: number;
}[] = [
  { name: 'Turntable', at: [0, 0.09, 0], axis: Y, range: [-175, 175], start: 25 },
  { name: 'Shoulder', at: [0, 0.13, 0], axis: X, range: [-100, 110], start: -20 },
  { name: 'Elbow', at: [0, 0.44, 0], axis: X, range: [-150, 150], start: 95 },
  { name: 'Forearm roll', at: [0, 0.15, 0], axis: Y, range: [-175, 175], start: 0 },
  { name: 'Wrist', at: [0, 0.25, 0], axis: X, range: [-120, 120], start: 55 },
  { name: 'Tool', at: [0, 0.1, 0], axis: Y, range: [-178, 178], start: 0 },
];
const TOOL: Triple = [0, 0.13, 0];

/** An arm of six axes on a pedestal: three that place its tool, three that turn it. */
export function armFigure(): Figure {
  return createFigure({
    name: 'robot arm',
    bones: [
      { name: 'Base', tip: LINKS[0].at },
      ...LINKS.map(({ name, at, axis, range: [min, max] }, n) => ({
        name,
        parent: n === 0 ? 'Base' : LINKS[n - 1].name,
        rest: { position: at },
        joint: { type: 'hinge', axis } as const,
        limit: { type: 'interval', min: min * DEGREE, max: max * DEGREE } as const,
        tip: LINKS[n + 1]?.at ?? TOOL,
      })),
    ],
  });
}

/** A robot's arm to pose by its tool and its elbow. */
export function createRobotArm(): Character {
  const figure = armFigure();
  const kind = { holds: 'place', rotates: true, dragsUpright: false } as const;
  return createCharacter({
    source: { type: 'made', name: 'robot arm' },
    figure,
    handles: [
      { id: 'tool', label: 'Tool', bone: boneIndex(figure, 'Tool'), point: TOOL, size: 'large', ...kind },
      {
        id: 'elbow',
        label: 'Elbow',
        bone: boneIndex(figure, 'Elbow'),
        point: [0, 0, 0],
        size: 'small',
        ...kind,
      },
    ],
    pose: LINKS.map(({ start }) => start * DEGREE),
    createModel: () => new BodyModel(figure, 1, armShape),
    write: async ({ root }) => {
      const { writeObject } = await import('../write-object.js');
      return { name: 'robot-arm.glb', bytes: await writeObject(root) };
    },
  });
}

/** A rounded cylinder along an axis, m. */
function drum(axis: 'x' | 'y', from: number, to: number, radius: number, end = radius, caps = 0.18): Part {
  const at = (t: number): Triple => (axis === 'x' ? [t, 0, 0] : [0, t, 0]);
  return {
    stations: [
      { at: at(from), a: radius, b: radius },
      { at: at(to), a: end, b: end },
    ],
    side: axis === 'x' ? Y : X,
    caps: [caps, caps],
  };
}

/** Shapes of its bones, m: a drum at each hinge and a tube to the next. */
function armShape(name: string): BoneShape {
  switch (name) {
    case 'Base':
      return { dark: [drum('y', 0.008, 0.03, 0.13, 0.13), drum('y', 0.03, 0.075, 0.1, 0.085)] };
    case 'Turntable':
      return { parts: [drum('y', 0.0, 0.1, 0.078, 0.07, 0.3)] };
    case 'Shoulder':
      return { dark: [drum('x', -0.085, 0.085, 0.07)], parts: [drum('y', 0.02, 0.4, 0.056, 0.047, 0.5)] };
    case 'Elbow':
      return { dark: [drum('x', -0.07, 0.07, 0.06)], parts: [drum('y', 0.02, 0.135, 0.05, 0.043, 0.5)] };
    case 'Forearm roll':
      return {
        dark: [drum('y', -0.004, 0.012, 0.0445)],
        parts: [drum('y', 0.016, 0.215, 0.042, 0.034, 0.4)],
      };
    case 'Wrist':
      return { dark: [drum('x', -0.05, 0.05, 0.043)], parts: [drum('y', 0.02, 0.082, 0.034, 0.03, 0.5)] };
    default:
      return { dark: [drum('y', -0.008, 0.02, 0.033)], parts: [drum('y', 0.026, 0.122, 0.022, 0.004, 0.4)] };
  }
}
