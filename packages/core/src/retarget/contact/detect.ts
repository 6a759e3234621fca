/** Frames in which heels and balls of the source are on its ground: low and slow, with hysteresis in time. */

/** Thresholds, for legs of adult length; scaled to others. */
export interface ContactThresholds {
  /** Height over the ground below which a contact begins, and above which it ends, m. */
  readonly heights: readonly [begins: number, ends: number];
  /** Speeds likewise, m/s. */
  readonly speeds: readonly [begins: number, ends: number];
  /** Shorter contacts are dropped, s. */
  readonly minDuration: number;
}

export const DEFAULT_THRESHOLDS: ContactThresholds = {
  heights: [0.03, 0.045],
  speeds: [0.15, 0.23],
  minDuration: 0.08,
};

/** Length of an adult's leg without the foot, m. */
export const ADULT_LEG = 0.87;
/** Gaps in contacts that are closed, s. */
const MAX_GAP = 0.05;
/** Time over which speeds are measured, s. */
const SPEED_TIME = 1 / 30;

/** Frames before and after one over which its speed is measured. */
export function speedFrames(step: number): number {
  return Math.max(1, Math.round(SPEED_TIME / 2 / step));
}

/** Heights of slow points: the lowest part of them is on the ground. */
const LOW_SHARE = 0.2;
/** Range of heights over the lowest that count for the ground, m. */
const GROUND_RANGE = 0.05;

/** A point of the source over all frames. */
export interface PointPath {
  /** Three numbers a frame, world, m. */
  readonly positions: Float64Array;
  /** Component along up. */
  readonly heights: Float64Array;
  /** m/s. */
  readonly speeds: Float64Array;
}

export function pathOf(positions: Float64Array, up: ArrayLike<number>, step: number): PointPath {
  const count = positions.length / 3;
  const heights = new Float64Array(count);
  const speeds = new Float64Array(count);
  const half = speedFrames(step);
  for (let f = 0; f < count; f++) {
    const i = 3 * f;
    heights[f] = positions[i] * up[0] + positions[i + 1] * up[1] + positions[i + 2] * up[2];
    const a = 3 * Math.max(0, f - half);
    const b = 3 * Math.min(count - 1, f + half);
    if (a === b) continue;
    speeds[f] =
      Math.hypot(
        positions[b] - positions[a],
        positions[b + 1] - positions[a + 1],
        positions[b + 2] - positions[a + 2],
      ) /
      (((b - a) / 3) * step);
  }
  return { positions, heights, speeds };
}

/** Height of the ground below slow points, along up, m; undefined where none is slow. */
export function groundBelow(
  paths: readonly PointPath[],
  maxSpeed: number,
  scale: number,
): number | undefined {
  const slow: number[] = [];
  for (const { heights, speeds } of paths) {
    for (let f = 0; f < heights.length; f++) if (speeds[f] <= maxSpeed) slow.push(heights[f]);
  }
  if (slow.length === 0) return undefined;
  slow.sort((a, b) => a - b);
  const low = slow[Math.floor(LOW_SHARE * (slow.length - 1))];
  const standing = slow.filter((height) => Math.abs(height - low) <= GROUND_RANGE * scale);
  return standing[Math.floor(standing.length / 2)];
}

/**
 * Contact frames of a point: those below the second thresholds, in runs that come below the first.
 *
 * @param out - 1 for contact, of the number of frames.
 */
export function findContacts(
  { heights, speeds }: PointPath,
  ground: number,
  scale: number,
  step: number,
  { heights: [low, high], speeds: [slow, fast], minDuration }: ContactThresholds,
  out: Uint8Array,
): void {
  const count = heights.length;
  const isLoose = (f: number): boolean => heights[f] - ground <= high * scale && speeds[f] <= fast * scale;
  const isStrict = (f: number): boolean => heights[f] - ground <= low * scale && speeds[f] <= slow * scale;
  let begin = -1;
  let isContact = false;
  for (let f = 0; f <= count; f++) {
    if (f < count && isLoose(f)) {
      if (begin < 0) begin = f;
      isContact ||= isStrict(f);
      continue;
    }
    if (begin >= 0 && isContact) out.fill(1, begin, f);
    begin = -1;
    isContact = false;
  }
  closeGaps(out, Math.floor(MAX_GAP / step + 1e-9));
  dropShort(out, minDuration / step - 1e-9);
}

function closeGaps(flags: Uint8Array, most: number): void {
  let end = -1;
  for (let f = 0; f < flags.length; f++) {
    if (flags[f] === 0) continue;
    if (end >= 0 && f - end <= most) flags.fill(1, end, f);
    end = f + 1;
  }
}

function dropShort(flags: Uint8Array, least: number): void {
  for (const [from, to] of spansOf(flags)) if (to - from < least) flags.fill(0, from, to + 1);
}

/** Runs of ones: first and last frame. */
export function spansOf(flags: Uint8Array): [from: number, to: number][] {
  const spans: [number, number][] = [];
  for (let f = 0; f < flags.length; f++) {
    if (flags[f] === 0) continue;
    const last = spans[spans.length - 1];
    if (last !== undefined && last[1] === f - 1) last[1] = f;
    else spans.push([f, f]);
  }
  return spans;
}
