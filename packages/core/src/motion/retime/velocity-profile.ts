/** The fastest squared rates of time at the ends of cells that all constraints allow. */
import type { CellConstraints } from './interval-constraints.js';

/**
 * b = s'^2 at each end of the cells, at most 1 (never faster than the motion was): from the last cell to the first the most from which the next
 * can be gone on, then from the first to the last the most that can be reached. That is the time-optimal way of path parameterization by
 * reachability (Pham and Pham 2018, TOPP-RA), here with constraints that hold all over a cell.
 *
 * Each cell admits a convex set around (0, 0), so whatever is at most the bound can be gone on from: by (x, y) scaled down.
 * @param cells - One for each two ends.
 * @param most - The most that b may be at each end, at most 1.
 */
export function speedProfile(cells: readonly CellConstraints[], most: Float64Array): Float64Array {
  const reach = most.slice();
  // First what each end must keep by itself, then what both share.
  for (const shared of [false, true]) {
    for (let i = 0; i < cells.length; i++) holdToLines(cells[i], reach, i, shared);
  }
  for (let i = cells.length - 1; i >= 0; i--) goBack(cells[i], reach, i);
  for (let i = 0; i < cells.length; i++) reach[i + 1] = mostAfter(cells[i], reach[i], reach[i + 1]);
  return reach;
}

/** Brings both ends below every line p x + q y <= 1 together, the larger one first, so that neither then depends on the other. */
function holdToLines({ lines }: CellConstraints, reach: Float64Array, i: number, shared: boolean): void {
  for (let k = 0; k < lines.length; k += 2) {
    const p = Math.max(0, lines[k]);
    const q = Math.max(0, lines[k + 1]);
    if ((p > 0 && q > 0) !== shared) continue;
    const x = reach[i];
    const y = reach[i + 1];
    if (p * x + q * y <= 1) continue;
    // The larger one goes down, to no less than the level at which both are alike; what is still too much both bear.
    const level = 1 / (p + q);
    if (x > y) reach[i] = Math.max(Math.min(p > 0 ? (1 - q * y) / p : x, x), Math.min(level, x));
    else reach[i + 1] = Math.max(Math.min(q > 0 ? (1 - p * x) / q : y, y), Math.min(level, y));
    const sum = p * reach[i] + q * reach[i + 1];
    if (sum > 1) {
      reach[i] /= sum;
      reach[i + 1] /= sum;
    }
  }
}

/**
 * How much of the most that a cell can end with has to be left when it begins with the most it can. Where constraints set one against the other, as
 * they do where the motion itself nearly stands, all for the beginning would leave nothing for the end.
 */
const LEFT = 0.9;

/** Bounds at both ends of a cell: no more at its end than it can have there, no more at its beginning than can be gone on from. */
function goBack(cell: CellConstraints, reach: Float64Array, i: number): void {
  if (cell.ellipses.length === 0) return;
  const next = reach[i + 1];
  if (next === 0) {
    reach[i] = Math.min(reach[i], 1 / gauge(cell, 1, 0));
    return;
  }
  const high = (angle: number): number => Math.sin(angle) * edge(cell, angle, next);
  const wide = (angle: number): number => Math.cos(angle) * edge(cell, angle, next);
  const top = highest(high, 0, 0.5 * Math.PI);
  reach[i + 1] = high(top);
  // Along the edge y rises up to there.
  let low = 0;
  let up = top;
  for (let n = 0; n < STEPS; n++) {
    const middle = 0.5 * (low + up);
    if (high(middle) < LEFT * reach[i + 1]) low = middle;
    else up = middle;
  }
  reach[i] = Math.min(reach[i], wide(highest(wide, up, top)));
}

const GOLDEN = 0.5 * (Math.sqrt(5) - 1);
const STEPS = 60;

/** Where in [low, high] a function is largest that rises and then falls: by golden sections. */
function highest(f: (x: number) => number, low: number, high: number): number {
  let [from, to] = [low, high];
  let a = to - GOLDEN * (to - from);
  let b = from + GOLDEN * (to - from);
  let atA = f(a);
  let atB = f(b);
  for (let n = 0; n < STEPS; n++) {
    if (atA > atB) {
      [to, b, atB] = [b, a, atA];
      a = to - GOLDEN * (to - from);
      atA = f(a);
    } else {
      [from, a, atA] = [a, b, atB];
      b = from + GOLDEN * (to - from);
      atB = f(b);
    }
  }
  const inside = atA > atB ? a : b;
  const ends = f(low) > f(high) ? low : high;
  return f(ends) >= f(inside) ? ends : inside;
}

/** How far the ray at an angle from the x axis goes until it leaves what is allowed, or y = next or x, y = 1. */
function edge(cell: CellConstraints, angle: number, next: number): number {
  const c = Math.cos(angle);
  const s = Math.sin(angle);
  return 1 / Math.max(c, s, s / next, gauge(cell, c, s));
}

/** How large (x, y) is, measured by the accelerations: 1 is the most. */
function gauge({ ellipses }: CellConstraints, x: number, y: number): number {
  let square = 0;
  for (let k = 0; k < ellipses.length; k += 3) {
    square = Math.max(square, ellipses[k] * x * x + 2 * ellipses[k + 1] * x * y + ellipses[k + 2] * y * y);
  }
  return Math.sqrt(square);
}

/**
 * Rounding of x, against what accelerations allow squared: an ellipse that is all but a line across x would make anything of it. Limits are
 * undercut by more.
 */
const SLACK = 2e-10;

/** The largest y <= next such that (x, y) is allowed, x one that can be gone on from. */
function mostAfter({ ellipses }: CellConstraints, x: number, next: number): number {
  let y = next;
  for (let k = 0; k < ellipses.length; k += 3) {
    const [a, b, c] = [ellipses[k], ellipses[k + 1] * x, ellipses[k + 2]];
    if (!(c > 0)) continue;
    // The upper root of c y^2 + 2 b y + a x^2 - 1, without a difference of equals.
    const rest = 1 + SLACK - a * x * x;
    const root = Math.sqrt(Math.max(0, b * b + c * rest));
    y = Math.min(y, b > 0 ? rest / (root + b) : (root - b) / c);
  }
  return Math.max(0, y);
}
