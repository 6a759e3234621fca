import type { Numbers } from '../../math/linear/types.js';
import { writeQuaternion } from '../../rotation/rotation-vector/kernels.js';
import { rotationVectorFromQuat } from '../../rotation/rotation-vector/log.js';

const before = /* @__PURE__ */ new Float64Array(4);
const product: number[] = [0, 0, 0, 1];
const reference: number[] = [0, 0, 0];
const result: number[] = [0, 0, 0];

/** out[i..i+2] = log(exp(r) q), on the branch nearest to r = from[i..i+2]; q = (x, y, z, w) of any nonzero length. */
export function composeRotation(
  from: Numbers,
  i: number,
  x: number,
  y: number,
  z: number,
  w: number,
  out: Float64Array,
): void {
  writeQuaternion(from[i], from[i + 1], from[i + 2], before, 0);
  const a = before[0];
  const b = before[1];
  const c = before[2];
  const d = before[3];
  product[0] = d * x + a * w + b * z - c * y;
  product[1] = d * y - a * z + b * w + c * x;
  product[2] = d * z + a * y - b * x + c * w;
  product[3] = d * w - a * x - b * y - c * z;
  reference[0] = from[i];
  reference[1] = from[i + 1];
  reference[2] = from[i + 2];
  rotationVectorFromQuat(product, reference, result);
  out[i] = result[0];
  out[i + 1] = result[1];
  out[i + 2] = result[2];
}

const increment = /* @__PURE__ */ new Float64Array(4);

/** The pose after h at constant velocity: exp(r) exp(h w) at rotation vectors r, q + h v elsewhere. */
export function integrateConstantVelocity(
  rotations: Int32Array,
  pose: Float64Array,
  velocity: Float64Array,
  h: number,
  out: Float64Array,
): void {
  for (let i = 0; i < pose.length; i++) out[i] = pose[i] + h * velocity[i];
  for (let k = 0; k < rotations.length; k++) {
    const i = rotations[k];
    writeQuaternion(h * velocity[i], h * velocity[i + 1], h * velocity[i + 2], increment, 0);
    composeRotation(pose, i, increment[0], increment[1], increment[2], increment[3], out);
  }
}
