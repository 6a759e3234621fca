/** J, J^T and K of contact potentials, J mapping bone velocities to the relative velocity u. */
import { BLOCK_B, BLOCK_C } from '../../model/articulated-inertia.js';
import { type ContactPotentials, ROTATION } from '../state/contact-potentials.js';

/**
 * Writes u of potential t to out[3t..].
 *
 * @param motion - Angular velocity and velocity of the origin, 6 numbers a bone.
 */
export function measureRelativeVelocity(
  potentials: ContactPotentials,
  t: number,
  motion: Float64Array,
  out: Float64Array,
): void {
  const { bodyA, bodyB, armA, armB, kind } = potentials;
  const o = 3 * t;
  const a = 6 * bodyA[t];
  const b = 6 * bodyB[t];
  if (kind[t] === ROTATION) {
    for (let k = 0; k < 3; k++) out[o + k] = motion[a + k] - (b < 0 ? 0 : motion[b + k]);
    return;
  }
  let wx = motion[a];
  let wy = motion[a + 1];
  let wz = motion[a + 2];
  let x = armA[o];
  let y = armA[o + 1];
  let z = armA[o + 2];
  let ux = motion[a + 3] + wy * z - wz * y;
  let uy = motion[a + 4] + wz * x - wx * z;
  let uz = motion[a + 5] + wx * y - wy * x;
  if (b >= 0) {
    wx = motion[b];
    wy = motion[b + 1];
    wz = motion[b + 2];
    x = armB[o];
    y = armB[o + 1];
    z = armB[o + 2];
    ux -= motion[b + 3] + wy * z - wz * y;
    uy -= motion[b + 4] + wz * x - wx * z;
    uz -= motion[b + 5] + wx * y - wy * x;
  }
  out[o] = ux;
  out[o + 1] = uy;
  out[o + 2] = uz;
}

/** Adds an impulse on A (3 numbers at `from[3t..]`), and its opposite on B, to wrenches: couple, then force, 6 numbers a bone. */
export function addWrenches(
  potentials: ContactPotentials,
  t: number,
  from: Float64Array,
  wrench: Float64Array,
): void {
  const { bodyA, bodyB, armA, armB, kind } = potentials;
  const isRotation = kind[t] === ROTATION;
  addWrench(wrench, 6 * bodyA[t], armA, from, 3 * t, 1, isRotation);
  if (bodyB[t] >= 0) addWrench(wrench, 6 * bodyB[t], armB, from, 3 * t, -1, isRotation);
}

function addWrench(
  wrench: Float64Array,
  w: number,
  arm: Float64Array,
  from: Float64Array,
  o: number,
  sign: 1 | -1,
  isRotation: boolean,
): void {
  const x = sign * from[o];
  const y = sign * from[o + 1];
  const z = sign * from[o + 2];
  if (isRotation) {
    wrench[w] += x;
    wrench[w + 1] += y;
    wrench[w + 2] += z;
    return;
  }
  wrench[w] += arm[o + 1] * z - arm[o + 2] * y;
  wrench[w + 1] += arm[o + 2] * x - arm[o] * z;
  wrench[w + 2] += arm[o] * y - arm[o + 1] * x;
  wrench[w + 3] += x;
  wrench[w + 4] += y;
  wrench[w + 5] += z;
}

const image = /* @__PURE__ */ new Float64Array(3);

/** out[3t..] = K from[3t..]; `out` may be `from`. */
export function applyHessian(
  { hessian }: ContactPotentials,
  t: number,
  from: Float64Array,
  out: Float64Array,
): void {
  const o = 3 * t;
  const h = 6 * t;
  const x = from[o];
  const y = from[o + 1];
  const z = from[o + 2];
  image[0] = hessian[h] * x + hessian[h + 3] * y + hessian[h + 4] * z;
  image[1] = hessian[h + 3] * x + hessian[h + 1] * y + hessian[h + 5] * z;
  image[2] = hessian[h + 4] * x + hessian[h + 5] * y + hessian[h + 2] * z;
  out[o] = image[0];
  out[o + 1] = image[1];
  out[o + 2] = image[2];
}

/** Adds J^T K J of one bone of potential t to its 21 numbers (`articulated-inertia.ts`) at `boneHessian[i..]`. */
export function addBoneHessian(
  { hessian, kind }: ContactPotentials,
  t: number,
  arm: Float64Array,
  boneHessian: Float64Array,
  i: number,
): void {
  const h = 6 * t;
  const kxx = hessian[h];
  const kyy = hessian[h + 1];
  const kzz = hessian[h + 2];
  const kxy = hessian[h + 3];
  const kxz = hessian[h + 4];
  const kyz = hessian[h + 5];
  if (kind[t] === ROTATION) {
    for (let k = 0; k < 6; k++) boneHessian[i + k] += hessian[h + k];
    return;
  }
  const x = arm[3 * t];
  const y = arm[3 * t + 1];
  const z = arm[3 * t + 2];
  // B = [r] K, A = -B [r]
  const b0 = y * kxz - z * kxy;
  const b1 = y * kyz - z * kyy;
  const b2 = y * kzz - z * kyz;
  const b3 = z * kxx - x * kxz;
  const b4 = z * kxy - x * kyz;
  const b5 = z * kxz - x * kzz;
  const b6 = x * kxy - y * kxx;
  const b7 = x * kyy - y * kxy;
  const b8 = x * kyz - y * kxz;
  boneHessian[i] += b2 * y - b1 * z;
  boneHessian[i + 1] += b3 * z - b5 * x;
  boneHessian[i + 2] += b7 * x - b6 * y;
  boneHessian[i + 3] += b0 * z - b2 * x;
  boneHessian[i + 4] += b1 * x - b0 * y;
  boneHessian[i + 5] += b4 * x - b3 * y;
  boneHessian[i + BLOCK_B] += b0;
  boneHessian[i + BLOCK_B + 1] += b1;
  boneHessian[i + BLOCK_B + 2] += b2;
  boneHessian[i + BLOCK_B + 3] += b3;
  boneHessian[i + BLOCK_B + 4] += b4;
  boneHessian[i + BLOCK_B + 5] += b5;
  boneHessian[i + BLOCK_B + 6] += b6;
  boneHessian[i + BLOCK_B + 7] += b7;
  boneHessian[i + BLOCK_B + 8] += b8;
  boneHessian[i + BLOCK_C] += kxx;
  boneHessian[i + BLOCK_C + 1] += kyy;
  boneHessian[i + BLOCK_C + 2] += kzz;
  boneHessian[i + BLOCK_C + 3] += kxy;
  boneHessian[i + BLOCK_C + 4] += kxz;
  boneHessian[i + BLOCK_C + 5] += kyz;
}
