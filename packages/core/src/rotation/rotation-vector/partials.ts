/** First and second partials of the quaternion and the matrix of a rotation vector (Grassia 1997, Appendix A, corrected). */
import type { MutableNumbers } from '../../math/linear/types.js';
import { zeros } from '../../math/linear/unset.js';
import { createRotationCache, evaluated, type RotationPoint } from './evaluate.js';

const scratch = /* @__PURE__ */ createRotationCache();

/**
 * dq_i/dv_j at out[3 i + j], i over x, y, z, w (12 numbers):
 * dq_i/dv_j = s0 d_ij + s1 v_i v_j;  dq_w/dv_j = -1/2 s0 v_j.
 */
export function quatPartials<T extends MutableNumbers = number[]>(at: RotationPoint, out: T = zeros(12)): T {
  const { quatPartials: p } = evaluated(at, scratch);
  for (let i = 0; i < 12; i++) out[i] = p[i];
  return out;
}

/**
 * d2q_i/dv_j dv_k at out[9 i + 3 j + k] (36 numbers):
 * d2q_i = s1 (d_ij v_k + d_ik v_j + d_jk v_i) + s2 v_i v_j v_k;  d2q_w = -1/2 (s0 d_jk + s1 v_j v_k).
 */
export function quatSecondPartials<T extends MutableNumbers = number[]>(
  at: RotationPoint,
  out: T = zeros(36),
): T {
  const { x, y, z, s0, s1, s2 } = evaluated(at, scratch);
  const v = [x, y, z];
  for (let j = 0; j < 3; j++) {
    for (let k = 0; k < 3; k++) {
      const o = 3 * j + k;
      const vjk = v[j] * v[k];
      for (let i = 0; i < 3; i++) out[9 * i + o] = s2 * vjk * v[i] + (j === k ? s1 * v[i] : 0);
      out[9 * j + o] += s1 * v[k];
      out[9 * k + o] += s1 * v[j];
      out[27 + o] = -0.5 * (s1 * vjk + (j === k ? s0 : 0));
    }
  }
  return out;
}

/**
 * dR/dv_j at out[9 j ..], three matrices row by row (27 numbers). From R = I + A [v] + B (v v^T - theta^2 I):
 * dR/dv_j = A [e_j] + B (e_j v^T + v e_j^T - 2 v_j I) + v_j (A1 [v] - E (v v^T - theta^2 I)),
 * A1 = A'/theta = C - B, B'/theta = -E.
 */
export function matrixPartials<T extends MutableNumbers = number[]>(
  at: RotationPoint,
  out: T = zeros(27),
): T {
  const { x, y, z, A, A1, B, E } = evaluated(at, scratch);
  const v = [x, y, z];
  for (let j = 0; j < 3; j++) {
    const o = 9 * j;
    writeSkewSymmetric(v, A1 * v[j], -E * v[j], out, o);
    addSkew(j, A, out, o);
    addSymmetric(v, j, B, out, o);
  }
  return out;
}

/**
 * d2R/dv_j dv_k at out[9 (3 j + k) ..], nine matrices row by row (81 numbers), from {@link matrixPartials}: with
 * K = v v^T - theta^2 I, K_j = e_j v^T + v e_j^T - 2 v_j I,
 *
 *   A1 (v_k [e_j] + v_j [e_k] + d_jk [v]) + A2 v_j v_k [v]
 *   + B (e_j e_k^T + e_k e_j^T - 2 d_jk I) - E (v_k K_j + v_j K_k + d_jk K) + B2 v_j v_k K,
 *
 * A2 = A1'/theta = E - F, B2 = -E'/theta.
 */
export function matrixSecondPartials<T extends MutableNumbers = number[]>(
  at: RotationPoint,
  out: T = zeros(81),
): T {
  const { x, y, z, A1, B, E, F, E1 } = evaluated(at, scratch);
  const a2 = E - F;
  const v = [x, y, z];
  for (let j = 0; j < 3; j++) {
    for (let k = 0; k < 3; k++) {
      const o = 9 * (3 * j + k);
      const vjk = v[j] * v[k];
      const same = j === k ? 1 : 0;
      writeSkewSymmetric(v, A1 * same + a2 * vjk, -E * same - E1 * vjk, out, o);
      addSkew(j, A1 * v[k], out, o);
      addSkew(k, A1 * v[j], out, o);
      addSymmetric(v, j, -E * v[k], out, o);
      addSymmetric(v, k, -E * v[j], out, o);
      out[o + 3 * j + k] += B;
      out[o + 3 * k + j] += B;
      if (j === k) {
        out[o] -= 2 * B;
        out[o + 4] -= 2 * B;
        out[o + 8] -= 2 * B;
      }
    }
  }
  return out;
}

/** out[o..o+8] = a [v] + b (v v^T - theta^2 I). */
function writeSkewSymmetric(
  v: readonly number[],
  a: number,
  b: number,
  out: MutableNumbers,
  o: number,
): void {
  const [x, y, z] = v;
  out[o] = -b * (y * y + z * z);
  out[o + 1] = b * x * y - a * z;
  out[o + 2] = b * x * z + a * y;
  out[o + 3] = b * x * y + a * z;
  out[o + 4] = -b * (x * x + z * z);
  out[o + 5] = b * y * z - a * x;
  out[o + 6] = b * x * z - a * y;
  out[o + 7] = b * y * z + a * x;
  out[o + 8] = -b * (x * x + y * y);
}

/** out[o..o+8] += a [e_j]. */
function addSkew(j: number, a: number, out: MutableNumbers, o: number): void {
  const k = (j + 1) % 3;
  const l = (j + 2) % 3;
  out[o + 3 * l + k] += a;
  out[o + 3 * k + l] -= a;
}

/** out[o..o+8] += b (e_j v^T + v e_j^T - 2 v_j I). */
function addSymmetric(v: readonly number[], j: number, b: number, out: MutableNumbers, o: number): void {
  const k = (j + 1) % 3;
  const l = (j + 2) % 3;
  const bj = 2 * b * v[j];
  out[o + 4 * k] -= bj;
  out[o + 4 * l] -= bj;
  out[o + 3 * j + k] += b * v[k];
  out[o + 3 * k + j] += b * v[k];
  out[o + 3 * j + l] += b * v[l];
  out[o + 3 * l + j] += b * v[l];
}
