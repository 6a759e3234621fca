import type { Numbers } from '../../math/linear/types.js';
import {
  cosHalfSeries,
  SERIES_LIMIT,
  s0Series,
  s1Series,
  s2Series,
} from '../../rotation/rotation-vector/coefficients.js';

const UNIT = /* @__PURE__ */ Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1);
/** The rotation vector v, then the coefficients B, C, E, F at it. */
const at = /* @__PURE__ */ new Float64Array(7);
/** World axes before the joint, 9 numbers row by row. */
const axes = /* @__PURE__ */ new Float64Array(9);

/**
 * Writes da_i/dv_j of a rotation vector v = q[i..] for i <= j to out[9 i + 3 (j - i)]: a_i = P J_l(v) e_i, P the world axes before
 * the joint, independent of v.
 */
export function writeRotationVectorDerivatives(
  q: Numbers,
  i: number,
  world: Float64Array,
  w: number,
  out: Float64Array,
): void {
  beginAxisDerivatives(q, i, world, w, axes);
  for (let m = 0; m < 3; m++) {
    for (let n = m; n < 3; n++) writeAxisDerivative(axes, UNIT, 3 * m, 3 * n, out, 9 * (i + m) + 3 * (n - m));
  }
}

/**
 * Evaluates the coefficients of {@link writeAxisDerivative} at the rotation vector v[i..i+2], and writes P, the world axes before
 * the rotation, to `before`. `after` holds the world axes after the rotation, row by row from w, so P = R_after exp([v])^T, and row
 * r of P is exp([v]) r = r + A v x r + B v x (v x r). `before` may be `after`.
 *
 * Deliberately one function: V8 would inline two into their callers and then not inline the series, whose numbers would be heap
 * allocated.
 */
export function beginAxisDerivatives(
  v: Numbers,
  i: number,
  after: Float64Array,
  w: number,
  before: Float64Array,
): void {
  const x = v[i];
  const y = v[i + 1];
  const z = v[i + 2];
  const t = x * x + y * y + z * z;
  let s0: number;
  let s1: number;
  let s2: number;
  let c: number;
  if (t <= SERIES_LIMIT) {
    s0 = s0Series(t);
    s1 = s1Series(t);
    s2 = s2Series(t);
    c = cosHalfSeries(t);
  } else {
    const theta = Math.sqrt(t);
    s0 = Math.sin(0.5 * theta) / theta;
    c = Math.cos(0.5 * theta);
    s1 = (0.5 * c - s0) / t;
    s2 = (-0.25 * s0 - 3 * s1) / t;
  }
  const a = 2 * s0 * c;
  const b = 2 * s0 * s0;
  at[0] = x;
  at[1] = y;
  at[2] = z;
  at[3] = b;
  at[4] = s0 * s0 + 2 * c * s1;
  at[5] = -4 * s0 * s1;
  at[6] = -(s0 * s1 + 2 * c * s2);
  for (let r = 0; r < 9; r += 3) {
    const rx = after[w + r];
    const ry = after[w + r + 1];
    const rz = after[w + r + 2];
    const px = y * rz - z * ry;
    const py = z * rx - x * rz;
    const pz = x * ry - y * rx;
    before[r] = rx + a * px + b * (y * pz - z * py);
    before[r + 1] = ry + a * py + b * (z * px - x * pz);
    before[r + 2] = rz + a * pz + b * (x * py - y * px);
  }
}

/**
 * Directional derivative along z of the world axis P J_l y of a coordinate with dv = y: P d(J_l y)/dv z to out[o..o+2],
 *
 *   d(J_l y)/dv z = -B y x z + (-E p - F v x p) (v.z) + C (v (y.z) + (v.y) z - 2 y (v.z)),  p = v x y
 *
 * (docs/rotation.md). y is d[iy..iy+2], z is d[iz..iz+2].
 */
export function writeAxisDerivative(
  before: Float64Array,
  d: Numbers,
  iy: number,
  iz: number,
  out: Float64Array,
  o: number,
): void {
  const x = at[0];
  const y = at[1];
  const z = at[2];
  const b = at[3];
  const c = at[4];
  const e = at[5];
  const f = at[6];
  const y0 = d[iy];
  const y1 = d[iy + 1];
  const y2 = d[iy + 2];
  const z0 = d[iz];
  const z1 = d[iz + 1];
  const z2 = d[iz + 2];
  const p0 = y * y2 - z * y1;
  const p1 = z * y0 - x * y2;
  const p2 = x * y1 - y * y0;
  const vy = c * (x * y0 + y * y1 + z * y2);
  const vz = x * z0 + y * z1 + z * z2;
  const yz = c * (y0 * z0 + y1 * z1 + y2 * z2);
  const k = 2 * c * vz;
  const n0 = b * (y2 * z1 - y1 * z2) - vz * (e * p0 + f * (y * p2 - z * p1)) + yz * x + vy * z0 - k * y0;
  const n1 = b * (y0 * z2 - y2 * z0) - vz * (e * p1 + f * (z * p0 - x * p2)) + yz * y + vy * z1 - k * y1;
  const n2 = b * (y1 * z0 - y0 * z1) - vz * (e * p2 + f * (x * p1 - y * p0)) + yz * z + vy * z2 - k * y2;
  const m = before;
  out[o] = m[0] * n0 + m[1] * n1 + m[2] * n2;
  out[o + 1] = m[3] * n0 + m[4] * n1 + m[5] * n2;
  out[o + 2] = m[6] * n0 + m[7] * n1 + m[8] * n2;
}
