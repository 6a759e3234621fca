/**
 * What counts on one side only in the model of a step: inequalities, k = rho, and the ends of intervals, stiff. Each adds
 *
 *   k/2 max(0, y + a.p)^2
 *
 * to the model, y how far beyond it is where no step is made (c + lambda / rho of an inequality).
 */
import type { Envelope } from '../../math/linear/envelope-cholesky.js';
import type { TermKind } from '../terms/term.js';
import type { ConvexSet } from '../transcription/convex-sets.js';
import type { JacobianRows } from '../transcription/jacobian-rows.js';
import { addSquares } from './gram-matrix.js';
import { addPull, type Multipliers } from './normal-equations.js';

/** All sides: rows first, then the two ends of each interval. */
export interface Sides {
  /** Which rows are inequalities. */
  readonly rows: Int32Array;
  /** The interval of each end: each twice. */
  readonly intervals: readonly ConvexSet[];
  /** 1 for an upper end, -1 for a lower; and 1 where that is not its own end, but how far the timing may change in a step. */
  readonly sign: Int8Array;
  readonly trust: Uint8Array;
  /** k. */
  readonly stiffness: Float64Array;
  /** y. */
  readonly offset: Float64Array;
  /** y + a.p at the last step, and a times the way from there to the next. */
  readonly beyond: Float64Array;
  readonly way: Float64Array;
  /** 1 for each that the model counts. */
  readonly active: Uint8Array;
  /** What each weighs in the matrix that is put together, and pulls in the gradient: lead + weight y. */
  readonly weight: Float64Array;
  readonly lead: Float64Array;
  readonly pull: Float64Array;
}

/** How much stiffer the end of an interval is than what stands there without it. */
const WALL = 1e7;
/** On the end within this, rad, m or s. */
const AT_END = 1e-12;
/** An end that is farther away, rad, m or s, is not there. */
const FAR = 1e9;

export function createSides(kinds: readonly TermKind[], sets: readonly ConvexSet[]): Sides {
  const rows = Int32Array.from(kinds.flatMap((kind, i) => (kind === 'inequality' ? [i] : [])));
  const intervals = sets.flatMap((set) => [set, set]);
  const count = rows.length + intervals.length;
  const room = (): Float64Array => new Float64Array(count);
  return {
    rows,
    intervals,
    sign: Int8Array.from(intervals, (_, k) => (k % 2 === 0 ? 1 : -1)),
    trust: new Uint8Array(intervals.length),
    stiffness: room(),
    offset: room(),
    beyond: room(),
    way: room(),
    active: new Uint8Array(count),
    weight: room(),
    lead: room(),
    pull: room(),
  };
}

/** The inequalities of a linearization; those count that do where no step is made. */
export function startRows(
  { rows, stiffness, offset, beyond, active }: Sides,
  { residual }: JacobianRows,
  { lambda, rho }: Multipliers,
): void {
  for (let c = 0; c < rows.length; c++) {
    stiffness[c] = rho;
    offset[c] = residual[rows[c]] + lambda[rows[c]] / rho;
    beyond[c] = offset[c];
    active[c] = offset[c] > 0 ? 1 : 0;
  }
}

/**
 * The ends of intervals of a linearization.
 *
 * @param slope - The gradient where no step is made: it says what pushes against an end.
 * @param diagonal - That of the model with all inequalities: what an end has to be stiffer than.
 * @param clockReach - What part of itself the timing may change by: what moves is stretched as a whole, and no linear model sees far.
 */
export function startIntervals(
  { rows, intervals, sign, trust, stiffness, offset, beyond, active }: Sides,
  unknowns: Float64Array,
  slope: Float64Array,
  diagonal: Float64Array,
  clockReach: number,
): void {
  for (let k = 0; k < intervals.length; k++) {
    const { at, parameters, isTiming } = intervals[k];
    const reach = isTiming === true ? clockReach * unknowns[at] : FAR;
    const room = sign[k] > 0 ? parameters[1] - unknowns[at] : unknowns[at] - parameters[0];
    const c = rows.length + k;
    trust[k] = isTiming === true && reach < room ? 1 : 0;
    offset[c] = -Math.max(0, Math.min(reach, room));
    beyond[c] = offset[c];
    stiffness[c] = WALL * (diagonal[at] > 0 ? diagonal[at] : 1);
    active[c] = offset[c] >= -AT_END && sign[k] * slope[at] < 0 ? 1 : 0;
  }
}

/** Which sides the last step runs into. @returns how many that changes. */
export function testSides({ beyond, active }: Sides): number {
  let changed = 0;
  for (let c = 0; c < active.length; c++) {
    const is = beyond[c] > 0 ? 1 : 0;
    if (is !== active[c]) changed++;
    active[c] = is;
  }
  return changed;
}

/** out = a.p, side by side. */
export function writeAlong(
  { rows: ids, intervals, sign }: Sides,
  { start, columns, values }: JacobianRows,
  p: Float64Array,
  out: Float64Array,
): void {
  for (let c = 0; c < ids.length; c++) {
    const end = start[ids[c] + 1];
    let sum = 0;
    for (let k = start[ids[c]]; k < end; k++) sum += values[k] * p[columns[k]];
    out[c] = sum;
  }
  for (let k = 0; k < intervals.length; k++) out[ids.length + k] = sign[k] * p[intervals[k].at];
}

/** gradient += sum of pull a. */
export function addPulls(
  { rows: ids, intervals, sign, pull }: Sides,
  rows: JacobianRows,
  gradient: Float64Array,
): void {
  for (let c = 0; c < ids.length; c++) if (pull[c] !== 0) addPull(rows, ids[c], pull[c], gradient);
  for (let k = 0; k < intervals.length; k++) gradient[intervals[k].at] += sign[k] * pull[ids.length + k];
}

/** hessian += sum of weight a a^T. */
export function addSideSquares(
  { rows: ids, intervals, weight }: Sides,
  rows: JacobianRows,
  hessian: Envelope,
): void {
  const { base, values } = hessian;
  addSquares(
    rows,
    ids.length,
    (c) => ids[c],
    (c) => weight[c],
    hessian,
  );
  for (let k = 0; k < intervals.length; k++) {
    const { at } = intervals[k];
    values[base[at] + at] += weight[ids.length + k];
  }
}
