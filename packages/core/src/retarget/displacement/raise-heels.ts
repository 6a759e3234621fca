/** Heels raised about the ball of the foot where the leg would not reach: how a stride that is long for the leg ends. */
import * as quat from '../../math/geometry/quat.js';
import * as vec3 from '../../math/geometry/vec3.js';
import { unset3 } from '../../math/linear/unset.js';
import { type Clip, writeHipJoints } from '../clip/clip.js';
import { copyAt, multiplyAt, rotateAt } from '../kernel/rotations.js';
import { frontHeight, longestReach } from '../pose/leg.js';
import type { FootPath } from './foot-paths.js';
import { raiseAbove } from './smooth.js';

/** Largest rotation that is added, rad. */
const MAX_ANGLE = 0.9;
/** Angular acceleration with which it begins and ends beside frames with the heel down, rad/s^2. */
const ACCELERATION = 60;
/** Acceleration along the leg with which a foot leaves the ground, m/s^2. */
const FOOT_ACCELERATION = 8;
/** Time over which it fades, s. */
const FADE_TIME = 0.08;

const axis = /* @__PURE__ */ unset3();
const arm = /* @__PURE__ */ unset3();
const side = /* @__PURE__ */ unset3();
const toHip = /* @__PURE__ */ unset3();
const turn = /* @__PURE__ */ new Float64Array(9);
const rotated = /* @__PURE__ */ new Float64Array(9);

/** Distance that a leg may have in a frame. */
export function longestLeg({ leg, lengths }: FootPath, f: number): number {
  return longestReach(leg, lengths[f]);
}

/**
 * Raises the heel of a foot in the frames in which its ball alone is down, as far as the leg needs, smoothly.
 *
 * @param change - Of the hips, three numbers a frame: heels rise before it takes the foot off the ground, and after it comes down.
 */
export function raiseHeels(clip: Clip, path: FootPath, up: ArrayLike<number>, change?: Float64Array): void {
  const { leg, heel, ball } = path;
  const { count, step } = clip;
  const hips = new Float64Array(3 * count);
  writeHipJoints(clip, leg, hips);
  const needed = new Float64Array(count);
  const angles = new Float64Array(count);
  const largest = largestAngles(heel, step);
  let isNeeded = false;
  const excess = excessBeside(path, hips, step, change);
  for (let f = 0; f < count; f++) {
    if (ball[f] === 0 || heel[f] === 1) continue;
    const angle = heelAngle(path, hips, up, f, longestLeg(path, f) - excess[f]);
    if (!(angle > 0)) continue;
    needed[f] = Math.min(angle, largest[f]);
    isNeeded = true;
  }
  if (!isNeeded) return;
  raiseAbove(angles, needed, heel.slice(), step, FADE_TIME);
  for (let f = 0; f < count; f++) if (angles[f] !== 0) raiseHeel(path, up, f, angles[f]);
}

/** Length that a leg has to be below its longest in frames on the ball, for what a change of the hips makes it longer in the air beside them. */
function excessBeside(
  path: FootPath,
  hips: Float64Array,
  step: number,
  change: Float64Array | undefined,
): Float64Array {
  const { ankles, heel, ball } = path;
  const count = heel.length;
  const excess = new Float64Array(count);
  for (let f = 0; f < count; f++) {
    if (change === undefined || heel[f] === 1 || ball[f] === 1) continue;
    const i = 3 * f;
    const x = hips[i] - ankles[i];
    const y = hips[i + 1] - ankles[i + 1];
    const z = hips[i + 2] - ankles[i + 2];
    const above = Math.min(
      Math.sqrt(x * x + y * y + z * z) - longestLeg(path, f),
      Math.hypot(change[i], change[i + 1], change[i + 2]),
    );
    for (const side of [-1, 1]) {
      for (let n = 1; ; n++) {
        const g = f + side * n;
        const left = above - 0.5 * FOOT_ACCELERATION * (n * step) ** 2;
        if (!(left > 0) || g < 0 || g >= count || heel[g] === 1) break;
        if (ball[g] === 1) excess[g] = Math.max(excess[g], left);
      }
    }
  }
  return excess;
}

/**
 * Angle about the ball by which the heel of a foot rises for the distance of ankle and hip joint; not above 0 where it is less.
 *
 * @param hips - Of the leg, three numbers a frame.
 */
export function heelAngle(
  path: FootPath,
  hips: Float64Array,
  up: ArrayLike<number>,
  f: number,
  distance: number,
): number {
  writeArm(path, up, f);
  for (let k = 0; k < 3; k++) toHip[k] = hips[3 * f + k] - path.ankles[3 * f + k] + arm[k];
  // |hip - ball|^2 + |arm|^2 - 2 (hip - ball) . R arm <= distance^2, R about the axis: constant + x cos + y sin.
  const wanted = 0.5 * (vec3.normSquared(toHip) + vec3.normSquared(arm) - distance * distance);
  const constant = vec3.dot(toHip, axis) * vec3.dot(arm, axis);
  const x = vec3.dot(toHip, arm) - constant;
  if (constant + x >= wanted) return 0;
  vec3.cross(axis, arm, side);
  const y = vec3.dot(toHip, side);
  const size = Math.hypot(x, y);
  const spread = size > 0 ? Math.acos(Math.min(1, Math.max(-1, (wanted - constant) / size))) : 0;
  return Math.atan2(y, x) - spread;
}

/** Rotates a foot about its ball; its front stays on the ground. */
export function raiseHeel(path: FootPath, up: ArrayLike<number>, f: number, angle: number): void {
  const { leg, rotations, ankles } = path;
  writeArm(path, up, f);
  const before = frontHeight(leg, rotations, 9 * f, up);
  quat.toMatrix(quat.fromAxisAngle(axis, angle), turn);
  multiplyAt(turn, 0, rotations, 9 * f, rotated, 0);
  copyAt(rotated, 0, rotations, 9 * f, 9);
  rotateAt(turn, 0, arm, 0, side, 0);
  for (let k = 0; k < 3; k++) ankles[3 * f + k] += side[k] - arm[k];
  const rise = before - frontHeight(leg, rotations, 9 * f, up) - vec3.dot(side, up) + vec3.dot(arm, up);
  for (let k = 0; k < 3; k++) ankles[3 * f + k] += rise * up[k];
}

/** Ankle relative to the ball, and the axis about which the heel rises: the left of the foot along the ground. */
function writeArm({ leg, rotations }: FootPath, up: ArrayLike<number>, f: number): void {
  rotateAt(rotations, 9 * f, leg.ball, 0, arm, 0);
  for (let k = 0; k < 3; k++) arm[k] = -arm[k];
  rotateAt(rotations, 9 * f, leg.footLeft, 0, axis, 0);
  vec3.addScaled(axis, up, -vec3.dot(axis, up), axis);
  vec3.normalize(axis, axis);
}

/** Of each frame, by its time from frames with the heel down. */
function largestAngles(heel: Uint8Array, step: number): Float64Array {
  const count = heel.length;
  const angles = new Float64Array(count).fill(MAX_ANGLE);
  let before = Number.POSITIVE_INFINITY;
  let after = Number.POSITIVE_INFINITY;
  for (let f = 0; f < count; f++) {
    const g = count - 1 - f;
    before = heel[f] === 1 ? 0 : before + 1;
    after = heel[g] === 1 ? 0 : after + 1;
    angles[f] = Math.min(angles[f], 0.5 * ACCELERATION * (before * step) ** 2);
    angles[g] = Math.min(angles[g], 0.5 * ACCELERATION * (after * step) ** 2);
  }
  return angles;
}
