import { MotionError } from '../../errors.js';
import * as vec3 from '../../math/geometry/vec3.js';
import { type Curve, createCurvePoint, evaluateCurve } from '../representation/curve.js';
import type { RotationCurve } from '../representation/rotation-curve.js';
import { expRotationState } from '../representation/rotation-state.js';

const SHELL = 2 * Math.PI;

/**
 * The rotation whose rotation vector follows a curve of three numbers (paper, section 4.2): w = J_r(v) v', and its rate.
 *
 * A curve that leaves the chart, |v| < 2 pi, is refused: turning near the shell it cannot be steered, and it must not be brought back piece
 * by piece where it does not go through its points (a B-spline, docs/errata.md, erratum 9). {@link rotationVectorHermite} changes chart from
 * key to key as curves can that go through keys with given tangents.
 *
 * @param options.anyChart - Take the curve as it is: pieces in charts of their own, or spins about one axis, where nothing can go wrong.
 * @throws MotionError `wrong-size`; `unsupported` for Bezier points on or past the shell.
 */
export function rotationVectorCurve(
  curve: Curve,
  options: { readonly anyChart?: boolean } = {},
): RotationCurve {
  requireSize(curve, 3, 'rotation vectors');
  if (options.anyChart !== true) requireOneChart(curve);
  const point = createCurvePoint(3);
  return {
    kind: 'rotation vector',
    knots: curve.knots,
    outside: curve.outside,
    evaluateInside: (time, out) => expRotationState(evaluateCurve(curve, time, point), out),
  };
}

/** @throws MotionError `wrong-size` */
export function requireSize(curve: Curve, size: number, what: string): void {
  if (curve.size === size) return;
  throw new MotionError('wrong-size', `gives ${curve.size} numbers; ${what} have ${size}.`, {
    path: 'curve',
    remedy: `Give a curve of ${size} numbers.`,
  });
}

function requireOneChart({ controls, degree }: Curve): void {
  for (let o = 0; o < controls.length; o += 3) {
    const length = vec3.length(controls[o], controls[o + 1], controls[o + 2]);
    if (length < SHELL) continue;
    const point = o / 3;
    throw new MotionError(
      'unsupported',
      `is ${length.toFixed(3)} rad long: past the shell of 2 pi, where rotation vectors are singular.`,
      {
        path: `curve piece ${Math.floor(point / (degree + 1))}, point ${point % (degree + 1)}`,
        remedy: 'Use rotationVectorHermite, which changes chart at keys, or keep the points within 2 pi.',
      },
    );
  }
}
