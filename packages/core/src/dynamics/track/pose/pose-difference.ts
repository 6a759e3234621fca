import { jointTypes } from '../../../figure/joints/joint-types.js';
import type { Bone, Figure } from '../../../figure/model/figure.js';
import type { Numbers } from '../../../math/linear/types.js';
import { writeRotationBetween } from '../../../rotation/rotation-vector/rotation-between.js';

const PERIOD = 2 * Math.PI;

/**
 * Writes the joint velocity that leads from one pose to another in unit time: for rotation vectors the shortest rotation in bone axes, for periodic angles the
 * shorter arc, elsewhere the difference.
 */
export function writePoseDifference(figure: Figure, from: Numbers, to: Numbers, out: Float64Array): void {
  const { bones } = figure;
  for (let b = 0; b < bones.length; b++) {
    const bone = bones[b];
    const start = jointTypes[bone.joint.type].rotationVector;
    const linearCount = start < 0 ? bone.dof : start;
    for (let k = 0; k < linearCount; k++) {
      const i = bone.coordinate + k;
      const difference = to[i] - from[i];
      out[i] = isPeriodic(bone, k) ? wrapAngle(difference) : difference;
    }
    if (start >= 0 && bone.dof > 0) {
      const i = bone.coordinate + start;
      writeRotationBetween(from, to, i, out, i);
    }
  }
}

/** Whether coordinate k of a bone is an unlimited angle of period 2 pi. */
export function isPeriodic({ joint, limit }: Bone, k: number): boolean {
  if (joint.type === 'hinge') return limit === undefined;
  if (joint.type === 'ball-and-socket')
    return k === 2 && !(limit?.type === 'swing-twist' && limit.twist !== undefined);
  if (joint.type !== 'euler') return false;
  return limit === undefined || (limit.type === 'box' && limit.min[k] === null && limit.max[k] === null);
}

/** Wraps an angle to [-pi, pi]. */
export function wrapAngle(angle: number): number {
  return angle - PERIOD * Math.round(angle / PERIOD);
}
