import type { Numbers } from '../../math/linear/types.js';
import { createRotationCache, evaluateRotationVector } from '../../rotation/rotation-vector/evaluate.js';

const at = /* @__PURE__ */ createRotationCache();
/** r, then its derivative. */
const products = /* @__PURE__ */ new Float64Array(6);

/** Evaluates the coefficients of {@link writeRotationVectorBiasDerivative} at the rotation vector v[0..2]. */
export function beginBiasDerivatives(v: Numbers): void {
  evaluateRotationVector(v, at);
}

/**
 * Directional derivative along z of the bias acceleration c(v, m) of a rotation vector (the angular acceleration at v' = m,
 * v'' = 0), times P, the world axes before the rotation: P dc/dv z to out[o..o+2],
 *
 *   c(v, m) = d(J_l m)/dv m = -(v.m) (E p + F r) + C (v m^2 - (v.m) m),  p = v x m,  r = v x p
 *
 * with C'/theta = -F, E'/theta and F'/theta (docs/rotation.md). z is d[iz..iz+2].
 */
export function writeRotationVectorBiasDerivative(
  before: Float64Array,
  m: Float64Array,
  d: Numbers,
  iz: number,
  out: Float64Array,
  o: number,
): void {
  const { x, y, z, C: c, E: e, F: f, E1, F1 } = at;
  const mx = m[0];
  const my = m[1];
  const mz = m[2];
  const zx = d[iz];
  const zy = d[iz + 1];
  const zz = d[iz + 2];
  const px = y * mz - z * my;
  const py = z * mx - x * mz;
  const pz = x * my - y * mx;
  // z x m, the derivative of p.
  const ux = zy * mz - zz * my;
  const uy = zz * mx - zx * mz;
  const uz = zx * my - zy * mx;
  products[0] = y * pz - z * py;
  products[1] = z * px - x * pz;
  products[2] = x * py - y * px;
  // z x p + v x (z x m), the derivative of r.
  products[3] = zy * pz - zz * py + y * uz - z * uy;
  products[4] = zz * px - zx * pz + z * ux - x * uz;
  products[5] = zx * py - zy * px + x * uy - y * ux;
  const dotVM = x * mx + y * my + z * mz;
  const dotMZ = mx * zx + my * zy + mz * zz;
  const squared = mx * mx + my * my + mz * mz;
  const dotVZ = x * zx + y * zy + z * zz;
  // Factors of p, r, their derivatives, v, m and z.
  const ofP = -dotMZ * e - dotVM * E1 * dotVZ;
  const ofR = -dotMZ * f - dotVM * F1 * dotVZ;
  const ofU = -dotVM * e;
  const ofW = -dotVM * f;
  const ofV = -f * dotVZ * squared;
  const ofM = f * dotVZ * dotVM - c * dotMZ;
  const ofZ = c * squared;
  const nx = ofP * px + ofR * products[0] + ofU * ux + ofW * products[3] + ofV * x + ofM * mx + ofZ * zx;
  const ny = ofP * py + ofR * products[1] + ofU * uy + ofW * products[4] + ofV * y + ofM * my + ofZ * zy;
  const nz = ofP * pz + ofR * products[2] + ofU * uz + ofW * products[5] + ofV * z + ofM * mz + ofZ * zz;
  out[o] = before[0] * nx + before[1] * ny + before[2] * nz;
  out[o + 1] = before[3] * nx + before[4] * ny + before[5] * nz;
  out[o + 2] = before[6] * nx + before[7] * ny + before[8] * nz;
}
