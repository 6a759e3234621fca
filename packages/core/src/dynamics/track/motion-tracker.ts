import { DomainError } from '../../errors.js';
import { jointTypes } from '../../figure/joints/joint-types.js';
import { clampToLimits } from '../../figure/model/pose.js';
import type { Numbers } from '../../math/linear/types.js';
import { requireVector } from '../model/checks.js';
import type { Actor } from '../simulate/state/actor.js';
import { notNegative } from '../simulate/state/motor.js';
import type { Simulation } from '../simulate/state/simulation.js';
import { wakeActor } from '../simulate/state/sleep.js';
import { createFeedForward, type FeedForward, writeFeedForward } from './drives/feed-forward.js';
import { createMotorGains, type MotorGains } from './drives/gains.js';
import { requirePositive, requireWeights } from './pose/checks.js';
import { isPeriodic, wrapAngle, writePoseDifference } from './pose/pose-difference.js';

/** What {@link createMotionTracker} may be told. */
export interface MotionTrackerOptions {
  /** Full gains of the drives. Default `createMotorGains(figure, { root: 'assisted' })`, for the gravity of the simulation. */
  readonly gains?: MotorGains;
  /** One for each bone, 0 (limp) to 1 (full gains). Default 1 for all. */
  readonly weights?: Numbers;
  /**
   * Whether drives also give the forces that the motion itself asks for: `held`, as if something held the root in its motion against gravity - the
   * assistance, or the ground; `falling`, as if what has no drive, the root of a figure with muscles only, fell freely; or `none`. Default `held`.
   */
  readonly feedForward?: 'held' | 'falling' | 'none';
}

/** Makes an actor follow poses. */
export interface MotionTracker {
  readonly actor: Actor;
  /** Of each bone, 0 to 1; free to write. */
  readonly weights: Float64Array;
  /** Pose last asked for, within the limits, and its joint velocities. */
  readonly target: Float64Array;
  readonly targetVelocity: Float64Array;
  /** Full gains. */
  readonly gains: MotorGains;
  readonly feedForward: FeedForward | undefined;
  /** Whether a pose was asked for before, from which velocities follow; and velocities, from which accelerations do. */
  hasPose: boolean;
  hasVelocity: boolean;
  /** Scratch, dof numbers each. */
  readonly nextTarget: Float64Array;
  readonly nextVelocity: Float64Array;
  readonly accelerations: Float64Array;
  readonly forces: Float64Array;
}

/**
 * Makes an actor of a simulation follow poses: call {@link trackPose} before each step. The actor's motor is the tracker's from then on.
 *
 * @throws DomainError `out-of-range` for an actor that there is none of, gains below zero or weights beyond 0 to 1; `wrong-size`, `not-finite`.
 */
export function createMotionTracker(
  simulation: Simulation,
  actorIndex: number,
  options: MotionTrackerOptions = {},
): MotionTracker {
  const actor = simulation.actors[actorIndex];
  if (actor === undefined) {
    throw new DomainError('out-of-range', `is ${String(actorIndex)}.`, {
      path: 'actorIndex',
      remedy: `Give the index of one of the ${simulation.actors.length} actors.`,
    });
  }
  const { figure } = actor;
  const { dof, bones } = figure;
  const [x, y, z] = simulation.gravity;
  const usual = { gravity: Math.hypot(x, y, z) || 9.81, root: 'assisted' } as const;
  const gains = checkedGains(actor, options.gains ?? createMotorGains(figure, usual));
  const weights = options.weights ?? new Float64Array(bones.length).fill(1);
  requireWeights(weights, bones.length, 'options.weights');
  const { feedForward = 'held' } = options;
  if (!['held', 'falling', 'none'].includes(feedForward)) {
    throw new DomainError('unsupported', `is ${String(feedForward)}.`, {
      path: 'options.feedForward',
      remedy: "Use 'held', 'falling' or 'none'.",
    });
  }
  const falls = Array.from(
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
    feedForward: feedForward === 'none' ? undefined : createFeedForward(actor, [x, y, z], falls),
    hasPose: false,
    hasVelocity: false,
    nextTarget: numbers(),
    nextVelocity: numbers(),
    accelerations: numbers(),
    forces: numbers(),
  };
}

