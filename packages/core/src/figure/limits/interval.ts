import type { LimitShape } from '../../math/optimization/active-limits.js';

/** min <= x <= max, either bound possibly infinite. g = max(min - x, x - max). */
export const intervalShape: LimitShape = {
  value(parameters, q, i) {
    return Math.max(parameters[0] - q[i], q[i] - parameters[1]);
  },
  gradient(parameters, q, i, _size, out, o) {
    out[o] = parameters[0] - q[i] > q[i] - parameters[1] ? -1 : 1;
  },
  hessian(_parameters, _q, _i, _size, out, o) {
    out[o] = 0;
  },
  project(parameters, q, i) {
    const x = q[i];
    if (x < parameters[0]) q[i] = parameters[0];
    else if (x > parameters[1]) q[i] = parameters[1];
    else return false;
    return true;
  },
};
