import {
  type BoneData,
  boneIndex,
  clampToLimits,
  createFigure,
  createState,
  type Figure,
  forwardKinematics,
  type JointData,
  type SwingLimit,
} from 'poise/figure';
import type { BonePoint, IkResult, PositionGoal } from 'poise/ik';
import { Bone, Matrix4, Quaternion, Vector3 } from 'three';
import { expect } from 'vitest';
import { objectiveOf } from '../../support/objective.js';
import { randomQuat, randomTriple } from '../../support/random-figure.js';

export const largest = (numbers: ArrayLike<number>): number => Math.max(0, ...Array.from(numbers, Math.abs));
export const gap = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  largest(Array.from(a, (x, k) => x - b[k]));

/** World positions of points on a posed figure, 3 numbers each. */
export function positionsOf(figure: Figure, pose: Float64Array, points: readonly BonePoint[]): Float64Array {
  const frames = framesOf(figure, pose);
  return Float64Array.from(
    points.flatMap(({ bone, point = [0, 0, 0] }) => {
      const m = frames.subarray(12 * boneIndex(figure, bone));
      return [0, 1, 2].map(
        (r) => m[3 * r] * point[0] + m[3 * r + 1] * point[1] + m[3 * r + 2] * point[2] + m[9 + r],
      );
    }),
  );
}

export function framesOf(figure: Figure, pose: Float64Array): Float64Array {
  const state = createState(figure);
  forwardKinematics(state, pose);
  return state.worldFromBone;
}

/** World position of a point by three.js bones: rest, then the joint's rotation built by three's own axis and angle. Balls and hinges. */
export function positionByThree(figure: Figure, pose: Float64Array, target: BonePoint): number[] {
  const bones = figure.bones.map(({ rest, joint, coordinate, parent }, b) => {
    const bone = new Bone();
    const v =
      joint.type === 'hinge'
        ? new Vector3(...joint.axis).multiplyScalar(pose[coordinate])
        : joint.type === 'ball'
          ? new Vector3(pose[coordinate], pose[coordinate + 1], pose[coordinate + 2])
          : new Vector3();
    const angle = v.length();
    const rotation = new Quaternion().setFromAxisAngle(
      angle > 0 ? v.divideScalar(angle) : v.set(1, 0, 0),
      angle,
    );
    bone.position.set(...rest.position);
    bone.quaternion.set(...rest.rotation).multiply(rotation);
    return { bone, parent, b };
  });
  for (const { bone, parent } of bones) if (parent >= 0) bones[parent].bone.add(bone);
  bones[0].bone.updateMatrixWorld(true);
  const world = new Matrix4().copy(bones[boneIndex(figure, target.bone)].bone.matrixWorld);
  const [x, y, z] = Array.from(target.point ?? [0, 0, 0]);
  return new Vector3(x, y, z).applyMatrix4(world).toArray();
}

/** A random tree, any rest rotations and any bone directions. */
export function randomTree(random: () => number, count: number, joint: (k: number) => JointData): Figure {
  const bones: BoneData[] = Array.from({ length: count }, (_, k) => ({
    name: `b${k}`,
    parent: k === 0 ? null : `b${Math.max(0, k - 1 - Math.floor(2 * random()))}`,
    rest: { position: randomTriple(random), rotation: randomQuat(random) },
    joint: joint(k),
    tip: randomTriple(random),
  }));
  return createFigure({ bones });
}

/** How a pose stands, by differences of the objective and by the definitions of the limits: none of the library's code for either. */
export interface Kkt {
  /** |P(q - grad f) - q| over the coordinates that are not fixed, translations in length scales. */
  readonly stationarity: number;
  /** Push of each limit that the pose is on against the descent, by `bone role`; only what is above 0. */
  readonly multipliers: ReadonlyMap<string, number>;
}

