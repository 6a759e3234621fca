/**
 * A rotation parameterized by a displacement d from a reference: R = R_ref exp([d]), or R = exp([d]) R_ref. d is a plain spline in one
 * chart, with exact derivatives for |d| < 2 pi. J_r is the right Jacobian of the exponential map; A..F are the coefficients of the rotation vector series
 * (`rotation/rotation-vector`).
 */
import * as mat3 from '../../math/geometry/mat3.js';
import * as quat from '../../math/geometry/quat.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { Numbers, Quat, Vec3 } from '../../math/linear/types.js';
import {
  createRotationCache,
  evaluateRotationVector,
  type RotationCache,
} from '../../rotation/rotation-vector/evaluate.js';
import { rotationVectorFromQuat } from '../../rotation/rotation-vector/log.js';

/** The reference rotation and its rates; any `RotationState` is one. */
export interface RotationReference {
  /** R_ref, a unit quaternion `[x, y, z, w]`. */
  readonly quaternion: Quat;
  /** Angular velocity in the reference's own axes, rad/s. */
  readonly angularVelocity: Vec3;
  /** Its time derivative, rad/s^2. */
  readonly angularAcceleration: Vec3;
}

/** Output of {@link writeRotationBlock}: vectors of 3 numbers, 3 x 3 matrices row by row. eps is a rotation in body axes: R -> R exp([eps]). */
export interface RotationBlock {
  /** A rotation vector of R, rad: d itself without a reference, else log R, |v| <= pi. */
  readonly vector: Float64Array;
  /** Angular velocity in body axes, rad/s. */
  readonly angularVelocity: Float64Array;
  /** Its time derivative, rad/s^2. */
  readonly angularAcceleration: Float64Array;
  /** d eps/dd = dw/dd' = dw'/dd'': J_r(d), with d in parent axes R_ref^T J_r(d). */
  readonly rightJacobian: Float64Array;
  /** dw/dd. */
  readonly velocityByValue: Float64Array;
  /** dw'/dd. */
  readonly accelerationByValue: Float64Array;
  /** dw'/dd'. */
  readonly accelerationByRate: Float64Array;
}

export function createRotationBlock(): RotationBlock {
  const zeros = (size: number): Float64Array => new Float64Array(size);
  return {
    vector: zeros(3),
    angularVelocity: zeros(3),
    angularAcceleration: zeros(3),
    rightJacobian: zeros(9),
    velocityByValue: zeros(9),
    accelerationByValue: zeros(9),
    accelerationByRate: zeros(9),
  };
}

const cache = /* @__PURE__ */ createRotationCache();
const value = /* @__PURE__ */ new Float64Array(3);
const rate = /* @__PURE__ */ new Float64Array(3);
const second = /* @__PURE__ */ new Float64Array(3);
/** The time derivative of J_r(d). */
const rightJacobianRate = /* @__PURE__ */ new Float64Array(9);
const bySecond = /* @__PURE__ */ new Float64Array(9);
/** Reference angular velocity in body axes, u = exp(-[d]) w_ref, and u'. */
const referenceVelocity = /* @__PURE__ */ new Float64Array(3);
const referenceAcceleration = /* @__PURE__ */ new Float64Array(3);
const rotation = /* @__PURE__ */ new Float64Array(9);
const transposed = /* @__PURE__ */ new Float64Array(9);
const orientation = /* @__PURE__ */ new Float64Array(4);

/**
 * Evaluates one rotation from d, d', d'' at `offset` of three arrays, w the angular velocity in body axes:
 *
 *   w  = u + v,                  u = exp(-[d]) w_ref,  v = J_r(d) d'
 *   w' = exp(-[d]) w_ref' + u x v + J_r d'' + J_r' d'
 *
 * A function F of d and t has dF'/dd = (dF/dd)' and dF'/dd' = (dF/dd)  + (dF/dd')', so with du = u x eps
 *
 *   dw/dd   = [u] J_r + W(d'),                    W(y) = d(J_r y)/dd
 *   dw'/dd' = dw/dd + J_r'
 *   dw'/dd  = [u'] J_r + [u] J_r' + W(d'') + W'(d'),   u' = exp(-[d]) w_ref' + u x v.
 *
 * With d in parent axes, R = exp([d]) R_ref and v_d, v_d' those of d alone,
 *
 *   w = w_ref + R_ref^T v_d,   w' = w_ref' + R_ref^T v_d' - w_ref x R_ref^T v_d.
 *
 * @param reference - Left out: R_ref = 1 at rest, so that d is the rotation vector itself, also past pi.
 */
