/**
 * Elimination of one joint in the articulated-body recursion (Featherstone, *Rigid Body Dynamics Algorithms*, section 7.3). With I the
 * articulated inertia of the bone, S the joint's motion subspace and T its `jointHessian`,
 *
 *   U = I S,   D = S^T U + T = L E L^T,   Z = U L^-T E^-1,   I <- I - U D^-1 U^T = I - Z E Z^T.
 *
 * The factors of a rotational joint are Z (6 numbers a column), the axes (3), L below its diagonal (l10, l20, l21) and E^-1; those of a
 * general joint Z (with E = 1), the columns (6) and the Cholesky factor of D. Axes or columns are written by `updateTreeSystem`. Each
 * function returns false for a pivot that is not finite, or rounding error beside the entry of D that it comes from, or beside the inertia
 * of the subtree (`pivotScale`).
 */
import type { Figure } from '../../figure/model/figure.js';
import * as cholesky from '../../math/linear/cholesky.js';
import { ARTICULATED_SIZE, BLOCK_B, BLOCK_C, subtractOuterSquare } from '../model/articulated-inertia.js';
import type { TreeSystem } from '../model/tree-system.js';

/** A pivot smaller than this fraction of the entry of D that it comes from, or of the inertia of the subtree, is rounding. */
export const SINGULAR_TOLERANCE = 64 * Number.EPSILON;

const pivotFrom = /* @__PURE__ */ new Float64Array(6);

function isPivot(pivot: number, from: number, scale: number): boolean {
  return (
    pivot > SINGULAR_TOLERANCE * from &&
    pivot > SINGULAR_TOLERANCE * scale &&
    pivot < Number.POSITIVE_INFINITY
  );
}

/** A joint with one axis a: u = A a, g = B^T a. */
export function eliminateOneAxis(system: TreeSystem, b: number): boolean {
  const { articulatedInertia: x, factors: f, jointHessian } = system;
  const i = ARTICULATED_SIZE * b;
  const o = system.factorStart[b];
  const ax = f[o + 6];
  const ay = f[o + 7];
  const az = f[o + 8];
  const ux = x[i] * ax + x[i + 3] * ay + x[i + 4] * az;
  const uy = x[i + 3] * ax + x[i + 1] * ay + x[i + 5] * az;
  const uz = x[i + 4] * ax + x[i + 5] * ay + x[i + 2] * az;
  const gx = x[i + BLOCK_B] * ax + x[i + BLOCK_B + 3] * ay + x[i + BLOCK_B + 6] * az;
  const gy = x[i + BLOCK_B + 1] * ax + x[i + BLOCK_B + 4] * ay + x[i + BLOCK_B + 7] * az;
  const gz = x[i + BLOCK_B + 2] * ax + x[i + BLOCK_B + 5] * ay + x[i + BLOCK_B + 8] * az;
  const e = ax * ux + ay * uy + az * uz + jointHessian[36 * b];
  if (!isPivot(e, 0, system.pivotScale[2 * b + 1])) return false;
  const r = 1 / e;
  const p = r * ux;
  const q = r * uy;
  const s = r * uz;
  const t = r * gx;
  const v = r * gy;
  const w = r * gz;
  f[o] = p;
  f[o + 1] = q;
  f[o + 2] = s;
  f[o + 3] = t;
  f[o + 4] = v;
  f[o + 5] = w;
  f[o + 9] = r;
  x[i] -= p * ux;
  x[i + 1] -= q * uy;
  x[i + 2] -= s * uz;
  x[i + 3] -= p * uy;
  x[i + 4] -= p * uz;
  x[i + 5] -= q * uz;
  x[i + BLOCK_B] -= p * gx;
  x[i + BLOCK_B + 1] -= p * gy;
  x[i + BLOCK_B + 2] -= p * gz;
  x[i + BLOCK_B + 3] -= q * gx;
  x[i + BLOCK_B + 4] -= q * gy;
  x[i + BLOCK_B + 5] -= q * gz;
  x[i + BLOCK_B + 6] -= s * gx;
  x[i + BLOCK_B + 7] -= s * gy;
  x[i + BLOCK_B + 8] -= s * gz;
  x[i + BLOCK_C] -= t * gx;
  x[i + BLOCK_C + 1] -= v * gy;
  x[i + BLOCK_C + 2] -= w * gz;
  x[i + BLOCK_C + 3] -= t * gy;
  x[i + BLOCK_C + 4] -= t * gz;
  x[i + BLOCK_C + 5] -= v * gz;
  return true;
}

