import {
  type FieldsOf,
  requireFields,
  requireNumbers,
  requireOneOf,
  requirePositive,
  requireWhole,
} from '../../checks.js';
import { DomainError } from '../../errors.js';
import { jointTypes } from '../../figure/joints/joint-types.js';
import { clampToLimits } from '../../figure/model/pose.js';
import type { Numbers } from '../../math/linear/types.js';
import { checkedCoordinateValues } from '../model/checks.js';
import { wakeActor } from '../simulate/islands/islands.js';
import type { Actor } from '../simulate/state/actor.js';
import { MOTOR_FIELDS } from '../simulate/state/motor.js';
import type { Simulation } from '../simulate/state/simulation.js';
import { createFeedForward, type FeedForward, writeFeedForward } from './drives/feed-forward.js';
import { createMotorGains, type MotorGains } from './drives/gains.js';
import { requireWeights } from './pose/checks.js';
import { isPeriodic, wrapAngle, writePoseDifference } from './pose/pose-difference.js';

/** Options of {@link createMotionTracker}. */
export interface MotionTrackerOptions {
  /** Full gains of the drives. Default `createMotorGains(figure, { root: 'assisted' })`, for the gravity of the simulation. */
  readonly gains?: MotorGains;
  /** One for each bone, 0 (limp) to 1 (full gains). Default 1 for all. */
  readonly weights?: Numbers;
  /**
   * Feed-forward forces of the motion by inverse dynamics: `constrained`, with the root constrained to its motion, by the assistance or the ground; `falling`, with
   * undriven coordinates, such as the root of a figure with muscles only, in free fall; or `none`. Default `constrained`.
   */
  readonly feedForward?: 'constrained' | 'falling' | 'none';
}

export const TRACKER_OPTIONS: FieldsOf<MotionTrackerOptions> = {
  gains: true,
  weights: true,
  feedForward: true,
};

/** Drives an actor towards a sequence of poses. */
export interface MotionTracker {
  readonly actor: Actor;
  /** Drive weight of each bone, 0 to 1; free to write. */
  readonly weights: Float64Array;
  /** Last target pose, within the limits, and its joint velocities. */
  readonly target: Float64Array;
  readonly targetVelocity: Float64Array;
  /** Full gains. */
  readonly gains: MotorGains;
  readonly feedForward: FeedForward | undefined;
  /** Whether there is an earlier pose, for velocities by difference; and an earlier velocity, for accelerations. */
  hasPose: boolean;
  hasVelocity: boolean;
  /** Scratch, dof numbers each. */
  readonly nextTarget: Float64Array;
  readonly nextVelocity: Float64Array;
  readonly accelerations: Float64Array;
  readonly forces: Float64Array;
}

/**
 * Makes a tracker for an actor of a simulation: call {@link trackPose} before each step. The tracker owns the actor's motor from then on.
 *
 * @throws DomainError `out-of-range` for an unknown actor, negative gains, or weights outside 0 to 1; `wrong-size`, `not-finite`.
 */
export function createMotionTracker(
  simulation: Simulation,
  actorIndex: number,
  options: MotionTrackerOptions = {},
): MotionTracker {
  requireFields(options, TRACKER_OPTIONS, 'options', DomainError);
  return buildMotionTracker(simulation, actorIndex, options);
}

/** {@link createMotionTracker} for options with names checked by the caller, which may have further ones. */
export function buildMotionTracker(
  simulation: Simulation,
  actorIndex: number,
  options: MotionTrackerOptions,
): MotionTracker {
  requireWhole(actorIndex, 'actorIndex', DomainError, 0, simulation.actors.length - 1);
  const actor = simulation.actors[actorIndex];
  const { figure } = actor;
  const { dof, bones } = figure;
  const [x, y, z] = simulation.gravity;
  const defaults = { gravity: Math.hypot(x, y, z) || 9.81, root: 'assisted' } as const;
  const gains = checkedGains(actor, options.gains ?? createMotorGains(figure, defaults));
  const weights = options.weights ?? new Float64Array(bones.length).fill(1);
  requireWeights(weights, bones.length, 'options.weights');
  const { feedForward = 'constrained' } = options;
  requireOneOf(feedForward, ['constrained', 'falling', 'none'], 'options.feedForward', DomainError);
  const isFalling = Array.from(
    gains.stiffness,
    (stiffness, i) => feedForward === 'falling' && stiffness === 0 && gains.damping[i] === 0,
  );
  const numbers = (): Float64Array => new Float64Array(dof);
  return {
    actor,
    weights: Float64Array.from(weights),
    target: Float64Array.from(actor.pose),
    targetVelocity: numbers(),
    gains,
    feedForward: feedForward === 'none' ? undefined : createFeedForward(actor, [x, y, z], isFalling),
    hasPose: false,
    hasVelocity: false,
    nextTarget: numbers(),
    nextVelocity: numbers(),
    accelerations: numbers(),
    forces: numbers(),
  };
}

/** Checked copies, with gains averaged over the coordinates of a bounded motor group. */
function checkedGains({ figure, work }: Actor, gains: MotorGains): MotorGains {
  const { dof } = figure;
  requireFields(gains, MOTOR_FIELDS, 'options.gains', DomainError);
  const checked: MotorGains = {
    stiffness: checkedCoordinateValues(gains.stiffness, dof, 'options.gains.stiffness'),
    damping: checkedCoordinateValues(gains.damping, dof, 'options.gains.damping'),
    maxForce: checkedCoordinateValues(gains.maxForce, dof, 'options.gains.maxForce', true),
  };
  for (const { coordinate: i, size } of work.motorGroups) {
    if (checked.maxForce[i] === Number.POSITIVE_INFINITY) continue;
    for (const gain of [checked.stiffness, checked.damping]) {
      gain.fill(
        gain.subarray(i, i + size).reduce((sum, x) => sum + x / size, 0),
        i,
        i + size,
      );
    }
    checked.maxForce.fill(checked.maxForce[i], i, i + size);
  }
  return checked;
}

