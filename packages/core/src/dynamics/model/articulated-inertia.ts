/**
 * Articulated-body inertias (Featherstone, *Rigid Body Dynamics Algorithms*, chapter 7): the apparent inertia of a bone with the
 * joints of its subtree free to move, about the bone's origin, world axes.
 *
 *   IA = [A  B; B^T  C],   n = A w' + B v',   f = B^T w' + C v'
 */

/** Numbers of an articulated-body inertia: A [xx, yy, zz, xy, xz, yz], B (nine, row by row), C as A. */
export const ARTICULATED_SIZE = 21;
/** Offsets of B and C. */
export const BLOCK_B = 6;
export const BLOCK_C = 15;

/** Inertia of a rigid body: A = I, B = [h]x, C = m 1, with h = m c its first moment of mass. */
export function setRigidInertia(
  inertia: Float64Array,
  i: number,
  mass: number,
  h: Float64Array,
  o: number,
  out: Float64Array,
  at: number,
): void {
  for (let k = 0; k < 6; k++) out[at + k] = inertia[i + k];
  out[at + BLOCK_B] = 0;
  out[at + BLOCK_B + 1] = -h[o + 2];
  out[at + BLOCK_B + 2] = h[o + 1];
  out[at + BLOCK_B + 3] = h[o + 2];
  out[at + BLOCK_B + 4] = 0;
  out[at + BLOCK_B + 5] = -h[o];
  out[at + BLOCK_B + 6] = -h[o + 1];
  out[at + BLOCK_B + 7] = h[o];
  out[at + BLOCK_B + 8] = 0;
  for (let k = 0; k < 3; k++) {
    out[at + BLOCK_C + k] = mass;
    out[at + BLOCK_C + 3 + k] = 0;
  }
}

/**
 * Adds a child's inertia to its parent's: about the parent's origin, r = (at[k], at[k + 1], at[k + 2]) from there to the child's. r is
 * passed in an array because engines box numbers that are arguments of functions they do not inline.
 */
export function addShiftedInertia(
  from: Float64Array,
  i: number,
  at: Float64Array,
  k: number,
  out: Float64Array,
  o: number,
): void {
  const x = at[k];
  const y = at[k + 1];
  const z = at[k + 2];
  const cxx = from[i + BLOCK_C];
  const cyy = from[i + BLOCK_C + 1];
  const czz = from[i + BLOCK_C + 2];
  const cxy = from[i + BLOCK_C + 3];
  const cxz = from[i + BLOCK_C + 4];
  const cyz = from[i + BLOCK_C + 5];
  // G = B + [r] C, with which A becomes A - B [r] + [r] B^T - [r] C [r] = A + [r] B^T - G [r].
  const b0 = from[i + BLOCK_B];
  const b1 = from[i + BLOCK_B + 1];
  const b2 = from[i + BLOCK_B + 2];
  const b3 = from[i + BLOCK_B + 3];
  const b4 = from[i + BLOCK_B + 4];
  const b5 = from[i + BLOCK_B + 5];
  const b6 = from[i + BLOCK_B + 6];
  const b7 = from[i + BLOCK_B + 7];
  const b8 = from[i + BLOCK_B + 8];
  const g0 = b0 + y * cxz - z * cxy;
  const g1 = b1 + y * cyz - z * cyy;
  const g2 = b2 + y * czz - z * cyz;
  const g3 = b3 + z * cxx - x * cxz;
  const g4 = b4 + z * cxy - x * cyz;
  const g5 = b5 + z * cxz - x * czz;
  const g6 = b6 + x * cxy - y * cxx;
  const g7 = b7 + x * cyy - y * cxy;
  const g8 = b8 + x * cyz - y * cxz;
  // ([r] B^T)_ij: rows of [r] against rows of B. (G [r])_ij: rows of G against columns of [r].
  out[o] += from[i] + (y * b2 - z * b1) - (g1 * z - g2 * y);
  out[o + 1] += from[i + 1] + (z * b3 - x * b5) - (g5 * x - g3 * z);
  out[o + 2] += from[i + 2] + (x * b7 - y * b6) - (g6 * y - g7 * x);
  out[o + 3] += from[i + 3] + (y * b5 - z * b4) - (g2 * x - g0 * z);
  out[o + 4] += from[i + 4] + (y * b8 - z * b7) - (g0 * y - g1 * x);
  out[o + 5] += from[i + 5] + (z * b6 - x * b8) - (g3 * y - g4 * x);
  out[o + BLOCK_B] += g0;
  out[o + BLOCK_B + 1] += g1;
  out[o + BLOCK_B + 2] += g2;
  out[o + BLOCK_B + 3] += g3;
  out[o + BLOCK_B + 4] += g4;
  out[o + BLOCK_B + 5] += g5;
  out[o + BLOCK_B + 6] += g6;
  out[o + BLOCK_B + 7] += g7;
  out[o + BLOCK_B + 8] += g8;
  for (let n = 0; n < 6; n++) out[o + BLOCK_C + n] += from[i + BLOCK_C + n];
}

