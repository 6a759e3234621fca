/** Values to places of a plot, px. */
export interface ValueScale {
  readonly low: number;
  readonly high: number;
  readonly height: number;
  /** Numbers of the axis. */
  readonly marks: readonly number[];
  y(value: number): number;
  value(y: number): number;
}

/** Least difference of the ends, room beyond the values as a share of theirs, and least distance of two numbers, px. */
const LEAST = 10;
const ROOM = 0.14;
const MARKS_APART = 26;
const STEPS = [1, 2, 5, 10, 15, 30, 45, 90, 180, 360, 1000, 10_000, 100_000];

/** The scale on which some values fill a plot, in the unit that is shown. */
export function valueScale(values: Iterable<number>, height: number): ValueScale {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low > high) [low, high] = [0, 0];
  const missing = Math.max(0, LEAST - (high - low)) / 2;
  const room = missing + ROOM * (high - low);
  [low, high] = [low - room, high + room];
  const perUnit = height / (high - low);
  const step = STEPS.find((each) => each * perUnit >= MARKS_APART) ?? STEPS[STEPS.length - 1];
  const marks: number[] = [];
  for (let n = Math.ceil(low / step); n * step <= high; n++) marks.push(n * step);
  return {
    low,
    high,
    height,
    marks,
    y: (value) => (high - value) * perUnit,
    value: (y) => high - y / perUnit,
  };
}

/** A line through places, as a path of SVG; broken where a value leaps by more than `leap`: a rotation vector that continues at its other end. */
export function pathOf(
  xs: readonly number[],
  values: ArrayLike<number>,
  y: (value: number) => number,
  leap: number,
): string {
  let path = '';
  for (let k = 0; k < xs.length; k++) {
    const isBroken = k === 0 || Math.abs(values[k] - values[k - 1]) > leap;
    path += `${isBroken ? 'M' : 'L'}${xs[k].toFixed(1)} ${y(values[k]).toFixed(1)}`;
  }
  return path;
}
