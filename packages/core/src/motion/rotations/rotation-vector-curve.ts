import { requireFields } from '../../checks.js';
import { MotionError } from '../../errors.js';
import * as vec3 from '../../math/geometry/vec3.js';
import { type Curve, createCurvePoint, evaluateCurve } from '../representation/curve.js';
import type { RotationCurve } from '../representation/rotation-curve.js';
import { expRotationState } from '../representation/rotation-state.js';

const SHELL = 2 * Math.PI;

/**
 * The rotation whose rotation vector is a curve of three numbers (Grassia 1997, section 4.2): w = J_r(v) v', and its rate.
 *
 * A curve that leaves the chart |v| < 2 pi is refused: near the shell rotation vectors are singular, and a curve that does not
 * interpolate its points (a B-spline) must not be reparameterized piece by piece (docs/errata.md, erratum 9).
 * {@link rotationVectorHermite} changes chart at keyframes, as interpolating curves with given tangents can.
 *
 * @param options.anyChart - Accept any curve: pieces in charts of their own, or rotations about one axis, which are
 * never singular.
 * @throws MotionError `wrong-size`; `unsupported` for Bezier points on or beyond the shell.
 */
export function rotationVectorCurve(
  curve: Curve,
  options: { readonly anyChart?: boolean } = {},
): RotationCurve {
  requireFields(options, { anyChart: true }, 'options', MotionError);
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
      `is ${length.toFixed(3)} rad long: beyond the shell of 2 pi, where rotation vectors are singular.`,
      {
        path: `curve piece ${Math.floor(point / (degree + 1))}, point ${point % (degree + 1)}`,
        remedy:
          'Use rotationVectorHermite, which changes chart at keyframes, or keep the points within 2 pi.',
      },
    );
  }
}