/**
 * Sets the target pose: writes the actor's motor for the next step, of length `dt`. The drive of a bone of weight w gives
 *
 *     w clamp(K (target - q) + D (targetVelocity - v) + tau),   at the end of the step
 *
 * tau is the feed-forward force of the motion (inverse dynamics at the target); it is added as targetVelocity + tau / D, so that the bound holds for the sum.
 *
 * @param pose - Target pose at the end of the step, clamped to the limits.
 * @param dt - Time since the last pose, and length of the step, s.
 * @param velocity - Its joint velocities. Default: by the difference from the last pose, zero at first.
 * @throws DomainError `wrong-size`, `not-finite`, `out-of-range` for invalid poses, velocities, times and weights. Nothing is written then.
 */
export function trackPose(tracker: MotionTracker, pose: Numbers, dt: number, velocity?: Numbers): void {
  const { actor, weights, target, targetVelocity, nextTarget, nextVelocity, accelerations } = tracker;
  const { figure } = actor;
  requireNumbers(pose, figure.dof, 'pose', DomainError);
  requirePositive(dt, 'dt', DomainError, 's');
  requireWeights(weights, figure.bones.length, 'tracker.weights');
  if (velocity !== undefined) requireNumbers(velocity, figure.dof, 'velocity', DomainError);
  writeTarget(tracker, pose);
  if (velocity !== undefined) nextVelocity.set(velocity);
  else if (tracker.hasPose) {
    writePoseDifference(figure, target, nextTarget, nextVelocity);
    for (let i = 0; i < nextVelocity.length; i++) nextVelocity[i] /= dt;
  } else nextVelocity.fill(0);
  const hasAcceleration = tracker.hasVelocity && (velocity !== undefined || tracker.hasPose);
  for (let i = 0; i < nextVelocity.length; i++)
    accelerations[i] = hasAcceleration ? (nextVelocity[i] - targetVelocity[i]) / dt : 0;
  // Velocities by difference exist from the second pose on.
  tracker.hasVelocity = velocity !== undefined || tracker.hasPose;
  tracker.hasPose = true;
  target.set(nextTarget);
  targetVelocity.set(nextVelocity);
  writeForces(tracker);
  writeMotor(tracker);
}

/** Forgets earlier poses, for a jump of the target motion: velocities by difference start anew. */
export function restartMotionTracker(tracker: MotionTracker): void {
  tracker.hasPose = false;
  tracker.hasVelocity = false;
}

/** Writes the target clamped to the limits, with periodic angles in the revolution of the actor. */
function writeTarget({ actor, nextTarget }: MotionTracker, pose: Numbers): void {
  const { figure } = actor;
  nextTarget.set(pose);
  clampToLimits(figure, nextTarget);
  for (let b = 0; b < figure.bones.length; b++) {
    const bone = figure.bones[b];
    for (let k = 0; k < bone.dof; k++) {
      const i = bone.coordinate + k;
      if (isPeriodic(bone, k)) nextTarget[i] = actor.pose[i] + wrapAngle(nextTarget[i] - actor.pose[i]);
    }
  }
}

/** Writes the feed-forward forces, plus the force against the actor's own dampers. */
function writeForces({
  actor,
  feedForward,
  target,
  targetVelocity,
  accelerations,
  forces,
}: MotionTracker): void {
  if (feedForward === undefined) {
    forces.fill(0);
    return;
  }
  writeFeedForward(feedForward, target, targetVelocity, accelerations, forces);
  for (let i = 0; i < forces.length; i++) forces[i] += actor.damping[i] * targetVelocity[i];
}

function writeMotor({ actor, weights, gains, target, targetVelocity, forces }: MotionTracker): void {
  const { motor, figure } = actor;
  let totalGain = 0;
  motor.target.set(target);
  for (let i = 0; i < target.length; i++) {
    const weight = weights[figure.boneOfCoordinate[i]];
    const maxForce = gains.maxForce[i];
    motor.stiffness[i] = weight * gains.stiffness[i];
    motor.damping[i] = weight * gains.damping[i];
    motor.maxForce[i] = maxForce === Number.POSITIVE_INFINITY ? maxForce : weight * maxForce;
    motor.targetVelocity[i] = targetVelocity[i] + (gains.damping[i] > 0 ? forces[i] / gains.damping[i] : 0);
    totalGain += motor.stiffness[i] + motor.damping[i];
  }
  if (totalGain > 0 && actor.asleep) wakeActor(actor);
}

/**
 * Distance of the actor from the target pose: root mean square of the angles of all rotational joints, rad, without the free root and sliders.
 */
export function trackingError({ actor, target, nextVelocity: difference }: MotionTracker): number {
  const { figure, pose } = actor;
  writePoseDifference(figure, target, pose, difference);
  let sum = 0;
  let joints = 0;
  for (let b = 0; b < figure.bones.length; b++) {
    const { joint, coordinate, dof } = figure.bones[b];
    if (joint.type === 'free' || dof <= jointTypes[joint.type].translations) continue;
    joints++;
    for (let i = coordinate; i < coordinate + dof; i++) sum += difference[i] * difference[i];
  }
  return joints > 0 ? Math.sqrt(sum / joints) : 0;
}
