import { createOracle, kinematicsOf } from './objective.js';
import {
  type Bone,
  coordinateStarts,
  dofOf,
  EULER_ORDERS,
  type Goal,
  isLength,
  type Joint,
  type Limit,
  type Mask,
  type Problem,
  type Quadruple,
  type SwingLimit,
  type Triple,
} from './types.js';

/** Numbers in [0, 1). */
export type Random = () => number;

/** splitmix32 (Steele, Lea, Flood 2014): any seed, also the one next to another, starts a stream of its own. */
export function seeded(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let z = state ^ (state >>> 16);
    z = Math.imul(z, 0x21f0aaad);
    z ^= z >>> 15;
    z = Math.imul(z, 0x735a2d97);
    return ((z ^ (z >>> 15)) >>> 0) / 4294967296;
  };
}

/** A problem with a start and the options of the solve. */
export interface Drawn {
  readonly problem: Problem;
  readonly start: readonly number[];
  readonly options: { readonly restarts?: number; readonly maxIterations?: number };
}

/**
 * A random figure, random goals, random limits, from `seed` and `number`: one to twelve bones of all joint types in a tree or a
 * chain, from a millimetre to a kilometre; limits of all kinds, some hair-thin, some that exclude the rest pose; goals that
 * are met, reachable, out of reach, behind, or at the joint itself; starts at rest, anywhere, or thousands of turns outside.
 */
export function drawProblem(seed: number, number: number): Drawn {
  const random = seeded(Math.imul(seed, 0x01000193) ^ Math.imul(number + 1, 0x9e3779b1));
  const size = random() < 0.4 ? 1 : 10 ** (6 * random() - 3);
  const bones = drawBones(random, size);
  const locked = random() < 0.6 ? [] : bones.filter(() => random() < 0.2).map(({ name }) => name);
  const goals = drawGoals(random, bones, size);
  const choice = random();
  return {
    problem: { bones, goals, locked },
    start: drawStart(random, bones, size),
    options: {
      ...(choice < 0.5 ? {} : { restarts: choice < 0.9 ? 0 : 3 }),
      ...(random() < 0.9 ? {} : { maxIterations: Math.floor(40 * random() ** 2) }),
    },
  };
}

function pick<T>(random: Random, items: readonly T[]): T {
  return items[Math.floor(items.length * random())];
}

function triple(random: Random, size = 1): Triple {
  return [size * (2 * random() - 1), size * (2 * random() - 1), size * (2 * random() - 1)];
}

function rotate(random: Random): Quadruple {
  const q = [2 * random() - 1, 2 * random() - 1, 2 * random() - 1, 2 * random() - 1];
  const n = Math.hypot(...q) || 1;
  return [q[0] / n, q[1] / n, q[2] / n, q[3] / n];
}

const AXES: readonly Triple[] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
  [0, -1, 0],
];

/** Coordinate axes as often as any direction: straight and symmetric figures are where solvers stick. */
function axisOf(random: Random): Triple {
  return random() < 0.5 ? pick(random, AXES) : triple(random);
}

function drawJoint(random: Random, root: boolean): Joint {
  const types = [
    'hinge',
    'hinge',
    'slider',
    'swing',
    'ball',
    'ball',
    'ball-and-socket',
    'euler',
    'fixed',
    'free',
  ] as const;
  let type = pick(random, types);
  // A free joint inside a figure is rare, as a root it is common.
  if (type === 'free' && !root && random() < 0.7) type = 'ball';
  switch (type) {
    case 'hinge':
    case 'slider':
      return { type, axis: axisOf(random) };
    case 'swing':
    case 'ball-and-socket': {
      const axis = axisOf(random);
      if (random() < 0.5) return { type, axis };
      const side = triple(random);
      return isParallel(axis, side) ? { type, axis } : { type, axis, side };
    }
    case 'euler':
      return { type, order: pick(random, EULER_ORDERS) };
    default:
      return { type };
  }
}

/** Within 2 mrad: a figure refuses that as a side. */
function isParallel(a: Triple, b: Triple): boolean {
  const cosine = (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) / (Math.hypot(...a) * Math.hypot(...b));
  return 1 - Math.abs(cosine) < 2e-6;
}

/** Mostly a tenth of a radian to 1.6; sometimes almost nothing, sometimes almost pi. */
function angle(random: Random): number {
  const kind = random();
  if (kind < 0.04) return 10 ** (-8 + 6 * random());
  if (kind < 0.1) return 3.1415;
  return 0.1 + 1.5 * random();
}

function drawSwing(random: Random): SwingLimit {
  const kind = random();
  if (kind < 0.3) return { type: 'cone', halfAngle: angle(random) };
  if (kind < 0.65) return { type: 'ellipse', halfAngles: [angle(random), angle(random)] };
  return { type: 'quad-ellipse', s: [-angle(random), angle(random)], t: [-angle(random), angle(random)] };
}

