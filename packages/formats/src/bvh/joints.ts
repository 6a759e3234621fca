/** What joints of a BVH file are in a figure. */
import type { BoneData, JointData, Triple } from 'poise/figure';
import type { BvhChannel, BvhJoint } from './hierarchy.js';

const AXES: readonly Triple[] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];
/** -90 degrees about x: z up becomes y up. */
const TURNED = [-Math.SQRT1_2, 0, 0, Math.SQRT1_2] as const;

/** The joint that has as many coordinates as the channels need: a root is free whatever its channels. */
export function jointOf({ parent, channels }: BvhJoint): JointData {
  if (parent < 0) return { type: 'free' };
  if (channels.length === 0) return { type: 'fixed' };
  const [{ axis }] = channels;
  if (channels.some(isPosition))
    return channels.length === 1 ? { type: 'slider', axis: AXES[axis] } : { type: 'free' };
  return channels.length === 1 ? { type: 'hinge', axis: AXES[axis] } : { type: 'ball' };
}

/** One bone a joint, OFFSETs as rest, no rotation in it; tip = mean of the children's origins and End Sites. */
export function bonesOf(joints: readonly BvhJoint[], scale: number, fileUpAxis: 'y' | 'z'): BoneData[] {
  const ends = joints.map(({ ends: own }) => [...own]);
  for (const { parent, offset } of joints) if (parent >= 0) ends[parent].push(offset);
  return joints.map((joint, j): BoneData => {
    const { name, parent, offset } = joint;
    const turned = parent < 0 && fileUpAxis === 'z';
    const [x, y, z] = scaled(offset, scale);
    const tip = scaled(meanOf(ends[j]), scale);
    return {
      name,
      parent: parent < 0 ? null : joints[parent].name,
      rest: turned ? { position: [x, z, -y], rotation: TURNED } : { position: [x, y, z] },
      joint: jointOf(joint),
      ...(tip.some((value) => value !== 0) && { tip }),
    };
  });
}

function scaled([x, y, z]: Triple, scale: number): Triple {
  return [scale * x, scale * y, scale * z];
}

function meanOf(points: readonly Triple[]): Triple {
  const mean = (k: number): number => points.reduce((sum, p) => sum + p[k], 0) / Math.max(1, points.length);
  return [mean(0), mean(1), mean(2)];
}

/** Whether a channel is one of position. */
export function isPosition({ kind }: BvhChannel): boolean {
  return kind === 'position';
}
