/**
 * Taylor series of the curves that w''' = w'' x w with q' = 1/2 q w gives, and of how they change with what they start from.
 *
 * Both equations are quadratic, so each coefficient is a sum of products of those before it, exact but for rounding (the recurrence of
 * automatic differentiation). All in body axes.
 */
import type { MutableNumbers } from '../../../math/linear/types.js';

/** Of the polynomial that a step is. */
export const ORDER = 24;
const COUNT = ORDER + 1;
/** What the last terms may add, against what they are added to. */
const ROUNDING = 1e-17;

/** Where things stand in a state: quaternion, w, w', w''. */
export const STATE = { q: 0, w: 4, a: 7, j: 10, size: 13 } as const;

/** Coefficients of one step: those of degree k are q[4 k ..] and w[3 k ..]. */
export interface Series {
  readonly q: Float64Array;
  readonly w: Float64Array;
}

export function createSeries(): Series {
  return { q: new Float64Array(4 * COUNT), w: new Float64Array(3 * COUNT) };
}

/** (j + 2)(j + 1) w_{j+2}: the coefficients of w''. */
const bend = /* @__PURE__ */ new Float64Array(3 * COUNT);

/** out = the series about `state`. (k+3)(k+2)(k+1) w_{k+3} = sum w''_j x w_{k-j}; 2 (k+1) q_{k+1} = sum q_j w_{k-j}. */
export function expandState(state: Float64Array, out: Series): Series {
  const { q, w } = out;
  for (let i = 0; i < 3; i++) {
    w[i] = state[STATE.w + i];
    w[3 + i] = state[STATE.a + i];
    w[6 + i] = state[STATE.j + i] / 2;
    bend[i] = state[STATE.j + i];
  }
  for (let k = 0; k + 3 <= ORDER; k++) {
    let x = 0;
    let y = 0;
    let z = 0;
    for (let j = 0, a = 0, b = 3 * k; j <= k; j++, a += 3, b -= 3) {
      x += bend[a + 1] * w[b + 2] - bend[a + 2] * w[b + 1];
      y += bend[a + 2] * w[b] - bend[a] * w[b + 2];
      z += bend[a] * w[b + 1] - bend[a + 1] * w[b];
    }
    putBend(bend, w, k, x, y, z);
  }
  for (let i = 0; i < 4; i++) q[i] = state[STATE.q + i];
  for (let k = 0; k < ORDER; k++) {
    let x = 0;
    let y = 0;
    let z = 0;
    let s = 0;
    for (let j = 0, a = 0, b = 3 * k; j <= k; j++, a += 4, b -= 3) {
      x += q[a + 3] * w[b] + q[a + 1] * w[b + 2] - q[a + 2] * w[b + 1];
      y += q[a + 3] * w[b + 1] + q[a + 2] * w[b] - q[a] * w[b + 2];
      z += q[a + 3] * w[b + 2] + q[a] * w[b + 1] - q[a + 1] * w[b];
      s -= q[a] * w[b] + q[a + 1] * w[b + 1] + q[a + 2] * w[b + 2];
    }
    const share = 0.5 / (k + 1);
    const o = 4 * k + 4;
    q[o] = share * x;
    q[o + 1] = share * y;
    q[o + 2] = share * z;
    q[o + 3] = share * s;
  }
  return out;
}

/** From coefficient k of w''' those of w'' and w that it makes. */
function putBend(b: Float64Array, w: Float64Array, k: number, x: number, y: number, z: number): void {
  const share = 1 / (k + 1);
  const whole = share / ((k + 2) * (k + 3));
  const o = 3 * k;
  b[o + 3] = share * x;
  b[o + 4] = share * y;
  b[o + 5] = share * z;
  w[o + 9] = whole * x;
  w[o + 10] = whole * y;
  w[o + 11] = whole * z;
}

/** The longest step for which the last two terms of q, w and w' are below rounding; at most `longest`. */
export function stepLength({ q, w }: Series, longest: number): number {
  let step = longest;
  let size = 0;
  for (let i = 0; i < 9; i++) size = Math.max(size, Math.abs(w[i]) * longest ** Math.floor(i / 3));
  for (let k = ORDER - 1; k <= ORDER; k++) {
    const turn = Math.hypot(q[4 * k], q[4 * k + 1], q[4 * k + 2], q[4 * k + 3]);
    const speed = k * Math.hypot(w[3 * k], w[3 * k + 1], w[3 * k + 2]);
    if (turn > 0) step = Math.min(step, (ROUNDING / turn) ** (1 / k));
    if (speed > 0) step = Math.min(step, ((ROUNDING * size) / speed) ** (1 / k));
  }
  return step;
}

