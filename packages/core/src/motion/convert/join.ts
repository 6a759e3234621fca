import { type FieldsOf, requireFields, requireOneOf } from '../../checks.js';
import { MotionError } from '../../errors.js';
import { type Curve, type CurveOptions, createCurve } from '../representation/curve.js';
import { raiseDegree } from './raise-degree.js';
import { requireCurve } from './require-curve.js';

export interface JoinOptions extends CurveOptions {
  /**
   * Handling of a gap between the end of a curve and the start of the next:
   *
   * - `refuse` (default): an error.
   * - `shift`: the curve and all after it are translated to be continuous, like successive steps of a walk.
   * - `keep`: the joined curve is discontinuous there.
   */
  readonly jumps?: 'refuse' | 'shift' | 'keep';
}

const OPTIONS: FieldsOf<JoinOptions> = { outside: true, jumps: true };

/** Relative difference up to which two values count as equal. */
const SAME = 1e-9;

/**
 * Concatenates curves in time: each starts when the one before it ends, the first at its own time. The degree is the largest of
 * them. Values equal up to rounding are made equal. Velocities may jump.
 * @param options - `outside` defaults to that of the first curve before and of the last after.
 * @throws MotionError `wrong-size`, `out-of-range`
 */
export function joinCurves(curves: readonly Curve[], options: JoinOptions = {}): Curve {
  requireFields(options, OPTIONS, 'options', MotionError);
  if (curves.length === 0) {
    throw new MotionError('wrong-size', 'has no curve.', {
      path: 'curves',
      remedy: 'Give at least one curve.',
    });
  }
  for (const [i, curve] of curves.entries()) requireCurve(curve, `curves[${i}]`);
  const { size } = curves[0];
  const { jumps = 'refuse' } = options;
  requireOneOf(jumps, ['refuse', 'shift', 'keep'], 'jumps', MotionError);
  const degree = curves.reduce((max, curve) => Math.max(max, curve.degree), 1);
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

/** Translation of the i-th curve. @throws MotionError `out-of-range` for a gap that is refused. */
function shiftTo(controls: readonly number[], curve: Curve, jumps: string, i: number): Float64Array {
  const { size } = curve;
  const shift = new Float64Array(size);
  if (jumps === 'keep') return shift;
  for (let c = 0; c < size; c++) {
    const end = controls[controls.length - size + c];
    const begin = curve.controls[c];
    if (jumps === 'shift') shift[c] = end - begin;
    else if (!(Math.abs(end - begin) <= SAME * (1 + Math.abs(end)))) {
      throw new MotionError('out-of-range', `begins at ${begin}, but the curve before it ends at ${end}.`, {
        path: `curves[${i}], coordinate ${c}`,
        remedy: "Use jumps: 'shift' to translate it there, or 'keep' to keep the jump.",
      });
    }
  }
  return shift;
}
