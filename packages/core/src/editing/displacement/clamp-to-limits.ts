/** Clamps Bezier points of a result to joint limits, as far as those of the clip satisfy them. */
import type { LimitComponent } from '../../figure/limits/limit.js';
import { limitShapes } from '../../figure/limits/shapes.js';

const BISECTIONS = 60;

/**
 * Projects each Bezier point that violates a limit more than the clip's does: onto the set, or, where the clip's violates it too, to the
 * same value of g, on the segment to the nearest point of the set. The curve lies in the convex hull of its points, and so within the set
 * if these do.
 *
 * @param coordinate - Of the first number of a point.
 * @param clip - Points of `size` numbers, as in the clip.
 * @param points - The same with the displacement; clamped in place.
 */
export function clampToLimits(
  limits: readonly LimitComponent[],
  coordinate: number,
  clip: Float64Array,
  size: number,
  points: Float64Array,
): void {
  for (const { kind, parameters, coordinate: first, size: count } of limits) {
    const { value, project } = limitShapes[kind];
    for (let o = first - coordinate; o < points.length; o += size) {
      const g = value(parameters, points, o, count);
      if (!(g > 0)) continue;
      const allowed = Math.max(0, value(parameters, clip, o, count));
      if (g <= allowed) continue;
      const outside = points.slice(o, o + count);
      project(parameters, points, o, count);
      if (allowed === 0) continue;
      const border = points.slice(o, o + count);
      let low = 0;
      let high = 1;
      for (let n = 0; n < BISECTIONS; n++) {
        const fraction = 0.5 * (low + high);
        for (let k = 0; k < count; k++) points[o + k] = border[k] + fraction * (outside[k] - border[k]);
        if (value(parameters, points, o, count) > allowed) high = fraction;
        else low = fraction;
      }
      for (let k = 0; k < count; k++) points[o + k] = border[k] + low * (outside[k] - border[k]);
    }
  }
}
