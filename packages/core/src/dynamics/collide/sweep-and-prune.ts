import type { Collider, Sweep } from './collider.js';

/*
 * Broad phase: sweep and prune over the bounds of figures (Baraff 1992). The bounds are sorted along the axis of largest variance, and each is
 * compared with those that begin before it ends. The order is kept from call to call (temporal coherence); the result does not depend on it.
 */

/** The sweep axis changes where another has this many times its variance. */
const AXIS_CHANGE_RATIO = 2;

/** Writes the pairs of figures whose bounds are within the margins to `sweep.pairs`, in order of their indices. */
export function sweepAndPrune({ figures, shapeStart, figureBounds, sweep, figureMargin }: Collider): void {
  const n = figures.length;
  sweep.count = 0;
  if (n < 2) return;
  chooseAxis(sweep, figureBounds, n);
  const { order, axis } = sweep;
  let maxMargin = 0;
  for (let f = 0; f < n; f++) maxMargin = Math.max(maxMargin, figureMargin[f]);
  for (let i = 1; i < n; i++) {
    const f = order[i];
    const start = figureBounds[6 * f + axis];
    let j = i;
    for (; j > 0 && figureBounds[6 * order[j - 1] + axis] > start; j--) order[j] = order[j - 1];
    order[j] = f;
  }
  for (let i = 0; i < n; i++) {
    const f = order[i];
    if (shapeStart[f] === shapeStart[f + 1]) continue;
    const end = figureBounds[6 * f + 3 + axis] + figureMargin[f] + maxMargin;
    for (let j = i + 1; j < n && figureBounds[6 * order[j] + axis] <= end; j++) {
      const g = order[j];
      if (shapeStart[g] === shapeStart[g + 1]) continue;
      if (!boundsOverlap(figureBounds, f, figureBounds, g, figureMargin[f] + figureMargin[g])) continue;
      if (sweep.count === sweep.pairs.length) {
        const grown = new Float64Array(2 * sweep.count);
        grown.set(sweep.pairs);
        sweep.pairs = grown;
      }
      sweep.pairs[sweep.count++] = Math.min(f, g) * n + Math.max(f, g);
    }
  }
  sortHeap(sweep.pairs, sweep.count);
}

/** Whether two bounds, six numbers each, overlap or are within `margin`. */
export function boundsOverlap(
  a: Float64Array,
  i: number,
  b: Float64Array,
  j: number,
  margin: number,
): boolean {
  const p = 6 * i;
  const q = 6 * j;
  return (
    a[p] - b[q + 3] <= margin &&
    b[q] - a[p + 3] <= margin &&
    a[p + 1] - b[q + 4] <= margin &&
    b[q + 1] - a[p + 4] <= margin &&
    a[p + 2] - b[q + 5] <= margin &&
    b[q + 2] - a[p + 5] <= margin
  );
}

function chooseAxis(sweep: Sweep, bounds: Float64Array, n: number): void {
  let best = sweep.axis;
  let max = AXIS_CHANGE_RATIO * variance(bounds, n, sweep.axis);
  for (let k = 0; k < 3; k++) {
    const spread = variance(bounds, n, k);
    if (!(spread > max)) continue;
    max = spread;
    best = k;
  }
  sweep.axis = best;
}

function variance(bounds: Float64Array, n: number, k: number): number {
  let sum = 0;
  let squares = 0;
  for (let f = 0; f < n; f++) {
    const middle = (bounds[6 * f + k] + bounds[6 * f + 3 + k]) / 2;
    if (!Number.isFinite(middle)) continue;
    sum += middle;
    squares += middle * middle;
  }
  return squares / n - (sum / n) ** 2;
}

/** Heap sort of the first `count` numbers, in place. */
function sortHeap(numbers: Float64Array, count: number): void {
  for (let i = (count >> 1) - 1; i >= 0; i--) sink(numbers, i, count);
  for (let end = count - 1; end > 0; end--) {
    const greatest = numbers[0];
    numbers[0] = numbers[end];
    numbers[end] = greatest;
    sink(numbers, 0, end);
  }
}

function sink(numbers: Float64Array, from: number, count: number): void {
  const value = numbers[from];
  let i = from;
  for (;;) {
    let child = 2 * i + 1;
    if (child >= count) break;
    if (child + 1 < count && numbers[child + 1] > numbers[child]) child++;
    if (numbers[child] <= value) break;
    numbers[i] = numbers[child];
    i = child;
  }
  numbers[i] = value;
}
