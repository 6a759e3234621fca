import { type FieldsOf, requirePositive, requireWhole } from '../../checks.js';
import { MotionError } from '../../errors.js';
import type { Numbers } from '../../math/linear/types.js';
import { type HermiteKeys, hermiteCurve } from '../curves/hermite.js';
import {
  type Curve,
  type CurveOptions,
  checkedNumbers,
  createCurvePoint,
  curveOptions,
  evaluateCurve,
} from '../representation/curve.js';
import { checkedKeys, type Keys } from '../representation/keyframes.js';
import { curveProblem } from './curve-problem.js';
import { findKeys } from './knot-search.js';

export interface FitCurveOptions extends CurveOptions {
  /** Largest error of a coordinate, one number for all or one for each. */
  readonly tolerance: number | Numbers;
  /** Indices of samples that are keyframes with a corner: interpolated exactly, with one-sided tangents. */
  readonly corners?: readonly number[];
}

/** Options of {@link fitCurve} and `fitRotations`. */
export const FIT_OPTIONS: FieldsOf<FitCurveOptions> = { outside: true, tolerance: true, corners: true };
/** Options of `simplifyCurve` and `simplifyRotation`, which find the corners. */
export const SIMPLIFY_OPTIONS: FieldsOf<Omit<FitCurveOptions, 'corners'>> = {
  outside: true,
  tolerance: true,
};

/** Keyframes fitted to samples, and their curve. */
export interface CurveFit {
  /** For {@link hermiteCurve}. */
  readonly keys: HermiteKeys & { readonly arriving: Float64Array };
  readonly curve: Curve;
  /** Largest error of a coordinate at a sample, in units of that coordinate. */
  readonly deviation: number;
}

/**
 * Few cubic Hermite keyframes, at times of samples, whose curve is within the tolerance of every sample; C1 except at corners.
 * Values and tangents minimize the largest error, so keyframes need not equal samples.
 *
 * The number of keyframes is the smallest that the search finds; docs/motion-editing.md compares it with the
 * optimum.
 * @throws MotionError `wrong-size`, `not-finite`, `not-increasing`, `out-of-range`
 */
export function fitCurve(samples: Keys, options: FitCurveOptions): CurveFit {
  const ofCurve = curveOptions(options, FIT_OPTIONS);
  const { count, size, times, values } = checkedKeys(samples, 'samples');
  const tolerances = checkedTolerances(options.tolerance, size);
  const corners = checkedCorners(options.corners, count);
  const keys: { time: number; arriving: Float64Array; leaving: Float64Array }[] = [];
  for (const [i, to] of corners.slice(1).entries()) {
    const from = corners[i];
    const found = findKeys(
      curveProblem(
        times.subarray(from, to + 1),
        values.subarray(from * size, (to + 1) * size),
        tolerances,
        i > 0,
        to < count - 1,
      ),
    );
    for (const [n, key] of found.keys.entries()) {
      const state = found.states[n];
      const last = keys[keys.length - 1];
      if (n === 0 && i > 0) keys[keys.length - 1] = { ...last, leaving: state };
      else keys.push({ time: times[from + key], arriving: state, leaving: state });
    }
  }
  const hermite = {
    times: Float64Array.from(keys, ({ time }) => time),
    values: Float64Array.from(keys.flatMap(({ leaving }) => Array.from(leaving.subarray(0, size)))),
    tangents: Float64Array.from(keys.flatMap(({ leaving }) => Array.from(leaving.subarray(size)))),
    arriving: Float64Array.from(keys.flatMap(({ arriving }) => Array.from(arriving.subarray(size)))),
  };
  const curve = hermiteCurve(hermite, ofCurve);
  return { keys: hermite, curve, deviation: deviationAt(curve, times, values) };
}

function deviationAt(curve: Curve, times: Float64Array, values: Float64Array): number {
  const point = createCurvePoint(curve.size);
  let worst = 0;
  for (const [i, time] of times.entries()) {
    evaluateCurve(curve, time, point);
    for (let c = 0; c < curve.size; c++) {
      worst = Math.max(worst, Math.abs(point.value[c] - values[i * curve.size + c]));
    }
  }
  return worst;
}

/** One tolerance for each coordinate. @throws MotionError */
export function checkedTolerances(tolerance: number | Numbers, size: number): Float64Array {
  const all = typeof tolerance === 'object' ? tolerance : new Float64Array(size).fill(tolerance);
  const tolerances = checkedNumbers(all, size, 'tolerance');
  for (const [c, bound] of tolerances.entries()) requirePositive(bound, `tolerance[${c}]`, MotionError);
  return tolerances;
}

/** Sorted corners, with both ends. @throws MotionError `out-of-range` */
export function checkedCorners(corners: readonly number[] = [], count: number): number[] {
  for (const [i, corner] of corners.entries()) {
    requireWhole(corner, `corners[${i}]`, MotionError, 0, count - 1);
  }
  return [...new Set([0, ...corners, count - 1])].sort((a, b) => a - b);
}