/** Copies, with equal gains where a bounded motor would take their mean. */
function checkedGains({ figure, work }: Actor, gains: MotorGains): MotorGains {
  const { dof } = figure;
  const checked: MotorGains = {
    stiffness: notNegative(gains.stiffness, dof, 'options.gains.stiffness'),
    damping: notNegative(gains.damping, dof, 'options.gains.damping'),
    maxForce: notNegative(gains.maxForce, dof, 'options.gains.maxForce', true),
  };
  for (const { coordinate: i, size } of work.motorGroups) {
    if (checked.maxForce[i] === Number.POSITIVE_INFINITY) continue;
    for (const part of [checked.stiffness, checked.damping]) {
      part.fill(
        part.subarray(i, i + size).reduce((sum, x) => sum + x / size, 0),
        i,
        i + size,
      );
    }
    checked.maxForce.fill(checked.maxForce[i], i, i + size);
  }
  return checked;
}

/**
 * Asks for a pose: writes the actor's motor, for the step of `dt` that comes next. Of a bone of weight w the drive gives
 *
 *     w bound(K (target - q) + D (targetVelocity - nu) + tau),   at the end of the step
 *
 * tau the forces that the motion itself asks for (inverse dynamics at the target); they come by way of targetVelocity + tau / D, so that the bound holds for
 * all together.
 *
 * @param pose - Where the actor should be at the end of the step, brought within its limits.
 * @param dt - s since the pose before, and of the step.
 * @param nu - Its joint velocities. Default: by the difference from the pose before, none at first.
 * @throws DomainError `wrong-size`, `not-finite`, `out-of-range` for poses, velocities, times and weights that are none. Nothing is written then.
 */
export function trackPose(tracker: MotionTracker, pose: Numbers, dt: number, nu?: Numbers): void {
  const { actor, weights, target, targetVelocity, nextTarget, nextVelocity, accelerations } = tracker;
  const { figure } = actor;
  requireVector(pose, figure.dof, 'pose');
  requirePositive(dt, 'dt', 's');
  requireWeights(weights, figure.bones.length, 'tracker.weights');
  if (nu !== undefined) requireVector(nu, figure.dof, 'nu');
  writeTarget(tracker, pose);
  if (nu !== undefined) nextVelocity.set(nu);
  else if (tracker.hasPose) {
    writePoseDifference(figure, target, nextTarget, nextVelocity);
    for (let i = 0; i < nextVelocity.length; i++) nextVelocity[i] /= dt;
  } else nextVelocity.fill(0);
  const knows = tracker.hasVelocity && (nu !== undefined || tracker.hasPose);
  for (let i = 0; i < nextVelocity.length; i++)
    accelerations[i] = knows ? (nextVelocity[i] - targetVelocity[i]) / dt : 0;
  // Velocities by difference are known from the second pose on.
  tracker.hasVelocity = nu !== undefined || tracker.hasPose;
  tracker.hasPose = true;
  target.set(nextTarget);
  targetVelocity.set(nextVelocity);
  writeForces(tracker);
  writeMotor(tracker);
}

/** Forgets the poses before, where the motion asked for jumps: velocities start anew. */
export function restartMotionTracker(tracker: MotionTracker): void {
  tracker.hasPose = false;
  tracker.hasVelocity = false;
}

/** The pose within the limits; angles that nothing limits in the turn that the actor is in. */
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

/** The forces that the motion asks for, with what the actor's own dampers take from them. */
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
  let pulls = 0;
  motor.target.set(target);
  for (let i = 0; i < target.length; i++) {
    const weight = weights[figure.boneOfCoordinate[i]];
    const most = gains.maxForce[i];
    motor.stiffness[i] = weight * gains.stiffness[i];
    motor.damping[i] = weight * gains.damping[i];
    motor.maxForce[i] = most === Number.POSITIVE_INFINITY ? most : weight * most;
    motor.targetVelocity[i] = targetVelocity[i] + (gains.damping[i] > 0 ? forces[i] / gains.damping[i] : 0);
    pulls += motor.stiffness[i] + motor.damping[i];
  }
  if (pulls > 0 && actor.asleep) wakeActor(actor);
}

/**
 * How far the actor is from the pose last asked for: root mean square over the joints that turn of their angles, rad; the free root left out.
 * Distances of sliders do not count.
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
