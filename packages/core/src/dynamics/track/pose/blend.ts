import { jointTypes } from '../../../figure/joints/joint-types.js';
import type { Bone, Figure } from '../../../figure/model/figure.js';
import { checkPose, clampToLimits } from '../../../figure/model/pose.js';
import * as quat from '../../../math/geometry/quat.js';
import type { MutableNumbers, Numbers } from '../../../math/linear/types.js';
import { writeQuaternion } from '../../../rotation/rotation-vector/kernels.js';
import { rotationVectorFromQuat } from '../../../rotation/rotation-vector/log.js';
import { writeRotationBetween } from '../../../rotation/rotation-vector/rotation-between.js';
import { requireWeights } from './checks.js';
import { isPeriodic, wrapAngle } from './pose-difference.js';

const turn = /* @__PURE__ */ new Float64Array(3);
const first: [number, number, number, number] = [0, 0, 0, 1];
const second: [number, number, number, number] = [0, 0, 0, 1];
const found: number[] = [0, 0, 0];

/**
 * A pose between two, bone by bone: at weight 0 a bone is as in `from`, at 1 as in `to`, to the bit. Rotation vectors go along the shortest turn, at
 * even speed; angles that nothing limits the shortest way round; all else straight. So do rotation vectors with a limit, for the limit is a convex set
 * of vectors. What comes out is within the limits (as are `from` and `to` first).
 *
 * @param weights - One for all bones or one for each, 0 to 1.
 * @param out - May be `from` or `to`.
 * @throws FigureError `wrong-size`, `not-finite` for poses that are none; DomainError `wrong-size`, `out-of-range` for such weights.
 */
export function blendPoses<T extends MutableNumbers = Float64Array>(
  figure: Figure,
  from: Numbers,
  to: Numbers,
  weights: number | Numbers,
  out: T = new Float64Array(figure.dof) as MutableNumbers as T,
): T {
  checkPose(figure, from, 'from');
  checkPose(figure, to, 'to');
  const { bones } = figure;
  if (typeof weights === 'number') requireWeights([weights], 1, 'weights');
  else requireWeights(weights, bones.length, 'weights');
  for (let b = 0; b < bones.length; b++) {
    blendBone(bones[b], from, to, typeof weights === 'number' ? weights : weights[b], out);
  }
  clampToLimits(figure, out);
  return out;
}

function blendBone(bone: Bone, from: Numbers, to: Numbers, weight: number, out: MutableNumbers): void {
  const { coordinate, dof, joint, limit } = bone;
  const turning = jointTypes[joint.type].rotationVector;
  const turns = turning >= 0 && dof > 0 && limit?.type !== 'angle' && weight > 0 && weight < 1;
  const plain = turns ? turning : dof;
  for (let k = 0; k < plain; k++) {
    const i = coordinate + k;
    const way = to[i] - from[i];
    if (weight === 0 || weight === 1) out[i] = weight === 0 ? from[i] : to[i];
    else out[i] = from[i] + weight * (isPeriodic(bone, k) ? wrapAngle(way) : way);
  }
  if (turns) blendRotationVector(from, to, coordinate + turning, weight, out);
}

/** out = from exp(weight log(from^-1 to)), within half a turn. */
function blendRotationVector(
  from: Numbers,
  to: Numbers,
  i: number,
  weight: number,
  out: MutableNumbers,
): void {
  writeRotationBetween(from, to, i, turn, 0);
  writeQuaternion(from[i], from[i + 1], from[i + 2], first, 0);
  writeQuaternion(weight * turn[0], weight * turn[1], weight * turn[2], second, 0);
  rotationVectorFromQuat(quat.multiply(first, second, first), undefined, found);
  for (let k = 0; k < 3; k++) out[i + k] = found[k];
}
