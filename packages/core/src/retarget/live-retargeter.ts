/** Retargeting live: one frame at a time, without look-ahead. */
import { requireFinite } from '../checks.js';
import { MotionError } from '../errors.js';
import { forwardKinematics } from '../figure/kinematics/forward-kinematics.js';
import { checkPose, checkWritablePose } from '../figure/model/pose.js';
import { createState, type FigureState } from '../figure/model/state.js';
import type { Numbers } from '../math/linear/types.js';
import { unset3 } from '../math/linear/unset.js';
import { carryOrientations } from './carry/carry.js';
import { rotateAt, transformAt } from './kernel/rotations.js';
import {
  createLiveFoot,
  type LiveFoot,
  shortenLiveLeg,
  stepLiveFoot,
  updateContact,
} from './live/live-foot.js';
import {
  createLiveHand,
  type LiveHand,
  resetLiveHand,
  stepLiveHand,
  updatePalmContact,
} from './live/live-hand.js';
import { type ArmSolver, createArmSolver, placeArms, reachPalm, writePalm } from './pose/arm-solver.js';
import { createFrameWriter, type FrameWriter, writeTargetFrame } from './pose/frame-writer.js';
import { longestReach } from './pose/leg.js';
import { createFootTarget, type FootTarget } from './pose/leg-solver.js';
import { createSerialWriter, type SerialWriter, writeSerialPose } from './pose/serial-writer.js';
import type { Retargeter } from './retargeter.js';

/** State of live retargeting: made once, overwritten by every frame. */
export interface LiveRetargeter {
  readonly retargeter: Retargeter;
  /** Whether each foot is pinned where it came down, left and right as in the target. */
  readonly feet: readonly LiveFootState[];
  /** Whether each palm is pinned where it came to the ground; those of arms that the source moves. */
  readonly hands: readonly LiveHandState[];
  /** @internal */
  readonly memory: LiveMemory;
}

/** A foot of {@link LiveRetargeter}. */
export interface LiveFootState {
  readonly name: 'left' | 'right';
  /** 0 for none, 1 for the heel, 2 for the ball. */
  readonly pinned: 0 | 1 | 2;
}

/** A hand of {@link LiveRetargeter}. */
export interface LiveHandState {
  readonly name: 'left' | 'right';
  readonly pinned: boolean;
}

/** @internal */
export interface LiveMemory {
  readonly source: FigureState;
  readonly writer: FrameWriter;
  readonly orientations: Float64Array;
  readonly feet: readonly (LiveFoot & LiveFootState)[];
  readonly hands: readonly (LiveHand & LiveHandState)[];
  readonly arms: ArmSolver;
  readonly targets: readonly FootTarget[];
  readonly ankles: readonly Float64Array[];
  readonly hips: readonly Float64Array[];
  readonly center: Float64Array;
  readonly point: Float64Array;
  /** Pose of the body that hinges in series follow. */
  readonly body: Float64Array;
  readonly serial: SerialWriter | undefined;
  time: number;
  lowered: number;
  /** Height of the source's ankles as it stands. */
  ankleLevel: number;
  isNew: boolean;
}

/** Rate at which the hips are lowered, leg lengths a second, and the time constant in which they rise again, s. */
const LOWERING_RATE = 2;
const RISE_TIME = 0.2;

/** Memory for {@link retargetPose}. */
export function createLiveRetargeter(retargeter: Retargeter): LiveRetargeter {
  const { alignment } = retargeter;
  const { legs, arms, plan, source, target } = alignment;
  const feet = legs.map((leg) => ({ ...createLiveFoot(leg), name: leg.name }));
  const writer = createFrameWriter(target, plan, legs);
  const hands = arms.map((arm) => ({ ...createLiveHand(arm), name: arm.name }));
  return {
    retargeter,
    feet,
    hands,
    memory: {
      source: createState(source.figure),
      writer,
      orientations: new Float64Array(9 * plan.segments.length),
      feet,
      hands,
      arms: createArmSolver(writer.joints, arms),
      targets: legs.map(() => createFootTarget()),
      ankles: legs.map(() => new Float64Array(3)),
      hips: legs.map(() => new Float64Array(3)),
      center: new Float64Array(3),
      point: new Float64Array(3),
      body: new Float64Array(target.figure.dof),
      serial: alignment.serial && createSerialWriter(alignment.serial, legs, target.legLength),
      time: 0,
      lowered: 0,
      ankleLevel: Number.POSITIVE_INFINITY,
      isNew: true,
    },
  };
}

