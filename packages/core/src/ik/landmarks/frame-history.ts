/** Number of frames whose median counts: one second of video. */
const FRAMES = 31;

/** The last values of a quantity, one per frame. */
export interface FrameHistory {
  readonly values: Float64Array;
  readonly sorted: Float64Array;
  /** Number of values added. */
  count: number;
}

export function createFrameHistory(): FrameHistory {
  return { values: new Float64Array(FRAMES), sorted: new Float64Array(FRAMES), count: 0 };
}

export function addFrame(history: FrameHistory, value: number): void {
  history.values[history.count++ % FRAMES] = value;
}

/** Median of the last values; NaN without any. */
export function medianOf({ values, sorted, count }: FrameHistory): number {
  const size = Math.min(count, FRAMES);
  if (size === 0) return Number.NaN;
  sorted.set(values);
  return sorted.subarray(0, size).sort()[size >> 1];
}