/** A joint with two axes. */
export function eliminateTwoAxes(system: TreeSystem, b: number): boolean {
  const { articulatedInertia: x, factors: f, jointHessian } = system;
  const i = ARTICULATED_SIZE * b;
  const o = system.factorStart[b];
  const j = 36 * b;
  const scale = system.pivotScale[2 * b + 1];
  const xx = x[i];
  const yy = x[i + 1];
  const zz = x[i + 2];
  const xy = x[i + 3];
  const xz = x[i + 4];
  const yz = x[i + 5];
  const b0 = x[i + BLOCK_B];
  const b1 = x[i + BLOCK_B + 1];
  const b2 = x[i + BLOCK_B + 2];
  const b3 = x[i + BLOCK_B + 3];
  const b4 = x[i + BLOCK_B + 4];
  const b5 = x[i + BLOCK_B + 5];
  const b6 = x[i + BLOCK_B + 6];
  const b7 = x[i + BLOCK_B + 7];
  const b8 = x[i + BLOCK_B + 8];
  const px = f[o + 12];
  const py = f[o + 13];
  const pz = f[o + 14];
  const qx = f[o + 15];
  const qy = f[o + 16];
  const qz = f[o + 17];
  // U, column by column: couple u and force g of the first axis, v and h of the second.
  const ux = xx * px + xy * py + xz * pz;
  const uy = xy * px + yy * py + yz * pz;
  const uz = xz * px + yz * py + zz * pz;
  const gx = b0 * px + b3 * py + b6 * pz;
  const gy = b1 * px + b4 * py + b7 * pz;
  const gz = b2 * px + b5 * py + b8 * pz;
  let vx = xx * qx + xy * qy + xz * qz;
  let vy = xy * qx + yy * qy + yz * qz;
  let vz = xz * qx + yz * qy + zz * qz;
  // D = L E L^T
  const e0 = px * ux + py * uy + pz * uz + jointHessian[j];
  const d10 = qx * ux + qy * uy + qz * uz + jointHessian[j + 2];
  const d11 = qx * vx + qy * vy + qz * vz + jointHessian[j + 3];
  if (!isPivot(e0, 0, scale)) return false;
  const r0 = 1 / e0;
  const l = r0 * d10;
  const e1 = d11 - l * d10;
  if (!isPivot(e1, d11, scale)) return false;
  const r1 = 1 / e1;
  // U L^-T
  vx -= l * ux;
  vy -= l * uy;
  vz -= l * uz;
  const hx = b0 * qx + b3 * qy + b6 * qz - l * gx;
  const hy = b1 * qx + b4 * qy + b7 * qz - l * gy;
  const hz = b2 * qx + b5 * qy + b8 * qz - l * gz;
  const z0 = r0 * ux;
  const z1 = r0 * uy;
  const z2 = r0 * uz;
  const z3 = r0 * gx;
  const z4 = r0 * gy;
  const z5 = r0 * gz;
  const y0 = r1 * vx;
  const y1 = r1 * vy;
  const y2 = r1 * vz;
  const y3 = r1 * hx;
  const y4 = r1 * hy;
  const y5 = r1 * hz;
  f[o] = z0;
  f[o + 1] = z1;
  f[o + 2] = z2;
  f[o + 3] = z3;
  f[o + 4] = z4;
  f[o + 5] = z5;
  f[o + 6] = y0;
  f[o + 7] = y1;
  f[o + 8] = y2;
  f[o + 9] = y3;
  f[o + 10] = y4;
  f[o + 11] = y5;
  f[o + 18] = l;
  f[o + 19] = r0;
  f[o + 20] = r1;
  x[i] = xx - (z0 * ux + y0 * vx);
  x[i + 1] = yy - (z1 * uy + y1 * vy);
  x[i + 2] = zz - (z2 * uz + y2 * vz);
  x[i + 3] = xy - (z0 * uy + y0 * vy);
  x[i + 4] = xz - (z0 * uz + y0 * vz);
  x[i + 5] = yz - (z1 * uz + y1 * vz);
  x[i + BLOCK_B] = b0 - (z0 * gx + y0 * hx);
  x[i + BLOCK_B + 1] = b1 - (z0 * gy + y0 * hy);
  x[i + BLOCK_B + 2] = b2 - (z0 * gz + y0 * hz);
  x[i + BLOCK_B + 3] = b3 - (z1 * gx + y1 * hx);
  x[i + BLOCK_B + 4] = b4 - (z1 * gy + y1 * hy);
  x[i + BLOCK_B + 5] = b5 - (z1 * gz + y1 * hz);
  x[i + BLOCK_B + 6] = b6 - (z2 * gx + y2 * hx);
  x[i + BLOCK_B + 7] = b7 - (z2 * gy + y2 * hy);
  x[i + BLOCK_B + 8] = b8 - (z2 * gz + y2 * hz);
  x[i + BLOCK_C] -= z3 * gx + y3 * hx;
  x[i + BLOCK_C + 1] -= z4 * gy + y4 * hy;
  x[i + BLOCK_C + 2] -= z5 * gz + y5 * hz;
  x[i + BLOCK_C + 3] -= z3 * gy + y3 * hy;
  x[i + BLOCK_C + 4] -= z3 * gz + y3 * hz;
  x[i + BLOCK_C + 5] -= z4 * gz + y4 * hz;
  return true;
}

