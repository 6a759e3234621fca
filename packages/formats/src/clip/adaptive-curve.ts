/** A curve of numbers that follows coordinates which are read moment by moment, within a bound. */
import { type Curve, createCurve } from 'poise/motion';
import { regularize } from 'poise/rotation';
import { FARTHEST } from './charts.js';

/** What is followed. */
export interface FollowTask {
  /** Numbers at a moment. */
  readonly size: number;
  /** Index of the first number of a rotation vector, -1 where there is none. */
  readonly rotation: number;
  /** How many of the numbers are lengths: the first ones. The others are angles. */
  readonly lengths: number;
  /** Stretches without a corner or a jump inside, one after the other. */
  readonly stretches: readonly { readonly start: number; readonly end: number; readonly during: number }[];
  /** The coordinates at a moment of a stretch, to `q`, which holds others that they shall be near to. */
  readonly read: (during: number, time: number, q: Float64Array) => void;
  /** Bounds of what the curve may be off: the sum of the differences of the angles (rad), and of the lengths (m). */
  readonly tolerance: { readonly rotation: number; readonly translation: number };
}

/** A curve, and how far off it was seen. */
export interface FollowingCurve {
  readonly curve: Curve;
  readonly deviation: { readonly rotation: number; readonly translation: number };
  /** Whether it stands still but for rounding. */
  readonly still: boolean;
}

/** Moments looked at inside a piece. */
const LOOKS = 7;
/** Part of the bound that may be used at the moments looked at. */
const IN_HAND = 0.9;
/** Part of a piece that the differences for a rate step over, and f'(0) from f(0), f(h), ..., f(4 h), times 12 h: of fourth order. */
const STEP = 1 / 256;
const ONE_SIDED = [-25, 48, -36, 16, -3];
/** How often a stretch is halved; what is off even then is told. */
const DEEPEST = 14;
/** Movement that is put down to the rounding of single precision, rad or m. */
const STILL = 1e-7;

/**
 * Cubic Hermite pieces with the values and one-sided rates of what is followed, at the ends of all stretches and wherever else the bound asks for a
 * knot. Where a rotation vector comes to be longer than 3/2 pi it is written anew within pi, at a knot.
 */
export function followingCurve(task: FollowTask): FollowingCurve {
  const { size, rotation, lengths, stretches, read, tolerance } = task;
  const knots = [stretches[0].start];
  const controls: number[] = [];
  const deviation = { rotation: 0, translation: 0 };
  const looks = Array.from({ length: LOOKS + 2 }, () => new Float64Array(size));
  const rates = [new Float64Array(size), new Float64Array(size)];
  const near = new Float64Array(size);
  /** Where the curve is, and has been read. */
  const now = new Float64Array(size);

  const rateAt = (
    during: number,
    time: number,
    span: number,
    value: Float64Array,
    rate: Float64Array,
  ): void => {
    rate.fill(0);
    const h = STEP * span;
    for (const [n, weight] of ONE_SIDED.entries()) {
      if (n === 0) continue;
      near.set(value);
      read(during, time + n * h, near);
      // The weights add up to 0: differences, so that what stands still has no rate at all.
      for (let c = 0; c < size; c++) rate[c] += (weight * (near[c] - value[c])) / (12 * h);
    }
  };
  const lengthOf = (q: Float64Array): number => Math.hypot(q[rotation], q[rotation + 1], q[rotation + 2]);
  const rewrite = (): void => {
    regularize(now.subarray(rotation, rotation + 3), now.subarray(rotation, rotation + 3));
  };

  const go = (during: number, start: number, end: number, depth: number): void => {
    const span = end - start;
    const middle = 0.5 * (start + end);
    const divides = depth > 0 && middle > start && middle < end;
    const halve = (): void => {
      go(during, start, middle, depth - 1);
      go(during, middle, end, depth - 1);
    };
    let farthest = 0;
    looks[0].set(now);
    for (let n = 1; n <= LOOKS + 1; n++) {
      looks[n].set(looks[n - 1]);
      read(during, n > LOOKS ? end : start + (span * n) / (LOOKS + 1), looks[n]);
      if (rotation >= 0) farthest = Math.max(farthest, lengthOf(looks[n]));
    }
    if (farthest > FARTHEST) {
      if (lengthOf(now) > Math.PI) {
        rewrite();
        go(during, start, end, depth);
        return;
      }
      if (divides) {
        halve();
        return;
      }
    }
    const first = looks[0];
    const last = looks[LOOKS + 1];
    rateAt(during, start, span, first, rates[0]);
    rateAt(during, end, -span, last, rates[1]);
    let turned = 0;
    let moved = 0;
    for (let n = 1; n <= LOOKS; n++) {
      const u = n / (LOOKS + 1);
      let angles = 0;
      let ways = 0;
      for (let c = 0; c < size; c++) {
        const off = Math.abs(hermite(first[c], rates[0][c], last[c], rates[1][c], u, span) - looks[n][c]);
        if (c < lengths) ways += off;
        else angles += off;
      }
      turned = Math.max(turned, angles);
      moved = Math.max(moved, ways);
    }
    if (divides && (turned > IN_HAND * tolerance.rotation || moved > IN_HAND * tolerance.translation)) {
      halve();
      return;
    }
    deviation.rotation = Math.max(deviation.rotation, turned);
    deviation.translation = Math.max(deviation.translation, moved);
    const third = span / 3;
    for (let c = 0; c < size; c++) controls.push(first[c]);
    for (let c = 0; c < size; c++) controls.push(first[c] + third * rates[0][c]);
    for (let c = 0; c < size; c++) controls.push(last[c] - third * rates[1][c]);
    for (let c = 0; c < size; c++) controls.push(last[c]);
    knots.push(end);
    now.set(last);
  };

  for (const { start, end, during } of stretches) {
    // At a jump the coordinates are read again from where they were.
    read(during, start, now);
    go(during, start, end, DEEPEST);
  }
  const still = controls.every((value, i) => Math.abs(value - controls[i % size]) <= STILL);
  return { curve: createCurve({ size, degree: 3, knots, controls }), deviation, still };
}

function hermite(a: number, da: number, b: number, db: number, u: number, h: number): number {
  const to = u * u * (3 - 2 * u);
  const rest = 1 - u;
  return (1 - to) * a + h * u * rest * rest * da + to * b - h * u * u * rest * db;
}