/** [min, max], around zero or not, sometimes of no width, sometimes open to one side. */
function drawRange(random: Random, size: number): { min: number | null; max: number | null } {
  const kind = random();
  const min = -size * angle(random);
  const max = size * angle(random);
  if (kind < 0.05) return { min: max, max };
  if (kind < 0.15) return { min: 0.5 * max, max: max + 0.5 * size };
  if (kind < 0.25) return random() < 0.5 ? { min, max: null } : { min: null, max };
  return { min, max };
}

function drawLimit(random: Random, joint: Joint, size: number): Limit | undefined {
  switch (joint.type) {
    case 'hinge':
      return { type: 'interval', ...drawRange(random, 1) };
    case 'slider':
      return { type: 'interval', ...drawRange(random, 0.3 * size) };
    case 'swing':
      return drawSwing(random);
    case 'ball':
      return { type: 'angle', max: angle(random) };
    case 'ball-and-socket': {
      const min = -angle(random);
      const twist = random() < 0.06 ? { min, max: min } : { min, max: angle(random) };
      if (random() < 0.15) return { type: 'swing-twist', twist };
      return { type: 'swing-twist', swing: drawSwing(random), ...(random() < 0.85 ? { twist } : {}) };
    }
    case 'euler': {
      const sides = [0, 1, 2].map(() => (random() < 0.3 ? { min: null, max: null } : drawRange(random, 1)));
      return { type: 'box', min: sides.map(({ min }) => min), max: sides.map(({ max }) => max) };
    }
    case 'free': {
      if (random() < 0.5) return undefined;
      const sides = [0, 1, 2].map(() => drawRange(random, 0.5 * size));
      return {
        type: 'box',
        min: [...sides.map(({ min }) => min), null, null, null],
        max: [...sides.map(({ max }) => max), null, null, null],
      };
    }
    default:
      return undefined;
  }
}

function drawBones(random: Random, size: number): Bone[] {
  const count = 1 + Math.floor(12 * random());
  const straight = random() < 0.4;
  const chain = random() < 0.5;
  const bones: Bone[] = [];
  for (let k = 0; k < count; k++) {
    const joint = drawJoint(random, k === 0);
    const limit = random() < 0.75 ? drawLimit(random, joint, size) : undefined;
    const length = size * (0.1 + 0.4 * random());
    const parent = k === 0 ? null : `bone${chain ? k - 1 : Math.floor(Math.max(0, k - 1 - 3 * random()))}`;
    const position: Triple = random() < 0.1 ? [0, 0, 0] : straight ? [0, length, 0] : triple(random, length);
    bones.push({
      name: `bone${k}`,
      parent,
      rest: { position, rotation: straight || random() < 0.5 ? [0, 0, 0, 1] : rotate(random) },
      joint,
      ...(limit === undefined ? {} : { limit }),
      ...(random() < 0.3 ? {} : { tip: straight ? ([0, length, 0] as Triple) : triple(random, length) }),
    });
  }
  return bones;
}

function drawStart(random: Random, bones: readonly Bone[], size: number): number[] {
  const kind = random();
  const range = kind < 0.3 ? 0 : kind < 0.95 ? 3 : 1e4;
  return coordinatesBy(bones, (joint, k) => {
    const spread = isLength(joint, k) ? Math.min(range, 3) * size : range;
    return spread * (2 * random() - 1);
  });
}

function coordinatesBy(bones: readonly Bone[], draw: (joint: Joint, k: number) => number): number[] {
  return bones.flatMap(({ joint }) => Array.from({ length: dofOf(joint) }, (_, k) => draw(joint, k)));
}