const knee = /* @__PURE__ */ unset3();
const offset = /* @__PURE__ */ unset3();

/**
 * Retargets one frame: as `retargetMotion`, with what is known so far. Feet and palms lock where they come to the ground, with hysteresis, and come back to the
 * carried path within some tenths of a second of their release. The first frame, and one whose time is before the last, begins anew.
 *
 * @param pose - Of `retargeter.source`.
 * @param time - s.
 * @param out - Length `retargeter.target.dof`. In: the frame before, for continuity. Out: the frame.
 * @returns `out`.
 * @throws FigureError for poses of another size or that are not finite; MotionError for a time that is not finite.
 */
export function retargetPose(
  live: LiveRetargeter,
  pose: Numbers,
  time: number,
  out: Float64Array,
): Float64Array {
  const { retargeter, memory } = live;
  const { alignment, ground, target, scale } = retargeter;
  checkPose(retargeter.source, pose);
  checkWritablePose(target, out);
  requireFinite(time, 'time', MotionError);
  const { source, writer, orientations, feet, targets, ankles, hips, center, point } = memory;
  const { worldFromBone: world } = source;
  const { up } = target;
  const sourceUp = retargeter.source.up;
  const isNew = memory.isNew || time < memory.time;
  const seconds = isNew ? 0 : time - memory.time;
  memory.time = time;
  memory.isNew = false;
  forwardKinematics(source, pose);
  carryOrientations(alignment.carrier, world, orientations, 0);
  // Contacts of the source, and the height of its ankles as it stands.
  for (let l = 0; l < feet.length; l++) {
    const foot = feet[l];
    const leg = alignment.source.legs.find(({ name }) => name === foot.name);
    if (leg === undefined || leg.foot < 0) continue;
    if (isNew) reset(foot);
    const o = 12 * leg.foot;
    transformAt(world, o, leg.heel, 0, world, o + 9, point, 0);
    updateContact(foot.heel, point, sourceUp, seconds, alignment.source.legLength, isNew);
    transformAt(world, o, leg.ball, 0, world, o + 9, point, 0);
    updateContact(foot.ball, point, sourceUp, seconds, alignment.source.legLength, isNew);
    let height = 0;
    for (let k = 0; k < 3; k++) height += world[o + 9 + k] * sourceUp[k];
    if (isNew || height < memory.ankleLevel)
      memory.ankleLevel = Math.min(isNew && l === 0 ? height : memory.ankleLevel, height);
  }
  // The hips, scaled.
  const { pelvis, hipCenter } = alignment.source;
  transformAt(world, 12 * pelvis, hipCenter, 0, world, 12 * pelvis + 9, point, 0);
  rotateAt(alignment.plan.worldFromSource, 0, point, 0, center, 0);
  let height = 0;
  let along = 0;
  for (let k = 0; k < 3; k++) {
    height += point[k] * sourceUp[k];
    along += center[k] * up[k];
  }
  const level = Number.isFinite(memory.ankleLevel) ? memory.ankleLevel : 0;
  const high = ground + alignment.target.ankleHeight + scale * (height - level);
  for (let k = 0; k < 3; k++) center[k] = scale * (center[k] - along * up[k]) + high * up[k];
  // Feet, locked and released.
  const pelvisRow = 9 * writer.pelvisSegment;
  let needed = 0;
  for (let l = 0; l < feet.length; l++) {
    const { leg } = feet[l];
    for (let k = 0; k < 3; k++) offset[k] = leg.hip[k] - alignment.target.hipCenter[k];
    transformAt(orientations, pelvisRow, offset, 0, center, 0, hips[l], 0);
    rotateAt(orientations, 9 * leg.thighSegment, leg.knee, 0, knee, 0);
    transformAt(orientations, 9 * leg.shankSegment, leg.ankle, 0, knee, 0, ankles[l], 0);
    const carried = Math.hypot(ankles[l][0], ankles[l][1], ankles[l][2]);
    for (let k = 0; k < 3; k++) ankles[l][k] += hips[l][k];
    stepLiveFoot(feet[l], orientations, 9 * leg.footSegment, ankles[l], up, ground, seconds, targets[l]);
    feet[l].carriedLength = carried;
    const longest = longestReach(leg, carried);
    let rise = 0;
    let square = 0;
    for (let k = 0; k < 3; k++) {
      const x = hips[l][k] - targets[l].ankle[k];
      rise += x * up[k];
      square += x * x;
    }
    if (square > longest * longest && rise > 0) {
      needed = Math.max(needed, rise - Math.sqrt(Math.max(0, longest * longest - square + rise * rise)));
    }
  }
  // Lowered for legs that do not reach.
  const fade = Math.exp(-seconds / RISE_TIME);
  const fastest = memory.lowered + LOWERING_RATE * alignment.target.legLength * seconds;
  memory.lowered = isNew ? needed : Math.max(Math.min(needed, fastest), memory.lowered * fade);
  for (let k = 0; k < 3; k++) center[k] -= memory.lowered * up[k];
  for (let l = 0; l < feet.length; l++) {
    for (let k = 0; k < 3; k++) hips[l][k] -= memory.lowered * up[k];
    shortenLiveLeg(feet[l], hips[l], targets[l]);
  }
  const { serial } = memory;
  const body = serial === undefined ? out : memory.body;
  writeTargetFrame(writer, orientations, 0, center, 0, targets, ground, body);
  moveHands(live, seconds, isNew, body);
  if (serial !== undefined)
    writeSerialPose(
      serial,
      memory.body,
      (l) => Math.max(targets[l].heelNear, targets[l].ballNear),
      out,
      isNew,
    );
  return out;
}

