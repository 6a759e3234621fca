/** Keeps points of a clip where they stand: an exact change at every key of a contact, and a smooth one between contacts. */

import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import { boneIndex, type Figure } from '../../figure/model/figure.js';
import { createState } from '../../figure/model/state.js';
import type { Goal } from '../../ik/goals/types/goal.js';
import { createIk, solveIk } from '../../ik/solve-ik.js';
import type { Vec3 } from '../../math/linear/types.js';
import { cubicSpline } from '../../motion/curves/cubic-spline.js';
import type { Motion } from '../../motion/motion.js';
import { createCurvePoint, evaluateCurve } from '../../motion/representation/curve.js';
import { createMotionSampler, samplePose } from '../../motion/sampler.js';
import { selectCoordinates, writeDifference } from '../../spacetime/terms/pose-difference.js';
import { affectedBones } from '../clips/affected-bones.js';
import { boneWeights } from '../clips/bone-weights.js';
import { distinctTimes, keysWithin } from '../clips/clip-from-states.js';
import { displaceMotion } from '../displacement/displace-motion.js';
import { worldPoint } from './detect-contacts.js';

/** Points that stand at places over a span. */
export interface PinnedSpan {
  readonly bone: string;
  readonly points: readonly Vec3[];
  /** World, m, one for each point. */
  readonly positions: readonly Vec3[];
  readonly over: readonly [number, number];
}

/** What {@link pinContacts} came to. */
export interface PinnedMotion {
  readonly motion: Motion;
  /** Farthest that a point is from its place at a key of its span, m. */
  readonly contactError: number;
}

/** Time in which a change dies away before and after contacts, s. */
const DECAY_TIME = 0.2;
/** Keys of a contact are no farther apart, s. */
const MAX_KEY_SPACING = 1 / 40;
const GOAL_TOLERANCE = 1e-9;

/**
 * The clip with the least change of each pose that puts the points on their places, at every key (pieces longer than a fortieth of a second are cut);
 * over spans without contact the change is the C2 spline that leaves one contact, dies away and comes to the next.
 *
 * @param loops - The change at the end is that at the start, with rates.
 */
export function pinContacts(
  figure: Figure,
  motion: Motion,
  spans: readonly PinnedSpan[],
  loops: boolean,
): PinnedMotion {
  if (spans.length === 0) return { motion, contactError: 0 };
  const keys = cutKeys(motion);
  const least = 1e-9 * (motion.end - motion.start);
  const spansAt = (time: number): PinnedSpan[] =>
    spans.filter(({ over }) => time >= over[0] - least && time <= over[1] + least);
  const sampler = createMotionSampler(figure, motion);
  const state = createState(figure);
  const weights = boneWeights(figure);
  const all = selectCoordinates(figure, () => true);
  const pose = new Float64Array(figure.dof);
  const times: number[] = [];
  const changes: Float64Array[] = [];
  let miss = 0;
  for (const time of keys) {
    const held = spansAt(time);
    const free = spans.every(({ over }) => time < over[0] - DECAY_TIME || time > over[1] + DECAY_TIME);
    if (held.length === 0 && !free) continue;
    const change = new Float64Array(figure.dof);
    if (held.length > 0) {
      const before = samplePose(sampler, time, new Float64Array(figure.dof));
      pose.set(before);
      solvePinnedPose(figure, held, before, pose, weights);
      writeDifference(all, pose, before, change, 0);
      forwardKinematics(state, pose);
      for (const { bone, points, positions } of held) {
        points.forEach((point, k) => {
          const at = worldPoint(state.worldFromBone, boneIndex(figure, bone), point);
          miss = Math.max(miss, Math.hypot(...at.map((x, r) => x - positions[k][r])));
        });
      }
    }
    times.push(time);
    changes.push(change);
  }
  if (loops) closeLoop(times, changes, motion);
  if (times.length < 2) {
    const still = new Float64Array(figure.dof);
    for (const end of [motion.start, motion.end]) {
      if (times.includes(end)) continue;
      times.push(end);
      changes.push(still);
    }
  }
  const order = times.map((_, k) => k).sort((a, b) => times[a] - times[b]);
  const curve = cubicSpline(
    {
      times: order.map((k) => times[k]),
      values: order.flatMap((k) => Array.from(changes[k])),
    },
    { ends: loops ? 'periodic' : 'natural' },
  );
  const coordinates = Int32Array.from({ length: figure.dof }, (_, i) => i).filter((i) =>
    changes.some((change) => change[i] !== 0),
  );
  const held = displaceMotion(
    figure,
    motion,
    [
      {
        from: motion.start,
        to: motion.end,
        coordinates: withRotationVectors(figure, coordinates),
        at: (time) => evaluateCurve(curve, time, createCurvePoint(figure.dof)),
      },
    ],
    MAX_KEY_SPACING,
  );
  return { motion: held, contactError: miss };
}

/** The clip's keys, and where pieces are cut. */
function cutKeys(motion: Motion): number[] {
  const keys = keysWithin(motion, motion.start, motion.end);
  const all = keys.slice();
  for (let k = 0; k + 1 < keys.length; k++) {
    const span = keys[k + 1] - keys[k];
    const count = Math.max(1, Math.ceil(span / MAX_KEY_SPACING - 1e-9));
    for (let n = 1; n < count; n++) all.push(keys[k] + (span * n) / count);
  }
  return distinctTimes(all, motion.end - motion.start);
}

function solvePinnedPose(
  figure: Figure,
  held: readonly PinnedSpan[],
  before: Float64Array,
  pose: Float64Array,
  weights: Readonly<Record<string, number>>,
): void {
  const goals = held.flatMap(({ bone, points, positions }): Goal[] =>
    points.map((point, k) => ({
      type: 'position',
      bone,
      point,
      target: positions[k],
      tolerance: GOAL_TOLERANCE,
    })),
  );
  const felt = affectedBones(figure, goals, before);
  const bones = figure.bones.filter(({ index, dof }) => dof > 0 && felt.has(index));
  const locked = figure.bones.filter(({ index, dof }) => dof > 0 && !felt.has(index));
  const ik = createIk(
    figure,
    [
      ...goals,
      {
        type: 'posture',
        bones: bones.map(({ index }) => index),
        stiffness: bones.map(({ name }) => weights[name]),
        reference: before,
      },
    ],
    { restarts: 0, locked: locked.map(({ index }) => index) },
  );
  solveIk(ik, pose);
}

/** The change at the end of a loop is that at its start. */
function closeLoop(times: number[], changes: Float64Array[], { start, end }: Motion): void {
  let first = times.indexOf(start);
  if (first < 0) {
    times.unshift(start);
    changes.unshift(new Float64Array(changes[0]?.length ?? 0));
    first = 0;
  }
  const last = times.indexOf(end);
  if (last >= 0) changes[last] = changes[first].slice();
  else {
    times.push(end);
    changes.push(changes[first].slice());
  }
}

/** A rotation vector moves as a whole. */
function withRotationVectors(figure: Figure, coordinates: Int32Array): Int32Array {
  const bones = new Set(Array.from(coordinates, (i) => figure.boneOfCoordinate[i]));
  return Int32Array.from({ length: figure.dof }, (_, i) => i).filter((i) =>
    bones.has(figure.boneOfCoordinate[i]),
  );
}
