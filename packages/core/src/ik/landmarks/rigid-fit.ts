import type { MutableNumbers, Numbers } from '../../math/types.js';

/** 4x4 symmetric, row by row, and its eigenvectors as columns. */
const form = /* @__PURE__ */ new Float64Array(16);
const vectors = /* @__PURE__ */ new Float64Array(16);

/**
 * The rotation and move that bring points a_k nearest to points b_k, sum of w_k |R a_k + t - b_k|^2 least: Horn's (1987)
 * closed form, the eigenvector of a 4x4 matrix by Jacobi's method. It is a rotation for any points; of one point, or of points on a
 * line, one of those that fit.
 *
 * @param a - 3 numbers a point; `b` likewise.
 * @param weights - One a point; 0 leaves it out.
 * @param out - 12 numbers: rotation row by row, then t.
 * @returns false, with `out` untouched, when no weight is above zero.
 */
export function rigidFit(a: Numbers, b: Numbers, weights: Numbers, out: MutableNumbers): boolean {
  let total = 0;
  const meanA = [0, 0, 0];
  const meanB = [0, 0, 0];
  for (let m = 0; m < weights.length; m++) {
    const w = weights[m];
    if (!(w > 0)) continue;
    total += w;
    for (let k = 0; k < 3; k++) {
      meanA[k] += w * a[3 * m + k];
      meanB[k] += w * b[3 * m + k];
    }
  }
  if (!(total > 0)) return false;
  for (let k = 0; k < 3; k++) {
    meanA[k] /= total;
    meanB[k] /= total;
  }
  // S_kl = sum w a_k b_l about the means.
  const s = new Float64Array(9);
  for (let m = 0; m < weights.length; m++) {
    const w = weights[m];
    if (!(w > 0)) continue;
    for (let k = 0; k < 3; k++) {
      const x = w * (a[3 * m + k] - meanA[k]);
      for (let l = 0; l < 3; l++) s[3 * k + l] += x * (b[3 * m + l] - meanB[l]);
    }
  }
  // Horn's N over (w, x, y, z).
  form.set([s[0] + s[4] + s[8], s[5] - s[7], s[6] - s[2], s[1] - s[3]], 0);
  form.set([0, s[0] - s[4] - s[8], s[1] + s[3], s[6] + s[2]], 4);
  form.set([0, 0, s[4] - s[0] - s[8], s[5] + s[7]], 8);
  form.set([0, 0, 0, s[8] - s[0] - s[4]], 12);
  for (let i = 0; i < 4; i++) for (let j = 0; j < i; j++) form[4 * i + j] = form[4 * j + i];
  diagonalize();
  let best = 0;
  for (let k = 1; k < 4; k++) if (form[5 * k] > form[5 * best]) best = k;
  const [w, x, y, z] = [0, 1, 2, 3].map((row) => vectors[4 * row + best]);
  out[0] = 1 - 2 * (y * y + z * z);
  out[1] = 2 * (x * y - w * z);
  out[2] = 2 * (x * z + w * y);
  out[3] = 2 * (x * y + w * z);
  out[4] = 1 - 2 * (x * x + z * z);
  out[5] = 2 * (y * z - w * x);
  out[6] = 2 * (x * z - w * y);
  out[7] = 2 * (y * z + w * x);
  out[8] = 1 - 2 * (x * x + y * y);
  for (let k = 0; k < 3; k++) {
    const r = 3 * k;
    out[9 + k] = meanB[k] - out[r] * meanA[0] - out[r + 1] * meanA[1] - out[r + 2] * meanA[2];
  }
  return true;
}

/** Jacobi's method on `form`; sweeps converge quadratically, ten are more than ever needed for four rows. */
function diagonalize(): void {
  vectors.fill(0);
  for (let k = 0; k < 4; k++) vectors[5 * k] = 1;
  for (let sweep = 0; sweep < 10; sweep++) {
    for (let p = 0; p < 3; p++) {
      for (let q = p + 1; q < 4; q++) rotate(p, q);
    }
  }
}

/** Turns rows and columns p, q so that form[p][q] vanishes. */
function rotate(p: number, q: number): void {
  const off = form[4 * p + q];
  if (off === 0) return;
  const theta = (form[5 * q] - form[5 * p]) / (2 * off);
  const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  for (let k = 0; k < 4; k++) {
    const x = form[4 * k + p];
    const y = form[4 * k + q];
    form[4 * k + p] = c * x - s * y;
    form[4 * k + q] = s * x + c * y;
  }
  for (let k = 0; k < 4; k++) {
    const x = form[4 * p + k];
    const y = form[4 * q + k];
    form[4 * p + k] = c * x - s * y;
    form[4 * q + k] = s * x + c * y;
    const u = vectors[4 * k + p];
    const v = vectors[4 * k + q];
    vectors[4 * k + p] = c * u - s * v;
    vectors[4 * k + q] = s * u + c * v;
  }
  form[4 * p + q] = 0;
  form[4 * q + p] = 0;
}
