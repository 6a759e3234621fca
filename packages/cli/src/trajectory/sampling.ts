/** Times over a clip, and the difference of two frames. */

/** Samples of a clip at most. */
const MAX_POINTS = 300;

/** Evenly over a clip, both ends included, s. */
export function evenTimes(start: number, end: number, rate: number, most = MAX_POINTS): number[] {
  const intervals = Math.max(1, Math.min(most - 1, Math.round((end - start) * rate)));
  return Array.from({ length: intervals + 1 }, (_, k) => start + ((end - start) * k) / intervals);
}

/** Angle between two rotations of lists of transforms, rad: exact where it is small. */
export function angleBetween(a: ArrayLike<number>, b: ArrayLike<number>, at: number): number {
  let sum = 0;
  for (let i = at; i < at + 9; i++) sum += (a[i] - b[i]) ** 2;
  return 2 * Math.asin(Math.min(1, Math.sqrt(sum / 8)));
}