/** A joint with three axes. */
export function eliminateThreeAxes(system: TreeSystem, b: number): boolean {
  const { articulatedInertia: x, factors: f, jointHessian } = system;
  const i = ARTICULATED_SIZE * b;
  const o = system.factorStart[b];
  const j = 36 * b;
  const scale = system.pivotScale[2 * b + 1];
  const xx = x[i];
  const yy = x[i + 1];
  const zz = x[i + 2];
  const xy = x[i + 3];
  const xz = x[i + 4];
  const yz = x[i + 5];
  const b0 = x[i + BLOCK_B];
  const b1 = x[i + BLOCK_B + 1];
  const b2 = x[i + BLOCK_B + 2];
  const b3 = x[i + BLOCK_B + 3];
  const b4 = x[i + BLOCK_B + 4];
  const b5 = x[i + BLOCK_B + 5];
  const b6 = x[i + BLOCK_B + 6];
  const b7 = x[i + BLOCK_B + 7];
  const b8 = x[i + BLOCK_B + 8];
  const px = f[o + 18];
  const py = f[o + 19];
  const pz = f[o + 20];
  const qx = f[o + 21];
  const qy = f[o + 22];
  const qz = f[o + 23];
  const sx = f[o + 24];
  const sy = f[o + 25];
  const sz = f[o + 26];
  // Couples of U, column by column: u, v, w.
  const ux = xx * px + xy * py + xz * pz;
  const uy = xy * px + yy * py + yz * pz;
  const uz = xz * px + yz * py + zz * pz;
  let vx = xx * qx + xy * qy + xz * qz;
  let vy = xy * qx + yy * qy + yz * qz;
  let vz = xz * qx + yz * qy + zz * qz;
  let wx = xx * sx + xy * sy + xz * sz;
  let wy = xy * sx + yy * sy + yz * sz;
  let wz = xz * sx + yz * sy + zz * sz;
  // D = L E L^T
  const e0 = px * ux + py * uy + pz * uz + jointHessian[j];
  const d10 = qx * ux + qy * uy + qz * uz + jointHessian[j + 3];
  const d20 = sx * ux + sy * uy + sz * uz + jointHessian[j + 6];
  const d11 = qx * vx + qy * vy + qz * vz + jointHessian[j + 4];
  const d21 = sx * vx + sy * vy + sz * vz + jointHessian[j + 7];
  const d22 = sx * wx + sy * wy + sz * wz + jointHessian[j + 8];
  if (!isPivot(e0, 0, scale)) return false;
  const r0 = 1 / e0;
  const l10 = r0 * d10;
  const l20 = r0 * d20;
  const e1 = d11 - l10 * d10;
  if (!isPivot(e1, d11, scale)) return false;
  const r1 = 1 / e1;
  const c21 = d21 - l10 * d20;
  const l21 = r1 * c21;
  const e2 = d22 - l20 * d20 - l21 * c21;
  if (!isPivot(e2, d22, scale)) return false;
  const r2 = 1 / e2;
  // U L^-T: forces g, h, k beside u, v, w.
  vx -= l10 * ux;
  vy -= l10 * uy;
  vz -= l10 * uz;
  wx -= l20 * ux + l21 * vx;
  wy -= l20 * uy + l21 * vy;
  wz -= l20 * uz + l21 * vz;
  const gx = b0 * px + b3 * py + b6 * pz;
  const gy = b1 * px + b4 * py + b7 * pz;
  const gz = b2 * px + b5 * py + b8 * pz;
  const hx = b0 * qx + b3 * qy + b6 * qz - l10 * gx;
  const hy = b1 * qx + b4 * qy + b7 * qz - l10 * gy;
  const hz = b2 * qx + b5 * qy + b8 * qz - l10 * gz;
  const kx = b0 * sx + b3 * sy + b6 * sz - l20 * gx - l21 * hx;
  const ky = b1 * sx + b4 * sy + b7 * sz - l20 * gy - l21 * hy;
  const kz = b2 * sx + b5 * sy + b8 * sz - l20 * gz - l21 * hz;
  f[o + 27] = l10;
  f[o + 28] = l20;
  f[o + 29] = l21;
  f[o + 30] = r0;
  f[o + 31] = r1;
  f[o + 32] = r2;
  // Rows of Z: those of couples against all, those of forces against forces.
  let z0 = r0 * ux;
  let z1 = r1 * vx;
  let z2 = r2 * wx;
  f[o] = z0;
  f[o + 6] = z1;
  f[o + 12] = z2;
  x[i] = xx - (z0 * ux + z1 * vx + z2 * wx);
  x[i + 3] = xy - (z0 * uy + z1 * vy + z2 * wy);
  x[i + 4] = xz - (z0 * uz + z1 * vz + z2 * wz);
  x[i + BLOCK_B] = b0 - (z0 * gx + z1 * hx + z2 * kx);
  x[i + BLOCK_B + 1] = b1 - (z0 * gy + z1 * hy + z2 * ky);
  x[i + BLOCK_B + 2] = b2 - (z0 * gz + z1 * hz + z2 * kz);
  z0 = r0 * uy;
  z1 = r1 * vy;
  z2 = r2 * wy;
  f[o + 1] = z0;
  f[o + 7] = z1;
  f[o + 13] = z2;
  x[i + 1] = yy - (z0 * uy + z1 * vy + z2 * wy);
  x[i + 5] = yz - (z0 * uz + z1 * vz + z2 * wz);
  x[i + BLOCK_B + 3] = b3 - (z0 * gx + z1 * hx + z2 * kx);
  x[i + BLOCK_B + 4] = b4 - (z0 * gy + z1 * hy + z2 * ky);
  x[i + BLOCK_B + 5] = b5 - (z0 * gz + z1 * hz + z2 * kz);
  z0 = r0 * uz;
  z1 = r1 * vz;
  z2 = r2 * wz;
  f[o + 2] = z0;
  f[o + 8] = z1;
  f[o + 14] = z2;
  x[i + 2] = zz - (z0 * uz + z1 * vz + z2 * wz);
  x[i + BLOCK_B + 6] = b6 - (z0 * gx + z1 * hx + z2 * kx);
  x[i + BLOCK_B + 7] = b7 - (z0 * gy + z1 * hy + z2 * ky);
  x[i + BLOCK_B + 8] = b8 - (z0 * gz + z1 * hz + z2 * kz);
  z0 = r0 * gx;
  z1 = r1 * hx;
  z2 = r2 * kx;
  f[o + 3] = z0;
  f[o + 9] = z1;
  f[o + 15] = z2;
  x[i + BLOCK_C] -= z0 * gx + z1 * hx + z2 * kx;
  x[i + BLOCK_C + 3] -= z0 * gy + z1 * hy + z2 * ky;
  x[i + BLOCK_C + 4] -= z0 * gz + z1 * hz + z2 * kz;
  z0 = r0 * gy;
  z1 = r1 * hy;
  z2 = r2 * ky;
  f[o + 4] = z0;
  f[o + 10] = z1;
  f[o + 16] = z2;
  x[i + BLOCK_C + 1] -= z0 * gy + z1 * hy + z2 * ky;
  x[i + BLOCK_C + 5] -= z0 * gz + z1 * hz + z2 * kz;
  z0 = r0 * gz;
  z1 = r1 * hz;
  z2 = r2 * kz;
  f[o + 5] = z0;
  f[o + 11] = z1;
  f[o + 17] = z2;
  x[i + BLOCK_C + 2] -= z0 * gz + z1 * hz + z2 * kz;
  return true;
}

