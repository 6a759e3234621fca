/** Rates along a motion, the common input of arc length and speed limits for curves and rotations. */
import { MotionError } from '../../errors.js';
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import { type Curve, createCurvePoint, writePiece } from '../representation/curve.js';
import type { RotationCurve } from '../representation/rotation-curve.js';
import { createRotationState } from '../representation/rotation-state.js';

/** Rates of a motion with respect to its time s: r(s) (velocity, or angular velocity in body axes), and dr/ds. */
export interface PathRates {
  /** Dimension of a rate. */
  readonly size: number;
  readonly knots: Numbers;
  /** r and dr/ds at a time of a piece; at its end the limit from the left. */
  readonly write: (piece: number, time: number, rate: MutableNumbers, second: MutableNumbers) => void;
}

/** @throws MotionError `unsupported` for anything but a motion. */
export function pathRatesOf(motion: Curve | RotationCurve, path = 'motion'): PathRates {
  if (typeof motion !== 'object' || motion === null || !('controls' in motion))
    requireRotationCurve(motion, path);
  if ('controls' in motion) {
    const point = createCurvePoint(motion.size);
    return {
      size: motion.size,
      knots: motion.knots,
      write: (piece, time, rate, second) => writePiece(motion, piece, time, point.value, rate, second, 0),
    };
  }
  const { knots } = motion;
  const state = createRotationState();
  return {
    size: 3,
    knots,
    write(piece, time, rate, second) {
      // At a knot the following piece is evaluated, so the end of a piece is evaluated one rounding earlier. Times
      // that rounding moves out of the piece are clamped to it.
      const end = knots[piece + 1];
      motion.evaluateInside(time >= end ? justBefore(end) : Math.max(time, knots[piece]), state);
      for (let k = 0; k < 3; k++) {
        rate[k] = state.angularVelocity[k];
        second[k] = state.angularAcceleration[k];
      }
    },
  };
}

/** The largest number below `x`, up to a bit or two. */
function justBefore(x: number): number {
  return x - Math.max(Math.abs(x) * Number.EPSILON, Number.MIN_VALUE);
}

/** @throws MotionError `unsupported` */
export function requireRotationCurve(motion: RotationCurve, path: string): void {
  if (typeof motion !== 'object' || motion === null || !('evaluateInside' in motion)) {
    throw new MotionError('unsupported', 'is not a rotation curve, nor a curve where one is accepted.', {
      path,
      remedy: 'Give a curve of slerpCurve, rotationSpline (or hermiteCurve) or similar.',
    });
  }
  // A retimed curve; retimed rotations are rotation curves.
  if ('size' in motion) {
    throw new MotionError('unsupported', 'is a retimed curve.', {
      path,
      remedy: 'Give the curve itself, or bakeTiming(curve, timing).',
    });
  }
}
