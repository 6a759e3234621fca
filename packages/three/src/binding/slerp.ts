import { type MutableNumbers, type Numbers, quat, vec3 } from 'poise/math';
import { quatFromRotationVector, rotationVectorFromQuat } from 'poise/rotation';

const difference: number[] = [0, 0, 0, 1];
const vector: number[] = [0, 0, 0];

/**
 * Slerp along the shortest arc between unit quaternions, a exp(t log(a^-1 b)) (Shoemake 1985), by the rotation vector. `out`
 * may be a or b.
 */
export function slerp(a: Numbers, b: Numbers, t: number, out: MutableNumbers): void {
  quat.multiply(quat.conjugate(a, difference), b, difference);
  rotationVectorFromQuat(difference, undefined, vector);
  vec3.scale(vector, t, vector);
  quat.multiply(a, quatFromRotationVector(vector, difference), difference);
  quat.normalize(difference, difference);
  for (let i = 0; i < 4; i++) out[i] = difference[i];
}
