import type { Collider, Sweep } from './collider.js';

/*
 * Sweep and prune over the bounds of figures (Baraff 1992): sorted along the axis on which they are spread most, each is compared with those that
 * begin before it ends. The order is kept from call to call, where little of it changes. What is found does not depend on it.
 */

/** How much wider another axis must be spread to change to it. */
const WIDER = 2;

/** Writes the pairs of figures whose bounds come within reach to `sweep.pairs`, in the order of their numbers. */
export function sweepFigures({ figures, shapeStart, figureBounds, sweep, figureReach }: Collider): void {
  const n = figures.length;
  sweep.count = 0;
  if (n < 2) return;
  chooseAxis(sweep, figureBounds, n);
  const { order, axis } = sweep;
  let farthest = 0;
  for (let f = 0; f < n; f++) farthest = Math.max(farthest, figureReach[f]);
  for (let i = 1; i < n; i++) {
    const f = order[i];
    const least = figureBounds[6 * f + axis];
    let j = i;
    for (; j > 0 && figureBounds[6 * order[j - 1] + axis] > least; j--) order[j] = order[j - 1];
    order[j] = f;
  }
  for (let i = 0; i < n; i++) {
    const f = order[i];
    if (shapeStart[f] === shapeStart[f + 1]) continue;
    const end = figureBounds[6 * f + 3 + axis] + figureReach[f] + farthest;
    for (let j = i + 1; j < n && figureBounds[6 * order[j] + axis] <= end; j++) {
      const g = order[j];
      if (shapeStart[g] === shapeStart[g + 1]) continue;
      if (!boundsMeet(figureBounds, f, figureBounds, g, figureReach[f] + figureReach[g])) continue;
      if (sweep.count === sweep.pairs.length) {
        const more = new Float64Array(2 * sweep.count);
        more.set(sweep.pairs);
        sweep.pairs = more;
      }
      sweep.pairs[sweep.count++] = Math.min(f, g) * n + Math.max(f, g);
    }
  }
  sortHeap(sweep.pairs, sweep.count);
}

/** Whether two bounds, six numbers each, come within reach. */
export function boundsMeet(a: Float64Array, i: number, b: Float64Array, j: number, reach: number): boolean {
  const p = 6 * i;
  const q = 6 * j;
  return (
    a[p] - b[q + 3] <= reach &&
    b[q] - a[p + 3] <= reach &&
    a[p + 1] - b[q + 4] <= reach &&
    b[q + 1] - a[p + 4] <= reach &&
    a[p + 2] - b[q + 5] <= reach &&
    b[q + 2] - a[p + 5] <= reach
  );
}

function chooseAxis(sweep: Sweep, bounds: Float64Array, n: number): void {
  let widest = sweep.axis;
  let most = WIDER * variance(bounds, n, sweep.axis);
  for (let k = 0; k < 3; k++) {
    const spread = variance(bounds, n, k);
    if (!(spread > most)) continue;
    most = spread;
    widest = k;
  }
  sweep.axis = widest;
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

/** Sorts the first `count` numbers in place. */
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
