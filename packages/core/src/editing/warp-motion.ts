import { type FieldsOf, requireFields, requirePositive } from '../checks.js';
import { MotionError } from '../errors.js';
import type { Figure } from '../figure/model/figure.js';
import { rotationVectors } from '../figure/model/regularize.js';
import * as quat from '../math/geometry/quat.js';
import type { Motion } from '../motion/motion.js';
import type { Curve } from '../motion/representation/curve.js';
import { outsideRange } from '../motion/representation/time-range.js';
import { requireRange } from '../motion/retime/retime-curve.js';
import { retimedKnots, type Timing, timingOf } from '../motion/retime/timing.js';
import type { ScalarState } from '../motion/rotations/partial-slerp.js';
import { createMotionSampler, samplePose } from '../motion/sampler.js';
import { quatFromRotationVector } from '../rotation/rotation-vector/exponential.js';
import { clipFromStates } from './clips/clip-from-states.js';
import { type ClipState, type ClipStateAt, clipStates, type Side } from './clips/clip-state.js';
import { requireMotionOf } from './clips/require-motion.js';

/** Options of {@link warpMotion}. */
export interface WarpOptions {
  /** Largest difference of a coordinate from the exact composition, rad or m. Default 1e-6. */
  readonly tolerance?: number;
}

const FIELDS: FieldsOf<WarpOptions> = { tolerance: true };
/** How often an interval is halved at most. */
const MAX_HALVINGS = 12;

/**
 * Plays a clip by a timing: the pose at t is that of the clip at s(t). Eases, curves of arc length, speed limits and drawn curves (time warps) are timings. Its
 * knots are those of clip and timing, with more between them where the tolerance needs them. Value, velocity and acceleration are exact at every knot.
 *
 * @param timing - Of `easeTiming`, `arcLengthTiming`, `speedLimitTiming`, or a curve of one number with a rate that is not negative; its values are times
 *   of the clip.
 * @throws MotionError `out-of-range` for a timing that leaves the clip, `not-increasing` for one that runs backwards; for a clip of another figure.
 */
export function warpMotion(
  figure: Figure,
  motion: Motion,
  timing: Timing | Curve,
  options: WarpOptions = {},
): Motion {
  requireFields(options, FIELDS, 'options', MotionError);
  requireMotionOf(figure, motion);
  const { tolerance = 1e-6 } = options;
  requirePositive(tolerance, 'options.tolerance', MotionError, 'rad or m');
  const checked = timingOf(timing);
  requireRange(checked, motion.start, motion.end);
  const keys = new Set(motion.tracks.flatMap(({ curve }) => Array.from(curve.knots as ArrayLike<number>)));
  const knots = Array.from(
    retimedKnots(
      checked,
      [...keys].sort((a, b) => a - b),
    ),
  );
  const states = warped(clipStates(figure, motion), checked);
  const named = { name: motion.name, outside: outsideRange(timing.outside) };
  const times = refined(knots, (from, to) => {
    const piece = clipFromStates(figure, [from, to], states, named);
    const middle = 0.5 * (from + to);
    const found = samplePose(createMotionSampler(figure, piece), middle, new Float64Array(figure.dof));
    return isNear(figure, found, states(middle, 'after'), tolerance);
  });
  return clipFromStates(figure, times, states, named);
}

/** States of a clip at the times of a timing: x' = x'(s) s', x'' = x''(s) s'^2 + x'(s) s''. */
function warped(states: ClipStateAt, timing: Timing): ClipStateAt {
  const { knots } = timing;
  const length = knots[knots.length - 1] - knots[0];
  const at = { value: 0, first: 0, second: 0 };
  return (time, side) => {
    evaluateTimingSide(timing, time, side, length, at);
    const { value: local, first: rate, second: secondRate } = at;
    if (!Number.isFinite(rate) || !Number.isFinite(secondRate)) {
      throw new MotionError('singular', `has an infinite rate at ${time} s.`, {
        path: 'timing',
        remedy: 'Use an ease with finite slopes, as cubic or sine.',
      });
    }
    const state = states(local, side);
    for (let i = 0; i < state.value.length; i++) {
      state.second[i] = state.second[i] * rate * rate + state.first[i] * secondRate;
      state.first[i] *= rate;
    }
    for (const { angularVelocity, angularAcceleration } of state.rotations) {
      for (let k = 0; k < 3; k++) {
        angularAcceleration[k] = angularAcceleration[k] * rate * rate + angularVelocity[k] * secondRate;
        angularVelocity[k] *= rate;
      }
    }
    return state;
  };
}

/** A timing at a time; at a knot, whose rates may jump, the left limit by extrapolation from within the piece before. */
function evaluateTimingSide(
  timing: Timing,
  time: number,
  side: Side,
  length: number,
  out: ScalarState,
): void {
  timing.evaluateInside(time, out);
  if (side === 'after') return;
  const step = 1e-7 * length;
  const before = { value: 0, first: 0, second: 0 };
  timing.evaluateInside(Math.max(time - step, timing.knots[0]), before);
  if (Math.abs(out.second - before.second) <= 1e-3 * (Math.abs(before.second) + Math.abs(out.second))) return;
  out.first = before.first + step * before.second;
  out.second = before.second;
}

/** Knots with more between them where an interval does not hold. */
function refined(knots: readonly number[], holds: (from: number, to: number) => boolean): number[] {
  const times = [knots[0]];
  const add = (from: number, to: number, depth: number): void => {
    const middle = 0.5 * (from + to);
    if (depth < MAX_HALVINGS && !holds(from, to)) {
      add(from, middle, depth + 1);
      add(middle, to, depth + 1);
    } else times.push(to);
  };
  for (let k = 1; k < knots.length; k++) add(knots[k - 1], knots[k], 0);
  return times;
}

/** Whether a pose is that of a state, rotation vectors as rotations. */
function isNear(figure: Figure, pose: Float64Array, state: ClipState, tolerance: number): boolean {
  const isVector = new Uint8Array(figure.dof);
  const vectors = Array.from(rotationVectors(figure));
  for (const [k, i] of vectors.entries()) {
    isVector.fill(1, i, i + 3);
    const q = quatFromRotationVector([pose[i], pose[i + 1], pose[i + 2]]);
    if (quat.angleBetween(q, state.rotations[k].quaternion) > tolerance) return false;
  }
  return pose.every((x, i) => isVector[i] === 1 || Math.abs(x - state.value[i]) <= tolerance);
}
