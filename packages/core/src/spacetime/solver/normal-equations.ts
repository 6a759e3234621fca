/** The augmented Lagrangian of a problem and its Gauss-Newton model. */
import type { Envelope } from '../../math/linear/envelope-cholesky.js';
import type { TermKind } from '../terms/term.js';
import type { JacobianRows } from '../transcription/jacobian-rows.js';
import { addSquares } from './gram-matrix.js';

/**
 * What multiplies each row: with c the row, lambda its multiplier and rho the penalty,
 *
 *   L = sum over wishes 1/2 r^2 + sum over equalities rho/2 (c + lambda/rho)^2 + sum over inequalities rho/2 max(0, c + lambda/rho)^2.
 */
export interface Multipliers {
  readonly lambda: Float64Array;
  rho: number;
}

/** The row as it counts in L, before its weight; zero for an inequality that asks for nothing. */
function counted(kind: TermKind, c: number, lambda: number, rho: number): number {
  if (kind === 'wish') return c;
  const shifted = c + lambda / rho;
  return kind === 'inequality' && shifted < 0 ? 0 : shifted;
}

/** L at the rows given. */
export function augmentedLagrangian(
  kinds: readonly TermKind[],
  residual: Float64Array,
  { lambda, rho }: Multipliers,
): number {
  let wishes = 0;
  let musts = 0;
  for (let i = 0; i < kinds.length; i++) {
    const r = counted(kinds[i], residual[i], lambda[i], rho);
    if (kinds[i] === 'wish') wishes += r * r;
    else musts += r * r;
  }
  return 0.5 * (wishes + rho * musts);
}

/** Adds J^T W J and J^T W r of the rows that always count: wishes and equalities. */
export function addSteadyRows(
  kinds: readonly TermKind[],
  rows: JacobianRows,
  { lambda, rho }: Multipliers,
  gradient: Float64Array,
  hessian: Envelope,
): void {
  addSteadyPulls(kinds, rows, rows.residual, { lambda, rho }, gradient);
  addSquares(
    rows,
    kinds.length,
    (i) => i,
    (i) => (kinds[i] === 'wish' ? 1 : kinds[i] === 'equality' ? rho : 0),
    hessian,
  );
}

/** J^T W r alone of the rows that always count, with other residuals. */
export function addSteadyPulls(
  kinds: readonly TermKind[],
  rows: JacobianRows,
  residual: Float64Array,
  { lambda, rho }: Multipliers,
  gradient: Float64Array,
): void {
  for (let i = 0; i < kinds.length; i++) {
    const kind = kinds[i];
    if (kind === 'wish') addPull(rows, i, residual[i], gradient);
    else if (kind === 'equality') addPull(rows, i, rho * residual[i] + lambda[i], gradient);
  }
}

/** gradient += pull J_i. */
export function addPull(
  { start, columns, values }: JacobianRows,
  i: number,
  pull: number,
  gradient: Float64Array,
): void {
  const end = start[i + 1];
  for (let p = start[i]; p < end; p++) gradient[columns[p]] += pull * values[p];
}

/** out = r + J p: the rows as the linear model has them after a step. */
export function predictRows(
  { residual, start, columns, values }: JacobianRows,
  step: Float64Array,
  out: Float64Array,
): void {
  for (let i = 0; i < residual.length; i++) {
    let sum = residual[i];
    const end = start[i + 1];
    for (let k = start[i]; k < end; k++) sum += values[k] * step[columns[k]];
    out[i] = sum;
  }
}

/** Largest rows of what must hold: |c| of equalities, c of inequalities where positive. */
export function violation(kinds: readonly TermKind[], residual: Float64Array): number {
  let most = 0;
  for (let i = 0; i < kinds.length; i++) {
    if (kinds[i] === 'wish') continue;
    const c = kinds[i] === 'equality' ? Math.abs(residual[i]) : residual[i];
    // Not Math.max: NaN must show.
    if (!(c <= most)) most = c;
  }
  return most;
}

/** The sum of squares of the wishes. */
export function costOf(kinds: readonly TermKind[], residual: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < kinds.length; i++) if (kinds[i] === 'wish') sum += residual[i] * residual[i];
  return sum;
}
