import type { Numbers } from '../../math/linear/types.js';
import { createRotationCache, evaluateRotationVector } from '../../rotation/rotation-vector/evaluate.js';

const at = /* @__PURE__ */ createRotationCache();
/** v x m, then v x (v x m). */
const turned = /* @__PURE__ */ new Float64Array(6);

/** Prepares {@link writeTurningDerivative} at the rotation vector v[0..2]. */
export function beginTurningDerivatives(v: Numbers): void {
  evaluateRotationVector(v, at);
}

/**
 * How the part of angular acceleration that v' = m makes without v'' changes with v along z, P the world axes before the rotation: P dc/dv z,
 *
 *   c(v, m) = -(v.m) (E p + F r) + C (v m^2 - (v.m) m),  p = v x m,  r = v x p   (MATH.md: d(J_l m)/dv m)
 *
 * to out[o..o+2], with C'/theta = -F and E'/theta, F'/theta of MATH.md. z is three numbers of `d` from iz on.
 */
export function writeTurningDerivative(
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
  // z x m, the change of p.
  const ux = zy * mz - zz * my;
  const uy = zz * mx - zx * mz;
  const uz = zx * my - zy * mx;
  turned[0] = y * pz - z * py;
  turned[1] = z * px - x * pz;
  turned[2] = x * py - y * px;
  // z x p + v x (z x m), the change of r.
  turned[3] = zy * pz - zz * py + y * uz - z * uy;
  turned[4] = zz * px - zx * pz + z * ux - x * uz;
  turned[5] = zx * py - zy * px + x * uy - y * ux;
  const along = x * mx + y * my + z * mz;
  const alongZ = mx * zx + my * zy + mz * zz;
  const squared = mx * mx + my * my + mz * mz;
  const reach = x * zx + y * zy + z * zz;
  // Factors of p, r, their changes, v, m and z.
  const ofP = -alongZ * e - along * E1 * reach;
  const ofR = -alongZ * f - along * F1 * reach;
  const ofU = -along * e;
  const ofW = -along * f;
  const ofV = -f * reach * squared;
  const ofM = f * reach * along - c * alongZ;
  const ofZ = c * squared;
  const nx = ofP * px + ofR * turned[0] + ofU * ux + ofW * turned[3] + ofV * x + ofM * mx + ofZ * zx;
  const ny = ofP * py + ofR * turned[1] + ofU * uy + ofW * turned[4] + ofV * y + ofM * my + ofZ * zy;
  const nz = ofP * pz + ofR * turned[2] + ofU * uz + ofW * turned[5] + ofV * z + ofM * mz + ofZ * zz;
  out[o] = before[0] * nx + before[1] * ny + before[2] * nz;
  out[o + 1] = before[3] * nx + before[4] * ny + before[5] * nz;
  out[o + 2] = before[6] * nx + before[7] * ny + before[8] * nz;
}
