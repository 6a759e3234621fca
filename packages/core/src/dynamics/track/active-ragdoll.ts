import { requireFields, requirePositive } from '../../checks.js';
import { DomainError, FigureError } from '../../errors.js';
import { boneIndex } from '../../figure/model/figure.js';
import { checkPose } from '../../figure/model/pose.js';
import * as quat from '../../math/geometry/quat.js';
import { norm } from '../../math/geometry/vec3.js';
import type { Numbers, Vec3 } from '../../math/linear/types.js';
import { applyImpulse } from '../simulate/impulses.js';
import type { Simulation } from '../simulate/state/simulation.js';
import {
  buildMotionTracker,
  type MotionTracker,
  type MotionTrackerOptions,
  restartMotionTracker,
  TRACKER_OPTIONS,
  trackingError,
  trackPose,
} from './motion-tracker.js';
import { blendPoses } from './pose/blend.js';
import {
  alignRootFrame,
  applyRootFrame,
  createRootFrame,
  findRoot,
  type Root,
  type RootFrame,
  readRoot,
} from './pose/root-frame.js';
import { distanceOutsideSupport } from './reactions/balance.js';
import {
  REACTION_OPTIONS,
  type ReactionOptions,
  type Reactions,
  readReactions,
} from './reactions/hit-reactions.js';
import {
  createRelaxation,
  type Relaxation,
  relaxMuscles,
  tightenMuscles,
} from './reactions/muscle-relaxation.js';

/**
 * - `tracking`: follows the animation with full drive weights.
 * - `hit`: drives near the hit bone are relaxed, and tighten again.
 * - `fallen`: limp, until it lies still.
 * - `recovering`: blends from the lying pose to the get-up animation that you now give, aligned to where it lies; then tracks again.
 */
export type ActiveRagdollState = 'tracking' | 'hit' | 'fallen' | 'recovering';

/** Options of {@link createActiveRagdoll}. */
export interface ActiveRagdollOptions extends MotionTrackerOptions, ReactionOptions {}

/** A figure that follows an animation by joint torques, yields to hits, falls, and gets up. */
export interface ActiveRagdoll {
  readonly simulation: Simulation;
  readonly actorIndex: number;
  readonly tracker: MotionTracker;
  readonly root: Root;
  state: ActiveRagdollState;
  /** Time since the state began, s: the time at which to sample a get-up. */
  stateTime: number;
  /** Frame in which the animation plays: world from clip. */
  readonly rootFrame: RootFrame;
  /** The animation's pose in the world: the target of the tracker, to blend the actor's pose with. */
  readonly target: Float64Array;
  /**
   * Errors measured by the last {@link stepActiveRagdoll}: root mean square of the joint angles to the target, rad; angle, rad, and
   * distance, m, of the root to its target.
   */
  error: number;
  tilt: number;
  distance: number;
  /** Distance of the extrapolated centre of mass outside the support polygon, m: negative inside, -Infinity without contact. */
  balance: number;
  readonly reactions: Reactions;
  readonly relaxation: Relaxation;
  /** Full drive weight of each bone. */
  readonly weights: Float64Array;
  readonly up: Vec3;
  /** Pose at the start of the get-up. */
  readonly lyingPose: Float64Array;
  /** Pose to align the next animation pose with. */
  alignTo: Float64Array | undefined;
  /** Time that it has lain still, or that the error was above `calm` since a hit, s. */
  waitTime: number;
}

/**
 * Makes an active ragdoll of an actor: call {@link stepActiveRagdoll} before each step of the simulation, {@link hitActiveRagdoll} for hits.
 *
 * @throws FigureError `unsupported` for a figure without a floating base; DomainError as `createMotionTracker`, and `out-of-range` for negative times,
 *   distances and impulses.
 */
