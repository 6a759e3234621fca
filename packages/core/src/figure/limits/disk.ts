import type { MutableNumbers } from '../../math/linear/types.js';
import type { LimitShape } from '../../math/optimization/active-limits.js';

/** Factor that moves a projected point inside where rounding left it outside by about an ulp. */
const SHRINK = 1 - Number.EPSILON;

/** At most two steps were observed; the bound terminates the loop for subnormal radii. */
const MAX_STEPS = 60;

/**
 * |x| <= radius in one to three coordinates: a cone limit of a swing vector, an angle limit of a rotation vector.
 * g = |x / radius|^2 - 1; the nearest point lies on the ray to the origin.
 */
export const diskShape: LimitShape = {
  value(parameters, q, i, size) {
    let sum = 0;
    for (let k = 0; k < size; k++) {
      const u = q[i + k] / parameters[0];
      sum += u * u;
    }
    return sum - 1;
  },
  gradient(parameters, q, i, size, out, o) {
    for (let k = 0; k < size; k++) out[o + k] = (2 * (q[i + k] / parameters[0])) / parameters[0];
  },
  hessian(parameters, _q, _i, size, out, o) {
    const scale = 2 / (parameters[0] * parameters[0]);
    for (let k = 0; k < size * size; k++) out[o + k] = k % (size + 1) === 0 ? scale : 0;
  },
  project(parameters, q, i, size) {
    if (!(diskShape.value(parameters, q, i, size) > 0)) return false;
    // Scaled by the largest entry against overflow of the squares; an infinite entry dominates.
    let largest = 0;
    for (let k = 0; k < size; k++) largest = Math.max(largest, Math.abs(q[i + k]));
    let sum = 0;
    for (let k = 0; k < size; k++) {
      const x = q[i + k];
      q[i + k] = largest < Infinity ? x / largest : Math.abs(x) === Infinity ? Math.sign(x) : 0;
      sum += q[i + k] * q[i + k];
    }
    scaleBy(parameters[0] / Math.sqrt(sum), q, i, size);
    for (let n = 0; n < MAX_STEPS && diskShape.value(parameters, q, i, size) > 0; n++) {
      scaleBy(SHRINK, q, i, size);
    }
    return true;
  },
};

function scaleBy(factor: number, q: MutableNumbers, i: number, size: number): void {
  for (let k = 0; k < size; k++) q[i + k] *= factor;
}