export function writeRotationBlock(
  d: Numbers,
  dRate: Numbers,
  dSecond: Numbers,
  offset: number,
  reference: RotationReference | undefined,
  out: RotationBlock,
  axes: 'bone' | 'parent' = 'bone',
): void {
  for (let k = 0; k < 3; k++) {
    value[k] = d[offset + k];
    rate[k] = dRate[offset + k];
    second[k] = dSecond[offset + k];
  }
  const at = evaluateRotationVector(value, cache);
  const {
    rightJacobian,
    angularVelocity,
    angularAcceleration,
    velocityByValue,
    accelerationByValue,
    accelerationByRate,
  } = out;
  writeRightJacobian(at, rightJacobian);
  writeRightJacobianRate(at, rightJacobianRate);
  writeRightJacobianDerivative(at, rate, velocityByValue);
  writeRightJacobianDerivative(at, second, bySecond);
  writeRightJacobianDerivativeRate(at, accelerationByValue);
  for (let r = 0; r < 3; r++) {
    angularVelocity[r] = 0;
    angularAcceleration[r] = 0;
  }
  addProduct(rightJacobian, rate, angularVelocity);
  addProduct(rightJacobian, second, angularAcceleration);
  addProduct(rightJacobianRate, rate, angularAcceleration);
  for (let k = 0; k < 9; k++) {
    accelerationByValue[k] += bySecond[k];
    accelerationByRate[k] = velocityByValue[k] + rightJacobianRate[k];
  }
  if (reference === undefined) {
    for (let k = 0; k < 3; k++) out.vector[k] = value[k];
    return;
  }
  if (axes === 'bone') {
    quat.multiply(reference.quaternion, at.quat, orientation);
    addReference(at, reference, out);
  } else {
    quat.multiply(at.quat, reference.quaternion, orientation);
    addReferenceBefore(reference, out);
  }
  rotationVectorFromQuat(orientation, undefined, out.vector);
}

/** J_r = 1 - B [v] + C [v]^2. */
function writeRightJacobian({ x, y, z, B, C }: RotationCache, out: Float64Array): void {
  const cx = C * x;
  const xy = cx * y;
  const xz = cx * z;
  const yz = C * y * z;
  const xx = cx * x;
  const yy = C * y * y;
  const zz = C * z * z;
  out[0] = 1 - (yy + zz);
  out[1] = xy + B * z;
  out[2] = xz - B * y;
  out[3] = xy - B * z;
  out[4] = 1 - (xx + zz);
  out[5] = yz + B * x;
  out[6] = xz + B * y;
  out[7] = yz - B * x;
  out[8] = 1 - (xx + yy);
}

/** W(u) = B [u] + (E p - F v x p) v^T + C (v u^T + (v . u) 1 - 2 u v^T), p = v x u: d(J_r u)/dv. */
function writeRightJacobianDerivative(
  { x, y, z, B, C, E, F }: RotationCache,
  u: Float64Array,
  out: Float64Array,
): void {
  const ux = u[0];
  const uy = u[1];
  const uz = u[2];
  const px = y * uz - z * uy;
  const py = z * ux - x * uz;
  const pz = x * uy - y * ux;
  const gx = E * px - F * (y * pz - z * py) - 2 * C * ux;
  const gy = E * py - F * (z * px - x * pz) - 2 * C * uy;
  const gz = E * pz - F * (x * py - y * px) - 2 * C * uz;
  const cx = C * x;
  const cy = C * y;
  const cz = C * z;
  const diagonal = cx * ux + cy * uy + cz * uz;
  out[0] = diagonal + gx * x + cx * ux;
  out[1] = gx * y + cx * uy - B * uz;
  out[2] = gx * z + cx * uz + B * uy;
  out[3] = gy * x + cy * ux + B * uz;
  out[4] = diagonal + gy * y + cy * uy;
  out[5] = gy * z + cy * uz - B * ux;
  out[6] = gz * x + cz * ux - B * uy;
  out[7] = gz * y + cz * uy + B * ux;
  out[8] = diagonal + gz * z + cz * uz;
}

