/**
 * Taylor series of the solutions of w''' = w'' x w, q' = 1/2 q w, and of their sensitivities to the initial state.
 *
 * Both equations are quadratic, so each coefficient is a sum of products of earlier ones, exact to rounding (the recurrence of
 * automatic differentiation). All in body axes.
 */
import type { MutableNumbers } from '../../../math/linear/types.js';

/** Order of a step's polynomial. */
export const ORDER = 24;
const COUNT = ORDER + 1;
/** Largest relative size of the last terms. */
const ROUNDING = 1e-17;

/** Offsets in a state: quaternion q, w, a = w', j = w''. */
export const STATE = { q: 0, w: 4, a: 7, j: 10, size: 13 } as const;

/** Coefficients of one step: degree k is q[4 k ..] and w[3 k ..]. */
export interface Series {
  readonly q: Float64Array;
  readonly w: Float64Array;
}

export function createSeries(): Series {
  return { q: new Float64Array(4 * COUNT), w: new Float64Array(3 * COUNT) };
}

/** Coefficients of w'': (j + 2)(j + 1) w_{j+2}. */
const jerk = /* @__PURE__ */ new Float64Array(3 * COUNT);

/** out = the series about `state`. (k+3)(k+2)(k+1) w_{k+3} = sum w''_j x w_{k-j}; 2 (k+1) q_{k+1} = sum q_j w_{k-j}. */
export function expandState(state: Float64Array, out: Series): Series {
  const { q, w } = out;
  for (let i = 0; i < 3; i++) {
    w[i] = state[STATE.w + i];
    w[3 + i] = state[STATE.a + i];
    w[6 + i] = state[STATE.j + i] / 2;
    jerk[i] = state[STATE.j + i];
  }
  for (let k = 0; k + 3 <= ORDER; k++) {
    let x = 0;
    let y = 0;
    let z = 0;
    for (let j = 0, a = 0, b = 3 * k; j <= k; j++, a += 3, b -= 3) {
      x += jerk[a + 1] * w[b + 2] - jerk[a + 2] * w[b + 1];
      y += jerk[a + 2] * w[b] - jerk[a] * w[b + 2];
      z += jerk[a] * w[b + 1] - jerk[a + 1] * w[b];
    }
    storeDerivatives(jerk, w, k, x, y, z);
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
    const factor = 0.5 / (k + 1);
    const o = 4 * k + 4;
    q[o] = factor * x;
    q[o + 1] = factor * y;
    q[o + 2] = factor * z;
    q[o + 3] = factor * s;
  }
  return out;
}

/** Stores the coefficients of w'' and w that follow from coefficient k of w'''. */
function storeDerivatives(
  b: Float64Array,
  w: Float64Array,
  k: number,
  x: number,
  y: number,
  z: number,
): void {
  const factor = 1 / (k + 1);
  const whole = factor / ((k + 2) * (k + 3));
  const o = 3 * k;
  b[o + 3] = factor * x;
  b[o + 4] = factor * y;
  b[o + 5] = factor * z;
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
    const angleVariation = Math.hypot(q[4 * k], q[4 * k + 1], q[4 * k + 2], q[4 * k + 3]);
    const speed = k * Math.hypot(w[3 * k], w[3 * k + 1], w[3 * k + 2]);
    if (angleVariation > 0) step = Math.min(step, (ROUNDING / angleVariation) ** (1 / k));
    if (speed > 0) step = Math.min(step, ((ROUNDING * size) / speed) ** (1 / k));
  }
  return step;
}

/** out = the state after a step of length `h`. */
export function advance({ q, w }: Series, h: number, out: Float64Array): void {
  let length = 0;
  for (let i = 0; i < 4; i++) {
    let sum = 0;
    for (let k = ORDER; k >= 0; k--) sum = sum * h + q[4 * k + i];
    out[STATE.q + i] = sum;
    length += sum * sum;
  }
  // Only rounding changes the norm.
  const factor = 1 / Math.sqrt(length);
  for (let i = 0; i < 4; i++) out[STATE.q + i] *= factor;
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

/**
 * Rows of a sensitivity: the small rotation e of the end, in its body axes (q exp(e)), then w, w', w''. Columns: w, w', w'' of
 * the start.
 */
export const ROWS = 12;
export const COLUMNS = 9;

const variation = /* @__PURE__ */ new Float64Array(3 * COUNT);
const jerkVariation = /* @__PURE__ */ new Float64Array(3 * COUNT);
const angleVariation = /* @__PURE__ */ new Float64Array(3 * COUNT);

/**
 * out[COLUMNS r + c] = d(end)_r/d(start)_c over a step of length `h`, by the same recurrence for d''' = d'' x w + w'' x d and
 * e' = d - w x e. An initial rotation e_0 adds R^T e_0 to e at the end, R the rotation of the step, and nothing else.
 */
export function writeSensitivity({ w }: Series, h: number, out: MutableNumbers): void {
  for (let k = 0; k + 2 <= ORDER; k++) {
    for (let i = 0; i < 3; i++) jerk[3 * k + i] = (k + 2) * (k + 1) * w[3 * k + 6 + i];
  }
  for (let column = 0; column < COLUMNS; column++) {
    variation.fill(0, 0, 9);
    jerkVariation.fill(0, 0, 3);
    const axis = column % 3;
    if (column < 3) variation[axis] = 1;
    else if (column < 6) variation[3 + axis] = 1;
    else {
      variation[6 + axis] = 0.5;
      jerkVariation[axis] = 1;
    }
    for (let k = 0; k + 3 <= ORDER; k++) {
      let x = 0;
      let y = 0;
      let z = 0;
      for (let j = 0, a = 0, b = 3 * k; j <= k; j++, a += 3, b -= 3) {
        x +=
          jerkVariation[a + 1] * w[b + 2] -
          jerkVariation[a + 2] * w[b + 1] +
          jerk[a + 1] * variation[b + 2] -
          jerk[a + 2] * variation[b + 1];
        y +=
          jerkVariation[a + 2] * w[b] -
          jerkVariation[a] * w[b + 2] +
          jerk[a + 2] * variation[b] -
          jerk[a] * variation[b + 2];
        z +=
          jerkVariation[a] * w[b + 1] -
          jerkVariation[a + 1] * w[b] +
          jerk[a] * variation[b + 1] -
          jerk[a + 1] * variation[b];
      }
      storeDerivatives(jerkVariation, variation, k, x, y, z);
    }
    angleVariation.fill(0, 0, 3);
    for (let k = 0; k < ORDER; k++) {
      let x = variation[3 * k];
      let y = variation[3 * k + 1];
      let z = variation[3 * k + 2];
      for (let j = 0, a = 0, b = 3 * k; j <= k; j++, a += 3, b -= 3) {
        x -= w[a + 1] * angleVariation[b + 2] - w[a + 2] * angleVariation[b + 1];
        y -= w[a + 2] * angleVariation[b] - w[a] * angleVariation[b + 2];
        z -= w[a] * angleVariation[b + 1] - w[a + 1] * angleVariation[b];
      }
      const factor = 1 / (k + 1);
      angleVariation[3 * k + 3] = factor * x;
      angleVariation[3 * k + 4] = factor * y;
      angleVariation[3 * k + 5] = factor * z;
    }
    for (let i = 0; i < 3; i++) {
      let angle = 0;
      let value = 0;
      let first = 0;
      let second = 0;
      for (let k = ORDER; k >= 0; k--) {
        const term = variation[3 * k + i];
        angle = angle * h + angleVariation[3 * k + i];
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
