/**
 * The axes of a swing v = r_s s + r_t t and their derivatives, in the frame s, t, a = s x t after the swing. There
 * v x s = -r_t a and v x t = r_s a, so with the coefficients B and C (docs/rotation.md)
 *
 *   J_r(v) s = (1 - C r_t^2, C r_s r_t, B r_t),   J_r(v) t = (C r_s r_t, 1 - C r_s^2, -B r_s).
 */
import type { Numbers } from '../../math/linear/types.js';
import {
  cosHalfSeries,
  SERIES_LIMIT,
  s0Series,
  s1Series,
  s2Series,
} from '../../rotation/rotation-vector/coefficients.js';

/** World axes s, t, a after the swing, three numbers each. */
const frame = /* @__PURE__ */ new Float64Array(9);
/** Sine and cosine of half an angle. */
const half = /* @__PURE__ */ new Float64Array(2);

/**
 * Updates the frame for a joint without a twist: from the bone's world rotation at world[w], row by row, and s, t at p[n].
 */
export function updateSwingFrame(p: Float64Array, n: number, world: Float64Array, w: number): void {
  for (let row = 0; row < 3; row++) {
    const x = world[w + 3 * row];
    const y = world[w + 3 * row + 1];
    const z = world[w + 3 * row + 2];
    frame[row] = x * p[n] + y * p[n + 1] + z * p[n + 2];
    frame[3 + row] = x * p[n + 3] + y * p[n + 4] + z * p[n + 5];
  }
  frame[6] = frame[1] * frame[5] - frame[2] * frame[4];
  frame[7] = frame[2] * frame[3] - frame[0] * frame[5];
  frame[8] = frame[0] * frame[4] - frame[1] * frame[3];
}

/** Updates the frame for a joint with a twist about a by the angle q[i], applied before the swing. */
export function updateSwingFrameBeforeTwist(
  q: Numbers,
  i: number,
  p: Float64Array,
  n: number,
  world: Float64Array,
  w: number,
): void {
  updateSwingFrame(p, n, world, w);
  writeHalfAngle(q, i, half);
  const cosine = 1 - 2 * half[0] * half[0];
  const sine = 2 * half[0] * half[1];
  for (let k = 0; k < 3; k++) {
    const s = frame[k];
    const t = frame[3 + k];
    frame[k] = cosine * s - sine * t;
    frame[3 + k] = sine * s + cosine * t;
  }
}

/** sin(q[i]/2), cos(q[i]/2). */
export function writeHalfAngle(q: Numbers, i: number, out: Float64Array): void {
  const angle = q[i];
  const t = angle * angle;
  out[0] = t <= SERIES_LIMIT ? angle * s0Series(t) : Math.sin(0.5 * angle);
  out[1] = t <= SERIES_LIMIT ? cosHalfSeries(t) : Math.cos(0.5 * angle);
}

/** Writes the world axis a of the twist to out[o]. */
export function writeTwistColumn(out: Float64Array, o: number): void {
  for (let k = 0; k < 3; k++) out[o + k] = frame[6 + k];
}

/** Writes the two columns of the swing (q[i], q[i + 1]), world axes, to out[o] and out[o + 6]. */
export function writeSwingColumns(q: Numbers, i: number, out: Float64Array, o: number): void {
  const rs = q[i];
  const rt = q[i + 1];
  const t = rs * rs + rt * rt;
  let b: number;
  let c: number;
  if (t <= SERIES_LIMIT) {
    const s0 = s0Series(t);
    b = 2 * s0 * s0;
    c = s0 * s0 + 2 * cosHalfSeries(t) * s1Series(t);
  } else {
    const theta = Math.sqrt(t);
    const s0 = Math.sin(0.5 * theta) / theta;
    b = 2 * s0 * s0;
    c = (1 - 2 * s0 * Math.cos(0.5 * theta)) / t;
  }
  const mixed = c * rs * rt;
  const ss = 1 - c * rt * rt;
  const tt = 1 - c * rs * rs;
  const sa = b * rt;
  const ta = -b * rs;
  for (let k = 0; k < 3; k++) {
    const x = frame[k];
    const y = frame[3 + k];
    const z = frame[6 + k];
    out[o + k] = ss * x + mixed * y + sa * z;
    out[o + 6 + k] = mixed * x + tt * y + ta * z;
  }
}

/**
 * Writes da_i/dq_j of the two axes of the swing for i <= j to out[9 i..], in the frame last updated: d(J_r e_i)/dr_j plus the rotation
 * of the bone frame, (J_r e_j) x (J_r e_i). dB = -E v.dv and dC = -F v.dv (docs/rotation.md).
 */
export function writeSwingAxisDerivatives(q: Numbers, i: number, out: Float64Array): void {
  const rs = q[i];
  const rt = q[i + 1];
  const t = rs * rs + rt * rt;
  let s0: number;
  let s1: number;
  let s2: number;
  let cosine: number;
  if (t <= SERIES_LIMIT) {
    s0 = s0Series(t);
    s1 = s1Series(t);
    s2 = s2Series(t);
    cosine = cosHalfSeries(t);
  } else {
    const theta = Math.sqrt(t);
    s0 = Math.sin(0.5 * theta) / theta;
    cosine = Math.cos(0.5 * theta);
    s1 = (0.5 * cosine - s0) / t;
    s2 = (-0.25 * s0 - 3 * s1) / t;
  }
  const b = 2 * s0 * s0;
  const c = s0 * s0 + 2 * cosine * s1;
  const e = -4 * s0 * s1;
  const f = -(s0 * s1 + 2 * cosine * s2);
  const product = rs * rt;
  const mixed = c * product;
  const ss = 1 - c * rt * rt;
  const tt = 1 - c * rs * rs;
  const sa = b * rt;
  const ta = -b * rs;
  const offDiagonal = rs * (c - f * rt * rt);
  // da_s/dr_t
  const x = tt * sa - ta * mixed + rt * (f * rt * rt - 2 * c);
  const y = ta * ss - mixed * sa + offDiagonal;
  const z = mixed * mixed - tt * ss + b - e * rt * rt;
  const o = 9 * i;
  for (let k = 0; k < 3; k++) {
    const s = frame[k];
    const u = frame[3 + k];
    const a = frame[6 + k];
    out[o + k] = f * product * rt * s + rt * (c - f * rs * rs) * u - e * product * a;
    out[o + 3 + k] = x * s + y * u + z * a;
    out[o + 9 + k] = offDiagonal * s + f * product * rs * u + e * product * a;
  }
}
