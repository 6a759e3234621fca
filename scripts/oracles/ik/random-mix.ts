import { type Random, seeded } from './random-problem.js';
import type { Joint, Limit, Quadruple, Triple } from './types.js';

/** A bone of a drawn tree: with a mass, so that goals on the centre of mass have one. */
interface MixBone {
  readonly name: string;
  readonly parent: string | null;
  readonly rest: { readonly position: Triple; readonly rotation: Quadruple };
  readonly joint: Joint;
  readonly limit?: Limit;
  readonly mass: number;
  readonly centerOfMass: Triple;
}

/** A goal of any type: fields of docs/goals. */
export type MixGoal = { readonly type: string; readonly priority: number } & Readonly<
  Record<string, unknown>
>;

/** A mix: goals of several types and priorities on one figure. */
export interface Mix {
  /** The bones of a tree; undefined for the human. */
  readonly bones: readonly MixBone[] | undefined;
  readonly goals: readonly MixGoal[];
  readonly locked: readonly string[];
  /** Largest coordinate of the start, m or rad, and a draw in [-1, 1] for each. */
  readonly spread: number;
  readonly startSeed: number;
}

/** A joint of the human that goals name, with its limb for poles. */
const HUMAN_BONES = ['leftHand', 'rightHand', 'leftFoot', 'rightFoot', 'head', 'chest', 'hips'] as const;
const HUMAN_MIRRORS = [
  ['leftHand', 'rightHand'],
  ['leftFoot', 'rightFoot'],
  ['leftLowerArm', 'rightLowerArm'],
] as const;

export const MIX_TYPES = [
  'position',
  'orientation',
  'points-at',
  'look-at',
  'pole',
  'distance',
  'plane',
  'half-space',
  'relative-pose',
  'center-of-mass',
  'support',
  'posture',
  'joint-value',
  'mirror',
] as const;
export type MixType = (typeof MIX_TYPES)[number];

/** The word that a tally counts a goal under: a centre of mass over a support apart from one at a target. */
export function mixTypeOf(goal: MixGoal): MixType {
  return goal.type === 'center-of-mass' && 'support' in goal ? 'support' : (goal.type as MixType);
}

/** Two to four goals of any types, priorities 0 to 2, on the human or on a tree of two to eight bones, from `seed` and `number`. */
export function drawMix(seed: number, number: number): Mix {
  const random = seeded(Math.imul(seed, 0x01000193) ^ Math.imul(number + 1, 0x9e3779b1));
  const human = random() < 0.5;
  const bones = human ? undefined : drawTree(random);
  const count = 2 + Math.floor(3 * random());
  const goals = Array.from({ length: count }, (_, n) =>
    drawGoal(random, bones, n === 0 ? 0 : Math.floor(3 * random())),
  );
  return {
    bones,
    goals: goals.sort((a, b) => a.priority - b.priority),
    locked: human && random() < 0.5 ? ['hips'] : [],
    spread: [0, 0.2, 1][Math.floor(3 * random())],
    startSeed: Math.floor(2 ** 31 * random()),
  };
}

/** The start of a mix: numbers within its spread; the solver projects them onto the limits. */
export function startOf({ spread, startSeed }: Mix, dof: number): Float64Array {
  const random = seeded(startSeed);
  return Float64Array.from({ length: dof }, () => spread * (2 * random() - 1));
}

function drawTree(random: Random): MixBone[] {
  const count = 2 + Math.floor(7 * random());
  return Array.from({ length: count }, (_, k) => {
    const joint = drawJoint(random, k === 0);
    const limit = random() < 0.7 ? drawLimit(random, joint) : undefined;
    return {
      name: `b${k}`,
      parent: k === 0 ? null : `b${Math.floor(Math.max(0, k - 1 - 2 * random()))}`,
      rest: {
        position: random() < 0.5 ? triple(random, 0.4) : [0, 0, 0.3],
        rotation: random() < 0.6 ? [0, 0, 0, 1] : rotation(random),
      },
      joint,
      ...(limit === undefined ? {} : { limit }),
      mass: 0.5 + random(),
      centerOfMass: triple(random, 0.2),
    };
  });
}

function drawJoint(random: Random, root: boolean): Joint {
  const types = root
    ? (['ball', 'ball', 'free', 'hinge'] as const)
    : (['ball', 'ball', 'hinge', 'slider', 'swing', 'ball-and-socket', 'euler'] as const);
  const type = types[Math.floor(types.length * random())];
  switch (type) {
    case 'hinge':
    case 'slider':
    case 'swing':
    case 'ball-and-socket':
      return { type, axis: random() < 0.5 ? [0, 0, 1] : triple(random) };
    case 'euler':
      return { type, order: 'ZXY' };
    default:
      return { type };
  }
}

function drawLimit(random: Random, { type }: Joint): Limit | undefined {
  const angle = (): number => 0.1 + 1.5 * random();
  switch (type) {
    case 'hinge':
      return { type: 'interval', min: -angle(), max: angle() };
    case 'slider':
      return { type: 'interval', min: -0.3 * random(), max: 0.3 * random() };
    case 'swing':
      return random() < 0.5
        ? { type: 'cone', halfAngle: angle() }
        : { type: 'ellipse', halfAngles: [angle(), angle()] };
    case 'ball':
      return { type: 'angle', max: angle() };
    case 'ball-and-socket':
      return {
        type: 'swing-twist',
        swing: { type: 'quad-ellipse', s: [-angle(), angle()], t: [-angle(), angle()] },
        twist: { min: -angle(), max: angle() },
      };
    case 'euler':
      return { type: 'box', min: [-angle(), -angle(), null], max: [angle(), null, angle()] };
    default:
      return undefined;
  }
}

