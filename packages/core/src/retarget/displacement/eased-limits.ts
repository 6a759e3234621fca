/** Joints of trunk, head and arms that come to their limits and leave them without a kink: displaced inwards beside, smoothly. */
import type { LimitComponent } from '../../figure/limits/limit.js';
import type { FrameWriter } from '../pose/frame-writer.js';
import { placeBone } from '../pose/joint-writer.js';
import { raiseAbove } from './smooth.js';

/** Time over which the displacement fades, s: half of that of feet (`smooth.ts`). */
const FADE_TIME = 0.05;
/** Displacement that is none, rad or m. */
const NONE = 1e-6;

/** A bone that moves with a limit of its joint or of a joint above it. */
const MOVED = 1;
/** A bone above those. */
const ABOVE = 2;

/** Limits over a clip. */
export interface EasedLimits {
  readonly limits: readonly LimitComponent[];
  readonly count: number;
  /** What each limit takes from the orientations, `count` numbers each; then how far joints are moved inwards. */
  readonly paths: Float64Array;
}

export function easedLimits({ upperLimits: limits }: FrameWriter, count: number): EasedLimits {
  return { limits, count, paths: new Float64Array(limits.length * count) };
}

/** Records what limits took from the frame that was written. */
export function recordExcess(
  { limits, count, paths }: EasedLimits,
  { joints }: FrameWriter,
  f: number,
): void {
  for (let n = 0; n < limits.length; n++) paths[n * count + f] = joints.excess[limits[n].coordinate];
}

/** Makes of what limits take the smooth displacements that take at least as much. @returns whether there are any. */
export function easeExcess({ limits, count, paths }: EasedLimits, step: number): boolean {
  let isAny = false;
  for (let n = 0; n < limits.length; n++) {
    const path = paths.subarray(n * count, (n + 1) * count);
    if (!path.some((excess) => excess !== 0)) continue;
    isAny = true;
    const sum = new Float64Array(count);
    for (const sign of [1, -1]) {
      const needed = path.map((excess) => Math.max(0, sign * excess));
      const values = new Float64Array(count);
      raiseAbove(values, needed, new Uint8Array(count), step, FADE_TIME);
      for (let f = 0; f < count; f++) sum[f] += sign * Math.max(0, values[f]);
    }
    path.set(sum);
  }
  return isAny;
}

/**
 * Sets how far limits move the joints in a frame, and places what those joints hang on.
 *
 * @returns the bones that move with them, parents first.
 */
export function moveInwards(
  { limits, count, paths }: EasedLimits,
  { joints }: FrameWriter,
  f: number,
  pose: Float64Array,
): Int32Array {
  const { parents } = joints.figure;
  const states = new Uint8Array(parents.length);
  for (let n = 0; n < limits.length; n++) {
    const { bone, coordinate } = limits[n];
    const path = paths[n * count + f];
    joints.inwards[coordinate] = Math.abs(path) > NONE ? path : 0;
    if (Math.abs(path) <= NONE) continue;
    states[bone] = MOVED;
    for (let b = parents[bone]; b >= 0 && states[b] === 0; b = parents[b]) states[b] = ABOVE;
  }
  const moved: number[] = [];
  for (let b = 0; b < states.length; b++) {
    if (parents[b] >= 0 && states[parents[b]] === MOVED) states[b] = MOVED;
    if (states[b] === ABOVE) placeBone(joints, b, pose);
    else if (states[b] === MOVED) moved.push(b);
  }
  return Int32Array.from(moved);
}
