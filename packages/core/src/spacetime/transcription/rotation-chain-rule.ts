/**
 * A block of three coordinates as a displacement d from a reference rotation: R = R_ref exp([d]). Its curve is a plain spline of d, it
 * changes no chart, and its derivatives are exact for |d| < 2 pi (MATH.md: J_r and its derivatives in A..F).
 */
import * as quat from '../../math/geometry/quat.js';
import type { Numbers, Quat, Vec3 } from '../../math/linear/types.js';
import {
  createRotationCache,
  evaluateRotationVector,
  type RotationCache,
} from '../../rotation/rotation-vector/evaluate.js';
import { rotationVectorFromQuat } from '../../rotation/rotation-vector/log.js';

/** Where the reference rotation is and how it turns; a `RotationState` of the curves is one. */
export interface TurningReference {
  /** R_ref, a unit quaternion `[x, y, z, w]`. */
  readonly quaternion: Quat;
  /** Angular velocity in the reference's own axes, rad/s. */
  readonly angularVelocity: Vec3;
  /** Its time derivative, rad/s^2. */
  readonly angularAcceleration: Vec3;
}

/** What {@link writeTurning} leaves: vectors of 3 numbers, matrices of 9, row by row. eps turns the body: R -> R exp([eps]). */
export interface TurningBlock {
  /** A rotation vector of R, rad: d itself without a reference, else log R, |v| <= pi. */
  readonly vector: Float64Array;
  /** Angular velocity in body axes, rad/s. */
  readonly nu: Float64Array;
  /** Its time derivative, rad/s^2. */
  readonly nuRate: Float64Array;
  /** J_r(d) = d eps/dd = d nu/dd' = d nu'/dd''. */
  readonly turn: Float64Array;
  /** d nu/dd. */
  readonly nuByValue: Float64Array;
  /** d nu'/dd. */
  readonly nuRateByValue: Float64Array;
  /** d nu'/dd'. */
  readonly nuRateByRate: Float64Array;
}

/** Room for one block. */
export function createTurningBlock(): TurningBlock {
  const room = (size: number): Float64Array => new Float64Array(size);
  return {
    vector: room(3),
    nu: room(3),
    nuRate: room(3),
    turn: room(9),
    nuByValue: room(9),
    nuRateByValue: room(9),
    nuRateByRate: room(9),
  };
}

const cache = /* @__PURE__ */ createRotationCache();
const value = /* @__PURE__ */ new Float64Array(3);
const rate = /* @__PURE__ */ new Float64Array(3);
const second = /* @__PURE__ */ new Float64Array(3);
/** The time derivative of J_r(d). */
const turnRate = /* @__PURE__ */ new Float64Array(9);
const bySecond = /* @__PURE__ */ new Float64Array(9);
/** What of the reference's turning reaches the body: u = exp(-[d]) w_ref, and u'. */
const carried = /* @__PURE__ */ new Float64Array(3);
const carriedRate = /* @__PURE__ */ new Float64Array(3);
const orientation = /* @__PURE__ */ new Float64Array(4);

/**
 * Everything of one block at one instant, from d, d', d'' at `offset` of three arrays:
 *
 *   nu  = u + w,                 u = exp(-[d]) w_ref,  w = J_r(d) d'
 *   nu' = exp(-[d]) w_ref' + u x w + J_r d'' + J_r' d'
 *
 * A function F of d and t has dF'/dd = (dF/dd)' and dF'/dd' = (dF/dd)  + (dF/dd')', so with du = u x eps
 *
 *   dnu/dd   = [u] J_r + W(d'),                    W(y) = d(J_r y)/dd
 *   dnu'/dd' = dnu/dd + J_r'
 *   dnu'/dd  = [u'] J_r + [u] J_r' + W(d'') + W'(d'),   u' = exp(-[d]) w_ref' + u x w.
 *
 * @param reference - Left out: R_ref = 1 that does not turn, so that d is the rotation vector itself, also past pi.
 */
