/**
 * One-sided quadratic penalties of the step's model: inequalities, k = rho, and ends of intervals, stiff. Each adds
 *
 *   k/2 max(0, y + a.p)^2
 *
 * to the model, y its value at p = 0 (c + lambda / rho for an inequality) and a its row.
 */
import type { TermKind } from '../terms/term.js';
import type { ConvexSet } from '../transcription/convex-sets.js';
import type { JacobianRows } from '../transcription/jacobian-rows.js';
import { addGram, type GramMatrix } from './gram-matrix.js';
import { addRowGradient, type Multipliers } from './lagrangian.js';

/** One-sided penalties: inequality rows first, then the two ends of each interval. */
export interface Inequalities {
  /** Indices of the inequality rows. */
  readonly rows: Int32Array;
  /** The interval of each end: each twice. */
  readonly intervals: readonly ConvexSet[];
  /** 1 for an upper end, -1 for a lower; and 1 where the trust region of the time scaling is the bound. */
  readonly sign: Int8Array;
  readonly isTrustBound: Uint8Array;
  /** k. */
  readonly penalty: Float64Array;
  /** y. */
  readonly offset: Float64Array;
  /** y + a.p at the last step, and a.p of the current direction. */
  readonly value: Float64Array;
  readonly change: Float64Array;
  /** 1 for each active one. */
  readonly active: Uint8Array;
}

/** Penalty of interval ends, relative to the model's diagonal. */
const BOUND_PENALTY = 1e7;
/** Tolerance of being at an end, rad, m or s. */
const ON_BOUND = 1e-12;
/** Distance, rad, m or s, beyond which an end is ignored. */
const UNREACHABLE = 1e9;

export function createInequalities(kinds: readonly TermKind[], sets: readonly ConvexSet[]): Inequalities {
  const rows = Int32Array.from(kinds.flatMap((kind, i) => (kind === 'inequality' ? [i] : [])));
  const intervals = sets.flatMap((set) => [set, set]);
  const count = rows.length + intervals.length;
  const zeros = (): Float64Array => new Float64Array(count);
  return {
    rows,
    intervals,
    sign: Int8Array.from(intervals, (_, k) => (k % 2 === 0 ? 1 : -1)),
    isTrustBound: new Uint8Array(intervals.length),
    penalty: zeros(),
    offset: zeros(),
    value: zeros(),
    change: zeros(),
    active: new Uint8Array(count),
  };
}

/** Sets up the inequality rows of a linearization; those violated at p = 0 are active. */
export function linearizeRows(
  { rows, penalty, offset, value, active }: Inequalities,
  { residual }: JacobianRows,
  { lambda, rho }: Multipliers,
): void {
  for (let c = 0; c < rows.length; c++) {
    penalty[c] = rho[rows[c]];
    offset[c] = residual[rows[c]] + lambda[rows[c]] / rho[rows[c]];
    value[c] = offset[c];
    active[c] = offset[c] > 0 ? 1 : 0;
  }
}

/**
 * Sets up the interval ends of a linearization.
 *
 * @param slope - Gradient at p = 0: decides which ends are active.
 * @param diagonal - Diagonal of the model with all inequalities, the scale of the penalties.
 * @param timeTrustRadius - Largest relative change of the time scaling: it rescales the whole motion, where a linear model holds nearby
 * only.
 */
export function linearizeIntervals(
  { rows, intervals, sign, isTrustBound, penalty, offset, value, active }: Inequalities,
  unknowns: Float64Array,
  slope: Float64Array,
  diagonal: Float64Array,
  timeTrustRadius: number,
): void {
  for (let k = 0; k < intervals.length; k++) {
    const { at, parameters, isTiming } = intervals[k];
    const radius = isTiming === true ? timeTrustRadius * unknowns[at] : UNREACHABLE;
    const slack = sign[k] > 0 ? parameters[1] - unknowns[at] : unknowns[at] - parameters[0];
    const c = rows.length + k;
    isTrustBound[k] = isTiming === true && radius < slack ? 1 : 0;
    offset[c] = -Math.max(0, Math.min(radius, slack));
    value[c] = offset[c];
    penalty[c] = BOUND_PENALTY * (diagonal[at] > 0 ? diagonal[at] : 1);
    active[c] = offset[c] >= -ON_BOUND && sign[k] * slope[at] < 0 ? 1 : 0;
  }
}

/** Updates the active set from the last step. @returns the number of changes. */
export function updateActiveInequalities({ value, active }: Inequalities): number {
  let changed = 0;
  for (let c = 0; c < active.length; c++) {
    const isActive = value[c] > 0 ? 1 : 0;
    if (isActive !== active[c]) changed++;
    active[c] = isActive;
  }
  return changed;
}

/** value = y + a.p. */
export function evaluateInequalities(inequalities: Inequalities, rows: JacobianRows, p: Float64Array): void {
  const { offset, value } = inequalities;
  writeDirectional(inequalities, rows, p, value);
  for (let c = 0; c < value.length; c++) value[c] += offset[c];
}

/** change = a.p, of a direction p. */
export function linearizeDirection(inequalities: Inequalities, rows: JacobianRows, p: Float64Array): void {
  writeDirectional(inequalities, rows, p, inequalities.change);
}

/** value += alpha change. */
export function advanceValues({ value, change }: Inequalities, alpha: number): void {
  for (let c = 0; c < value.length; c++) value[c] += alpha * change[c];
}

/** out = a.p, one entry per penalty. */
function writeDirectional(
  { rows: ids, intervals, sign }: Inequalities,
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

/** gradient += sum of coefficient a. */
export function addInequalityGradients(
  { rows: ids, intervals, sign }: Inequalities,
  rows: JacobianRows,
  coefficient: Float64Array,
  gradient: Float64Array,
): void {
  for (let c = 0; c < ids.length; c++)
    if (coefficient[c] !== 0) addRowGradient(rows, ids[c], coefficient[c], gradient);
  for (let k = 0; k < intervals.length; k++)
    gradient[intervals[k].at] += sign[k] * coefficient[ids.length + k];
}

/** hessian += sum of weight a a^T. */
export function addInequalityGram(
  { rows: ids, intervals }: Inequalities,
  rows: JacobianRows,
  weight: Float64Array,
  hessian: GramMatrix,
): void {
  const { base, values } = hessian;
  addGram(
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
