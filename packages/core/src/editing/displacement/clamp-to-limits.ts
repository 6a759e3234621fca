/** Bezier points of a result, held within the limits of joints as far as those of the clip are. */
import type { LimitComponent } from '../../figure/limits/limit.js';
import { limitShapes } from '../../figure/limits/shapes.js';

const HALVINGS = 60;

/**
 * Draws each Bezier point in that lies outside a limit, and farther than the clip's: to the border, or where the clip's is outside itself to the
 * same g as it has, on the way to the nearest point of the set. The curve lies in the hull of its points, and so within the set if these do.
 *
 * @param coordinate - Of the first number of a point.
 * @param clip - Points of `size` numbers, as the clip has them.
 * @param points - The same with the change; drawn in.
 */
export function keepWithin(
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
      for (let n = 0; n < HALVINGS; n++) {
        const share = 0.5 * (low + high);
        for (let k = 0; k < count; k++) points[o + k] = border[k] + share * (outside[k] - border[k]);
        if (value(parameters, points, o, count) > allowed) high = share;
        else low = share;
      }
      for (let k = 0; k < count; k++) points[o + k] = border[k] + low * (outside[k] - border[k]);
    }
  }
}