const palm = /* @__PURE__ */ unset3();

/** Moves the arms so that palms on the ground stay. @param pose - Of the target's body, with its arms as they are carried. */
function moveHands(
  { retargeter, memory }: LiveRetargeter,
  seconds: number,
  isNew: boolean,
  pose: Float64Array,
): void {
  const { hands, feet, arms, source, point } = memory;
  const { alignment, ground, target } = retargeter;
  const { worldFromBone: world } = source;
  const sourceUp = retargeter.source.up;
  let lowest = Number.POSITIVE_INFINITY;
  for (const { heel, ball } of feet) lowest = Math.min(lowest, heel.ground, ball.ground);
  if (hands.length === 0) return;
  placeArms(arms, pose);
  for (const hand of hands) {
    const own = alignment.source.hands.find(({ name }) => name === hand.name);
    if (own === undefined) continue;
    if (isNew) resetLiveHand(hand);
    const o = 12 * own.hand;
    transformAt(world, o, own.palm, 0, world, o + 9, point, 0);
    updatePalmContact(hand, point, sourceUp, lowest, seconds, alignment.source.legLength, isNew);
    writePalm(arms, hand.arm, palm);
    if (stepLiveHand(hand, palm, target.up, ground, seconds, isNew))
      reachPalm(arms, hand.arm, hand.target, pose);
  }
}

function reset(foot: LiveFoot): void {
  foot.heel.ground = Number.POSITIVE_INFINITY;
  foot.ball.ground = Number.POSITIVE_INFINITY;
  foot.heel.isDown = false;
  foot.ball.isDown = false;
  foot.pinned = 0;
  foot.displacement.fill(0);
  foot.rate.fill(0);
  foot.rotation.fill(0);
  foot.isFlat = false;
  foot.isNew = true;
}