export function createActiveRagdoll(
  simulation: Simulation,
  actorIndex: number,
  options: ActiveRagdollOptions = {},
): ActiveRagdoll {
  requireFields(options, { ...TRACKER_OPTIONS, ...REACTION_OPTIONS }, 'options', DomainError);
  const tracker = buildMotionTracker(simulation, actorIndex, options);
  const { actor, gains } = tracker;
  const { figure } = actor;
  const root = findRoot(figure);
  if (root === undefined) {
    throw new FigureError('unsupported', 'has no free joint that carries all other joints.', {
      path: `actors[${actorIndex}].figure ${figure.name}`,
      remedy:
        "Give its root a joint of type 'free', with all other joints below it, or use createMotionTracker.",
    });
  }
  const [x, y, z] = simulation.gravity;
  const g = Math.hypot(x, y, z);
  return {
    simulation,
    actorIndex,
    tracker,
    root,
    state: 'tracking',
    stateTime: 0,
    rootFrame: createRootFrame(),
    target: Float64Array.from(actor.pose),
    error: 0,
    tilt: 0,
    distance: 0,
    balance: Number.NEGATIVE_INFINITY,
    reactions: readReactions(options, actor.work.mass, gains.stiffness[root.coordinate] > 0),
    relaxation: createRelaxation(figure),
    weights: Float64Array.from(tracker.weights),
    up: g > 0 ? [-x / g, -y / g, -z / g] : figure.up,
    lyingPose: new Float64Array(figure.dof),
    alignTo: undefined,
    waitTime: 0,
  };
}

/**
 * Hits a bone: applies an impulse in the next step and relaxes the drives around the bone, in proportion to the impulse up to `limpImpulse`.
 *
 * @param impulse - World axes, N s.
 * @param point - World axes, m. Default: the origin of the bone.
 * @throws DomainError, FigureError as `applyImpulse`; nothing happens then.
 */
export function hitActiveRagdoll(
  ragdoll: ActiveRagdoll,
  bone: string | number,
  impulse: Vec3,
  point?: Vec3,
): void {
  const { simulation, actorIndex, tracker, relaxation, reactions, state } = ragdoll;
  const { figure } = tracker.actor;
  applyImpulse(simulation, actorIndex, bone, impulse, point);
  const size = norm(impulse);
  if (state === 'fallen' || size === 0) return;
  if (size >= reactions.knockOutImpulse) {
    enterState(ragdoll, 'fallen');
    return;
  }
  if (state === 'recovering') return;
  relaxMuscles(
    figure,
    relaxation,
    boneIndex(figure, bone),
    Math.min(1, size / reactions.limpImpulse),
    reactions.spread,
  );
  enterState(ragdoll, 'hit');
}

/**
 * Sets the target pose and updates the state: call it before each step of the simulation. While `state` is `recovering` give the pose of a
 * get-up at `stateTime`, otherwise that of the animation; it is moved to where the figure is.
 *
 * @param pose - Of the animation at the end of the step.
 * @param dt - Length of the step, s.
 * @throws FigureError `wrong-size`, `not-finite` for an invalid pose, DomainError `out-of-range` for an invalid time; nothing changes then.
 */
export function stepActiveRagdoll(ragdoll: ActiveRagdoll, pose: Numbers, dt: number): void {
  const { tracker, root, rootFrame, target, up, reactions, lyingPose, state } = ragdoll;
  const { figure } = tracker.actor;
  checkPose(figure, pose);
  requirePositive(dt, 'dt', DomainError, 's');
  if (ragdoll.alignTo !== undefined) {
    alignRootFrame(root, pose, ragdoll.alignTo, up, rootFrame);
    ragdoll.alignTo = undefined;
    restartMotionTracker(tracker);
  }
  applyRootFrame(root, pose, rootFrame, up, target);
  ragdoll.stateTime += dt;
  if (state === 'recovering') {
    blendPoses(figure, lyingPose, target, ease(ragdoll.stateTime / reactions.blend), target);
  }
  setWeights(ragdoll);
  trackPose(tracker, target, dt);
  measureState(ragdoll);
  updateState(ragdoll, dt);
}