/**
 * A ball with T = 0: S = (1, 0) in world axes, so D = A, and of IA only C - B^T A^-1 B remains. Its factors are A^-1 (6 numbers) and
 * Y = A^-1 B.
 */
export function eliminateBall(system: TreeSystem, b: number): boolean {
  const { articulatedInertia: x, factors: f } = system;
  const i = ARTICULATED_SIZE * b;
  const o = system.factorStart[b];
  const xx = x[i];
  const yy = x[i + 1];
  const zz = x[i + 2];
  const xy = x[i + 3];
  const xz = x[i + 4];
  const yz = x[i + 5];
  const b0 = x[i + BLOCK_B];
  const b1 = x[i + BLOCK_B + 1];
  const b2 = x[i + BLOCK_B + 2];
  const b3 = x[i + BLOCK_B + 3];
  const b4 = x[i + BLOCK_B + 4];
  const b5 = x[i + BLOCK_B + 5];
  const b6 = x[i + BLOCK_B + 6];
  const b7 = x[i + BLOCK_B + 7];
  const b8 = x[i + BLOCK_B + 8];
  // Cofactors of A.
  const cxx = yy * zz - yz * yz;
  const cxy = xz * yz - xy * zz;
  const cxz = xy * yz - xz * yy;
  const cyy = xx * zz - xz * xz;
  const czz = xx * yy - xy * xy;
  const determinant = xx * cxx + xy * cxy + xz * cxz;
  // det / (cxx + cyy + czz) is between a third of the smallest eigenvalue and the eigenvalue itself.
  if (!isPivot(determinant, 0, system.pivotScale[2 * b + 1] * (cxx + cyy + czz))) return false;
  const s = 1 / determinant;
  const ixx = s * cxx;
  const iyy = s * cyy;
  const izz = s * czz;
  const ixy = s * cxy;
  const ixz = s * cxz;
  const iyz = s * (xy * xz - xx * yz);
  const y0 = ixx * b0 + ixy * b3 + ixz * b6;
  const y1 = ixx * b1 + ixy * b4 + ixz * b7;
  const y2 = ixx * b2 + ixy * b5 + ixz * b8;
  const y3 = ixy * b0 + iyy * b3 + iyz * b6;
  const y4 = ixy * b1 + iyy * b4 + iyz * b7;
  const y5 = ixy * b2 + iyy * b5 + iyz * b8;
  const y6 = ixz * b0 + iyz * b3 + izz * b6;
  const y7 = ixz * b1 + iyz * b4 + izz * b7;
  const y8 = ixz * b2 + iyz * b5 + izz * b8;
  f[o] = ixx;
  f[o + 1] = iyy;
  f[o + 2] = izz;
  f[o + 3] = ixy;
  f[o + 4] = ixz;
  f[o + 5] = iyz;
  f[o + 6] = y0;
  f[o + 7] = y1;
  f[o + 8] = y2;
  f[o + 9] = y3;
  f[o + 10] = y4;
  f[o + 11] = y5;
  f[o + 12] = y6;
  f[o + 13] = y7;
  f[o + 14] = y8;
  x[i + BLOCK_C] -= b0 * y0 + b3 * y3 + b6 * y6;
  x[i + BLOCK_C + 1] -= b1 * y1 + b4 * y4 + b7 * y7;
  x[i + BLOCK_C + 2] -= b2 * y2 + b5 * y5 + b8 * y8;
  x[i + BLOCK_C + 3] -= b0 * y1 + b3 * y4 + b6 * y7;
  x[i + BLOCK_C + 4] -= b0 * y2 + b3 * y5 + b6 * y8;
  x[i + BLOCK_C + 5] -= b1 * y2 + b4 * y5 + b7 * y8;
  return true;
}