/** out = the state a step of length `h` on. */
export function advance({ q, w }: Series, h: number, out: Float64Array): void {
  let length = 0;
  for (let i = 0; i < 4; i++) {
    let sum = 0;
    for (let k = ORDER; k >= 0; k--) sum = sum * h + q[4 * k + i];
    out[STATE.q + i] = sum;
    length += sum * sum;
  }
  // Rounding alone takes it off the sphere.
  const share = 1 / Math.sqrt(length);
  for (let i = 0; i < 4; i++) out[STATE.q + i] *= share;
  for (let i = 0; i < 3; i++) {
    let value = 0;
    let first = 0;
    let second = 0;
    for (let k = ORDER; k >= 0; k--) {
      value = value * h + w[3 * k + i];
      if (k > 0) first = first * h + k * w[3 * k + i];
      if (k > 1) second = second * h + k * (k - 1) * w[3 * k + i];
    }
    out[STATE.w + i] = value;
    out[STATE.a + i] = first;
    out[STATE.j + i] = second;
  }
}

/** Rows of a sensitivity: the small turn e of the end, in its body axes (q exp(e)), then w, w', w''. Columns: w, w', w'' of the start. */
export const ROWS = 12;
export const COLUMNS = 9;

const change = /* @__PURE__ */ new Float64Array(3 * COUNT);
const changeBend = /* @__PURE__ */ new Float64Array(3 * COUNT);
const turn = /* @__PURE__ */ new Float64Array(3 * COUNT);

/**
 * out[COLUMNS r + c] = d(end)_r/d(start)_c over a step of length `h`, by the same recurrence for d''' = d'' x w + w'' x d and
 * e' = d - w x e. A start turned by e_0 turns the end by R^T e_0, R the turn of the step, and changes nothing else.
 */
export function writeSensitivity({ w }: Series, h: number, out: MutableNumbers): void {
  for (let k = 0; k + 2 <= ORDER; k++) {
    for (let i = 0; i < 3; i++) bend[3 * k + i] = (k + 2) * (k + 1) * w[3 * k + 6 + i];
  }
  for (let column = 0; column < COLUMNS; column++) {
    change.fill(0, 0, 9);
    changeBend.fill(0, 0, 3);
    const own = column % 3;
    if (column < 3) change[own] = 1;
    else if (column < 6) change[3 + own] = 1;
    else {
      change[6 + own] = 0.5;
      changeBend[own] = 1;
    }
    for (let k = 0; k + 3 <= ORDER; k++) {
      let x = 0;
      let y = 0;
      let z = 0;
      for (let j = 0, a = 0, b = 3 * k; j <= k; j++, a += 3, b -= 3) {
        x +=
          changeBend[a + 1] * w[b + 2] -
          changeBend[a + 2] * w[b + 1] +
          bend[a + 1] * change[b + 2] -
          bend[a + 2] * change[b + 1];
        y +=
          changeBend[a + 2] * w[b] -
          changeBend[a] * w[b + 2] +
          bend[a + 2] * change[b] -
          bend[a] * change[b + 2];
        z +=
          changeBend[a] * w[b + 1] -
          changeBend[a + 1] * w[b] +
          bend[a] * change[b + 1] -
          bend[a + 1] * change[b];
      }
      putBend(changeBend, change, k, x, y, z);
    }
    turn.fill(0, 0, 3);
    for (let k = 0; k < ORDER; k++) {
      let x = change[3 * k];
      let y = change[3 * k + 1];
      let z = change[3 * k + 2];
      for (let j = 0, a = 0, b = 3 * k; j <= k; j++, a += 3, b -= 3) {
        x -= w[a + 1] * turn[b + 2] - w[a + 2] * turn[b + 1];
        y -= w[a + 2] * turn[b] - w[a] * turn[b + 2];
        z -= w[a] * turn[b + 1] - w[a + 1] * turn[b];
      }
      const share = 1 / (k + 1);
      turn[3 * k + 3] = share * x;
      turn[3 * k + 4] = share * y;
      turn[3 * k + 5] = share * z;
    }
    for (let i = 0; i < 3; i++) {
      let angle = 0;
      let value = 0;
      let first = 0;
      let second = 0;
      for (let k = ORDER; k >= 0; k--) {
        const term = change[3 * k + i];
        angle = angle * h + turn[3 * k + i];
        value = value * h + term;
        if (k > 0) first = first * h + k * term;
        if (k > 1) second = second * h + k * (k - 1) * term;
      }
      out[COLUMNS * i + column] = angle;
      out[COLUMNS * (3 + i) + column] = value;
      out[COLUMNS * (6 + i) + column] = first;
      out[COLUMNS * (9 + i) + column] = second;
    }
  }
}