function setWeights({ tracker, state, stateTime, weights, relaxation, reactions }: ActiveRagdoll): void {
  const scale = state === 'fallen' ? 0 : state === 'recovering' ? ease(stateTime / reactions.blend) : 1;
  for (let b = 0; b < weights.length; b++) {
    tracker.weights[b] = scale * weights[b] * (state === 'hit' ? 1 - relaxation.amount[b] : 1);
  }
}

const rotation: [number, number, number, number] = [0, 0, 0, 1];
const targetRotation: [number, number, number, number] = [0, 0, 0, 1];
const origin: [number, number, number] = [0, 0, 0];
const targetOrigin: [number, number, number] = [0, 0, 0];

function measureState(ragdoll: ActiveRagdoll): void {
  const { simulation, tracker, root, target, up } = ragdoll;
  const { pose } = tracker.actor;
  ragdoll.error = trackingError(tracker);
  readRoot(root, pose, rotation, origin);
  readRoot(root, target, targetRotation, targetOrigin);
  ragdoll.tilt = quat.angleBetween(rotation, targetRotation);
  ragdoll.distance = Math.hypot(
    origin[0] - targetOrigin[0],
    origin[1] - targetOrigin[1],
    origin[2] - targetOrigin[2],
  );
  ragdoll.balance = distanceOutsideSupport(simulation, tracker.actor, up);
}

function updateState(ragdoll: ActiveRagdoll, dt: number): void {
  const { state, stateTime, reactions, relaxation, error } = ragdoll;
  if (state === 'fallen') {
    if (isLyingStill(ragdoll, dt) && reactions.recover) enterState(ragdoll, 'recovering');
    return;
  }
  if (state === 'recovering') {
    if (stateTime < reactions.getUp) return;
    enterState(ragdoll, hasLostBalance(ragdoll) ? 'fallen' : 'tracking');
    return;
  }
  if (hasLostBalance(ragdoll)) {
    enterState(ragdoll, 'fallen');
    return;
  }
  if (state !== 'hit' || stateTime < reactions.hitDuration) return;
  if (error > reactions.calm) ragdoll.waitTime += dt;
  else if (!tightenMuscles(relaxation, dt / reactions.tauten)) enterState(ragdoll, 'tracking');
  if (ragdoll.waitTime > reactions.timeout) enterState(ragdoll, 'fallen');
}

function hasLostBalance({ error, tilt, distance, balance, reactions }: ActiveRagdoll): boolean {
  const { fallError, fallTilt, fallDistance, fallBalance } = reactions;
  return error > fallError || tilt > fallTilt || distance > fallDistance || balance > fallBalance;
}

function isLyingStill(ragdoll: ActiveRagdoll, dt: number): boolean {
  const { tracker, reactions } = ragdoll;
  const { asleep, work } = tracker.actor;
  // By energy, not by the fastest bone: light ones, such as the controls of a file, may keep swinging.
  const isStill = asleep || Math.sqrt((2 * work.energy.kinetic) / work.mass) < reactions.restSpeed;
  ragdoll.waitTime = isStill ? ragdoll.waitTime + dt : 0;
  return ragdoll.waitTime >= reactions.restTime;
}

function enterState(ragdoll: ActiveRagdoll, state: ActiveRagdollState): void {
  const { tracker, relaxation, lyingPose, target, state: before } = ragdoll;
  ragdoll.state = state;
  ragdoll.stateTime = 0;
  ragdoll.waitTime = 0;
  if (state !== 'hit') relaxation.amount.fill(0);
  if (state === 'recovering') {
    lyingPose.set(tracker.actor.pose);
    ragdoll.alignTo = lyingPose;
  }
  // After a get-up the animation continues from where that ended.
  if (state === 'tracking' && before === 'recovering') ragdoll.alignTo = target;
}

/** Smoothstep, 3 x^2 - 2 x^3 from 0 to 1. */
function ease(x: number): number {
  const t = Math.min(1, Math.max(0, x));
  return t * t * (3 - 2 * t);
}