function drawGoals(random: Random, bones: readonly Bone[], size: number): Goal[] {
  const count = random() < 0.6 ? 1 : 2 + Math.floor(3 * random());
  // Some pose of the figure: what is there in that pose can be reached, but for the limits.
  const oracle = createOracle({ bones, goals: [], locked: [] });
  const elsewhere = coordinatesBy(
    bones,
    (joint, k) => (isLength(joint, k) ? 0.2 * size : 1) * (2 * random() - 1),
  );
  const frames = kinematicsOf(oracle, elsewhere);
  const rest = kinematicsOf(oracle, new Float64Array(coordinateStarts(bones)[bones.length]));
  const place = (at: readonly number[]): Triple => [at[0], at[1], at[2]];
  const target = (bone: number): Triple => {
    const kind = random();
    if (kind < 0.35) return place(frames[bone].position);
    if (kind < 0.7) return triple(random, size);
    // On the axis of a straight figure, inside and behind; at the joint itself; a hundred sizes off.
    if (kind < 0.85) return [0, size * (2 * random() - 1), 0];
    if (kind < 0.92) return place(rest[Math.floor((bone + 1) * random())].position);
    return triple(random, 1e2 * size);
  };
  const last = (): number => (random() < 0.5 ? bones.length - 1 : Math.floor(bones.length * random()));
  return Array.from({ length: count }, (): Goal => {
    const bone = last();
    const common = {
      bone: bones[bone].name,
      ...(random() < 0.4
        ? {}
        : { weight: random() < 0.05 ? 0 : 10 ** ((random() < 0.2 ? 6 : 2) * (random() - 0.5)) }),
    };
    const others = bones.filter((_, k) => k !== bone);
    const carried = others.length > 0 && random() < 0.2 ? pick(random, others).name : undefined;
    const kind = random();
    const mask = random() < 0.15 ? { mask: drawMask(random) } : {};
    const length = { tolerance: size * (random() < 0.5 ? 1e-4 : 1e-7) };
    const fine = random() < 0.5 ? {} : { tolerance: 1e-7 };
    const point = random() < 0.5 ? (bones[bone].tip ?? [0, 0, 0]) : triple(random, 0.2 * size);
    if (kind < 0.4) {
      return {
        type: 'position',
        ...common,
        ...length,
        ...mask,
        point,
        target: carried === undefined ? target(bone) : { bone: carried, point: triple(random, 0.3 * size) },
      };
    }
    if (kind < 0.6) {
      return {
        type: 'points-at',
        ...common,
        ...fine,
        axis: axisOf(random),
        ...(random() < 0.5 ? {} : { origin: triple(random, 0.1 * size) }),
        // A place that the bone itself can reach has no direction there: rare.
        target:
          carried === undefined
            ? random() < 0.9
              ? triple(random, 2 * size)
              : target(bone)
            : { bone: carried, point: triple(random, 0.3 * size) },
      };
    }
    if (kind < 0.8) {
      const other = carried ?? (others.length > 0 ? pick(random, others).name : undefined);
      return drawOther(random, bones[bone], { ...common, ...length }, carried, other, size);
    }
    // Half a turn, any turn, or one that some pose has.
    const q = frames[bone].rotation;
    const wanted: Quadruple =
      random() < 0.2
        ? [...pick(random, AXES), 0]
        : random() < 0.5
          ? rotate(random)
          : [q[0], q[1], q[2], q[3]];
    return {
      type: 'orientation',
      ...common,
      ...fine,
      ...mask,
      ...(random() < 0.5 ? {} : { offset: rotate(random) }),
      target:
        carried === undefined
          ? wanted
          : { bone: carried, ...(random() < 0.5 ? {} : { offset: rotate(random) }) },
    };
  });
}

/** One axis off or two, or some axes in part. */
function drawMask(random: Random): Mask {
  const kind = Math.floor(8 * random());
  if (kind === 7) return [random(), 0.5, 1];
  const off = kind % 6;
  const one = [0, 1, 2].map((k) => (k === off % 3 ? 1 : 0));
  return off < 3 ? [one[0], one[1], one[2]] : [1 - one[0], 1 - one[1], 1 - one[2]];
}

/** A goal of one of the other types: a distance, a plane or its one side, a pose against another bone, a coordinate. */
function drawOther(
  random: Random,
  { joint }: Bone,
  common: { readonly bone: string; readonly weight?: number; readonly tolerance: number },
  carried: string | undefined,
  other: string | undefined,
  size: number,
): Goal {
  const kind = Math.floor(5 * random());
  const point = triple(random, 0.2 * size);
  if (kind === 0 && other !== undefined) {
    return {
      type: 'relative-pose',
      ...common,
      point,
      offset: rotate(random),
      target: { bone: other, point: triple(random, 0.4 * size), offset: rotate(random) },
      ...(random() < 0.3 ? { positionMask: drawMask(random) } : {}),
      ...(random() < 0.3 ? { orientationMask: drawMask(random) } : {}),
    };
  }
  if (kind === 1 && dofOf(joint) > 0) {
    const coordinate = Math.floor(dofOf(joint) * random());
    const value = (isLength(joint, coordinate) ? 0.3 * size : 1.5) * (2 * random() - 1);
    return { type: 'joint-value', ...common, coordinate, value };
  }
  const onBone = carried === undefined ? {} : { bone: carried };
  const plane = { point: triple(random, 0.5 * size), normal: axisOf(random), ...onBone };
  if (kind === 2) return { type: 'plane', ...common, point, target: plane };
  if (kind === 3)
    return { type: 'half-space', ...common, point, target: plane, clearance: 0.1 * size * random() };
  const target =
    carried === undefined ? triple(random, size) : { bone: carried, point: triple(random, 0.3 * size) };
  return { type: 'distance', ...common, point, target, distance: size * random() };
}
