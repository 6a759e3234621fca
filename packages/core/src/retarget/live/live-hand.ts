/** A hand of the target frame by frame: its palm fixed where it came to the ground, released smoothly. */
import * as vec3 from '../../math/geometry/vec3.js';
import { ADULT_LEG, DEFAULT_THRESHOLDS } from '../contact/detect.js';
import type { Arm } from '../pose/arm-solver.js';
import { createPointState, LANDING_TIME, type PointState, release, updateContact } from './live-foot.js';

/** Time constant in which a palm that is released comes back to the carried path, s: that of feet, for corrections twice as long. */
const RELEASE_TIME = 0.2;
/** Displacement of a palm that is none, m. */
const STILL = 1e-6;

export interface LiveHand {
  readonly arm: Arm;
  readonly palm: PointState;
  pinned: boolean;
  /** Where the palm is fixed, and how far it still is from there. */
  readonly pin: Float64Array;
  readonly gap: Float64Array;
  /** Displacement of the palm from the carried path and its rate, world. */
  readonly displacement: Float64Array;
  readonly rate: Float64Array;
  /** Where the palm belongs in this frame. */
  readonly target: Float64Array;
}

export function createLiveHand(arm: Arm): LiveHand {
  const vector = () => new Float64Array(3);
  return {
    arm,
    palm: createPointState(),
    pinned: false,
    pin: vector(),
    gap: vector(),
    displacement: vector(),
    rate: vector(),
    target: vector(),
  };
}

export function resetLiveHand(hand: LiveHand): void {
  hand.palm.isDown = false;
  hand.pinned = false;
  hand.displacement.fill(0);
  hand.rate.fill(0);
}

/**
 * Whether the palm of the source is on the ground of its feet, as a point of a foot. A hand that rests in the air says nothing about the ground, and how low
 * it will come is not known yet.
 *
 * @param point - Palm, world of the source.
 * @param ground - Lowest height of the feet so far, along up; Infinity without feet.
 */
export function updatePalmContact(
  { palm }: LiveHand,
  point: ArrayLike<number>,
  up: ArrayLike<number>,
  ground: number,
  seconds: number,
  legLength: number,
  isNew: boolean,
): void {
  // Without feet no ground is known, and far below them it is another.
  const depth = ground - vec3.dot(point, up);
  palm.ground =
    depth <= (DEFAULT_THRESHOLDS.heights[0] * legLength) / ADULT_LEG ? ground : Number.NEGATIVE_INFINITY;
  updateContact(palm, point, up, seconds, legLength, isNew);
}

/**
 * Where the palm belongs in a frame, from the carried one, as `hand.target`.
 *
 * @param carried - Palm of the target as the source moves it, world.
 * @returns whether that is elsewhere.
 */
export function stepLiveHand(
  hand: LiveHand,
  carried: ArrayLike<number>,
  up: ArrayLike<number>,
  ground: number,
  seconds: number,
  isNew: boolean,
): boolean {
  const { palm, pin, gap, displacement, rate, target } = hand;
  if (palm.isDown) {
    if (!hand.pinned) {
      for (let k = 0; k < 3; k++) pin[k] = carried[k] + displacement[k];
      const rise = ground - vec3.dot(pin, up);
      for (let k = 0; k < 3; k++) {
        pin[k] += rise * up[k];
        gap[k] = isNew ? 0 : Math.max(0, -rise) * up[k];
      }
    } else {
      const fade = Math.exp(-seconds / LANDING_TIME);
      for (let k = 0; k < 3; k++) gap[k] *= fade;
    }
    for (let k = 0; k < 3; k++) {
      const next = pin[k] + gap[k] - carried[k];
      rate[k] = seconds > 0 ? (next - displacement[k]) / seconds : 0;
      displacement[k] = next;
    }
  } else {
    release(displacement, rate, seconds, RELEASE_TIME);
  }
  hand.pinned = palm.isDown;
  if (!palm.isDown && vec3.norm(displacement) <= STILL) {
    displacement.fill(0);
    rate.fill(0);
  }
  for (let k = 0; k < 3; k++) target[k] = carried[k] + displacement[k];
  // A longer arm reaches into the ground before its palm counts as down.
  const lift = Math.max(0, ground - vec3.dot(target, up));
  for (let k = 0; k < 3; k++) target[k] += lift * up[k];
  return palm.isDown || lift > STILL || vec3.norm(displacement) > 0;
}
