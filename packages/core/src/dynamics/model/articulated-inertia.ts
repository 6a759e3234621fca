/** Inertia of a bone as it is felt with all that hangs on it free to move at its joints, about the bone's origin, world axes. */

/**
 * 21 numbers: couple by angular acceleration A [xx, yy, zz, xy, xz, yz], couple by acceleration B (nine, row by row), force by acceleration C
 * (six): n = A w' + B v', f = B^T w' + C v'.
 */
export const ARTICULATED = 21;
/** Where B and C start. */
export const B = 6;
export const C = 15;
/** Numbers kept for each joint from the way down to the way back. */
export const FACTOR = 36;

/** A rigid body: A = I, B = [h], C = m. */
export function setRigid(
  inertia: Float64Array,
  i: number,
  mass: number,
  h: Float64Array,
  o: number,
  out: Float64Array,
  at: number,
): void {
  for (let k = 0; k < 6; k++) out[at + k] = inertia[i + k];
  out[at + B] = 0;
  out[at + B + 1] = -h[o + 2];
  out[at + B + 2] = h[o + 1];
  out[at + B + 3] = h[o + 2];
  out[at + B + 4] = 0;
  out[at + B + 5] = -h[o];
  out[at + B + 6] = -h[o + 1];
  out[at + B + 7] = h[o];
  out[at + B + 8] = 0;
  for (let k = 0; k < 3; k++) {
    out[at + C + k] = mass;
    out[at + C + 3 + k] = 0;
  }
}

/**
 * Adds an inertia about a point that lies at r = (at[k], at[k + 1], at[k + 2]) from the origin of the one that it is added to. r comes in an
 * array: engines allocate numbers that are handed to a function they do not inline.
 */
export function addShifted(
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
  const cxx = from[i + C];
  const cyy = from[i + C + 1];
  const czz = from[i + C + 2];
  const cxy = from[i + C + 3];
  const cxz = from[i + C + 4];
  const cyz = from[i + C + 5];
  // G = B + [r] C, with which A becomes A - B [r] + [r] B^T - [r] C [r] = A + [r] B^T - G [r].
  const b0 = from[i + B];
  const b1 = from[i + B + 1];
  const b2 = from[i + B + 2];
  const b3 = from[i + B + 3];
  const b4 = from[i + B + 4];
  const b5 = from[i + B + 5];
  const b6 = from[i + B + 6];
  const b7 = from[i + B + 7];
  const b8 = from[i + B + 8];
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
  out[o + B] += g0;
  out[o + B + 1] += g1;
  out[o + B + 2] += g2;
  out[o + B + 3] += g3;
  out[o + B + 4] += g4;
  out[o + B + 5] += g5;
  out[o + B + 6] += g6;
  out[o + B + 7] += g7;
  out[o + B + 8] += g8;
  for (let n = 0; n < 6; n++) out[o + C + n] += from[i + C + n];
}

/** Takes v v^T off, v the couple and the force at v[k]. */
export function subtractSquare(v: Float64Array, k: number, out: Float64Array, o: number): void {
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
  out[o + B] -= nx * fx;
  out[o + B + 1] -= nx * fy;
  out[o + B + 2] -= nx * fz;
  out[o + B + 3] -= ny * fx;
  out[o + B + 4] -= ny * fy;
  out[o + B + 5] -= ny * fz;
  out[o + B + 6] -= nz * fx;
  out[o + B + 7] -= nz * fy;
  out[o + B + 8] -= nz * fz;
  out[o + C] -= fx * fx;
  out[o + C + 1] -= fy * fy;
  out[o + C + 2] -= fz * fz;
  out[o + C + 3] -= fx * fy;
  out[o + C + 4] -= fx * fz;
  out[o + C + 5] -= fy * fz;
}
