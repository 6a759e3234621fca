import { jointTypes } from '../../../figure/joints/joint-types.js';
import type { Figure } from '../../../figure/model/figure.js';
import type { Numbers } from '../../../math/linear/types.js';
import { writeTurnBetween } from '../../../rotation/rotation-vector/rotation-between.js';
import { isPeriodic, withoutTurns } from './periodic-angles.js';

/**
 * What leads from one pose to another in unit time, against nu: at rotation vectors the shortest turn in bone axes, at angles that nothing limits the
 * shortest way round, elsewhere the difference.
 */
export function writeDifference(figure: Figure, from: Numbers, to: Numbers, out: Float64Array): void {
  const { bones } = figure;
  for (let b = 0; b < bones.length; b++) {
    const bone = bones[b];
    const turning = jointTypes[bone.joint.type].rotationVector;
    const plain = turning < 0 ? bone.dof : turning;
    for (let k = 0; k < plain; k++) {
      const i = bone.coordinate + k;
      const way = to[i] - from[i];
      out[i] = isPeriodic(bone, k) ? withoutTurns(way) : way;
    }
    if (turning >= 0 && bone.dof > 0) {
      const i = bone.coordinate + turning;
      writeTurnBetween(from, to, i, out, i);
    }
  }
}
