/** How fast a motion goes at each of its moments: what arc length and speed limits are told of, whatever moves. */
import { MotionError } from '../../errors.js';
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import { type Curve, createCurvePoint, writePiece } from '../representation/curve.js';
import type { RotationCurve } from '../representation/rotation-curve.js';
import { createRotationState } from '../representation/rotation-state.js';

/** Rates of a motion by the moment s: r(s) (velocity, or angular velocity in body axes), and dr/ds. */
export interface RatePath {
  /** How many numbers a rate has. */
  readonly size: number;
  readonly knots: Numbers;
  /** r and dr/ds at a moment of a piece; at its end, as they are before the join. */
  readonly write: (piece: number, moment: number, rate: MutableNumbers, second: MutableNumbers) => void;
}

/** @throws MotionError `unsupported` for what is no motion. */
export function ratePathOf(motion: Curve | RotationCurve, path = 'motion'): RatePath {
  if (typeof motion !== 'object' || motion === null || !('controls' in motion))
    requireRotationCurve(motion, path);
  if ('controls' in motion) {
    const point = createCurvePoint(motion.size);
    return {
      size: motion.size,
      knots: motion.knots,
      write: (piece, moment, rate, second) => writePiece(motion, piece, moment, point.value, rate, second, 0),
    };
  }
  const { knots } = motion;
  const state = createRotationState();
  return {
    size: 3,
    knots,
    write(piece, moment, rate, second) {
      // At a join the piece that begins there counts, so the end of a piece is looked at one rounding before it. Moments that rounding takes out of
      // the piece are held to it.
      const end = knots[piece + 1];
      motion.evaluateInside(moment >= end ? justBefore(end) : Math.max(moment, knots[piece]), state);
      for (let k = 0; k < 3; k++) {
        rate[k] = state.angularVelocity[k];
        second[k] = state.angularAcceleration[k];
      }
    },
  };
}

/** The largest number below `x` but for a bit or two. */
function justBefore(x: number): number {
  return x - Math.max(Math.abs(x) * Number.EPSILON, Number.MIN_VALUE);
}

/** @throws MotionError `unsupported` */
export function requireRotationCurve(motion: RotationCurve, path: string): void {
  if (typeof motion !== 'object' || motion === null || !('evaluateInside' in motion)) {
    throw new MotionError('unsupported', 'is no rotation curve, nor a curve where one is taken too.', {
      path,
      remedy: 'Give what slerpCurve, rotationSpline (or hermiteCurve) and their like return.',
    });
  }
  // A curve played by a timing; rotations that are played are rotation curves.
  if ('size' in motion) {
    throw new MotionError('unsupported', 'is a curve played by a timing.', {
      path,
      remedy: 'Give the curve itself, or what bakeTiming makes of both.',
    });
  }
}