/** {@link addShiftedInertia} where A = 0 and B = 0. */
export function addShiftedMass(
  from: Float64Array,
  i: number,
  at: Float64Array,
  k: number,
  out: Float64Array,
  o: number,
): void {
  const x = at[k];
  const y = at[k + 1];
  const z = at[k + 2];
  const cxx = from[i + BLOCK_C];
  const cyy = from[i + BLOCK_C + 1];
  const czz = from[i + BLOCK_C + 2];
  const cxy = from[i + BLOCK_C + 3];
  const cxz = from[i + BLOCK_C + 4];
  const cyz = from[i + BLOCK_C + 5];
  const g0 = y * cxz - z * cxy;
  const g1 = y * cyz - z * cyy;
  const g2 = y * czz - z * cyz;
  const g3 = z * cxx - x * cxz;
  const g4 = z * cxy - x * cyz;
  const g5 = z * cxz - x * czz;
  const g6 = x * cxy - y * cxx;
  const g7 = x * cyy - y * cxy;
  const g8 = x * cyz - y * cxz;
  out[o] -= g1 * z - g2 * y;
  out[o + 1] -= g5 * x - g3 * z;
  out[o + 2] -= g6 * y - g7 * x;
  out[o + 3] -= g2 * x - g0 * z;
  out[o + 4] -= g0 * y - g1 * x;
  out[o + 5] -= g3 * y - g4 * x;
  out[o + BLOCK_B] += g0;
  out[o + BLOCK_B + 1] += g1;
  out[o + BLOCK_B + 2] += g2;
  out[o + BLOCK_B + 3] += g3;
  out[o + BLOCK_B + 4] += g4;
  out[o + BLOCK_B + 5] += g5;
  out[o + BLOCK_B + 6] += g6;
  out[o + BLOCK_B + 7] += g7;
  out[o + BLOCK_B + 8] += g8;
  out[o + BLOCK_C] += cxx;
  out[o + BLOCK_C + 1] += cyy;
  out[o + BLOCK_C + 2] += czz;
  out[o + BLOCK_C + 3] += cxy;
  out[o + BLOCK_C + 4] += cxz;
  out[o + BLOCK_C + 5] += cyz;
}

/** IA -= u u^T, u = (couple, force) at v[k]. */
export function subtractOuterSquare(v: Float64Array, k: number, out: Float64Array, o: number): void {
  const nx = v[k];
  const ny = v[k + 1];
  const nz = v[k + 2];
  const fx = v[k + 3];
  const fy = v[k + 4];
  const fz = v[k + 5];
  out[o] -= nx * nx;
  out[o + 1] -= ny * ny;
  out[o + 2] -= nz * nz;
  out[o + 3] -= nx * ny;
  out[o + 4] -= nx * nz;
  out[o + 5] -= ny * nz;
  out[o + BLOCK_B] -= nx * fx;
  out[o + BLOCK_B + 1] -= nx * fy;
  out[o + BLOCK_B + 2] -= nx * fz;
  out[o + BLOCK_B + 3] -= ny * fx;
  out[o + BLOCK_B + 4] -= ny * fy;
  out[o + BLOCK_B + 5] -= ny * fz;
  out[o + BLOCK_B + 6] -= nz * fx;
  out[o + BLOCK_B + 7] -= nz * fy;
  out[o + BLOCK_B + 8] -= nz * fz;
  out[o + BLOCK_C] -= fx * fx;
  out[o + BLOCK_C + 1] -= fy * fy;
  out[o + BLOCK_C + 2] -= fz * fz;
  out[o + BLOCK_C + 3] -= fx * fy;
  out[o + BLOCK_C + 4] -= fx * fz;
  out[o + BLOCK_C + 5] -= fy * fz;
}
