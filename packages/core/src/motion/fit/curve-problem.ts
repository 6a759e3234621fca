import * as banded from '../../math/linear/banded-cholesky.js';
import type { Numbers } from '../../math/linear/types.js';
import { derivativeWeights } from './derivative-weights.js';
import type { FitProblem } from './knot-search.js';

/** A keyframe: n values, then n rates. */
export type CurveState = Float64Array;

/** Largest number of reweightings before a fit is given up. */
const MAX_ITERATIONS = 40;
/**
 * Tikhonov weight towards the initial keyframe, relative to the weight of one sample: keeps keyframes that no sample
 * determines.
 */
const REGULARIZATION = 1e-9;
const BANDWIDTH = 3;

/**
 * Cubic Hermite keyframes for samples of n numbers, each coordinate within its own tolerance. Refitted by Lawson's method (1961):
 * iteratively reweighted least squares, each weight multiplied by the sample's error, which converges to the minimax fit; the
 * weighted mean error is a lower bound of the minimax error, so that an infeasible fit is detected early.
 * @param pinFirst - The first sample is interpolated exactly; `pinLast` likewise.
 */
export function curveProblem(
  times: Float64Array,
  values: Float64Array,
  tolerances: Numbers,
  pinFirst: boolean,
  pinLast: boolean,
): FitProblem<CurveState> {
  const count = times.length;
  const size = values.length / count;

  const fits = (from: number, a: CurveState, to: number, b: CurveState): boolean => {
    const h = times[to] - times[from];
    for (let k = from + 1; k < to; k++) {
      const [p, m, q, n] = hermiteBasis((times[k] - times[from]) / h, h);
      for (let c = 0; c < size; c++) {
        const value = p * a[c] + m * a[size + c] + q * b[c] + n * b[size + c];
        if (!(Math.abs(value - values[k * size + c]) <= tolerances[c])) return false;
      }
    }
    return true;
  };

  return {
    count,
    fits,
    estimate(i) {
      const state = new Float64Array(2 * size);
      state.set(values.subarray(i * size, (i + 1) * size));
      const { first, weights } = derivativeWeights(times, i);
      for (const [n, weight] of weights.entries()) {
        for (let c = 0; c < size; c++) state[size + c] += weight * values[(first + n) * size + c];
      }
      return state;
    },
    refit(keys, states, fixFirst, fixLast) {
      const first = keys[0];
      const last = keys[keys.length - 1];
      // Rates are scaled by the mean time step, so that both unknowns have one magnitude.
      const step = (times[last] - times[first]) / (keys.length - 1);
      const rows = basisRows(times, keys, step);
      const fitted = states.map((state) => state.slice());
      const fixed = [
        ...(fixFirst ? [0, 1] : pinFirst && first === 0 ? [0] : []),
        ...(fixLast
          ? [2 * keys.length - 2, 2 * keys.length - 1]
          : pinLast && last === count - 1
            ? [2 * keys.length - 2]
            : []),
      ];
      const start = new Float64Array(2 * keys.length);
      const samples = new Float64Array(last - first + 1);
      for (let c = 0; c < size; c++) {
        for (let n = 0; n < states.length; n++) {
          start[2 * n] = states[n][c];
          start[2 * n + 1] = step * states[n][size + c];
        }
        for (let k = 0; k < samples.length; k++) samples[k] = values[(first + k) * size + c];
        const solution = fitOne(rows, samples, start, fixed, tolerances[c]);
        if (solution === undefined) return undefined;
        for (let n = 0; n < fitted.length; n++) {
          fitted[n][c] = solution[2 * n];
          fitted[n][size + c] = solution[2 * n + 1] / step;
        }
      }
      return fitted;
    },
  };
}

/** Cubic Hermite basis at u on a span of h s: weights of value and rate at the start, then at the end. */
export function hermiteBasis(u: number, h: number): [number, number, number, number] {
  const rest = 1 - u;
  return [(1 + 2 * u) * rest * rest, h * u * rest * rest, u * u * (3 - 2 * u), -h * u * u * rest];
}

