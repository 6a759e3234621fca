import { MotionError } from '../../errors.js';
import type { BezierPoints } from '../curves/bezier.js';
import type { HermiteKeys } from '../curves/hermite.js';
import type { Curve } from '../representation/curve.js';
import { findJump } from './pieces.js';
import { raiseDegree } from './raise-degree.js';
import { requireCurve } from './require-curve.js';

/**
 * The keyframes and tangents, leaving and arriving, whose {@link hermiteCurve} equals the curve. Exact for degree 1
 * to 3.
 * @throws MotionError `unsupported` for a higher degree or a discontinuous curve.
 */
export function toHermite(curve: Curve): HermiteKeys & { readonly arriving: Float64Array } {
  const { size, knots, controls } = requireCubic(curve);
  const last = knots.length - 1;
  const values = new Float64Array(knots.length * size);
  const tangents = new Float64Array(values.length);
  const arriving = new Float64Array(values.length);
  for (let s = 0; s < last; s++) {
    const scale = 3 / (knots[s + 1] - knots[s]);
    for (let c = 0; c < size; c++) {
      const o = 4 * s * size + c;
      const key = s * size + c;
      values[key] = controls[o];
      values[key + size] = controls[o + 3 * size];
      tangents[key] = scale * (controls[o + size] - controls[o]);
      arriving[key + size] = scale * (controls[o + 3 * size] - controls[o + 2 * size]);
    }
  }
  // The first keyframe has no arriving tangent and the last no leaving one.
  for (let c = 0; c < size; c++) {
    arriving[c] = tangents[c];
    tangents[last * size + c] = arriving[last * size + c];
  }
  return { times: Float64Array.from(knots), values, tangents, arriving };
}

/**
 * The keyframes and handles whose {@link bezierCurve} equals the curve. Exact for degree 1 to 3.
 * @throws MotionError `unsupported` for a higher degree or a discontinuous curve.
 */
export function toBezier(curve: Curve): BezierPoints {
  const { size, knots, controls } = requireCubic(curve);
  const pieces = knots.length - 1;
  const points = new Float64Array((3 * pieces + 1) * size);
  for (let s = 0; s < pieces; s++) {
    for (let o = 0; o < 4 * size; o++) points[3 * s * size + o] = controls[4 * s * size + o];
  }
  return { times: Float64Array.from(knots), points };
}

/** The curve as continuous cubic pieces. @throws MotionError `unsupported` */
function requireCubic(curve: Curve): Curve {
  requireCurve(curve);
  if (curve.degree > 3) {
    throw new MotionError(
      'unsupported',
      `has degree ${curve.degree}; cubic keyframes need degree 3 at most.`,
      {
        path: 'curve',
        remedy: 'Use simplifyCurve, which fits cubic keyframes within an error bound.',
      },
    );
  }
  const found = findJump(curve);
  if (found !== undefined) {
    throw new MotionError('unsupported', `jumps by ${found.jump} at ${curve.knots[found.join]} s.`, {
      path: `curve.knots[${found.join}]`,
      remedy: 'Split the curve there: a keyframe has one value.',
    });
  }
  return raiseDegree(curve, 3);
}
