import type { LimitData } from '../../figure/types.js';

const TURN = 2 * Math.PI;
/** A limit exceeded by less is touched, rad. */
const ROUNDING = 1e-12;

/** The angle, by whole turns, that a hinge's limit allows and that is nearest to another; undefined where there is none. */
export function allowedTurn(limit: LimitData | undefined, angle: number, near: number): number | undefined {
  const interval = limit?.type === 'interval' ? limit : undefined;
  const min = interval?.min ?? Number.NEGATIVE_INFINITY;
  const max = interval?.max ?? Number.POSITIVE_INFINITY;
  // The nearest of all, brought between the limits by whole turns.
  let allowed = angle + TURN * Math.round((near - angle) / TURN);
  if (allowed > max + ROUNDING) allowed -= TURN * Math.ceil((allowed - max - ROUNDING) / TURN);
  if (allowed < min - ROUNDING) allowed += TURN * Math.ceil((min - ROUNDING - allowed) / TURN);
  if (allowed > max + ROUNDING) return undefined;
  return Math.min(max, Math.max(min, allowed));
}
