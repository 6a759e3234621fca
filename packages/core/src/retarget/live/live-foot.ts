/** A foot of the target frame by frame: locked where it came down, released smoothly. */
import * as vec3 from '../../math/geometry/vec3.js';
import { unset3 } from '../../math/linear/unset.js';
import { matrixFromRotationVector } from '../../rotation/rotation-vector/exponential.js';
import { rotationVectorFromMatrix } from '../../rotation/rotation-vector/log.js';
import { ADULT_LEG, DEFAULT_THRESHOLDS } from '../contact/detect.js';
import { copyAt, multiplyAt, multiplyTransposedAt, rotateAt, writeFrame } from '../kernel/rotations.js';
import { type Leg, longestReach } from '../pose/leg.js';
import type { FootTarget } from '../pose/leg-solver.js';

/** Share of the longest distance from the hip joint over which that of a foot in the air nears it. */
const SOFT_RANGE = 0.02;
/** Time constants in which a foot that is released comes back to the carried path, a foot that is down comes to the ground, and lies flat, s. */
const RELEASE_TIME = 0.12;
export const LANDING_TIME = 0.05;
const LEVEL_TIME = 0.06;

/** A point of a foot or a hand of the source: whether it is down. */
export interface PointState {
  readonly before: Float64Array;
  /** Lowest height that it was slow at. */
  ground: number;
  isDown: boolean;
}

export interface LiveFoot {
  readonly leg: Leg;
  readonly heel: PointState;
  readonly ball: PointState;
  /** The point that is pinned: 0 none, 1 the heel, 2 the ball; where, and how far the foot still is from there. */
  pinned: 0 | 1 | 2;
  readonly pin: Float64Array;
  readonly gap: Float64Array;
  /** Displacement of the ankle from the carried path and its rate, world. */
  readonly displacement: Float64Array;
  readonly rate: Float64Array;
  /** Rotation vector of the foot from the carried orientation. */
  readonly rotation: Float64Array;
  /** Direction of the foot while it is flat. */
  readonly heading: Float64Array;
  /** Distance of the ankle from the hip joint as the leg is carried, m. */
  carriedLength: number;
  isFlat: boolean;
  isNew: boolean;
}

export function createPointState(): PointState {
  return { before: new Float64Array(3), ground: Number.POSITIVE_INFINITY, isDown: false };
}

export function createLiveFoot(leg: Leg): LiveFoot {
  return {
    leg,
    heel: createPointState(),
    ball: createPointState(),
    pinned: 0,
    pin: new Float64Array(3),
    gap: new Float64Array(3),
    displacement: new Float64Array(3),
    rate: new Float64Array(3),
    rotation: new Float64Array(3),
    heading: new Float64Array(3),
    carriedLength: 0,
    isFlat: false,
    isNew: true,
  };
}

/**
 * Whether a point of the source is on its ground, with hysteresis.
 *
 * @param point - World of the source.
 * @param legLength - Of the source, m.
 */
export function updateContact(
  state: PointState,
  point: ArrayLike<number>,
  up: ArrayLike<number>,
  seconds: number,
  legLength: number,
  isNew: boolean,
): void {
  const scale = legLength / ADULT_LEG;
  const { heights, speeds } = DEFAULT_THRESHOLDS;
  const { before } = state;
  const height = vec3.dot(point, up);
  if (height < state.ground) state.ground = height;
  const speed = isNew || !(seconds > 0) ? 0 : vec3.distance(point, before) / seconds;
  const level = state.isDown ? 1 : 0;
  state.isDown = height - state.ground <= heights[level] * scale && speed <= speeds[level] * scale;
  for (let k = 0; k < 3; k++) before[k] = point[k];
}

/** A critically damped spring to the carried path, from the displacement and its rate at the release. */
export function release(
  displacement: Float64Array,
  rate: Float64Array,
  seconds: number,
  timeConstant: number,
): void {
  const w = 1 / timeConstant;
  const fade = Math.exp(-w * seconds);
  for (let k = 0; k < 3; k++) {
    const slope = rate[k] + w * displacement[k];
    rate[k] = (rate[k] - w * slope * seconds) * fade;
    displacement[k] = (displacement[k] + slope * seconds) * fade;
  }
}

const level = /* @__PURE__ */ new Float64Array(9);
const upward = /* @__PURE__ */ new Float64Array(3);
const flat = /* @__PURE__ */ new Float64Array(9);
const scratch = /* @__PURE__ */ new Float64Array(9);
const carried = /* @__PURE__ */ new Float64Array(9);
const vector = /* @__PURE__ */ unset3();
const wanted = /* @__PURE__ */ unset3();
const point = /* @__PURE__ */ unset3();

/**
 * Orientation and ankle of a foot in a frame, from the carried ones.
 *
 * @param orientations - With the carried orientation of the foot at `o`; out: the foot's.
 * @param ankle - Carried, world.
 */