/** @param fixed - Whether a coordinate may not change. */
export function kktOf(
  figure: Figure,
  goals: readonly PositionGoal[],
  pose: Float64Array,
  lengthScale: number,
  fixed: (i: number) => boolean,
): Kkt {
  const gradient = new Float64Array(pose.length);
  const scale = Float64Array.from(pose, (_, i) => (isTranslation(figure, i) ? lengthScale : 1));
  const moved = pose.slice();
  for (let i = 0; i < pose.length; i++) {
    if (fixed(i)) continue;
    const at = (h: number): number => {
      const q = pose.slice();
      q[i] += scale[i] * h;
      return objectiveOf(figure, goals, q, lengthScale);
    };
    const central = (h: number): number => (at(h) - at(-h)) / (2 * h);
    const [a, b, c] = [central(4e-3), central(2e-3), central(1e-3)];
    const [ab, bc] = [(4 * b - a) / 3, (4 * c - b) / 3];
    gradient[i] = (16 * bc - ab) / 15;
    moved[i] -= scale[i] * gradient[i];
  }
  clampToLimits(figure, moved);
  const stationarity = Math.hypot(...pose.map((x, i) => (fixed(i) ? 0 : (moved[i] - x) / scale[i])));
  const multipliers = new Map<string, number>();
  for (const { name, limit, coordinate: i, joint, dof } of figure.bones) {
    if (limit === undefined || dof === 0) continue;
    const push = (role: string, at: number, normal: readonly number[]): void => {
      const size = Math.hypot(...normal);
      const value = normal.reduce(
        (sum, x, k) => sum - (fixed(at + k) ? 0 : (x * gradient[at + k]) / size),
        0,
      );
      if (value > 0) multipliers.set(`${name} ${role} ${at}`, value);
    };
    const interval = (role: string, at: number, min: number | null, max: number | null): void => {
      if (max !== null && pose[at] > max - 1e-9) push(role, at, [1]);
      if (min !== null && pose[at] < min + 1e-9) push(role, at, [-1]);
    };
    const swing = (limit: SwingLimit): void => {
      const [r, t] = [pose[i], pose[i + 1]];
      const [a, b] =
        limit.type === 'cone'
          ? [limit.halfAngle, limit.halfAngle]
          : limit.type === 'ellipse'
            ? limit.halfAngles
            : [limit.s[r < 0 ? 0 : 1], limit.t[t < 0 ? 0 : 1]];
      if ((r / a) ** 2 + (t / b) ** 2 > 1 - 1e-9) push('swing', i, [r / a ** 2, t / b ** 2]);
    };
    if (limit.type === 'interval')
      interval(joint.type === 'slider' ? 'distance' : 'angle', i, limit.min, limit.max);
    else if (limit.type === 'box') {
      const role = joint.type === 'free' ? 'position' : 'angle';
      limit.min.forEach((min, k) => {
        interval(role, i + k, min, limit.max[k]);
      });
    } else if (limit.type === 'angle') {
      const v = Array.from(pose.subarray(i, i + 3));
      if (Math.hypot(...v) > limit.max - 1e-9) push('angle', i, v);
    } else if (limit.type === 'swing-twist') {
      if (limit.swing !== undefined) swing(limit.swing);
      if (limit.twist !== undefined) interval('twist', i + 2, limit.twist.min, limit.twist.max);
    } else swing(limit);
  }
  return { stationarity, multipliers };
}

function isTranslation(figure: Figure, i: number): boolean {
  const { joint, coordinate } = figure.bones[figure.boneOfCoordinate[i]];
  return joint.type === 'slider' || (joint.type === 'free' && i - coordinate < 3);
}

/** What the status says of stationarity and of each limit, against {@link kktOf}. */
export function expectProved(
  figure: Figure,
  goals: readonly PositionGoal[],
  pose: Float64Array,
  { status, activeLimits, lengthScale }: IkResult,
  fixed: (i: number) => boolean = () => false,
): void {
  const { stationarity, multipliers } = kktOf(figure, goals, pose, lengthScale, fixed);
  expect(stationarity).toBeLessThan(1.1e-8);
  const reported = new Map(
    activeLimits.map((one) => [`${one.bone} ${one.role} ${one.coordinate}`, one.multiplier]),
  );
  for (const [limit, value] of multipliers) {
    // What differences tell apart from the tolerance of stationarity.
    if (value > 1e-7)
      expect(reported.get(limit) ?? 0, `${limit} ${value} ${status} ${stationarity}`).toBeGreaterThan(0);
  }
  for (const [limit, value] of reported) {
    expect(Math.abs((multipliers.get(limit) ?? 0) - value), limit).toBeLessThan(1e-8 * (1 + value));
  }
  if (status === 'limit-blocked') expect(reported.size).toBeGreaterThan(0);
  else {
    expect(status).toBe('out-of-reach');
    expect(Math.max(0, ...multipliers.values())).toBeLessThan(1e-7);
  }
}
