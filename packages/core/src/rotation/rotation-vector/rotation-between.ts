import type { Numbers } from '../../math/linear/types.js';
import { unset3, unset4 } from '../../math/linear/unset.js';
import { writeQuaternion } from './kernels.js';
import { rotationVectorFromQuat } from './log.js';

const a = /* @__PURE__ */ new Float64Array(4);
const b = /* @__PURE__ */ new Float64Array(4);
const product = /* @__PURE__ */ unset4();
const zero: readonly number[] = [0, 0, 0];
const difference = /* @__PURE__ */ unset3();

/** Shortest rotation vector d in body axes from the rotation at from[i..] to that at to[i..]: R_to = R_from exp(d), |d| <= pi. */
export function writeRotationBetween(
  from: Numbers,
  to: Numbers,
  i: number,
  out: Float64Array,
  o: number,
): void {
  writeQuaternion(from[i], from[i + 1], from[i + 2], a, 0);
  writeQuaternion(to[i], to[i + 1], to[i + 2], b, 0);
  // conj(a) b
  product[0] = a[3] * b[0] - a[0] * b[3] - a[1] * b[2] + a[2] * b[1];
  product[1] = a[3] * b[1] - a[1] * b[3] - a[2] * b[0] + a[0] * b[2];
  product[2] = a[3] * b[2] - a[2] * b[3] - a[0] * b[1] + a[1] * b[0];
  product[3] = a[3] * b[3] + a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  rotationVectorFromQuat(product, zero, difference);
  out[o] = difference[0];
  out[o + 1] = difference[1];
  out[o + 2] = difference[2];
}