export function stepLiveFoot(
  foot: LiveFoot,
  orientations: Float64Array,
  o: number,
  ankle: Float64Array,
  up: ArrayLike<number>,
  ground: number,
  seconds: number,
  target: FootTarget,
): void {
  const { leg, heel, ball, pin, gap, displacement, rate, rotation, heading } = foot;
  copyAt(orientations, o, carried, 0, 9);
  // Orientation: level while heel and ball are down.
  const isFlat = heel.isDown && ball.isDown;
  wanted.fill(0);
  if (isFlat) {
    if (!foot.isFlat) {
      matrixFromRotationVector(rotation, scratch);
      multiplyAt(scratch, 0, carried, 0, flat, 0);
      rotateAt(flat, 0, leg.footForward, 0, heading, 0);
    }
    for (let k = 0; k < 3; k++) upward[k] = up[k];
    writeFrame(upward, heading, level, 0);
    multiplyTransposedAt(level, 0, leg.footAxes, 0, flat, 0);
    multiplyTransposedAt(flat, 0, carried, 0, scratch, 0);
    rotationVectorFromMatrix(scratch, undefined, wanted);
  }
  foot.isFlat = isFlat;
  const towards = foot.isNew ? 1 : 1 - Math.exp(-seconds / (isFlat ? LEVEL_TIME : RELEASE_TIME));
  for (let k = 0; k < 3; k++) rotation[k] += towards * (wanted[k] - rotation[k]);
  matrixFromRotationVector(rotation, scratch);
  multiplyAt(scratch, 0, carried, 0, orientations, o);
  // Position: pinned by the ball, by the heel, or released.
  const pinned = ball.isDown ? 2 : heel.isDown ? 1 : 0;
  if (pinned !== 0) {
    rotateAt(orientations, o, pinned === 2 ? leg.ball : leg.heel, 0, point, 0);
    if (pinned !== foot.pinned) {
      for (let k = 0; k < 3; k++) pin[k] = ankle[k] + displacement[k] + point[k];
      const rise = ground - vec3.dot(pin, up);
      for (let k = 0; k < 3; k++) {
        pin[k] += rise * up[k];
        gap[k] = foot.isNew ? 0 : -rise * up[k];
      }
    } else {
      const fade = Math.exp(-seconds / LANDING_TIME);
      for (let k = 0; k < 3; k++) gap[k] *= fade;
    }
    for (let k = 0; k < 3; k++) {
      const next = pin[k] + gap[k] - point[k] - ankle[k];
      rate[k] = seconds > 0 ? (next - displacement[k]) / seconds : 0;
      displacement[k] = next;
    }
  } else {
    release(displacement, rate, seconds, RELEASE_TIME);
  }
  foot.pinned = pinned;
  foot.isNew = false;
  // No corner of the sole below the ground.
  let lowest = Number.POSITIVE_INFINITY;
  for (let c = 0; c < leg.corners.length; c++) {
    rotateAt(orientations, o, leg.corners[c], 0, vector, 0);
    lowest = Math.min(lowest, vec3.dot(vector, up));
  }
  let height = 0;
  for (let k = 0; k < 3; k++) height += (ankle[k] + displacement[k]) * up[k];
  const lift = Math.max(0, ground - lowest - height);
  for (let k = 0; k < 3; k++) {
    target.ankle[k] = ankle[k] + displacement[k] + lift * up[k];
    target.heelPin[k] = pin[k] + gap[k] + lift * up[k];
    target.ballPin[k] = target.heelPin[k];
  }
  target.heel = pinned === 1 ? 1 : 0;
  target.ball = pinned === 2 ? 1 : 0;
  target.heelNear = target.heel;
  target.ballNear = target.ball;
  const down = 1 - Math.exp(-seconds / LEVEL_TIME);
  target.toesDown += down * ((ball.isDown ? 1 : 0) - target.toesDown);
}

/** Moves the ankle of a foot in the air to where the leg reaches without being pulled straight from one frame to the next: its distance nears the longest one smoothly. */
export function shortenLiveLeg(
  { leg, carriedLength, pinned }: LiveFoot,
  hip: ArrayLike<number>,
  { ankle }: FootTarget,
): void {
  if (leg.isFree || pinned !== 0) return;
  const longest = longestReach(leg, carriedLength);
  // A leg that is as long as it is carried stays.
  const range = Math.max(0, longest - Math.max(carriedLength, (1 - SOFT_RANGE) * longest));
  const distance = vec3.distance(ankle, hip);
  const beyond = distance - (longest - range);
  if (!(beyond > 0)) return;
  const share = (longest - (range > 0 ? range * Math.exp(-beyond / range) : 0)) / distance;
  for (let k = 0; k < 3; k++) ankle[k] = hip[k] + share * (ankle[k] - hip[k]);
}
