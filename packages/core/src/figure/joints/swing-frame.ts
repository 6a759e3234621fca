/**
 * The axes of a swing v = r_s s + r_t t and how they turn, in the frame s, t, a = s x t after the swing. There v x s = -r_t a and
 * v x t = r_s a, so with B and C of MATH.md
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
 * Brings the frame to a bone whose world axes stand in `world`, row by row from w; s and t are at p[n]. Its joint turns by the swing and
 * nothing after it.
 */
export function placeSwingFrame(p: Float64Array, n: number, world: Float64Array, w: number): void {
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

/** The same where a twist about a, by the angle q[i], follows the swing. */
export function placeSwingFrameBefore(
  q: Numbers,
  i: number,
  p: Float64Array,
  n: number,
  world: Float64Array,
  w: number,
): void {
  placeSwingFrame(p, n, world, w);
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

/** World axis a of the frame, about which a twist turns, to out[o]. */
export function writeTwistColumn(out: Float64Array, o: number): void {
  for (let k = 0; k < 3; k++) out[o + k] = frame[6 + k];
}

/** Both axes of the swing (q[i], q[i + 1]) in world axes, to out[o] and out[o + 6]. */
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
 * da_i/dq_j of both axes of swing for i <= j, to out[9 i..], at the frame last placed: d(J_r e_i)/dr_j, and what the bone turns besides,
 * (J_r e_j) x (J_r e_i). dB = -E v.dv and dC = -F v.dv (MATH.md).
 */
export function writeSwingDerivatives(q: Numbers, i: number, out: Float64Array): void {
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
  const across = rs * (c - f * rt * rt);
  // da_s/dr_t
  const x = tt * sa - ta * mixed + rt * (f * rt * rt - 2 * c);
  const y = ta * ss - mixed * sa + across;
  const z = mixed * mixed - tt * ss + b - e * rt * rt;
  const o = 9 * i;
  for (let k = 0; k < 3; k++) {
    const s = frame[k];
    const u = frame[3 + k];
    const a = frame[6 + k];
    out[o + k] = f * product * rt * s + rt * (c - f * rs * rs) * u - e * product * a;
    out[o + 3 + k] = x * s + y * u + z * a;
    out[o + 9 + k] = across * s + f * product * rs * u + e * product * a;
  }
}
