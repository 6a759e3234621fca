import { MotionError } from '../../errors.js';
import { type Curve, type CurveOptions, createCurve } from '../representation/curve.js';
import { raiseDegree } from './raise-degree.js';
import { requireCurve } from './require-curve.js';

export interface JoinOptions extends CurveOptions {
  /**
   * What happens where a curve does not begin where the one before it ended:
   *
   * - `refuse` (default): an error.
   * - `shift`: the curve and all after it are moved so that they meet, as one step of a walk follows another.
   * - `keep`: the joined curve jumps there.
   */
  readonly jumps?: 'refuse' | 'shift' | 'keep';
}

/** How far apart, against their size, two values may be that count as one. */
const SAME = 1e-9;

/**
 * Curves one after the other, each begun when the one before it ends. The first stays at its times; the degree is the highest there is. Values
 * that meet to rounding are made equal. Nothing is done about velocities.
 * @param options - Outside the range it goes on as the first does before and the last after it, unless said.
 * @throws MotionError `wrong-size`, `out-of-range`
 */
export function joinCurves(curves: readonly Curve[], options: JoinOptions = {}): Curve {
  if (curves.length === 0) {
    throw new MotionError('wrong-size', 'has no curve.', {
      path: 'curves',
      remedy: 'Give one curve at least.',
    });
  }
  for (const [i, curve] of curves.entries()) requireCurve(curve, `curves[${i}]`);
  const { size } = curves[0];
  const jumps = checkedJumps(options.jumps);
  const degree = curves.reduce((most, curve) => Math.max(most, curve.degree), 1);
  const knots = [curves[0].knots[0]];
  const controls: number[] = [];
  for (const [i, given] of curves.entries()) {
    if (given.size !== size) {
      throw new MotionError('wrong-size', `gives ${given.size} numbers where the first gives ${size}.`, {
        path: `curves[${i}]`,
        remedy: 'Join curves of one size.',
      });
    }
    const curve = raiseDegree(given, degree);
    const late = knots[knots.length - 1] - curve.knots[0];
    for (let s = 1; s < curve.knots.length; s++) knots.push(curve.knots[s] + late);
    const shift = i === 0 ? new Float64Array(size) : shiftTo(controls, curve, jumps, i);
    const from = controls.length;
    for (let o = 0; o < curve.controls.length; o++) controls.push(curve.controls[o] + shift[o % size]);
    if (i > 0 && jumps !== 'keep')
      for (let c = 0; c < size; c++) controls[from + c] = controls[from - size + c];
  }
  const outside = options.outside ?? {
    before: curves[0].outside.before,
    after: curves[curves.length - 1].outside.after,
  };
  return createCurve({ size, degree, knots, controls }, { outside });
}

/** What is added to the i-th curve. @throws MotionError `out-of-range` where it does not meet what is there. */
function shiftTo(controls: readonly number[], curve: Curve, jumps: string, i: number): Float64Array {
  const { size } = curve;
  const shift = new Float64Array(size);
  if (jumps === 'keep') return shift;
  for (let c = 0; c < size; c++) {
    const end = controls[controls.length - size + c];
    const begin = curve.controls[c];
    if (jumps === 'shift') shift[c] = end - begin;
    else if (!(Math.abs(end - begin) <= SAME * (1 + Math.abs(end)))) {
      throw new MotionError('out-of-range', `begins at ${begin} where the curve before it ended at ${end}.`, {
        path: `curves[${i}], coordinate ${c}`,
        remedy: "Say jumps: 'shift' to move it there, or 'keep' to let it jump.",
      });
    }
  }
  return shift;
}

function checkedJumps(jumps: JoinOptions['jumps'] = 'refuse'): 'refuse' | 'shift' | 'keep' {
  if (jumps === 'refuse' || jumps === 'shift' || jumps === 'keep') return jumps;
  throw new MotionError('out-of-range', `'${String(jumps)}' is nothing to do about jumps.`, {
    path: 'jumps',
    remedy: "Say 'refuse', 'shift' or 'keep'.",
  });
}
