import { MotionError } from '../../errors.js';
import { checkedNumbers } from '../representation/curve.js';
import type { ScalarState } from '../rotations/partial-slerp.js';
import { checkFraction, type Ease } from './ease-function.js';

/**
 * The easing function `cubic-bezier(x1, y1, x2, y2)` of CSS (CSS Easing Functions Level 1): the y of the cubic Bezier curve
 * (0, 0), (x1, y1), (x2, y2), (1, 1) where its x is the fraction of time. x(u) = fraction is solved to rounding, with exact rates
 *
 *   y' = y_u/x_u,   y'' = (y_uu x_u - y_u x_uu)/x_u^3,
 *
 * where the tangent is vertical (x_u = 0) their limits, possibly infinite.
 * @throws MotionError `out-of-range` unless x1 and x2 are in [0, 1].
 */
export function cubicBezierEase(x1: number, y1: number, x2: number, y2: number): Ease {
  checkedNumbers([x1, y1, x2, y2], 4, 'cubic-bezier');
  for (const [path, x] of [
    ['x1', x1],
    ['x2', x2],
  ] as const) {
    if (x >= 0 && x <= 1) continue;
    throw new MotionError('out-of-range', `is ${x}.`, { path, remedy: 'Give a fraction of time in [0, 1].' });
  }
  return (fraction, out = { value: 0, first: 0, second: 0 }) => {
    checkFraction(fraction);
    const u = solve(x1, x2, fraction);
    const rest = 1 - u;
    out.value = fraction === 1 ? 1 : u * (3 * rest * (rest * y1 + u * y2) + u * u);
    return writeRates(u, x1, y1, x2, y2, out);
  };
}

/** x(u) = 3 u (1 - u)^2 x1 + 3 u^2 (1 - u) x2 + u^3. */
function abscissa(x1: number, x2: number, u: number): number {
  const rest = 1 - u;
  return u * (3 * rest * (rest * x1 + u * x2) + u * u);
}

/** d/du of a cubic from 0 to 1 with handles p1 and p2, from the differences of its points. */
function rate(p1: number, p2: number, u: number): number {
  const rest = 1 - u;
  return 3 * (rest * rest * p1 + 2 * rest * u * (p2 - p1) + u * u * (1 - p2));
}

function secondRate(p1: number, p2: number, u: number): number {
  return 6 * ((1 - u) * (p2 - 2 * p1) + u * (1 - 2 * p2 + p1));
}

const MAX_STEPS = 80;

/** x is monotone, so the root is unique: Newton's method safeguarded by bisection. */
function solve(x1: number, x2: number, x: number): number {
  if (x === 0 || x === 1) return x;
  let low = 0;
  let high = 1;
  let u = x;
  for (let n = 0; n < MAX_STEPS; n++) {
    const error = abscissa(x1, x2, u) - x;
    if (error === 0) return u;
    if (error > 0) high = u;
    else low = u;
    const next = u - error / rate(x1, x2, u);
    const to = next > low && next < high ? next : 0.5 * (low + high);
    if (to === u || !(to > low && to < high)) return u;
    u = to;
  }
  return u;
}

/** Below this x_u a tangent counts as vertical. */
const VERTICAL = 1e-12;

function writeRates(
  u: number,
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  out: ScalarState,
): ScalarState {
  const xu = rate(x1, x2, u);
  const yu = rate(y1, y2, u);
  const xuu = secondRate(x1, x2, u);
  const yuu = secondRate(y1, y2, u);
  if (xu > VERTICAL) {
    out.first = yu / xu;
    out.second = (yuu * xu - yu * xuu) / (xu * xu * xu);
    return out;
  }
  if (Math.abs(yu) > VERTICAL) {
    out.first = Math.sign(yu) * Number.POSITIVE_INFINITY;
    out.second = Math.sign(yu) * (u < 0.5 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY);
    return out;
  }
  // A cusp at an end: with d = u - u_0, x = x_uu d^2/2 + x_uuu d^3/6 and y likewise, so the derivative is m =
  // y_uu/x_uu, and y - m x is proportional to (y_uuu - m x_uuu) |x|^(3/2), whose second derivative is infinite
  // unless the coefficient is 0.
  const xuuu = 6 * (1 + 3 * x1 - 3 * x2);
  const yuuu = 6 * (1 + 3 * y1 - 3 * y2);
  const inside = Math.abs(xuu) < VERTICAL;
  out.first = inside ? yuuu / xuuu : yuu / xuu;
  const secondSign = inside ? yuu : (yuuu - out.first * xuuu) * (u < 0.5 ? 1 : -1);
  out.second = Math.abs(secondSign) < VERTICAL ? 0 : secondSign * Number.POSITIVE_INFINITY;
  return out;
}
