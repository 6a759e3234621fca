import type { Numbers } from '../../math/linear/types.js';
import { writeQuaternion } from './kernels.js';
import { rotationVectorFromQuat } from './log.js';

const a = /* @__PURE__ */ new Float64Array(4);
const b = /* @__PURE__ */ new Float64Array(4);
const product: number[] = [0, 0, 0, 1];
const none: readonly number[] = [0, 0, 0];
const found: number[] = [0, 0, 0];

/** Rotation vector, in bone axes and at most half a turn, that leads from the rotation vector at from[i..] to that at to[i..]: to = from then it. */
export function writeTurnBetween(from: Numbers, to: Numbers, i: number, out: Float64Array, o: number): void {
  writeQuaternion(from[i], from[i + 1], from[i + 2], a, 0);
  writeQuaternion(to[i], to[i + 1], to[i + 2], b, 0);
  // conj(a) b
  product[0] = a[3] * b[0] - a[0] * b[3] - a[1] * b[2] + a[2] * b[1];
  product[1] = a[3] * b[1] - a[1] * b[3] - a[2] * b[0] + a[0] * b[2];
  product[2] = a[3] * b[2] - a[2] * b[3] - a[0] * b[1] + a[1] * b[0];
  product[3] = a[3] * b[3] + a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  rotationVectorFromQuat(product, none, found);
  out[o] = found[0];
  out[o + 1] = found[1];
  out[o + 2] = found[2];
}
