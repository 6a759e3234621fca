/** Mean of rotations. */
import { DomainError } from '../../errors.js';
import * as quat from '../../math/geometry/quat.js';
import * as vec3 from '../../math/geometry/vec3.js';
import { wahbaRotation } from '../../math/geometry/wahba.js';
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import { unset4 } from '../../math/linear/unset.js';
import { quatFromRotationVector } from './exponential.js';
import { rotationVectorFromQuat } from './log.js';

const MAX_STEPS = 500;

/** Length of a step, rad, that is rounding: a few units in the last place of pi. */
const ROUNDING = 4 * Number.EPSILON;

const sum = /* @__PURE__ */ new Float64Array(9);
const matrix = /* @__PURE__ */ new Float64Array(9);
const mean = /* @__PURE__ */ new Float64Array(4);
const rotation = /* @__PURE__ */ new Float64Array(4);
const vector = /* @__PURE__ */ new Float64Array(3);
const step = /* @__PURE__ */ new Float64Array(3);

/**
 * The mean of rotations as a unit quaternion with w >= 0: the rotation M with the least sum of w_i angle(M, R_i)^2 (Karcher mean), where
 * sum w_i log(M^-1 R_i) = 0. It is the one of the rotations about one axis by the mean angle, and halfway along the slerp between two. Unique for
 * rotations within pi/2 of one of them; the iteration M <- M exp(sum w_i log(M^-1 R_i) / sum w_i) starts at the rotation nearest to the mean matrix.
 *
 * @param quaternions - Nonzero quaternions of any length, packed, four numbers each; q and -q are the same.
 * @param weights - One for each, zero or more. Default: all equal.
 * @throws DomainError `wrong-size`, `out-of-range` for a weight below zero or without any above; `singular` for rotations that point all
 *   ways, such as the half turns about three axes, and have no one mean.
 */
export function meanQuat<T extends MutableNumbers = number[]>(
  quaternions: Numbers,
  weights?: Numbers,
  out: T = unset4(),
): T {
  const count = quaternions.length / 4;
  const total = checkedTotal(count, weights);
  sum.fill(0);
  for (let n = 0; n < count; n++) {
    quat.toMatrix(quat.normalize(quatAt(quaternions, n), rotation), matrix);
    const weight = (weights === undefined ? 1 : weights[n]) / total;
    for (let k = 0; k < 9; k++) sum[k] += weight * matrix[k];
  }
  wahbaRotation(sum, mean);
  let before = Number.POSITIVE_INFINITY;
  for (let iteration = 0; iteration < MAX_STEPS; iteration++) {
    step.fill(0);
    quat.conjugate(mean, mean);
    for (let n = 0; n < count; n++) {
      quat.multiply(mean, quatAt(quaternions, n), rotation);
      rotationVectorFromQuat(rotation, undefined, vector);
      vec3.addScaled(step, vector, (weights === undefined ? 1 : weights[n]) / total, step);
    }
    quat.conjugate(mean, mean);
    const length = vec3.norm(step);
    // The steps of a mean shrink; at rounding they no longer do.
    if (!(length > ROUNDING) || (length < 1e-12 && length >= before)) {
      return mean[3] < 0 ? quat.negate(mean, out) : quat.copy(mean, out);
    }
    before = length;
    quat.multiply(mean, quatFromRotationVector(step, rotation), mean);
    quat.normalize(mean, mean);
  }
  throw new DomainError('singular', 'the rotations have no one mean: they point all ways.', {
    path: 'meanQuat(quaternions)',
    remedy: 'Give rotations within a quarter turn of one of them.',
  });
}

function quatAt(quaternions: Numbers, n: number): Float64Array {
  for (let k = 0; k < 4; k++) rotation[k] = quaternions[4 * n + k];
  return rotation;
}

/** The sum of the weights. */
function checkedTotal(count: number, weights: Numbers | undefined): number {
  if (!(count > 0) || !Number.isInteger(count) || (weights !== undefined && weights.length !== count)) {
    throw new DomainError('wrong-size', `has ${4 * count} numbers and ${weights?.length ?? 'no'} weights.`, {
      path: 'meanQuat(quaternions)',
      remedy: 'Give four numbers a rotation, for at least one, and as many weights as rotations or none.',
    });
  }
  let total = 0;
  for (let n = 0; n < count; n++) {
    const weight = weights === undefined ? 1 : weights[n];
    total = weight < 0 ? Number.NaN : total + weight;
  }
  if (total > 0 && total < Number.POSITIVE_INFINITY) return total;
  throw new DomainError('out-of-range', 'are not finite numbers, zero or more, with one above zero.', {
    path: 'meanQuat(weights)',
    remedy: 'Give how much each rotation counts.',
  });
}
