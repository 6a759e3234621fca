import {
  clampToLimits,
  createFigure,
  createState,
  type Figure,
  type FigureState,
  forwardKinematics,
  type JointData,
  type LimitData,
  limitViolation,
} from 'poise/figure';
import { aimBoneAt } from 'poise/ik';
import { describe, expect, it } from 'vitest';
import { randomQuat, randomTriple, testRandom } from '../support/random-figure.js';

type Vector = ArrayLike<number>;

/** A bone on a turned parent, turned at rest: no frame is the identity. Bone 1 is the one that points. */
function mounted(random: () => number, joint: JointData, limit?: LimitData): Figure {
  return createFigure({
    bones: [
      {
        name: 'base',
        joint: { type: 'ball' },
        rest: { position: [0.1, 0.2, 0.3], rotation: randomQuat(random) },
      },
      {
        name: 'bone',
        parent: 'base',
        joint,
        ...(limit === undefined ? {} : { limit }),
        rest: { position: [0, 0.5, 0], rotation: randomQuat(random) },
      },
    ],
  });
}

function at(figure: Figure, pose: Float64Array): FigureState {
  const state = createState(figure);
  forwardKinematics(state, pose);
  return state;
}

/** The angle from the geometry alone: world axis of the bone against line of sight. */
function angleLeft(state: FigureState, bone: number, axis: Vector, target: Vector): number {
  const m = state.worldFromBone.subarray(12 * bone, 12 * bone + 12);
  const length = Math.hypot(axis[0], axis[1], axis[2]);
  const sight = [0, 1, 2].map((k) => target[k] - m[9 + k]);
  const distance = Math.hypot(...sight);
  let apart = 0;
  let together = 0;
  for (let k = 0; k < 3; k++) {
    const y = (m[3 * k] * axis[0] + m[3 * k + 1] * axis[1] + m[3 * k + 2] * axis[2]) / length;
    apart += (y - sight[k] / distance) ** 2;
    together += (y + sight[k] / distance) ** 2;
  }
  return 2 * Math.atan2(Math.sqrt(apart), Math.sqrt(together));
}

/**
 * The oracle: a grid over the coordinates of bone 1, each place moved to the nearest allowed, then a compass search from the best
 * of them with steps down to 1e-9. It knows limits and forward kinematics, and nothing of the angle.
 */
function minFound(
  figure: Figure,
  base: Float64Array,
  axis: Vector,
  target: Vector,
  range: readonly (readonly [number, number])[],
  count: number,
): number {
  const state = createState(figure);
  const { coordinate, dof } = figure.bones[1];
  const first = coordinate + dof - range.length;
  const pose = base.slice();
  const valueAt = (): number => {
    clampToLimits(figure, pose);
    forwardKinematics(state, pose);
    return angleLeft(state, 1, axis, target);
  };
  const best: { value: number; position: Float64Array }[] = [];
  for (let n = 0; n < count ** range.length; n++) {
    let rest = n;
    range.forEach(([low, high], i) => {
      pose[first + i] = low + ((high - low) * (rest % count)) / (count - 1);
      rest = Math.floor(rest / count);
    });
    const value = valueAt();
    if (best.length === STARTS && value >= best[STARTS - 1].value) continue;
    const position = pose.slice(first, first + range.length);
    // One of each valley: another start must be apart from the better ones.
    const near = best.findIndex(
      (other) => Math.hypot(...other.position.map((x, i) => x - position[i])) < 0.3,
    );
    if (near >= 0 && best[near].value <= value) continue;
    if (near >= 0) best.splice(near, 1);
    best.push({ value, position });
    best.sort((a, b) => a.value - b.value);
    best.length = Math.min(best.length, STARTS);
  }
  for (const start of best) {
    const directions = compass(range.length);
    for (let step = 0.2; step > 1e-9; ) {
      let moved = false;
      for (const direction of directions) {
        pose.set(start.position, first);
        direction.forEach((x, i) => {
          pose[first + i] += step * x;
        });
        const value = valueAt();
        if (value > start.value - 1e-13) continue;
        start.value = value;
        start.position.set(pose.subarray(first, first + range.length));
        moved = true;
        break;
      }
      if (!moved) step *= 0.5;
    }
  }
  return Math.min(...best.map(({ value }) => value));
}

const STARTS = 5;

/** All directions of -1, 0, 1 in `size` coordinates but none. */
function compass(size: number): number[][] {
  return Array.from({ length: 3 ** size }, (_, n) =>
    Array.from({ length: size }, (_, i) => (Math.floor(n / 3 ** i) % 3) - 1),
  ).filter((direction) => direction.some((x) => x !== 0));
}

