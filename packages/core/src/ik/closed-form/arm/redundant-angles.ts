import { angleWithinLimits, type Interval, wrapAngle } from './angle-in-limits.js';

/**
 * The values of redundant angles, where every angle is a solution (a wrist or a shoulder in line), with the hinges' limits. A solve
 * records which of them it used: along these the solutions form curves, not points.
 */
export interface RedundantAngles {
  readonly angles: number[];
  /** Limits of the hinges, rad. */
  readonly intervals: readonly Interval[];
  /** Start angles of the hinges, rad. */
  readonly start: readonly number[];
  /** 1 for each hinge whose redundant angle was used. */
  readonly used: Uint8Array;
  /** Whether to try other angles where the one used leaves the rest of the arm out of reach. */
  searchAround: boolean;
}

export function createRedundantAngles(
  start: readonly number[],
  intervals: readonly Interval[],
): RedundantAngles {
  return { angles: start.slice(), intervals, start, used: new Uint8Array(start.length), searchAround: true };
}

/** A solution, named by which of two angles it has at each step, so that a curve of solutions has one name. */
export interface Branch {
  readonly angles: number[];
  readonly name: string;
}

/** Distance kept from a bound where the interval allows, for the polishing. */
const BOUND_MARGIN = 1e-9;
/** Multiples of 2 pi of the sum that are tried, from the one nearest to the start. */
const MAX_REVOLUTIONS = 3;

/**
 * Of the pairs with a + sign b = sum modulo 2 pi (the first and last hinge of a wrist in line), the one within both limits that is
 * nearest to the start; undefined where there is none.
 */
export function splitAngle(
  sum: number,
  sign: number,
  [startA, startB]: readonly [number, number],
  [a, b]: readonly [Interval, Interval],
): [number, number] | undefined {
  const revolution = 2 * Math.PI;
  const nearest = Math.round((startA + sign * startB - sum) / revolution);
  let best: [number, number] | undefined;
  let min = Number.POSITIVE_INFINITY;
  for (let k = nearest - MAX_REVOLUTIONS; k <= nearest + MAX_REVOLUTIONS; k++) {
    const total = sum + k * revolution;
    // b = sign (total - a): the pair nearest to the start, clamped to both limits.
    const [fromB, toB] = sign > 0 ? [total - b[1], total - b[0]] : [total + b[0], total + b[1]];
    const low = Math.max(a[0], fromB);
    const high = Math.min(a[1], toB);
    if (!(low <= high)) continue;
    const room = Math.min(BOUND_MARGIN, 0.5 * (high - low));
    const wanted = 0.5 * (startA + total - sign * startB);
    const first = Math.min(high - room, Math.max(low + room, wanted));
    const second = sign * (total - first);
    const change = (first - startA) ** 2 + (second - startB) ** 2;
    if (!(change < min)) continue;
    min = change;
    best = [first, second];
  }
  return best;
}

/** rad^2: larger than any squared change of six hinges. */
const LIMIT_PENALTY = 1e6;
const SAMPLES = 48;
const GOLDEN = (Math.sqrt(5) - 1) / 2;
/** Steps of the golden-section search, to 1e-6 of a sampling step, and the largest number of minima that it refines. */
const GOLDEN_SECTION_STEPS = 28;
const MAX_MINIMA = 3;

/**
 * For each curve of solutions, the angle of hinge k with the allowed solution nearest to the start: by sampling one revolution within
 * its limits, and a golden-section search about the best samples. Curves without an allowed solution have none.
 *
 * @param branchesAt - The branches for the present redundant angles.
 */
export function bestOnSolutionCurve(
  free: RedundantAngles,
  k: number,
  branchesAt: () => readonly Branch[],
): ReadonlyMap<string, number> {
  const [low, high] = rangeOf(free, k);
  const step = (high - low) / SAMPLES;
  free.searchAround = false;
  const costsOf = (angle: number): Map<string, number> => {
    free.angles[k] = angle;
    return costs(free, branchesAt());
  };
  const samples = Array.from({ length: SAMPLES + 1 }, (_, n) => costsOf(low + n * step));
  const found = new Map<string, number>();
  for (const name of new Set(samples.flatMap((one) => [...one.keys()]))) {
    const at = (n: number): number => samples[n]?.get(name) ?? Number.POSITIVE_INFINITY;
    const positions = Array.from(samples.keys())
      .filter((n) => at(n) < Number.POSITIVE_INFINITY && at(n) <= at(n - 1) && at(n) <= at(n + 1))
      .sort((a, b) => at(a) - at(b))
      .slice(0, MAX_MINIMA);
    let best = Number.NaN;
    let min = LIMIT_PENALTY;
    for (const n of positions) {
      const narrowed = goldenSection(
        Math.max(low, low + (n - 1) * step),
        Math.min(high, low + (n + 1) * step),
        (angle) => costsOf(angle).get(name) ?? Number.POSITIVE_INFINITY,
      );
      for (const [angle, cost] of [[low + n * step, at(n)], narrowed]) {
        if (!(cost < min)) continue;
        min = cost;
        best = angle;
      }
    }
    if (min < LIMIT_PENALTY) found.set(name, best);
  }
  free.angles[k] = free.start[k];
  free.searchAround = true;
  return found;
}

/** One revolution about the start, or the interval of the limits if that is smaller. */
function rangeOf({ intervals, start }: RedundantAngles, k: number): readonly [number, number] {
  const [min, max] = intervals[k];
  if (max - min >= 2 * Math.PI) {
    const middle = Math.min(max - Math.PI, Math.max(min + Math.PI, start[k]));
    return [middle - Math.PI, middle + Math.PI];
  }
  const room = Math.min(BOUND_MARGIN, 0.5 * (max - min));
  return [min + room, max - room];
}

/** The squared change of each branch from the start; for a branch outside the limits a penalty that grows with the violation. */
function costs({ intervals, start }: RedundantAngles, branches: readonly Branch[]): Map<string, number> {
  return new Map(
    branches.map(({ name, angles }) => {
      let change = 0;
      let excess = 0;
      for (let i = 0; i < angles.length; i++) {
        const allowed = angleWithinLimits(intervals[i], angles[i], start[i]);
        if (allowed === undefined) excess += violationOf(intervals[i], angles[i]);
        else change += (allowed - start[i]) ** 2;
      }
      return [name, excess > 0 ? LIMIT_PENALTY * (1 + excess) : change];
    }),
  );
}

/** The smallest distance of an angle, modulo 2 pi, from the bounds. */
function violationOf([min, max]: Interval, angle: number): number {
  return Math.min(Math.abs(wrapAngle(angle - min)), Math.abs(wrapAngle(angle - max)));
}

/** Minimizer and minimum of a function on an interval, by golden-section search. */
function goldenSection(from: number, to: number, at: (x: number) => number): readonly [number, number] {
  let low = from;
  let high = to;
  let x = high - GOLDEN * (high - low);
  let y = low + GOLDEN * (high - low);
  let fx = at(x);
  let fy = at(y);
  for (let n = 0; n < GOLDEN_SECTION_STEPS; n++) {
    if (fx <= fy) {
      high = y;
      y = x;
      fy = fx;
      x = high - GOLDEN * (high - low);
      fx = at(x);
    } else {
      low = x;
      x = y;
      fx = fy;
      y = low + GOLDEN * (high - low);
      fy = at(y);
    }
  }
  return fx <= fy ? [x, fx] : [y, fy];
}
