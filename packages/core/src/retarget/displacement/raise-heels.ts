/** Heels raised about the ball of the foot where the leg would not reach: how a stride that is long for the leg ends. */
import * as quat from '../../math/geometry/quat.js';
import * as vec3 from '../../math/geometry/vec3.js';
import { type Clip, writeHipJoints } from '../clip/clip.js';
import { copyAt, multiplyAt, rotateAt } from '../kernel/rotations.js';
import { frontHeight, longestReach } from '../pose/leg.js';
import type { FootPath } from './foot-paths.js';
import { raiseAbove } from './smooth.js';

/** Largest rotation that is added, rad. */
const MAX_ANGLE = 0.9;
/** Angular acceleration with which it begins and ends beside frames with the heel down, rad/s^2. */
const ACCELERATION = 60;
/** Time over which it fades, s. */
const FADE_TIME = 0.08;

const axis = [0, 0, 0];
const arm = [0, 0, 0];
const side = [0, 0, 0];
const toHip = [0, 0, 0];
const turn = /* @__PURE__ */ new Float64Array(9);
const rotated = /* @__PURE__ */ new Float64Array(9);

/** Distance that a leg may have in a frame. */
export function longestLeg({ leg, lengths }: FootPath, f: number): number {
  return longestReach(leg, lengths[f]);
}

/** Raises the heel of a foot in the frames in which its ball alone is down, as far as the leg needs, smoothly. */
export function raiseHeels(clip: Clip, path: FootPath, up: ArrayLike<number>): void {
  const { leg, rotations, ankles, heel, ball } = path;
  const { count, step } = clip;
  const hips = new Float64Array(3 * count);
  writeHipJoints(clip, leg, hips);
  const needed = new Float64Array(count);
  const angles = new Float64Array(count);
  const largest = largestAngles(heel, step);
  let isNeeded = false;
  for (let f = 0; f < count; f++) {
    if (ball[f] === 0 || heel[f] === 1) continue;
    writeArm(path, up, f);
    for (let k = 0; k < 3; k++) toHip[k] = hips[3 * f + k] - ankles[3 * f + k] + arm[k];
    const longest = longestLeg(path, f);
    // |hip - ball|^2 + |arm|^2 - 2 (hip - ball) . R arm <= longest^2, R about the axis: constant + x cos + y sin.
    const wanted = 0.5 * (vec3.normSquared(toHip) + vec3.normSquared(arm) - longest * longest);
    const constant = vec3.dot(toHip, axis) * vec3.dot(arm, axis);
    const x = vec3.dot(toHip, arm) - constant;
    if (constant + x >= wanted) continue;
    vec3.cross(axis, arm, side);
    const y = vec3.dot(toHip, side);
    const size = Math.hypot(x, y);
    const spread = size > 0 ? Math.acos(Math.min(1, Math.max(-1, (wanted - constant) / size))) : 0;
    const angle = Math.atan2(y, x) - spread;
    if (!(angle > 0)) continue;
    needed[f] = Math.min(angle, largest[f]);
    isNeeded = true;
  }
  if (!isNeeded) return;
  raiseAbove(angles, needed, heel.slice(), step, FADE_TIME);
  for (let f = 0; f < count; f++) {
    if (angles[f] === 0) continue;
    writeArm(path, up, f);
    const before = frontHeight(leg, rotations, 9 * f, up);
    quat.toMatrix(quat.fromAxisAngle(axis, angles[f]), turn);
    multiplyAt(turn, 0, rotations, 9 * f, rotated, 0);
    copyAt(rotated, 0, rotations, 9 * f, 9);
    rotateAt(turn, 0, arm, 0, side, 0);
    for (let k = 0; k < 3; k++) ankles[3 * f + k] += side[k] - arm[k];
    // The front stays on the ground: the turn is about the ball.
    const rise = before - frontHeight(leg, rotations, 9 * f, up) - vec3.dot(side, up) + vec3.dot(arm, up);
    for (let k = 0; k < 3; k++) ankles[3 * f + k] += rise * up[k];
  }
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
