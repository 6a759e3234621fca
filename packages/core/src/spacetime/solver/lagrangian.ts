/** The augmented Lagrangian of a problem and its Gauss-Newton model. */
import type { TermKind } from '../terms/term.js';
import type { JacobianRows } from '../transcription/jacobian-rows.js';
import { addGram, type GramMatrix } from './gram-matrix.js';

/**
 * Multiplier and penalty of each row: with c the row, lambda its multiplier and rho its penalty,
 *
 *   L = sum over costs 1/2 r^2 + sum over equalities rho/2 (c + lambda/rho)^2 + sum over inequalities rho/2 max(0, c + lambda/rho)^2.
 */
export interface Multipliers {
  readonly lambda: Float64Array;
  readonly rho: Float64Array;
}

/** Residual of a row in L, before its weight; zero for an inactive inequality. */
function penalizedResidual(kind: TermKind, c: number, lambda: number, rho: number): number {
  if (kind === 'cost') return c;
  const shifted = c + lambda / rho;
  return kind === 'inequality' && shifted < 0 ? 0 : shifted;
}

/** L for given rows. */
export function augmentedLagrangian(
  kinds: readonly TermKind[],
  residual: Float64Array,
  { lambda, rho }: Multipliers,
): number {
  let cost = 0;
  let penalty = 0;
  for (let i = 0; i < kinds.length; i++) {
    const r = penalizedResidual(kinds[i], residual[i], lambda[i], rho[i]);
    if (kinds[i] === 'cost') cost += r * r;
    else penalty += rho[i] * r * r;
  }
  return 0.5 * (cost + penalty);
}

/** Adds J^T W J and J^T W r of costs and equalities, which are quadratic in L. */
export function addQuadraticRows(
  kinds: readonly TermKind[],
  rows: JacobianRows,
  { lambda, rho }: Multipliers,
  gradient: Float64Array,
  hessian: GramMatrix,
): void {
  addQuadraticGradient(kinds, rows, rows.residual, { lambda, rho }, gradient);
  addGram(
    rows,
    kinds.length,
    (i) => i,
    (i) => (kinds[i] === 'cost' ? 1 : kinds[i] === 'equality' ? rho[i] : 0),
    hessian,
  );
}

/** Adds J^T W r alone, with other residuals. */
export function addQuadraticGradient(
  kinds: readonly TermKind[],
  rows: JacobianRows,
  residual: Float64Array,
  { lambda, rho }: Multipliers,
  gradient: Float64Array,
): void {
  for (let i = 0; i < kinds.length; i++) {
    const kind = kinds[i];
    if (kind === 'cost') addRowGradient(rows, i, residual[i], gradient);
    else if (kind === 'equality') addRowGradient(rows, i, rho[i] * residual[i] + lambda[i], gradient);
  }
}

/** gradient += weight J_i. */
export function addRowGradient(
  { start, columns, values }: JacobianRows,
  i: number,
  weight: number,
  gradient: Float64Array,
): void {
  const end = start[i + 1];
  for (let p = start[i]; p < end; p++) gradient[columns[p]] += weight * values[p];
}

/** out = r + J p: the rows predicted by the linear model. */
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

/** Largest violation: |c| of equalities, positive c of inequalities. */
export function maxViolation(kinds: readonly TermKind[], residual: Float64Array): number {
  let worst = 0;
  for (let i = 0; i < kinds.length; i++) {
    if (kinds[i] === 'cost') continue;
    const c = kinds[i] === 'equality' ? Math.abs(residual[i]) : residual[i];
    // Not Math.max: NaN must propagate.
    if (!(c <= worst)) worst = c;
  }
  return worst;
}

/** The sum of squared cost rows. */
export function costOf(kinds: readonly TermKind[], residual: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < kinds.length; i++) if (kinds[i] === 'cost') sum += residual[i] * residual[i];
  return sum;
}