type Kind = readonly [
  title: string,
  make: (random: () => number) => { joint: JointData; limit?: LimitData },
  range: (limit: LimitData | undefined) => [number, number][],
];

const PI = Math.PI;
const fullCircle: [number, number] = [-PI, PI];
const angle = (random: () => number, largest = 2): number => 0.05 + (largest - 0.05) * random() ** 2;
const swingLimit = (random: () => number): LimitData & { type: 'cone' | 'ellipse' | 'quad-ellipse' } => {
  const kind = Math.floor(3 * random());
  const a = (): number => angle(random, 3.1);
  if (kind === 0) return { type: 'cone', halfAngle: a() };
  if (kind === 1) return { type: 'ellipse', halfAngles: [a(), a()] };
  return { type: 'quad-ellipse', s: [-a(), a()], t: [-a(), a()] };
};
const swingRange = (limit: LimitData | undefined): [number, number][] => {
  if (limit?.type === 'cone') return [0, 1].map((): [number, number] => [-limit.halfAngle, limit.halfAngle]);
  if (limit?.type === 'ellipse') return limit.halfAngles.map((a): [number, number] => [-a, a]);
  if (limit?.type === 'quad-ellipse') return [[...limit.s], [...limit.t]];
  return [fullCircle, fullCircle];
};
const boxRange = (limit: LimitData | undefined): [number, number][] =>
  limit?.type === 'box'
    ? limit.min.map((min, k) => {
        const greatest = limit.max[k];
        if (min !== null && greatest !== null) return [min, Math.min(greatest, min + 2 * PI)];
        if (min !== null) return [min, min + 2 * PI];
        return greatest === null ? fullCircle : [greatest - 2 * PI, greatest];
      })
    : [fullCircle, fullCircle, fullCircle];
const interval = (random: () => number): { min: number; max: number } => {
  const min = 3 * (2 * random() - 1);
  return { min, max: min + angle(random, 4) };
};
const orders = ['XYZ', 'XZY', 'YXZ', 'YZX', 'ZXY', 'ZYX', 'XYX', 'XZX', 'YXY', 'YZY', 'ZXZ', 'ZYZ'] as const;
const euler = (random: () => number): JointData => ({
  type: 'euler',
  order: orders[Math.floor(12 * random())],
});
/** A box whose sides are closed with some probability. */
const box =
  (closed: number) =>
  (random: () => number): LimitData => {
    const sides = [0, 1, 2].map(() => interval(random));
    return {
      type: 'box',
      min: sides.map(({ min }) => (random() < closed ? min : null)),
      max: sides.map(({ max }) => (random() < closed ? max : null)),
    };
  };

const kinds: Kind[] = [
  [
    'hinge, interval',
    (random) => ({
      joint: { type: 'hinge', axis: randomTriple(random) },
      limit: { type: 'interval', ...interval(random) },
    }),
    (limit) => (limit?.type === 'interval' ? [[limit.min ?? -PI, limit.max ?? PI]] : [fullCircle]),
  ],
  [
    'swing, any limit',
    (random) => ({ joint: { type: 'swing', axis: randomTriple(random) }, limit: swingLimit(random) }),
    swingRange,
  ],
  [
    'ball, angle',
    (random) => ({ joint: { type: 'ball' }, limit: { type: 'angle', max: angle(random, 3.1) } }),
    (limit) =>
      limit?.type === 'angle'
        ? [0, 1, 2].map(() => [-limit.max, limit.max])
        : [fullCircle, fullCircle, fullCircle],
  ],
  [
    'ball-and-socket, swing and twist limited',
    (random) => ({
      joint: { type: 'ball-and-socket', axis: randomTriple(random) },
      limit: { type: 'swing-twist', swing: swingLimit(random), twist: interval(random) },
    }),
    (limit) =>
      limit?.type === 'swing-twist'
        ? [...swingRange(limit.swing), limit.twist ? [limit.twist.min, limit.twist.max] : fullCircle]
        : [],
  ],
  [
    'ball-and-socket, swing limited',
    (random) => ({
      joint: { type: 'ball-and-socket', axis: randomTriple(random) },
      limit: { type: 'swing-twist', swing: swingLimit(random) },
    }),
    (limit) => (limit?.type === 'swing-twist' ? [...swingRange(limit.swing), fullCircle] : []),
  ],
  ['euler, boxed', (random) => ({ joint: euler(random), limit: box(1)(random) }), boxRange],
  [
    'euler, box open on some sides',
    (random) => ({ joint: euler(random), limit: box(0.7)(random) }),
    boxRange,
  ],
];

