import { clampToLimits, type Figure } from 'poise/figure';
import { nearestRotationVector } from 'poise/rotation';

/** Part of the way from a pose to another, 0 to 1. Limits are convex, so that what lies between two poses within them is within them. */
export function blend(
  figure: Figure,
  from: ArrayLike<number>,
  to: ArrayLike<number>,
  share: number,
): Float64Array {
  const target = Float64Array.from(to);
  for (const { joint, coordinate } of figure.bones) {
    if (joint.type !== 'free') continue;
    const start = Float64Array.from(from).subarray(coordinate + 3, coordinate + 6);
    target.set(nearestRotationVector(target.subarray(coordinate + 3, coordinate + 6), start), coordinate + 3);
  }
  const out = target.map((x, n) => (share === 1 ? to[n] : from[n] + share * (x - from[n])));
  clampToLimits(figure, out);
  return out;
}