/** J_r' = E k [v] - B [m] - F k [v]^2 + C (v m^T + m v^T - 2 k 1), m = v', k = v . m. */
function writeRightJacobianRate(
  { x, y, z, thetaSquared, B, C, E, F }: RotationCache,
  out: Float64Array,
): void {
  const mx = rate[0];
  const my = rate[1];
  const mz = rate[2];
  const k = x * mx + y * my + z * mz;
  const e = E * k;
  const f = F * k;
  const ax = e * x - B * mx;
  const ay = e * y - B * my;
  const az = e * z - B * mz;
  const diagonal = f * thetaSquared - 2 * C * k;
  const xy = C * (x * my + y * mx) - f * x * y;
  const xz = C * (x * mz + z * mx) - f * x * z;
  const yz = C * (y * mz + z * my) - f * y * z;
  out[0] = diagonal + 2 * C * x * mx - f * x * x;
  out[1] = xy - az;
  out[2] = xz + ay;
  out[3] = xy + az;
  out[4] = diagonal + 2 * C * y * my - f * y * y;
  out[5] = yz - ax;
  out[6] = xz - ay;
  out[7] = yz + ax;
  out[8] = diagonal + 2 * C * z * mz - f * z * z;
}

/**
 * Time derivative of W(m) = d(J_r m)/dv for constant m = v'. With k = v . m, p = v x m, r = v x p:
 *
 *   -E k [m] + (E1 k p - F1 k r - F m x p) v^T + (E p - F r) m^T - F k (v m^T + k 1 - 2 m v^T) + C (|m|^2 1 - m m^T)
 */
function writeRightJacobianDerivativeRate(
  { x, y, z, C, E, F, E1, F1 }: RotationCache,
  out: Float64Array,
): void {
  const mx = rate[0];
  const my = rate[1];
  const mz = rate[2];
  const k = x * mx + y * my + z * mz;
  const mm = mx * mx + my * my + mz * mz;
  const px = y * mz - z * my;
  const py = z * mx - x * mz;
  const pz = x * my - y * mx;
  const rx = y * pz - z * py;
  const ry = z * px - x * pz;
  const rz = x * py - y * px;
  const e = E1 * k;
  const f = F1 * k;
  const fk = F * k;
  // m x p = |m|^2 v - k m; 2 F k m v^T joins it.
  const gx = e * px - f * rx - F * mm * x + 3 * fk * mx;
  const gy = e * py - f * ry - F * mm * y + 3 * fk * my;
  const gz = e * pz - f * rz - F * mm * z + 3 * fk * mz;
  const hx = E * px - F * rx - fk * x - C * mx;
  const hy = E * py - F * ry - fk * y - C * my;
  const hz = E * pz - F * rz - fk * z - C * mz;
  const diagonal = C * mm - fk * k;
  const ek = E * k;
  out[0] = diagonal + gx * x + hx * mx;
  out[1] = gx * y + hx * my + ek * mz;
  out[2] = gx * z + hx * mz - ek * my;
  out[3] = gy * x + hy * mx - ek * mz;
  out[4] = diagonal + gy * y + hy * my;
  out[5] = gy * z + hy * mz + ek * mx;
  out[6] = gz * x + hz * mx + ek * my;
  out[7] = gz * y + hz * my - ek * mx;
  out[8] = diagonal + gz * z + hz * mz;
}