const CASES = Number(process.env.CASES ?? 25);

interface Problem {
  readonly figure: Figure;
  readonly pose: Float64Array;
  readonly axis: Vector;
  readonly target: Vector;
}

/** Points the bone and checks all that holds for every joint. Returns the angle. */
function checked({ figure, pose, axis, target }: Problem, kind: Kind, label: string): number {
  const { limit, coordinate, dof } = figure.bones[1];
  const state = at(figure, pose);
  const before = pose.slice();
  const result = aimBoneAt(state, pose, 'bone', axis, target);
  expect(Math.abs(angleLeft(state, 1, axis, target) - result.angle), label).toBeLessThan(2e-14);
  expect(limitViolation(figure, pose), label).toBe(0);
  for (let i = 0; i < coordinate; i++) expect(pose[i]).toBe(before[i]);
  if (result.angle > 1e-13) {
    const range = kind[2](limit);
    const found = minFound(figure, before, axis, target, range, [0, 201, 41, 15][range.length]);
    expect(result.angle, label).toBeLessThanOrEqual(found + 1e-9);
  }
  // Again: the same bits.
  const settled = pose.slice(coordinate, coordinate + dof);
  const again = aimBoneAt(state, pose, 'bone', axis, target);
  expect(pose.slice(coordinate, coordinate + dof), label).toEqual(settled);
  expect(again).toEqual(result);
  return result.angle;
}

/** An entry is one of a few numbers. */
const of = (random: () => number, numbers: readonly number[]): number =>
  numbers[Math.floor(numbers.length * random())];
const lattice = (random: () => number): [number, number, number] => {
  const v = [0, 1, 2].map(() => of(random, [-1, 0, 0, 1]));
  return v.every((x) => x === 0) ? [0, 0, 1] : [v[0], v[1], v[2]];
};

describe('aimBoneAt leaves the least angle that the joint allows', () => {
  for (const kind of kinds) {
    const [title, make] = kind;
    it(`${title}: no grid search with descents is better by 1e-9, over random joints, limits, poses and targets`, () => {
      const random = testRandom(91);
      let met = 0;
      for (let n = 0; n < CASES; n++) {
        const { joint, limit } = make(random);
        const figure = mounted(random, joint, limit);
        const pose = Float64Array.from({ length: figure.dof }, () => 3 * (2 * random() - 1));
        clampToLimits(figure, pose);
        const own = n % 4 === 0 && 'axis' in joint && joint.type !== 'hinge';
        const axis = own ? joint.axis : randomTriple(random);
        const target = randomTriple(random, 3);
        const label = `${title} ${n}: ${JSON.stringify({ joint, limit, axis })}`;
        if (checked({ figure, pose, axis, target }, kind, label) < 1e-13) met++;
      }
      expect(met).toBeLessThan(CASES);
    });

    it(`${title}: in special position, too: parallel and perpendicular axes, targets and poses, straight behind`, () => {
      const random = testRandom(92);
      for (let n = 0; n < CASES; n++) {
        const made = make(random);
        const joint = 'axis' in made.joint ? { ...made.joint, axis: lattice(random) } : made.joint;
        const limit = n % 3 === 0 ? rounded(made.limit) : made.limit;
        const figure = createFigure({
          bones: [{ name: 'base' }, { name: 'bone', parent: 'base', joint, ...(limit && { limit }) }],
        });
        const pose = Float64Array.from({ length: figure.dof }, () => of(random, [0, 0, 0.5, -PI / 2, PI]));
        clampToLimits(figure, pose);
        const axis = lattice(random);
        // Exactly on a lattice, or off it by as little as float32 leaves.
        const off = of(random, [0, 0, 0, 1e-16, 1e-12, 6e-8]);
        const target = lattice(random).map((x) => x + off * (2 * random() - 1));
        const label = `${title} ${n}: ${JSON.stringify({ joint, limit, pose: Array.from(pose), axis, target })}`;
        checked({ figure, pose, axis, target }, kind, label);
      }
    });
  }
});

/** The limit with every number moved to a half. */
function rounded(limit: LimitData | undefined): LimitData | undefined {
  const half = (x: unknown): unknown =>
    typeof x === 'number' ? Math.sign(x) * Math.max(0.5, Math.floor(2 * Math.abs(x)) / 2) : x;
  return JSON.parse(JSON.stringify(limit, (_key, x) => half(x))) as LimitData | undefined;
}
