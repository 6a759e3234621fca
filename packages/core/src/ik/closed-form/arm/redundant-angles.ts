import { allowedTurn, type Interval, wrapped } from './angle-in-limits.js';

/**
 * The angles to take where any would do (a wrist or a shoulder in line), and what the limits say of them. A solve notes which it took:
 * through those the solutions form curves, not points.
 */
export interface FreeAngles {
  readonly angles: number[];
  /** Limits of the hinges, rad. */
  readonly intervals: readonly Interval[];
  /** Where the hinges start, rad. */
  readonly start: readonly number[];
  /** 1 for each hinge whose angle was taken. */
  readonly taken: Uint8Array;
  /** Whether to look around for another angle where that taken leaves what follows out of reach. */
  around: boolean;
}

export function freeAngles(start: readonly number[], intervals: readonly Interval[]): FreeAngles {
  return { angles: start.slice(), intervals, start, taken: new Uint8Array(start.length), around: true };
}

/** A solution and how it was come to: which of two angles at each step. So a curve of solutions keeps its name. */
export interface Branch {
  readonly angles: number[];
  readonly name: string;
}

/** Kept from an end of a limit where there is room: what polishing may move. */
const INSIDE = 1e-9;
/** Turns of the sum looked at, from the one nearest to the start. */
const TURNS = 3;

/**
 * Of the pairs with a + sign b = sum up to whole turns, as the first and last hinge of a wrist in line have them, the one within both
 * limits that is nearest to the start; undefined where there is none.
 */
export function splitTurn(
  sum: number,
  sign: number,
  [startA, startB]: readonly [number, number],
  [a, b]: readonly [Interval, Interval],
): [number, number] | undefined {
  const turn = 2 * Math.PI;
  const nearest = Math.round((startA + sign * startB - sum) / turn);
  let best: [number, number] | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (let k = nearest - TURNS; k <= nearest + TURNS; k++) {
    const total = sum + k * turn;
    // b = sign (total - a): the half-way pair, held to where both ends are allowed.
    const [fromB, toB] = sign > 0 ? [total - b[1], total - b[0]] : [total + b[0], total + b[1]];
    const low = Math.max(a[0], fromB);
    const high = Math.min(a[1], toB);
    if (!(low <= high)) continue;
    const room = Math.min(INSIDE, 0.5 * (high - low));
    const wanted = 0.5 * (startA + total - sign * startB);
    const first = Math.min(high - room, Math.max(low + room, wanted));
    const second = sign * (total - first);
    const change = (first - startA) ** 2 + (second - startB) ** 2;
    if (!(change < least)) continue;
    least = change;
    best = [first, second];
  }
  return best;
}

/** rad^2: more than any change of six hinges. */
const FORBIDDEN = 1e6;
const SAMPLES = 48;
const GOLDEN = (Math.sqrt(5) - 1) / 2;
/** Steps of the golden section, to 1e-6 of a sampling step, on so many places at most. */
const NARROWINGS = 28;
const PLACES = 3;

/**
 * The angles of hinge k that give, on each curve of solutions, the allowed one nearest to the start: by sampling what its limits
 * leave of a turn, and narrowing down on the best places. Curves without an allowed place have none.
 *
 * @param branchesAt - The branches with the free angles as they stand.
 */
export function alongCurve(
  free: FreeAngles,
  k: number,
  branchesAt: () => readonly Branch[],
): ReadonlyMap<string, number> {
  const [low, high] = rangeOf(free, k);
  const step = (high - low) / SAMPLES;
  free.around = false;
  const costsOf = (angle: number): Map<string, number> => {
    free.angles[k] = angle;
    return costs(free, branchesAt());
  };
  const samples = Array.from({ length: SAMPLES + 1 }, (_, n) => costsOf(low + n * step));
  const found = new Map<string, number>();
  for (const name of new Set(samples.flatMap((one) => [...one.keys()]))) {
    const at = (n: number): number => samples[n]?.get(name) ?? Number.POSITIVE_INFINITY;
    const places = Array.from(samples.keys())
      .filter((n) => at(n) < Number.POSITIVE_INFINITY && at(n) <= at(n - 1) && at(n) <= at(n + 1))
      .sort((a, b) => at(a) - at(b))
      .slice(0, PLACES);
    let best = Number.NaN;
    let least = FORBIDDEN;
    for (const n of places) {
      const narrowed = narrow(
        Math.max(low, low + (n - 1) * step),
        Math.min(high, low + (n + 1) * step),
        (angle) => costsOf(angle).get(name) ?? Number.POSITIVE_INFINITY,
      );
      for (const [angle, cost] of [[low + n * step, at(n)], narrowed]) {
        if (!(cost < least)) continue;
        least = cost;
        best = angle;
      }
    }
    if (least < FORBIDDEN) found.set(name, best);
  }
  free.angles[k] = free.start[k];
  free.around = true;
  return found;
}

/** One turn about the start, or what the limits leave of it. */
function rangeOf({ intervals, start }: FreeAngles, k: number): readonly [number, number] {
  const [min, max] = intervals[k];
  if (max - min >= 2 * Math.PI) {
    const middle = Math.min(max - Math.PI, Math.max(min + Math.PI, start[k]));
    return [middle - Math.PI, middle + Math.PI];
  }
  const room = Math.min(INSIDE, 0.5 * (max - min));
  return [min + room, max - room];
}

/** Of each branch how far its hinges are from the start, or, where limits forbid it, more than that and how much they do. */
function costs({ intervals, start }: FreeAngles, branches: readonly Branch[]): Map<string, number> {
  return new Map(
    branches.map(({ name, angles }) => {
      let change = 0;
      let excess = 0;
      for (let i = 0; i < angles.length; i++) {
        const allowed = allowedTurn(intervals[i], angles[i], start[i]);
        if (allowed === undefined) excess += excessOf(intervals[i], angles[i]);
        else change += (allowed - start[i]) ** 2;
      }
      return [name, excess > 0 ? FORBIDDEN * (1 + excess) : change];
    }),
  );
}

/** How far an angle is outside, by the turn that brings it nearest. */
function excessOf([min, max]: Interval, angle: number): number {
  return Math.min(Math.abs(wrapped(angle - min)), Math.abs(wrapped(angle - max)));
}

/** Where a function is least between two places, and what it is there, by the golden section. */
function narrow(from: number, to: number, at: (x: number) => number): readonly [number, number] {
  let low = from;
  let high = to;
  let x = high - GOLDEN * (high - low);
  let y = low + GOLDEN * (high - low);
  let fx = at(x);
  let fy = at(y);
  for (let n = 0; n < NARROWINGS; n++) {
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
