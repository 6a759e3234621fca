import type { LimitData } from '../../../figure/data/types.js';
import { nearestAngle } from '../../../figure/joints/joint.js';
import { allowedAngle } from '../aim/best-angle.js';

/** Lower and upper bound of a hinge, rad; infinite where it has none. */
export type Interval = readonly [number, number];

/** Violation of a limit that is rounding, rad. */
const ROUNDING = 1e-12;

export function intervalOf(limit: LimitData | undefined): Interval {
  const interval = limit?.type === 'interval' ? limit : undefined;
  return [interval?.min ?? Number.NEGATIVE_INFINITY, interval?.max ?? Number.POSITIVE_INFINITY];
}

/** The angle modulo 2 pi within a hinge's limit that is nearest to another; undefined where there is none. */
export function angleWithinLimits([min, max]: Interval, angle: number, near: number): number | undefined {
  const allowed = allowedAngle(angle, near, [min - ROUNDING, max + ROUNDING]);
  return Number.isNaN(allowed) ? undefined : Math.min(max, Math.max(min, allowed));
}

/** The same angle in (-pi, pi]. */
export function wrapAngle(angle: number): number {
  const nearest = nearestAngle(angle, 0);
  return nearest <= -Math.PI ? nearest + 2 * Math.PI : nearest;
}