/** Any joint: D by Cholesky, E = 1. A root has no parent and keeps no Z. */
export function eliminateColumns(
  system: TreeSystem,
  { coordinateStart, parents }: Figure,
  b: number,
): boolean {
  const { articulatedInertia: x, factors: f, jointHessian, pivotScale } = system;
  const size = coordinateStart[b + 1] - coordinateStart[b];
  const i = ARTICULATED_SIZE * b;
  const o = system.factorStart[b];
  const columns = o + 6 * size;
  const d = columns + 6 * size;
  for (let k = 0; k < size; k++) {
    const u = o + 6 * k;
    multiplyArticulated(x, i, f, columns + 6 * k, f, u);
    for (let r = 0; r <= k; r++) {
      const s = columns + 6 * r;
      let sum = jointHessian[36 * b + k * size + r];
      for (let n = 0; n < 6; n++) sum += f[s + n] * f[u + n];
      f[d + k * size + r] = sum;
    }
    pivotFrom[k] = f[d + k * (size + 1)];
  }
  if (!cholesky.factor(f, size, size, d)) return false;
  for (let k = 0; k < size; k++) {
    const s = columns + 6 * k;
    const rotation = f[s] ** 2 + f[s + 1] ** 2 + f[s + 2] ** 2;
    const translation = f[s + 3] ** 2 + f[s + 4] ** 2 + f[s + 5] ** 2;
    const minPivot = rotation * pivotScale[2 * b + 1] + translation * pivotScale[2 * b];
    if (!isPivot(f[d + k * (size + 1)] ** 2, pivotFrom[k], minPivot)) return false;
  }
  if (parents[b] < 0) return true;
  // U L^-T, column by column.
  for (let k = 0; k < size; k++) {
    const u = o + 6 * k;
    for (let r = 0; r < k; r++) {
      const l = f[d + k * size + r];
      for (let n = 0; n < 6; n++) f[u + n] -= l * f[o + 6 * r + n];
    }
    const reciprocal = 1 / f[d + k * (size + 1)];
    for (let n = 0; n < 6; n++) f[u + n] *= reciprocal;
    subtractOuterSquare(f, u, x, i);
  }
  return true;
}

