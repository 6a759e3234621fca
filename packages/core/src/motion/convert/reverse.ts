import type { Curve } from '../representation/curve.js';
import { requireCurve } from './require-curve.js';

/**
 * The curve in reverse over the same range: x(start + end - t). `outside.before` and `after` are exchanged.
 * @throws MotionError `unsupported` unless given a curve.
 */
export function reverseCurve(curve: Curve): Curve {
  requireCurve(curve);
  const { size, degree, knots, controls, outside } = curve;
  const last = knots.length - 1;
  const points = controls.length / size;
  const backwards = new Float64Array(controls.length);
  for (let k = 0; k < points; k++) {
    for (let c = 0; c < size; c++) backwards[k * size + c] = controls[(points - 1 - k) * size + c];
  }
  const joins = Float64Array.from(knots, (_, i) => {
    if (i === 0 || i === last) return knots[i];
    return knots[0] + (knots[last] - knots[last - i]);
  });
  return {
    size,
    degree,
    knots: joins,
    controls: backwards,
    outside: { before: outside.after, after: outside.before },
  };
}
