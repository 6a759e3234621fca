/** Plays clips: poses of a motion at given times, with their rates. */
import { MotionError } from '../errors.js';
import type { Figure } from '../figure/model/figure.js';
import type { MutableNumbers, Numbers } from '../math/linear/types.js';
import type { Motion } from './motion.js';
import { requireLength } from './representation/curve.js';
import { pointWriterOf } from './representation/deferred-curve.js';
import {
  type CycleOffset,
  cycleOffsetOf,
  extrapolateLinearly,
  type RotationBlock,
  repeatWithOffset,
  rotationBlocks,
} from './representation/extrapolate.js';
import { type QuaternionPlan, quaternionPlan, writeQuaternions } from './representation/quaternions.js';
import { createWrappedTime, type WrappedTime, wrapTime } from './representation/time-range.js';
import { evaluateTimeline, type Timeline, timelinesOf } from './timeline.js';

/** A motion being played. Scratch of fixed size; one for each player, sharing only motion and figure. */
export interface MotionSampler {
  readonly figure: Figure;
  readonly motion: Motion;
  /** Tracks with common knots, merged into one curve each. */
  readonly timelines: readonly Timeline[];
  /** Coordinates without a track. */
  readonly untracked: Int32Array;
  readonly blocks: readonly RotationBlock[];
  /** Displacement of one cycle; only for `offset` extrapolation. */
  readonly cycleOffset: CycleOffset | undefined;
  readonly wrapped: WrappedTime;
  readonly quaternions: QuaternionPlan;
  /** Scratch of length `figure.dof` each, for outputs that the caller leaves out. */
  readonly pose: Float64Array;
  readonly rates: Float64Array;
  readonly secondRates: Float64Array;
}

/**
 * Creates a sampler. Sampling forwards finds the piece in constant time, whatever the number of keyframes.
 * @throws MotionError `wrong-size` for a motion of another figure, and for one whose arrays have no length or the wrong one: JSON
 * turns typed arrays into such objects (use `motionToData`).
 */
export function createMotionSampler(figure: Figure, motion: Motion): MotionSampler {
  const { dof, tracks, start, end, outside } = motion;
  requireNumbers(motion);
  const tracked = new Uint8Array(dof);
  for (const { coordinate, curve } of tracks) tracked.fill(1, coordinate, coordinate + curve.size);
  if (dof !== figure.dof) {
    throw new MotionError(
      'wrong-size',
      `has poses of ${dof} numbers; ${figure.name} has ${figure.dof} coordinates.`,
      {
        path: `motion '${motion.name}'`,
        remedy: 'Play it on the figure that it was made for, or retarget it.',
      },
    );
  }
  const sampler = {
    figure,
    motion,
    timelines: timelinesOf(tracks),
    untracked: Int32Array.from([...tracked.keys()].filter((i) => tracked[i] === 0)),
    blocks: rotationBlocks(figure),
    cycleOffset: undefined,
    wrapped: createWrappedTime(),
    quaternions: quaternionPlan(figure),
    pose: new Float64Array(dof),
    rates: new Float64Array(dof),
    secondRates: new Float64Array(dof),
  };
  if (outside.before !== 'offset' && outside.after !== 'offset') return sampler;
  const poses = [start, end].map((time) => Array.from(samplePose(sampler, time, new Float64Array(dof))));
  return { ...sampler, cycleOffset: cycleOffsetOf(sampler.blocks, poses[0], poses[1]) };
}

/** A motion that went through JSON has objects for typed arrays, and would play NaN or zeros. */
function requireNumbers({ name, dof, base, tracks }: Motion): void {
  const motion = `motion '${name}'`;
  const requireCount = (numbers: Numbers, count: number, path: string): void => {
    requireLength(numbers, path);
    if (numbers.length === count) return;
    throw new MotionError('wrong-size', `has ${numbers.length} numbers where ${count} belong.`, {
      path,
      remedy: 'Make it with createMotion.',
    });
  };
  requireCount(base, dof, `${motion}.base`);
  for (const [i, { curve }] of tracks.entries()) {
    if (pointWriterOf(curve) !== undefined) continue;
    const { size, degree, knots, controls } = curve;
    const path = `${motion}.tracks[${i}].curve`;
    requireLength(knots, `${path}.knots`);
    requireCount(controls, (knots.length - 1) * (degree + 1) * size, `${path}.controls`);
  }
}

/**
 * The pose at `time` (s), and optionally its rates q' (per s) and second rates q'' (per s^2), length `figure.dof` each; joint
 * velocities are `velocityFromRates` of them. At a knot the piece that begins there is used. Allocates nothing inside the clip's
 * range, nor outside with `clamp`, `loop` or `mirror`.
 *
 * @returns `pose`.
 * @throws MotionError `not-finite` for a time that is NaN or infinite.
 */
export function samplePose<T extends MutableNumbers>(
  sampler: MotionSampler,
  time: number,
  pose: T,
  rates?: MutableNumbers,
  secondRates?: MutableNumbers,
): T {
  const { motion, blocks, cycleOffset, wrapped } = sampler;
  wrapTime(time, motion.start, motion.end, motion.outside, wrapped);
  const { time: local, rate, cycles, beyond } = wrapped;
  if (cycles === 0 && beyond === 0) {
    evaluate(sampler, local, pose, rates, secondRates);
  } else {
    const first = rates ?? sampler.rates;
    const second = secondRates ?? sampler.secondRates;
    evaluate(sampler, local, pose, first, second);
    if (cycles !== 0 && cycleOffset !== undefined)
      repeatWithOffset(blocks, cycleOffset, cycles, pose, first, second);
    if (beyond !== 0) extrapolateLinearly(blocks, beyond, pose, first, second);
  }
  if (rate !== 1) {
    if (rates !== undefined) for (let i = 0; i < motion.dof; i++) rates[i] *= rate;
    if (secondRates !== undefined) for (let i = 0; i < motion.dof; i++) secondRates[i] *= rate * rate;
  }
  return pose;
}

/**
 * Local rotations of all bones at `time` (s): parent frame from bone frame, rest included, unit quaternions `[x, y, z, w]`, bone
 * b from 4 b. A renderer sets these on its nodes. Joints with a rotation vector need no matrix. q and -q are the same rotation;
 * signs are not normalized.
 *
 * @param out - Length 4 times the number of bones.
 * @returns `out`.
 * @throws MotionError `not-finite` for a time that is NaN or infinite.
 */
export function sampleQuaternions<T extends MutableNumbers>(sampler: MotionSampler, time: number, out: T): T {
  writeQuaternions(sampler.quaternions, samplePose(sampler, time, sampler.pose), out);
  return out;
}

/** Evaluates the tracks; coordinates without one take the base pose. */
function evaluate(
  { motion: { base }, timelines, untracked }: MotionSampler,
  time: number,
  pose: MutableNumbers,
  rates: MutableNumbers | undefined,
  secondRates: MutableNumbers | undefined,
): void {
  for (let k = 0; k < timelines.length; k++) evaluateTimeline(timelines[k], time, pose, rates, secondRates);
  for (let k = 0; k < untracked.length; k++) {
    const i = untracked[k];
    pose[i] = base[i];
    if (rates !== undefined) rates[i] = 0;
    if (secondRates !== undefined) secondRates[i] = 0;
  }
}