export function writeTurning(
  d: Numbers,
  dRate: Numbers,
  dSecond: Numbers,
  offset: number,
  reference: TurningReference | undefined,
  out: TurningBlock,
): void {
  for (let k = 0; k < 3; k++) {
    value[k] = d[offset + k];
    rate[k] = dRate[offset + k];
    second[k] = dSecond[offset + k];
  }
  const at = evaluateRotationVector(value, cache);
  const { turn, nu, nuRate, nuByValue, nuRateByValue, nuRateByRate } = out;
  writeTurn(at, turn);
  writeTurnRate(at, turnRate);
  writeProduct(at, rate, nuByValue);
  writeProduct(at, second, bySecond);
  writeProductRate(at, nuRateByValue);
  for (let r = 0; r < 3; r++) {
    nu[r] = 0;
    nuRate[r] = 0;
  }
  addProduct(turn, rate, nu);
  addProduct(turn, second, nuRate);
  addProduct(turnRate, rate, nuRate);
  for (let k = 0; k < 9; k++) {
    nuRateByValue[k] += bySecond[k];
    nuRateByRate[k] = nuByValue[k] + turnRate[k];
  }
  if (reference === undefined) {
    for (let k = 0; k < 3; k++) out.vector[k] = value[k];
    return;
  }
  quat.multiply(reference.quaternion, at.quat, orientation);
  rotationVectorFromQuat(orientation, undefined, out.vector);
  addReference(at, reference, out);
}

/** J_r = 1 - B [v] + C [v]^2. */
function writeTurn({ x, y, z, B, C }: RotationCache, out: Float64Array): void {
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
function writeProduct({ x, y, z, B, C, E, F }: RotationCache, u: Float64Array, out: Float64Array): void {
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
function writeTurnRate({ x, y, z, thetaSquared, B, C, E, F }: RotationCache, out: Float64Array): void {
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
 * The time derivative of W(m) = d(J_r m)/dv while m = v' stays. With k = v . m, p = v x m, r = v x p:
 *
 *   -E k [m] + (E1 k p - F1 k r - F m x p) v^T + (E p - F r) m^T - F k (v m^T + k 1 - 2 m v^T) + C (|m|^2 1 - m m^T)
 */
function writeProductRate({ x, y, z, C, E, F, E1, F1 }: RotationCache, out: Float64Array): void {
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

/** Adds what the reference's own turning does. */
function addReference(
  at: RotationCache,
  { angularVelocity, angularAcceleration }: TurningReference,
  out: TurningBlock,
): void {
  const { turn, nu, nuRate, nuByValue, nuRateByValue, nuRateByRate } = out;
  writeTurnedBack(at, angularVelocity, carried);
  writeTurnedBack(at, angularAcceleration, carriedRate);
  // u' = exp(-[d]) w_ref' + u x w; nu still is w.
  carriedRate[0] += carried[1] * nu[2] - carried[2] * nu[1];
  carriedRate[1] += carried[2] * nu[0] - carried[0] * nu[2];
  carriedRate[2] += carried[0] * nu[1] - carried[1] * nu[0];
  for (let k = 0; k < 3; k++) {
    nu[k] += carried[k];
    nuRate[k] += carriedRate[k];
  }
  addTurned(carried, turn, nuByValue);
  addTurned(carried, turn, nuRateByRate);
  addTurned(carriedRate, turn, nuRateByValue);
  addTurned(carried, turnRate, nuRateByValue);
}

/** out += [u] M. */
function addTurned(u: Float64Array, m: Float64Array, out: Float64Array): void {
  for (let c = 0; c < 3; c++) {
    out[c] += u[1] * m[c + 6] - u[2] * m[c + 3];
    out[c + 3] += u[2] * m[c] - u[0] * m[c + 6];
    out[c + 6] += u[0] * m[c + 3] - u[1] * m[c];
  }
}

/** out = exp(-[v]) u = u - A v x u + B v x (v x u). */
function writeTurnedBack({ x, y, z, A, B }: RotationCache, u: Vec3, out: Float64Array): void {
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
