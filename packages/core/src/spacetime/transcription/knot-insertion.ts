/** Splines on refined knots. */
import type { SplineBasis } from './spline-basis.js';

/**
 * Control points of the same spline in a basis with more knots, or on a part of its span (Boehm, *Inserting new knots into B-spline curves*,
 * CAD 12, 1980). Each is a convex combination of the given ones, so it stays in their convex hull.
 *
 * @param points - One number for each control point of `basis`.
 */
export function insertKnots(basis: SplineBasis, points: Float64Array, refined: SplineBasis): Float64Array {
  const { degree } = basis;
  const knots = Array.from(basis.knots);
  let values = Array.from(points);
  let k = 0;
  for (const time of refined.knots) {
    while (k < knots.length && knots[k] < time) k++;
    if (knots[k] === time) {
      k++;
      continue;
    }
    // Between knots k - 1 and k.
    const next: number[] = [];
    for (let i = 0; i <= values.length; i++) {
      if (i <= k - 1 - degree) next.push(values[i]);
      else if (i >= k) next.push(values[i - 1]);
      else {
        const alpha = (time - knots[i]) / (knots[i + degree] - knots[i]);
        next.push((1 - alpha) * values[i - 1] + alpha * values[i]);
      }
    }
    values = next;
    knots.splice(k, 0, time);
    k++;
  }
  const first = knots.indexOf(refined.knots[0]);
  return Float64Array.from(values.slice(first, first + refined.count));
}