/** Adds the contribution of the reference's own rotation. */
function addReference(at: RotationCache, reference: RotationReference, out: RotationBlock): void {
  const {
    rightJacobian,
    angularVelocity,
    angularAcceleration,
    velocityByValue,
    accelerationByValue,
    accelerationByRate,
  } = out;
  writeInverseRotated(at, reference.angularVelocity, referenceVelocity);
  writeInverseRotated(at, reference.angularAcceleration, referenceAcceleration);
  // u' = exp(-[d]) w_ref' + u x v; `angularVelocity` is v at this point.
  referenceAcceleration[0] +=
    referenceVelocity[1] * angularVelocity[2] - referenceVelocity[2] * angularVelocity[1];
  referenceAcceleration[1] +=
    referenceVelocity[2] * angularVelocity[0] - referenceVelocity[0] * angularVelocity[2];
  referenceAcceleration[2] +=
    referenceVelocity[0] * angularVelocity[1] - referenceVelocity[1] * angularVelocity[0];
  for (let k = 0; k < 3; k++) {
    angularVelocity[k] += referenceVelocity[k];
    angularAcceleration[k] += referenceAcceleration[k];
  }
  addCrossProduct(referenceVelocity, rightJacobian, velocityByValue);
  addCrossProduct(referenceVelocity, rightJacobian, accelerationByRate);
  addCrossProduct(referenceAcceleration, rightJacobian, accelerationByValue);
  addCrossProduct(referenceVelocity, rightJacobianRate, accelerationByValue);
}

/** Adds the contribution of a reference that d, in parent axes, rotates: rows in bone axes, which rotate against parent axes at w_ref. */
function addReferenceBefore(reference: RotationReference, out: RotationBlock): void {
  const { velocityByValue, accelerationByValue, accelerationByRate, angularVelocity, angularAcceleration } =
    out;
  quat.toMatrix(reference.quaternion, rotation);
  for (let k = 0; k < 3; k++) referenceVelocity[k] = -reference.angularVelocity[k];
  for (const matrix of [out.rightJacobian, velocityByValue, accelerationByValue, accelerationByRate]) {
    mat3.multiply(mat3.transpose(rotation, transposed), matrix, matrix);
  }
  addCrossProduct(referenceVelocity, velocityByValue, accelerationByValue);
  addCrossProduct(referenceVelocity, out.rightJacobian, accelerationByRate);
  mat3.transposeMultiplyVector(rotation, angularVelocity, angularVelocity);
  mat3.transposeMultiplyVector(rotation, angularAcceleration, angularAcceleration);
  vec3.cross(referenceVelocity, angularVelocity, referenceAcceleration);
  for (let k = 0; k < 3; k++) {
    angularAcceleration[k] += referenceAcceleration[k] + reference.angularAcceleration[k];
    angularVelocity[k] += reference.angularVelocity[k];
  }
}

/** out += [u] M. */
function addCrossProduct(u: Float64Array, m: Float64Array, out: Float64Array): void {
  for (let c = 0; c < 3; c++) {
    out[c] += u[1] * m[c + 6] - u[2] * m[c + 3];
    out[c + 3] += u[2] * m[c] - u[0] * m[c + 6];
    out[c + 6] += u[0] * m[c + 3] - u[1] * m[c];
  }
}

/** out = exp(-[v]) u = u - A v x u + B v x (v x u). */
function writeInverseRotated({ x, y, z, A, B }: RotationCache, u: Vec3, out: Float64Array): void {
  const ux = u[0];
  const uy = u[1];
  const uz = u[2];
  const px = y * uz - z * uy;
  const py = z * ux - x * uz;
  const pz = x * uy - y * ux;
  out[0] = ux - A * px + B * (y * pz - z * py);
  out[1] = uy - A * py + B * (z * px - x * pz);
  out[2] = uz - A * pz + B * (x * py - y * px);
}

/** out += M x. */
function addProduct(m: Float64Array, x: Float64Array, out: Float64Array): void {
  for (let r = 0; r < 3; r++) out[r] += m[3 * r] * x[0] + m[3 * r + 1] * x[1] + m[3 * r + 2] * x[2];
}
