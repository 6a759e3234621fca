/** The feet of the target over a clip, as the carried legs have them. */
import * as quat from '../../math/geometry/quat.js';
import * as vec3 from '../../math/geometry/vec3.js';
import { unset3 } from '../../math/linear/unset.js';
import { type Clip, writeCarriedLegs, writeHipJoints } from '../clip/clip.js';
import type { ClipContacts } from '../contact/clip-contacts.js';
import { copyAt, multiplyAt, rotateAt } from '../kernel/rotations.js';
import { frontHeight, type Leg } from '../pose/leg.js';
import { smoothDisplacement } from './smooth.js';

/** A foot over a clip. */
export interface FootPath {
  readonly leg: Leg;
  /** World orientation, nine numbers a frame. */
  readonly rotations: Float64Array;
  /** Ankle, three numbers a frame. */
  readonly ankles: Float64Array;
  /** Distance of the ankle from the hip joint as the leg is carried, m a frame. */
  readonly lengths: Float64Array;
  /** 1 where heel and ball are on the ground. */
  readonly heel: Uint8Array;
  readonly ball: Uint8Array;
  /** Their speeds in the clip, by the size of the target, m/s. */
  readonly heelSpeeds: Float64Array;
  readonly ballSpeeds: Float64Array;
  /** How near contacts of heel and ball are, 0 to 1 while they are down. */
  readonly heelNear: Float64Array;
  readonly ballNear: Float64Array;
  /** How far the toes lie on the ground, 0 to 1: 1 while the ball is down. */
  readonly toesDown: Float64Array;
  /** Where the contacts are held, three numbers a frame; NaN without a contact. */
  readonly heelPins: Float64Array;
  readonly ballPins: Float64Array;
  /** Rotation of the knee about the line from hip to ankle that was found, rad a frame. */
  readonly swivels: Float64Array;
}

/** Rotation between sole and ground in contact that is a property of the rigs, at most, rad. */
const MAX_SOLE_TILT = 0.6;

/** Time over which limits take less from an end that is about to be held, s. */
const NEAR_TIME = 0.05;

const vector = /* @__PURE__ */ unset3();
const scratch = /* @__PURE__ */ new Float64Array(9);

/** The feet of the target as the carried legs have them. */
export function createFootPaths(clip: Clip, { feet }: ClipContacts): FootPath[] {
  const { count, row, orientations } = clip;
  const hips = new Float64Array(3 * count);
  return clip.alignment.legs.map((leg, l) => {
    const rotations = new Float64Array(9 * count);
    const ankles = new Float64Array(3 * count);
    const lengths = new Float64Array(count);
    writeHipJoints(clip, leg, hips);
    writeCarriedLegs(clip, leg, ankles);
    for (let f = 0; f < count; f++) {
      copyAt(orientations, row * f + 9 * leg.footSegment, rotations, 9 * f, 9);
      lengths[f] = Math.hypot(ankles[3 * f], ankles[3 * f + 1], ankles[3 * f + 2]);
      for (let k = 0; k < 3; k++) ankles[3 * f + k] += hips[3 * f + k];
    }
    const pins = (): Float64Array => new Float64Array(3 * count).fill(Number.NaN);
    return {
      leg,
      rotations,
      ankles,
      lengths,
      heelNear: blendOf(feet[l].heel, clip.step, NEAR_TIME),
      ballNear: blendOf(feet[l].ball, clip.step, NEAR_TIME),
      toesDown: blendOf(feet[l].ball, clip.step),
      heel: feet[l].heel,
      ball: feet[l].ball,
      heelSpeeds: feet[l].heelSpeeds.map((speed) => clip.alignment.scale * speed),
      ballSpeeds: feet[l].ballSpeeds.map((speed) => clip.alignment.scale * speed),
      heelPins: pins(),
      ballPins: pins(),
      swivels: new Float64Array(count),
    };
  });
}

/** 1 in the frames that are flagged, and smoothly to 0 beside them. */
function blendOf(flags: Uint8Array, step: number, time?: number): Float64Array {
  const blend = Float64Array.from(flags);
  smoothDisplacement(blend, 1, flags, step, time);
  return blend.map((share) => Math.min(1, Math.max(0, share)));
}

/** Moves hips and feet along up, all frames alike, so that points in contact are on the ground: the median of them. */
export function offsetHeights(
  clip: Clip,
  feet: readonly FootPath[],
  up: ArrayLike<number>,
  ground: number,
): void {
  const heights: number[] = [];
  for (const { leg, rotations, ankles, heel, ball } of feet) {
    for (let f = 0; f < clip.count; f++) {
      if (heel[f] === 0 && ball[f] === 0) continue;
      rotateAt(rotations, 9 * f, leg.heel, 0, vector, 0);
      const lowest = heel[f] === 1 ? vec3.dot(vector, up) : frontHeight(leg, rotations, 9 * f, up);
      for (let k = 0; k < 3; k++) vector[k] = ankles[3 * f + k];
      heights.push(lowest + vec3.dot(vector, up));
    }
  }
  if (heights.length === 0) return;
  heights.sort((a, b) => a - b);
  const offset = ground - heights[Math.floor(heights.length / 2)];
  for (const path of [clip.hipCenters, ...feet.map(({ ankles }) => ankles)]) {
    for (let i = 0; i < path.length; i++) path[i] += offset * up[i % 3];
  }
}

/** Rotates a foot by the same rotation in all frames, so that its sole is level on the mean where heel and ball are down. */
export function levelSoles(
  clip: Clip,
  { leg, rotations, heel, ball }: FootPath,
  up: ArrayLike<number>,
): void {
  const sum = new Float64Array(3);
  for (let f = 0; f < heel.length; f++) {
    if (heel[f] === 0 || ball[f] === 0) continue;
    // Up in the frame of the foot.
    for (let k = 0; k < 3; k++) {
      sum[k] +=
        rotations[9 * f + k] * up[0] + rotations[9 * f + k + 3] * up[1] + rotations[9 * f + k + 6] * up[2];
    }
  }
  if (!(vec3.norm(sum) > 0)) return;
  const mean = vec3.normalize(sum);
  const axis = vec3.cross(leg.footUp, mean);
  const sine = vec3.norm(axis);
  const angle = Math.atan2(sine, vec3.dot(leg.footUp, mean));
  if (!(sine > 1e-9)) return;
  const turn = quat.toMatrix(
    quat.fromAxisAngle(vec3.scale(axis, 1 / sine), Math.min(angle, MAX_SOLE_TILT)),
    new Float64Array(9),
  );
  for (let f = 0; f < heel.length; f++) {
    multiplyAt(rotations, 9 * f, turn, 0, scratch, 0);
    copyAt(scratch, 0, rotations, 9 * f, 9);
    copyAt(scratch, 0, clip.orientations, clip.row * f + 9 * leg.footSegment, 9);
  }
}
