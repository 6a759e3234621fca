import { type FieldsOf, requireOneOf } from '../../checks.js';
import { MotionError } from '../../errors.js';
import * as banded from '../../math/linear/banded-cholesky.js';
import type { Numbers } from '../../math/linear/types.js';
import { type Curve, type CurveOptions, curveOptions } from '../representation/curve.js';
import { checkedKeys, checkedVector, type Keys } from '../representation/keyframes.js';
import { hermiteCurve } from './hermite.js';
import { checkClosed } from './kochanek-bartels.js';

/**
 * End conditions of a C2 spline.
 *
 * - `natural`: zero second derivative.
 * - `clamped`: given rates, zero by default.
 * - `periodic`: equal rate and second rate at both ends; the last keyframe repeats the first.
 */
export type SplineEnds = 'natural' | 'clamped' | 'periodic';

export interface CubicSplineOptions extends CurveOptions {
  /** Default `natural`. */
  readonly ends?: SplineEnds;
  /** Rates at the ends of a clamped spline, n numbers, per s. Default zeros. */
  readonly startVelocity?: Numbers;
  readonly endVelocity?: Numbers;
}

const OPTIONS: FieldsOf<CubicSplineOptions> = {
  outside: true,
  ends: true,
  startVelocity: true,
  endVelocity: true,
};

/**
 * The C2 cubic spline through the keyframes; among all interpolating curves it minimizes the integral of |x''|^2 (de Boor, *A
 * Practical Guide to Splines*, chapter IV). Global: the influence of a keyframe decays by about a factor of 4 per keyframe.
 * @throws MotionError
 */
export function cubicSpline(keys: Keys, options: CubicSplineOptions = {}): Curve {
  const { count, size, times, values } = checkedKeys(keys);
  const ofCurve = curveOptions(options, OPTIONS);
  const { ends = 'natural' } = options;
  requireOneOf(ends, ['natural', 'clamped', 'periodic'] satisfies SplineEnds[], 'ends', MotionError);
  if (ends === 'periodic') checkClosed(values, size);
  const tangents = new Float64Array(count * size);
  // Row i: m_{i-1}/h_- + 2 (1/h_- + 1/h_+) m_i + m_{i+1}/h_+ = 3 (d_-/h_-^2 + d_+/h_+^2); at an end only the terms
  // of the one piece.
  const band = new Float64Array(2 * count);
  for (let s = 0; s + 1 < count; s++) {
    const inverse = 1 / (times[s + 1] - times[s]);
    band[2 * s + 1] += 2 * inverse;
    band[2 * s + 3] += 2 * inverse;
    band[2 * s + 2] = inverse;
    for (let c = 0; c < size; c++) {
      const slope = 3 * inverse * inverse * (values[(s + 1) * size + c] - values[s * size + c]);
      tangents[s * size + c] += slope;
      tangents[(s + 1) * size + c] += slope;
    }
  }
  if (ends === 'clamped') {
    banded.fix(band, count, 1, tangents, 0, checkedVector(options.startVelocity, size, 'startVelocity'));
    banded.fix(band, count, 1, tangents, count - 1, checkedVector(options.endVelocity, size, 'endVelocity'));
  }
  if (ends === 'periodic') solvePeriodic(band, count, tangents, size);
  else {
    banded.factor(band, count, 1);
    banded.solve(band, count, 1, tangents, size);
  }
  return hermiteCurve({ times, values, tangents }, ofCurve);
}

/**
 * The periodic spline: its last keyframe is its first, so the last row is added to row 0. The last piece couples rows 0 and
 * `rows - 1`: A = B + k w w^T, w = 1 in these two rows, solved by the Sherman-Morrison formula.
 */
function solvePeriodic(band: Float64Array, count: number, right: Float64Array, size: number): void {
  const rows = count - 1;
  const last = rows - 1;
  for (let c = 0; c < size; c++) right[c] += right[rows * size + c];
  const corner = band[2 * rows];
  // Two equal keyframes: a constant, and the right-hand side is zero.
  if (rows > 1) {
    band[1] += band[2 * rows + 1] - corner;
    band[2 * last + 1] -= corner;
    const w = new Float64Array(rows);
    w[0] = 1;
    w[last] = 1;
    banded.factor(band, rows, 1);
    banded.solve(band, rows, 1, right, size);
    banded.solve(band, rows, 1, w);
    const down = corner / (1 + corner * (w[0] + w[last]));
    for (let c = 0; c < size; c++) {
      const both = down * (right[c] + right[last * size + c]);
      for (let i = 0; i < rows; i++) right[i * size + c] -= both * w[i];
    }
  }
  for (let c = 0; c < size; c++) right[rows * size + c] = right[c];
}