/** IA S for one column S = (a, l): (A a + B l; B^T a + C l). */
function multiplyArticulated(
  x: Float64Array,
  i: number,
  s: Float64Array,
  c: number,
  out: Float64Array,
  o: number,
): void {
  const ax = s[c];
  const ay = s[c + 1];
  const az = s[c + 2];
  const lx = s[c + 3];
  const ly = s[c + 4];
  const lz = s[c + 5];
  const g = i + BLOCK_B;
  const h = i + BLOCK_C;
  out[o] = x[i] * ax + x[i + 3] * ay + x[i + 4] * az + x[g] * lx + x[g + 1] * ly + x[g + 2] * lz;
  out[o + 1] = x[i + 3] * ax + x[i + 1] * ay + x[i + 5] * az + x[g + 3] * lx + x[g + 4] * ly + x[g + 5] * lz;
  out[o + 2] = x[i + 4] * ax + x[i + 5] * ay + x[i + 2] * az + x[g + 6] * lx + x[g + 7] * ly + x[g + 8] * lz;
  out[o + 3] = x[g] * ax + x[g + 3] * ay + x[g + 6] * az + x[h] * lx + x[h + 3] * ly + x[h + 4] * lz;
  out[o + 4] = x[g + 1] * ax + x[g + 4] * ay + x[g + 7] * az + x[h + 3] * lx + x[h + 1] * ly + x[h + 5] * lz;
  out[o + 5] = x[g + 2] * ax + x[g + 5] * ay + x[g + 8] * az + x[h + 4] * lx + x[h + 5] * ly + x[h + 2] * lz;
}