/** The samples from the first keyframe to the last: of each its span, and the four basis weights there, rates scaled by the step. */
export interface BasisRows {
  readonly spans: Int32Array;
  readonly basis: Float64Array;
}

export function basisRows(times: Float64Array, keys: readonly number[], step: number): BasisRows {
  const first = keys[0];
  const count = keys[keys.length - 1] - first + 1;
  const spans = new Int32Array(count);
  const basis = new Float64Array(4 * count);
  let span = 0;
  for (let k = 0; k < count; k++) {
    while (span + 2 < keys.length && first + k > keys[span + 1]) span++;
    const h = times[keys[span + 1]] - times[keys[span]];
    const [p, m, q, n] = hermiteBasis((times[first + k] - times[keys[span]]) / h, h);
    spans[k] = span;
    basis[4 * k] = p;
    basis[4 * k + 1] = m / step;
    basis[4 * k + 2] = q;
    basis[4 * k + 3] = n / step;
  }
  return { spans, basis };
}

/**
 * One coordinate: unknowns value and step * rate of each keyframe. Undefined if no iteration is within the
 * tolerance.
 */
function fitOne(
  { spans, basis }: BasisRows,
  samples: Float64Array,
  start: Float64Array,
  fixed: readonly number[],
  tolerance: number,
): Float64Array | undefined {
  const n = start.length;
  const weights = new Float64Array(samples.length).fill(1);
  const errors = new Float64Array(samples.length);
  const band = new Float64Array(n * (BANDWIDTH + 1));
  const right = new Float64Array(n);
  for (let iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
    band.fill(0);
    for (let i = 0; i < n; i++) {
      band[i * (BANDWIDTH + 1) + BANDWIDTH] = REGULARIZATION;
      right[i] = REGULARIZATION * start[i];
    }
    // Normal equations B^T W B x = B^T W y.
    for (let k = 0; k < samples.length; k++) {
      const at = 2 * spans[k];
      const weight = weights[k];
      const y = samples[k];
      for (let i = 0; i < 4; i++) {
        const weighted = weight * basis[4 * k + i];
        const row = (at + i) * (BANDWIDTH + 1) + BANDWIDTH - i;
        right[at + i] += weighted * y;
        for (let j = 0; j <= i; j++) band[row + j] += weighted * basis[4 * k + j];
      }
    }
    for (const i of fixed) banded.fix(band, n, BANDWIDTH, right, i, [start[i]]);
    if (!banded.factor(band, n, BANDWIDTH)) return undefined;
    banded.solve(band, n, BANDWIDTH, right);
    for (let k = 0; k < samples.length; k++) {
      const at = 2 * spans[k];
      let value = 0;
      for (let i = 0; i < 4; i++) value += basis[4 * k + i] * right[at + i];
      errors[k] = Math.abs(value - samples[k]);
    }
    const { largest, mean } = reweigh(weights, errors);
    if (largest <= tolerance) return right;
    if (mean > tolerance) return undefined;
  }
  return undefined;
}

/**
 * Lawson's reweighting: every weight is multiplied by its error.
 *
 * @returns the largest error, and the weighted mean error, a lower bound of the minimax error.
 */
export function reweigh(
  weights: Float64Array,
  errors: Float64Array,
): { readonly largest: number; readonly mean: number } {
  let largest = 0;
  let squares = 0;
  let sum = 0;
  let next = 0;
  for (let k = 0; k < errors.length; k++) {
    largest = Math.max(largest, errors[k]);
    squares += weights[k] * errors[k] * errors[k];
    sum += weights[k];
    next += weights[k] * errors[k];
  }
  const scale = next > 0 ? errors.length / next : 0;
  for (let k = 0; k < errors.length; k++) weights[k] = Math.max(1e-9, weights[k] * errors[k] * scale);
  return { largest, mean: Math.sqrt(squares / sum) };
}
