/**
 * Pins contact points of a clip, which removes foot sliding (foot skating): an exact displacement at every key of a contact, and a smooth one
 * between contacts.
 */

import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import { worldPoint } from '../../figure/kinematics/points.js';
import type { Figure } from '../../figure/model/figure.js';
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

/** Points pinned to positions over a span. */
export interface PinnedSpan {
  readonly bone: string;
  readonly points: readonly Vec3[];
  /** World, m, one for each point. */
  readonly positions: readonly Vec3[];
  readonly over: readonly [number, number];
}

/** Result of {@link pinContacts}. */
export interface PinnedMotion {
  readonly motion: Motion;
  /** Largest distance of a point from its position at a key of its span, m. */
  readonly contactError: number;
}

/** Time over which a displacement decays before and after contacts, s. */
const DECAY_TIME = 0.2;
/** Largest spacing of keys in a contact, s. */
const MAX_KEY_SPACING = 1 / 40;
const GOAL_TOLERANCE = 1e-9;

/**
 * Pins points to their positions by the least displacement of the pose at every key (pieces longer than a fortieth of a second are split);
 * over spans without contact the displacement is the C2 spline that decays after one contact and grows towards the next.
 *
 * @param loops - Whether the displacement is periodic, with derivatives.
 */
export function pinContacts(
  figure: Figure,
  motion: Motion,
  spans: readonly PinnedSpan[],
  loops: boolean,
): PinnedMotion {
  if (spans.length === 0) return { motion, contactError: 0 };
  const keys = cutKeys(motion);
  const tolerance = 1e-9 * (motion.end - motion.start);
  const spansAt = (time: number): PinnedSpan[] =>
    spans.filter(({ over }) => time >= over[0] - tolerance && time <= over[1] + tolerance);
  const sampler = createMotionSampler(figure, motion);
  const state = createState(figure);
  const weights = boneWeights(figure);
  const all = selectCoordinates(figure, () => true);
  const pose = new Float64Array(figure.dof);
  const times: number[] = [];
  const displacements: Float64Array[] = [];
  let contactError = 0;
  for (const time of keys) {
    const pinned = spansAt(time);
    const free = spans.every(({ over }) => time < over[0] - DECAY_TIME || time > over[1] + DECAY_TIME);
    if (pinned.length === 0 && !free) continue;
    const displacement = new Float64Array(figure.dof);
    if (pinned.length > 0) {
      const before = samplePose(sampler, time, new Float64Array(figure.dof));
      pose.set(before);
      solvePinnedPose(figure, pinned, before, pose, weights);
      writeDifference(all, pose, before, displacement, 0);
      forwardKinematics(state, pose);
      for (const { bone, points, positions } of pinned) {
        points.forEach((point, k) => {
          const at = worldPoint(state, bone, point);
          contactError = Math.max(contactError, Math.hypot(...at.map((x, r) => x - positions[k][r])));
        });
      }
    }
    times.push(time);
    displacements.push(displacement);
  }
  if (loops) closeLoop(times, displacements, motion);
  if (times.length < 2) {
    const zeros = new Float64Array(figure.dof);
    for (const end of [motion.start, motion.end]) {
      if (times.includes(end)) continue;
      times.push(end);
      displacements.push(zeros);
    }
  }
  const order = times.map((_, k) => k).sort((a, b) => times[a] - times[b]);
  const curve = cubicSpline(
    {
      times: order.map((k) => times[k]),
      values: order.flatMap((k) => Array.from(displacements[k])),
    },
    { ends: loops ? 'periodic' : 'natural' },
  );
  const coordinates = Int32Array.from({ length: figure.dof }, (_, i) => i).filter((i) =>
    displacements.some((displacement) => displacement[i] !== 0),
  );
  const pinned = displaceMotion(
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
  return { motion: pinned, contactError };
}

/** The clip's keys, and those that split long pieces. */
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
  pinned: readonly PinnedSpan[],
  before: Float64Array,
  pose: Float64Array,
  weights: Readonly<Record<string, number>>,
): void {
  const goals = pinned.flatMap(({ bone, points, positions }): Goal[] =>
    points.map((point, k) => ({
      type: 'position',
      bone,
      point,
      target: positions[k],
      tolerance: GOAL_TOLERANCE,
    })),
  );
  const affected = affectedBones(figure, goals, before);
  const bones = figure.bones.filter(({ index, dof }) => dof > 0 && affected.has(index));
  const locked = figure.bones.filter(({ index, dof }) => dof > 0 && !affected.has(index));
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

/** Makes the displacements at both ends of a loop equal. */
function closeLoop(times: number[], displacements: Float64Array[], { start, end }: Motion): void {
  let first = times.indexOf(start);
  if (first < 0) {
    times.unshift(start);
    displacements.unshift(new Float64Array(displacements[0]?.length ?? 0));
    first = 0;
  }
  const last = times.indexOf(end);
  if (last >= 0) displacements[last] = displacements[first].slice();
  else {
    times.push(end);
    displacements.push(displacements[first].slice());
  }
}

/** Completes rotation vectors: their three coordinates are displaced together. */
function withRotationVectors(figure: Figure, coordinates: Int32Array): Int32Array {
  const bones = new Set(Array.from(coordinates, (i) => figure.boneOfCoordinate[i]));
  return Int32Array.from({ length: figure.dof }, (_, i) => i).filter((i) =>
    bones.has(figure.boneOfCoordinate[i]),
  );
}
