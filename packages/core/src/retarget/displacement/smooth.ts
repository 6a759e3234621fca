/** Displacements over a clip that are given at some frames and as smooth and as small as can be at the others. */
import * as banded from '../../math/linear/banded-cholesky.js';

/** Time over which a displacement fades where nothing holds it, s. */
const FADE_TIME = 0.1;
/** Rounds in which values are raised, and what is left below. */
const MAX_ROUNDS = 8;
const TOLERANCE = 1e-4;
/** Half-bandwidth: second differences. */
const WIDTH = 2;
const SECOND = [1, -2, 1];

/**
 * Minimizes sum |d|^2 + (T / step)^4 |second difference of d|^2 over the frames where `fixed` is 0: displacements fade within the time T, and their
 * acceleration is continuous where they begin and end.
 *
 * @param d - `columns` numbers a frame. In: the values of the fixed frames. Out: all.
 */
export function smoothDisplacement(
  d: Float64Array,
  columns: number,
  fixed: Uint8Array,
  step: number,
  fadeTime: number = FADE_TIME,
): void {
  const count = fixed.length;
  let isAny = false;
  let areAll = true;
  for (let f = 0; f < count; f++) {
    if (fixed[f] === 1) isAny = true;
    else areAll = false;
  }
  if (areAll) return;
  if (!isAny) {
    d.fill(0);
    return;
  }
  const stride = WIDTH + 1;
  const band = new Float64Array(stride * count);
  // Scaled so that the largest entries are of order 1.
  const weight = (step / fadeTime) ** 4;
  for (let f = 0; f < count; f++) band[f * stride + WIDTH] = weight + 1e-14;
  addSecondDifferences(band, count);
  const values = Float64Array.from(d);
  for (let f = 0; f < count; f++) if (fixed[f] === 0) d.fill(0, columns * f, columns * (f + 1));
  const value = new Float64Array(columns);
  for (let f = 0; f < count; f++) {
    if (fixed[f] === 0) continue;
    for (let c = 0; c < columns; c++) value[c] = values[columns * f + c];
    banded.fix(band, count, WIDTH, d, f, value);
  }
  banded.factor(band, count, WIDTH);
  banded.solve(band, count, WIDTH, d, columns);
  for (let f = 0; f < count; f++) {
    if (fixed[f] === 1) for (let c = 0; c < columns; c++) d[columns * f + c] = values[columns * f + c];
  }
}

/**
 * The smooth values nearest to those given: minimizes sum w |d - value|^2 + (T / step)^4 |second difference of d|^2 over the frames.
 *
 * @param values - In: one a frame, where its weight is above 0. Out: all.
 * @param pull - Weight towards 0 of frames without a value, added to all.
 */
export function fitDisplacement(
  values: Float64Array,
  weights: Float64Array,
  step: number,
  time: number,
  pull = 1e-3,
): void {
  const count = values.length;
  if (!weights.some((weight) => weight > 0)) {
    values.fill(0);
    return;
  }
  const stride = WIDTH + 1;
  const band = new Float64Array(stride * count);
  const scale = (step / time) ** 4;
  for (let f = 0; f < count; f++) {
    values[f] *= scale * weights[f];
    band[f * stride + WIDTH] = scale * (weights[f] + pull) + 1e-14;
  }
  addSecondDifferences(band, count);
  banded.factor(band, count, WIDTH);
  banded.solve(band, count, WIDTH, values);
}

function addSecondDifferences(band: Float64Array, count: number): void {
  const stride = WIDTH + 1;
  for (let f = 0; f + WIDTH < count; f++) {
    for (let a = 0; a <= WIDTH; a++) {
      for (let b = 0; b <= a; b++) band[(f + a) * stride + WIDTH - a + b] += SECOND[a] * SECOND[b];
    }
  }
}

/**
 * Smooth values that are not below `needed`, as small as can be; those of `fixed` frames are 0, or as given.
 *
 * @param values - Out, one a frame.
 */
export function raiseAbove(
  values: Float64Array,
  needed: Float64Array,
  fixed: Uint8Array,
  step: number,
  fadeTime?: number,
): void {
  const count = values.length;
  for (let round = 0; round <= MAX_ROUNDS; round++) {
    let isLow = false;
    for (let f = 0; f < count; f++) {
      if (fixed[f] === 1 || needed[f] - values[f] <= TOLERANCE) continue;
      isLow = true;
      let last = f;
      let lowest = f;
      while (last + 1 < count && fixed[last + 1] === 0 && needed[last + 1] - values[last + 1] > TOLERANCE) {
        last++;
        if (needed[last] - values[last] > needed[lowest] - values[lowest]) lowest = last;
      }
      for (let n = f; n <= last; n++) {
        if (n !== lowest && round < MAX_ROUNDS) continue;
        fixed[n] = 1;
        values[n] = needed[n];
      }
      f = last;
    }
    if (!isLow) return;
    smoothDisplacement(values, 1, fixed, step, fadeTime);
  }
}
