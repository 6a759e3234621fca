/** Figure joints and bones of a BVH file. */
import type { BoneData, JointData, Quadruple, Triple } from 'poise/figure';
import { quat } from 'poise/math';
import type { BvhChannel, BvhJoint } from './hierarchy.js';

const AXES: readonly Triple[] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];
/** Rotation by -90 degrees about x, from z up to y up. */
const Y_UP_FROM_Z_UP = [-Math.SQRT1_2, 0, 0, Math.SQRT1_2] as const;

/** The joint type with the coordinates that the channels need; a root is always free. */
export function jointOf({ parent, channels }: BvhJoint): JointData {
  if (parent < 0) return { type: 'free' };
  if (channels.length === 0) return { type: 'fixed' };
  const [{ axis }] = channels;
  if (channels.some(isPosition))
    return channels.length === 1 ? { type: 'slider', axis: AXES[axis] } : { type: 'free' };
  return channels.length === 1 ? { type: 'hinge', axis: AXES[axis] } : { type: 'ball' };
}

/** One bone a joint; rest = OFFSET, without rotation or with `rotations`, tip = mean of the children's origins and End Sites. */
export function bonesOf(
  joints: readonly BvhJoint[],
  scale: number,
  fileUpAxis: 'y' | 'z',
  rotations?: readonly Quadruple[],
): BoneData[] {
  const ends = joints.map(({ ends: own }) => [...own]);
  for (const { parent, offset } of joints) if (parent >= 0) ends[parent].push(offset);
  return joints.map((joint, j): BoneData => {
    const { name, parent, offset } = joint;
    const isZUpRoot = parent < 0 && fileUpAxis === 'z';
    const [x, y, z] = scaled(offset, scale);
    const tip = scaled(meanOf(ends[j]), scale);
    const base = isZUpRoot ? Y_UP_FROM_Z_UP : undefined;
    const rotation =
      rotations === undefined ? base : base === undefined ? rotations[j] : product(base, rotations[j]);
    return {
      name,
      parent: parent < 0 ? null : joints[parent].name,
      rest: { position: isZUpRoot ? [x, z, -y] : [x, y, z], ...(rotation && { rotation }) },
      joint: jointOf(joint),
      ...(tip.some((value) => value !== 0) && { tip }),
    };
  });
}

function product(a: Quadruple, b: Quadruple): Quadruple {
  const [x, y, z, w] = quat.multiply(a, b);
  return [x, y, z, w];
}

function scaled([x, y, z]: Triple, scale: number): Triple {
  return [scale * x, scale * y, scale * z];
}

function meanOf(points: readonly Triple[]): Triple {
  const mean = (k: number): number => points.reduce((sum, p) => sum + p[k], 0) / Math.max(1, points.length);
  return [mean(0), mean(1), mean(2)];
}

export function isPosition({ kind }: BvhChannel): boolean {
  return kind === 'position';
}
