import { MotionError } from '../../errors.js';
import { slicePoints } from '../representation/bernstein.js';
import { type Curve, checkedNumbers, curveEnd, curveStart, pieceAt } from '../representation/curve.js';
import { pointsOfPiece } from './pieces.js';
import { requireCurve } from './require-curve.js';

/**
 * The restriction of a curve to [from, to] (s), within its range, at the same times. Pieces that are not cut are unchanged to the
 * last bit; `outside` is kept.
 * @throws MotionError `out-of-range`, `not-increasing`, `not-finite`
 */
export function sliceCurve(curve: Curve, from: number, to: number): Curve {
  requireCurve(curve);
  const { size, degree, knots, outside } = curve;
  requireInside(curve, from, 'from');
  requireInside(curve, to, 'to');
  if (!(to > from)) {
    throw new MotionError('not-increasing', `is ${to} s, but the slice begins at ${from} s.`, {
      path: 'to',
      remedy: 'End the slice after it begins.',
    });
  }
  const first = pieceAt(knots, from);
  let last = pieceAt(knots, to);
  if (knots[last] === to) last--;
  const stride = (degree + 1) * size;
  const controls = new Float64Array((last - first + 1) * stride);
  const joins = [from];
  for (let s = first; s <= last; s++) {
    const begin = knots[s];
    const span = knots[s + 1] - begin;
    const u0 = s === first ? (from - begin) / span : 0;
    const u1 = s === last && to < knots[s + 1] ? (to - begin) / span : 1;
    controls.set(slicePoints(pointsOfPiece(curve, s), size, u0, u1), (s - first) * stride);
    joins.push(s === last ? to : knots[s + 1]);
  }
  return { size, degree, knots: Float64Array.from(joins), controls, outside };
}

/** The curve before and from a time strictly inside its range. @throws MotionError */
export function splitCurve(curve: Curve, at: number): [Curve, Curve] {
  return [sliceCurve(curve, curveStart(curve), at), sliceCurve(curve, at, curveEnd(curve))];
}

function requireInside(curve: Curve, time: number, path: string): void {
  checkedNumbers([time], 1, path);
  const start = curveStart(curve);
  const end = curveEnd(curve);
  if (time >= start && time <= end) return;
  throw new MotionError(
    'out-of-range',
    `is ${time} s, outside the curve's range from ${start} s to ${end} s.`,
    {
      path,
      remedy: 'Slice within the range of the curve.',
    },
  );
}
