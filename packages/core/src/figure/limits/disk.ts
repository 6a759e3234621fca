import type { LimitShape } from './limit.js';

/** Slightly less than one: a projected point must not round to the outside. */
const INSIDE = 1 - 2 * Number.EPSILON;

/**
 * |x| <= radius in one to three coordinates: a cone on a swing vector, a largest angle on a rotation vector.
 * g = |x|^2 / radius^2 - 1; the nearest point lies on the ray to the origin.
 */
export const diskShape: LimitShape = {
  value(parameters, q, i, size) {
    let sum = 0;
    for (let k = 0; k < size; k++) sum += q[i + k] * q[i + k];
    return sum / (parameters[0] * parameters[0]) - 1;
  },
  gradient(parameters, q, i, size, out, o) {
    const scale = 2 / (parameters[0] * parameters[0]);
    for (let k = 0; k < size; k++) out[o + k] = scale * q[i + k];
  },
  hessian(parameters, _q, _i, size, out, o) {
    const scale = 2 / (parameters[0] * parameters[0]);
    for (let k = 0; k < size * size; k++) out[o + k] = k % (size + 1) === 0 ? scale : 0;
  },
  project(parameters, q, i, size) {
    let sum = 0;
    for (let k = 0; k < size; k++) sum += q[i + k] * q[i + k];
    const radius = parameters[0];
    if (sum <= radius * radius) return false;
    const scale = (INSIDE * radius) / Math.sqrt(sum);
    for (let k = 0; k < size; k++) q[i + k] *= scale;
    return true;
  },
};
