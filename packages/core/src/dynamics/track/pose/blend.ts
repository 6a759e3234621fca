import { requireRoom } from '../../../checks.js';
import { FigureError } from '../../../errors.js';
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

const rotation = /* @__PURE__ */ new Float64Array(3);
const first: [number, number, number, number] = [0, 0, 0, 1];
const second: [number, number, number, number] = [0, 0, 0, 1];
const found: number[] = [0, 0, 0];

/**
 * Interpolates two poses bone by bone: weight 0 gives `from`, 1 gives `to`, to the bit. Rotation vectors follow the shortest rotation at constant speed
 * (slerp), periodic angles the shorter arc, all other coordinates the straight line; so do rotation vectors with a limit, which is a convex set of vectors. The
 * result is clamped to the limits.
 *
 * @param weights - One for all bones or one for each, 0 to 1.
 * @param out - May be `from` or `to`.
 * @throws FigureError `wrong-size`, `not-finite` for invalid poses; DomainError `wrong-size`, `out-of-range` for invalid weights.
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
  requireRoom(out, figure.dof, 'out', FigureError);
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
  const start = jointTypes[joint.type].rotationVector;
  const isSlerp = start >= 0 && dof > 0 && limit?.type !== 'angle' && weight > 0 && weight < 1;
  const linearCount = isSlerp ? start : dof;
  for (let k = 0; k < linearCount; k++) {
    const i = coordinate + k;
    const difference = to[i] - from[i];
    if (weight === 0 || weight === 1) out[i] = weight === 0 ? from[i] : to[i];
    else out[i] = from[i] + weight * (isPeriodic(bone, k) ? wrapAngle(difference) : difference);
  }
  if (isSlerp) blendRotationVector(from, to, coordinate + start, weight, out);
}

/** Slerp: out = from exp(weight log(from^-1 to)), of length at most pi. */
function blendRotationVector(
  from: Numbers,
  to: Numbers,
  i: number,
  weight: number,
  out: MutableNumbers,
): void {
  writeRotationBetween(from, to, i, rotation, 0);
  writeQuaternion(from[i], from[i + 1], from[i + 2], first, 0);
  writeQuaternion(weight * rotation[0], weight * rotation[1], weight * rotation[2], second, 0);
  rotationVectorFromQuat(quat.multiply(first, second, first), undefined, found);
  for (let k = 0; k < 3; k++) out[i + k] = found[k];
}
