/** Plays clips: poses of a motion at moments, with their rates. */
import { MotionError } from '../errors.js';
import type { Figure } from '../figure/model/figure.js';
import type { MutableNumbers, Numbers } from '../math/linear/types.js';
import type { Motion } from './motion.js';
import { requireLength } from './representation/curve.js';
import {
  goRounds,
  goStraight,
  type RotationBlock,
  type Round,
  rotationBlocks,
  roundOf,
} from './representation/extrapolate.js';
import { type QuaternionPlan, quaternionPlan, writeQuaternions } from './representation/quaternions.js';
import { createPlacedTime, type PlacedTime, placeTime } from './representation/time-range.js';
import { evaluateTimeline, type Timeline, timelinesOf } from './timeline.js';

/** A motion being played: scratch, made once and never grown. One for each player; two share nothing but motion and figure. */
export interface MotionSampler {
  readonly figure: Figure;
  readonly motion: Motion;
  /** Tracks with common knots, as one curve each. */
  readonly timelines: readonly Timeline[];
  /** Coordinates without a track. */
  readonly still: Int32Array;
  readonly blocks: readonly RotationBlock[];
  /** The way of a round; only where the clip goes on by `offset`. */
  readonly round: Round | undefined;
  readonly placed: PlacedTime;
  readonly quaternions: QuaternionPlan;
  /** Length `figure.dof` each: for what a caller does not ask for and the rest needs. */
  readonly pose: Float64Array;
  readonly rates: Float64Array;
  readonly secondRates: Float64Array;
}

/**
 * Makes what is needed to play a motion. Sampling forwards then finds its place at once, whatever the number of keys.
 * @throws MotionError `wrong-size` for a motion of another figure, and for one whose numbers have no length, or another than its curves need:
 *   JSON makes such of typed arrays (`motionToData`).
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
    still: Int32Array.from([...tracked.keys()].filter((i) => tracked[i] === 0)),
    blocks: rotationBlocks(figure),
    round: undefined,
    placed: createPlacedTime(),
    quaternions: quaternionPlan(figure),
    pose: new Float64Array(dof),
    rates: new Float64Array(dof),
    secondRates: new Float64Array(dof),
  };
  if (outside.before !== 'offset' && outside.after !== 'offset') return sampler;
  const poses = [start, end].map((time) => Array.from(samplePose(sampler, time, new Float64Array(dof))));
  return { ...sampler, round: roundOf(sampler.blocks, poses[0], poses[1]) };
}

/** A motion that JSON has been through holds objects for arrays, and would play NaN or zeros. */
function requireNumbers({ name, dof, base, tracks }: Motion): void {
  const place = `motion '${name}'`;
  const requireCount = (numbers: Numbers, count: number, path: string): void => {
    requireLength(numbers, path);
    if (numbers.length === count) return;
    throw new MotionError('wrong-size', `has ${numbers.length} numbers where ${count} belong.`, {
      path,
      remedy: 'Make it with createMotion.',
    });
  };
  requireCount(base, dof, `${place}.base`);
  for (const [i, { curve }] of tracks.entries()) {
    const { size, degree, knots, controls } = curve;
    const path = `${place}.tracks[${i}].curve`;
    requireLength(knots, `${path}.knots`);
    requireCount(controls, (knots.length - 1) * (degree + 1) * size, `${path}.controls`);
  }
}

/**
 * The pose at `time` (s), and where given its rates q' (per s) and second rates q'' (per s^2), length `figure.dof` each; joint velocities are
 * `nuFromRates` of them. At a join the pieces that begin there count. Nothing is allocated inside the clip's range, nor outside where it
 * stands, loops or mirrors.
 *
 * @returns `pose`.
 * @throws MotionError `not-finite` for a time that is none.
 */
export function samplePose<T extends MutableNumbers>(
  sampler: MotionSampler,
  time: number,
  pose: T,
  rates?: MutableNumbers,
  secondRates?: MutableNumbers,
): T {
  const { motion, blocks, round, placed } = sampler;
  placeTime(time, motion.start, motion.end, motion.outside, placed);
  const { time: inside, rate, rounds, beyond } = placed;
  if (rounds === 0 && beyond === 0) {
    evaluate(sampler, inside, pose, rates, secondRates);
  } else {
    const first = rates ?? sampler.rates;
    const second = secondRates ?? sampler.secondRates;
    evaluate(sampler, inside, pose, first, second);
    if (rounds !== 0 && round !== undefined) goRounds(blocks, round, rounds, pose, first, second);
    if (beyond !== 0) goStraight(blocks, beyond, pose, first, second);
  }
  if (rate !== 1) {
    if (rates !== undefined) for (let i = 0; i < motion.dof; i++) rates[i] *= rate;
    if (secondRates !== undefined) for (let i = 0; i < motion.dof; i++) secondRates[i] *= rate * rate;
  }
  return pose;
}

/**
 * Local rotations of all bones at `time` (s): parent frame from bone frame, rest included, unit quaternions `[x, y, z, w]`, bone b from 4 b.
 * What a renderer sets on its nodes, without a matrix on the way where the joint has a rotation vector. q and -q are one rotation; the
 * signs are as they come.
 *
 * @param out - Length 4 times the number of bones.
 * @returns `out`.
 * @throws MotionError `not-finite` for a time that is none.
 */
export function sampleQuaternions<T extends MutableNumbers>(sampler: MotionSampler, time: number, out: T): T {
  writeQuaternions(sampler.quaternions, samplePose(sampler, time, sampler.pose), out);
  return out;
}

/** What the tracks say, and the base pose where none does. */
function evaluate(
  { motion: { base }, timelines, still }: MotionSampler,
  time: number,
  pose: MutableNumbers,
  rates: MutableNumbers | undefined,
  secondRates: MutableNumbers | undefined,
): void {
  for (let k = 0; k < timelines.length; k++) evaluateTimeline(timelines[k], time, pose, rates, secondRates);
  for (let k = 0; k < still.length; k++) {
    const i = still[k];
    pose[i] = base[i];
    if (rates !== undefined) rates[i] = 0;
    if (secondRates !== undefined) secondRates[i] = 0;
  }
}
