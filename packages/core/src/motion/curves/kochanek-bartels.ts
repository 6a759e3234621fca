import type { FieldsOf } from '../../checks.js';
import { MotionError } from '../../errors.js';
import type { Numbers } from '../../math/linear/types.js';
import { type Curve, type CurveOptions, checkedNumbers, curveOptions } from '../representation/curve.js';
import { type CheckedKeys, checkedKeys, type Keys } from '../representation/keyframes.js';
import { hermiteCurve } from './hermite.js';

/** Shape of the curve at its keyframes; one number for all, or one for each. 0 everywhere is Catmull-Rom. */
export interface KeyShape {
  /** 1 gives zero tangents, -1 doubles them. */
  readonly tension?: number | Numbers;
  /** Nonzero makes a corner. */
  readonly continuity?: number | Numbers;
  /** 1 weights the piece before the keyframe, -1 the piece after. */
  readonly bias?: number | Numbers;
  /** The last keyframe repeats the first, and the curve is C1 there. */
  readonly closed?: boolean;
}

const KEY_SHAPE: FieldsOf<KeyShape> = { tension: true, continuity: true, bias: true, closed: true };

/**
 * Kochanek and Bartels, *Interpolating Splines with Local Tension, Continuity, and Bias Control* (1984), with their correction
 * for nonuniform times: d_- and d_+ the differences to the neighbours, h the sum of both time steps,
 *
 *   leaving   m = (1 - T) ((1 + B) (1 + C) d_- + (1 - B) (1 - C) d_+) / h
 *   arriving  m = (1 - T) ((1 + B) (1 - C) d_- + (1 - B) (1 + C) d_+) / h
 *
 * At an end the only difference is used for both.
 * @throws MotionError
 */
export function kochanekBartelsCurve(keys: Keys, options: KeyShape & CurveOptions = {}): Curve {
  return curveOfShape(keys, options, { ...KEY_SHAPE, outside: true });
}

/**
 * Cardinal spline: m_i = (1 - tension) (K_{i+1} - K_{i-1}) / (t_{i+1} - t_{i-1}), one-sided at an end.
 * Tension 0, the default, is Catmull-Rom (1974).
 * @throws MotionError
 */
export function cardinalCurve(
  keys: Keys,
  options: Pick<KeyShape, 'tension' | 'closed'> & CurveOptions = {},
): Curve {
  return curveOfShape(keys, options, { tension: true, closed: true, outside: true });
}

/** Cardinal spline of tension 0. @throws MotionError */
export function catmullRomCurve(keys: Keys, options: Pick<KeyShape, 'closed'> & CurveOptions = {}): Curve {
  return curveOfShape(keys, options, { closed: true, outside: true });
}

function curveOfShape(keys: Keys, options: KeyShape & CurveOptions, known: object): Curve {
  const ofCurve = curveOptions(options, known);
  const checked = checkedKeys(keys);
  const { times, values } = checked;
  return hermiteCurve({ times, values, ...keyTangents(checked, options) }, ofCurve);
}

/** Leaving and arriving tangents at every keyframe, n numbers each, per s. @throws MotionError */
export function keyTangents(
  { count, size, times, values }: CheckedKeys,
  shape: KeyShape,
): { tangents: Float64Array; arriving: Float64Array } {
  const tension = perKey(shape.tension, count, 'tension');
  const continuity = perKey(shape.continuity, count, 'continuity');
  const bias = perKey(shape.bias, count, 'bias');
  const closed = shape.closed === true;
  if (closed) checkClosed(values, size);
  const tangents = new Float64Array(count * size);
  const arriving = new Float64Array(count * size);
  for (let i = 0; i < count; i++) {
    // Pieces that end and begin at this keyframe.
    let ending = i - 1;
    let beginning = i;
    if (ending < 0) ending = closed ? count - 2 : beginning;
    if (beginning > count - 2) beginning = closed ? 0 : ending;
    const h = times[ending + 1] - times[ending] + times[beginning + 1] - times[beginning];
    // The last keyframe of a closed curve is the first.
    const own = closed && i === count - 1 ? 0 : i;
    const free = (1 - tension[own]) / h;
    const smoothTo = free * (1 + bias[own]);
    const smoothFrom = free * (1 - bias[own]);
    const corner = continuity[own];
    for (let c = 0; c < size; c++) {
      const to = smoothTo * (values[(ending + 1) * size + c] - values[ending * size + c]);
      const from = smoothFrom * (values[(beginning + 1) * size + c] - values[beginning * size + c]);
      tangents[i * size + c] = (1 + corner) * to + (1 - corner) * from;
      arriving[i * size + c] = (1 - corner) * to + (1 + corner) * from;
    }
  }
  return { tangents, arriving };
}

/** One number for each keyframe. @throws MotionError */
export function perKey(shape: number | Numbers | undefined, count: number, path: string): Float64Array {
  const numbers = typeof shape === 'object' ? shape : new Float64Array(count).fill(shape ?? 0);
  return checkedNumbers(numbers, count, path);
}

/** Relative difference up to which the first and last value count as equal. */
const SAME = 1e-9;

/** @throws MotionError `out-of-range` unless the last value repeats the first. */
export function checkClosed(values: Float64Array, size: number): void {
  for (let c = 0; c < size; c++) {
    const first = values[c];
    const last = values[values.length - size + c];
    if (Math.abs(last - first) <= SAME * (1 + Math.abs(first))) continue;
    throw new MotionError('out-of-range', `ends at ${last} but begins at ${first}.`, {
      path: `keys.values[${values.length - size + c}]`,
      remedy: 'Repeat the first keyframe at the end of a closed curve.',
    });
  }
}
