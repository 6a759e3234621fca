/** Measures that others publish, for comparison. */
import type { Leg } from '../pose/leg.js';

/** Of holosoma's `eval_retargeting.py`. */
export interface HolosomaMetrics {
  /** Share of the source's contact frames in which the ball of the foot slides by more than 10 mm a thirtieth of a second. */
  readonly slidingFrames: number;
  /** Share of all frames with a ball of a foot more than 10 mm below the ground. */
  readonly penetrationFrames: number;
  /** Share of the source's contact frames in which the ball of the foot is within 10 mm of the ground. */
  readonly contactPreservation: number;
}

interface BallPath {
  readonly leg: Leg;
  readonly inContact: Uint8Array;
  readonly path: Float64Array;
}

/** m. */
const HOLOSOMA_THRESHOLD = 0.01;
const HOLOSOMA_RATE = 30;

export function holosomaMetrics(
  balls: readonly BallPath[],
  up: ArrayLike<number>,
  ground: number,
  step: number,
): HolosomaMetrics {
  const count = balls[0]?.inContact.length ?? 0;
  const stride = Math.max(1, Math.round(1 / HOLOSOMA_RATE / step));
  const most = HOLOSOMA_THRESHOLD * HOLOSOMA_RATE * stride * step;
  let contacts = 0;
  let sliding = 0;
  let preserved = 0;
  let deep = 0;
  for (let f = 0; f < count; f++) {
    let isDeep = false;
    for (const { inContact, path } of balls) {
      const height = heightOf(path, f, up) - ground;
      if (height < -HOLOSOMA_THRESHOLD) isDeep = true;
      if (inContact[f] === 0) continue;
      contacts++;
      if (Math.abs(height) <= HOLOSOMA_THRESHOLD) preserved++;
      const before = f - stride;
      if (before >= 0 && inContact[before] === 1 && alongGround(path, before, f, up) > most) sliding++;
    }
    if (isDeep) deep++;
  }
  return {
    slidingFrames: contacts > 0 ? sliding / contacts : 0,
    penetrationFrames: count > 0 ? deep / count : 0,
    contactPreservation: contacts > 0 ? preserved / contacts : 1,
  };
}

/** Of `calculate_skating_ratio`: 20 frames a second, speeds over five of them. */
const SKATING_RATE = 20;
const SKATING_HEIGHT = 0.05;
const SKATING_SPEED = 0.5;
const WINDOW = 5;

export function skatingRatio(
  paths: readonly Float64Array[],
  up: ArrayLike<number>,
  ground: number,
  step: number,
): number {
  const stride = Math.max(1, Math.round(1 / SKATING_RATE / step));
  const count = paths.length > 0 ? Math.floor((paths[0].length / 3 - 1) / stride) : 0;
  if (count < 1) return 0;
  const isSkating = new Uint8Array(count);
  for (const path of paths) {
    const speeds = new Float64Array(count);
    for (let n = 0; n < count; n++) {
      speeds[n] = alongGround(path, n * stride, (n + 1) * stride, up) / (stride * step);
    }
    for (let n = 0; n < count; n++) {
      if (heightOf(path, n * stride, up) - ground >= SKATING_HEIGHT) continue;
      if (heightOf(path, (n + 1) * stride, up) - ground >= SKATING_HEIGHT) continue;
      let mean = 0;
      for (let k = -2; k <= 2; k++) mean += (speeds[n + k] ?? 0) / WINDOW;
      if (speeds[n] > SKATING_SPEED && mean > SKATING_SPEED) isSkating[n] = 1;
    }
  }
  return isSkating.reduce((sum, is) => sum + is, 0) / count;
}

function heightOf(path: Float64Array, f: number, up: ArrayLike<number>): number {
  return path[3 * f] * up[0] + path[3 * f + 1] * up[1] + path[3 * f + 2] * up[2];
}

/** Distance between two frames along the ground, m. */
function alongGround(path: Float64Array, a: number, b: number, up: ArrayLike<number>): number {
  const x = path[3 * b] - path[3 * a];
  const y = path[3 * b + 1] - path[3 * a + 1];
  const z = path[3 * b + 2] - path[3 * a + 2];
  const along = x * up[0] + y * up[1] + z * up[2];
  return Math.sqrt(Math.max(0, x * x + y * y + z * z - along * along));
}
