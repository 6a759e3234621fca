import { jointTypes } from '../../../figure/joints/joint-types.js';
import type { Bone, Figure } from '../../../figure/model/figure.js';
import type { Numbers } from '../../../math/linear/types.js';
import { writeRotationBetween } from '../../../rotation/rotation-vector/rotation-between.js';

const FULL_TURN = 2 * Math.PI;

/**
 * What leads from one pose to another in unit time, against nu: at rotation vectors the shortest turn in bone axes, at angles that nothing limits the
 * shortest way round, elsewhere the difference.
 */
export function writePoseDifference(figure: Figure, from: Numbers, to: Numbers, out: Float64Array): void {
  const { bones } = figure;
  for (let b = 0; b < bones.length; b++) {
    const bone = bones[b];
    const turning = jointTypes[bone.joint.type].rotationVector;
    const plain = turning < 0 ? bone.dof : turning;
    for (let k = 0; k < plain; k++) {
      const i = bone.coordinate + k;
      const way = to[i] - from[i];
      out[i] = isPeriodic(bone, k) ? wrapAngle(way) : way;
    }
    if (turning >= 0 && bone.dof > 0) {
      const i = bone.coordinate + turning;
      writeRotationBetween(from, to, i, out, i);
    }
  }
}

/** Whether coordinate k of a bone is an angle that comes to the same place a whole turn further, and nothing limits. */
export function isPeriodic({ joint, limit }: Bone, k: number): boolean {
  if (joint.type === 'hinge') return limit === undefined;
  if (joint.type === 'ball-and-socket')
    return k === 2 && !(limit?.type === 'swing-twist' && limit.twist !== undefined);
  if (joint.type !== 'euler') return false;
  return limit === undefined || (limit.type === 'box' && limit.min[k] === null && limit.max[k] === null);
}

/** An angle less the whole turns in it: within half a turn of zero. */
export function wrapAngle(angle: number): number {
  return angle - FULL_TURN * Math.round(angle / FULL_TURN);
}