function drawGoal(random: Random, bones: readonly MixBone[] | undefined, priority: number): MixGoal {
  const type = MIX_TYPES[Math.floor(MIX_TYPES.length * random())];
  const names: readonly string[] = bones?.map(({ name }) => name) ?? HUMAN_BONES;
  const pick = (): string => names[Math.floor(names.length * random())];
  // The tips of a tree more often than its root.
  const bone = bones !== undefined && random() < 0.5 ? names[names.length - 1] : pick();
  const others = names.filter((name) => name !== bone);
  const other = others[Math.floor(others.length * random())];
  const place = (): Triple =>
    bones === undefined
      ? [1.6 * random() - 0.8, 0.2 + 1.7 * random(), 1.1 * random() - 0.3]
      : triple(random, 0.8);
  const near = (): Triple => triple(random, 0.2);
  const carried = random() < 0.2;
  const target = carried ? { bone: other, point: near() } : place();
  const weight = random() < 0.8 ? 1 : 0.1 + random();
  const common = { bone, priority, weight };
  const normal: Triple = random() < 0.5 ? [0, 1, 0] : triple(random);
  const axis: Triple = random() < 0.5 ? [0, 0, 1] : triple(random);
  switch (type) {
    case 'position':
      return { type, ...common, ...(random() < 0.5 ? {} : { point: near() }), target };
    case 'orientation':
      return {
        type,
        ...common,
        target: carried ? { bone: other } : rotation(random),
        ...(random() < 0.2 ? { mask: [1, 0.5, 0] } : {}),
      };
    case 'points-at':
      return {
        type,
        ...common,
        axis,
        target,
        ...(random() < 0.3 ? { up: { axis: [axis[1], axis[2], -axis[0]] } } : {}),
      };
    case 'look-at': {
      const looker = bones === undefined ? 'head' : bone;
      const chain =
        bones === undefined
          ? ['chest', 'neck', 'head'].map((name, n) => ({ bone: name, share: 1 + n }))
          : names.map((name, n) => ({ bone: name, share: 1 + n }));
      return { type, ...common, bone: looker, axis, target: place(), chain };
    }
    case 'pole': {
      if (bones === undefined) {
        const limb = HUMAN_BONES[Math.floor(4 * random())];
        return { type, priority, weight, bone: limb, target: place() };
      }
      if (bones.length < 3) return { type: 'position', ...common, target };
      const first = Math.floor((bones.length - 2) * random());
      return {
        type,
        priority,
        weight,
        start: names[first],
        middle: names[first + 1],
        bone: names[first + 2],
        target: place(),
      };
    }
    case 'distance':
      return { type, ...common, target, distance: 0.1 + 0.6 * random() };
    case 'plane':
      return { type, ...common, point: near(), target: { point: place(), normal } };
    case 'half-space':
      return {
        type,
        ...common,
        point: near(),
        target: { point: place(), normal },
        clearance: 0.1 * random(),
      };
    case 'relative-pose':
      return {
        type,
        ...common,
        target: { bone: other, point: triple(random, 0.4), offset: rotation(random) },
      };
    case 'center-of-mass':
      return { type, priority, weight, target: place(), ...(random() < 0.5 ? { mask: [1, 0, 1] } : {}) };
    case 'support': {
      const [x, , z] = bones === undefined ? triple(random, 0.2) : triple(random, 0.4);
      const size = 0.05 + 0.3 * random();
      const corners = [1, 2, 3, 3, 4][Math.floor(5 * random())];
      const support = [
        [x, 0, z],
        [x + size, 0, z],
        [x, 0, z + size],
        [x + size, 0, z + size],
      ].slice(0, corners);
      return { type: 'center-of-mass', priority, weight, support };
    }
    case 'posture':
      return { type, weight, priority: Math.max(1, priority) };
    case 'joint-value': {
      const joint = bones === undefined ? 'leftLowerArm' : bone;
      return { type, ...common, bone: joint, value: 2 * random() - 1 };
    }
    default: {
      const pair = HUMAN_MIRRORS[Math.floor(HUMAN_MIRRORS.length * random())];
      const [own, of] = bones === undefined ? pair : [bone, other];
      const points = random() < 0.4 ? { points: [[0, 0, 0], near(), near()] } : {};
      const plane =
        bones === undefined && random() < 0.7
          ? {}
          : { plane: { point: triple(random, 0.1), normal: triple(random) } };
      return { type: 'mirror', priority, weight, bone: own, of, ...points, ...plane };
    }
  }
}

function triple(random: Random, size = 1): Triple {
  return [size * (2 * random() - 1), size * (2 * random() - 1), size * (2 * random() - 1)];
}

function rotation(random: Random): Quadruple {
  const q = [2 * random() - 1, 2 * random() - 1, 2 * random() - 1, 2 * random() - 1];
  const n = Math.hypot(...q) || 1;
  return [q[0] / n, q[1] / n, q[2] / n, q[3] / n];
}
