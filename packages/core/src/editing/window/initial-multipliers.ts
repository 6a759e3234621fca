/** Initial multipliers for a solve that starts near its solution. */
import * as cholesky from '../../math/linear/cholesky.js';
import type { SpacetimeProblem } from '../../spacetime/problem.js';
import type { SpacetimeSave } from '../../spacetime/solve.js';
import { linearize } from '../../spacetime/system/system.js';
import { createJacobianRows, type JacobianRows } from '../../spacetime/transcription/jacobian-rows.js';

/** Initial penalty relative to the ratio of traces: accurate multipliers allow a high one. */
const PENALTY = 1e4;
/** Initial damping relative to the mean of the model's diagonal: small, as the model is accurate near the solution. */
const DAMPING = 1e-7;

/** Least-squares multiplier estimate: J J^T lambda = -J g, over the hard constraints. */
export function withLeastSquaresMultipliers(
  { system }: SpacetimeProblem,
  unknowns: Float64Array,
): SpacetimeSave {
  const rows = createJacobianRows(system.rows);
  linearize(system, unknowns, rows);
  const { kinds, size } = system;
  const gradient = new Float64Array(size);
  const constraints: number[] = [];
  let costTrace = 0;
  let constraintTrace = 0;
  for (let i = 0; i < system.rows; i++) {
    if (kinds[i] === 'cost') {
      costTrace += squareOf(rows, i);
      for (let p = rows.start[i]; p < rows.start[i + 1]; p++)
        gradient[rows.columns[p]] += rows.values[p] * rows.residual[i];
    } else if (kinds[i] === 'equality') {
      constraintTrace += squareOf(rows, i);
      constraints.push(i);
    }
  }
  const n = constraints.length;
  const multipliers = new Float64Array(system.rows);
  const penalty = costTrace > 0 && constraintTrace > 0 ? (PENALTY * costTrace) / constraintTrace : 0;
  const matrix = new Float64Array(n * n);
  const right = new Float64Array(n);
  const dense = new Float64Array(size);
  for (let a = 0; a < n; a++) {
    const i = constraints[a];
    for (let p = rows.start[i]; p < rows.start[i + 1]; p++) {
      dense[rows.columns[p]] = rows.values[p];
      right[a] -= rows.values[p] * gradient[rows.columns[p]];
    }
    for (let b = 0; b <= a; b++) {
      let sum = 0;
      for (let p = rows.start[constraints[b]]; p < rows.start[constraints[b] + 1]; p++)
        sum += rows.values[p] * dense[rows.columns[p]];
      matrix[a * n + b] = sum;
    }
    matrix[a * n + a] += 1e-9 * matrix[a * n + a] + Number.MIN_VALUE;
    for (let p = rows.start[i]; p < rows.start[i + 1]; p++) dense[rows.columns[p]] = 0;
  }
  if (n > 0 && cholesky.factor(matrix, n)) {
    cholesky.solve(matrix, n, right);
    for (let a = 0; a < n; a++) if (Number.isFinite(right[a])) multipliers[constraints[a]] = right[a];
  }
  const mean = (costTrace + penalty * constraintTrace) / size;
  const penalties = Float64Array.from(kinds, (kind) => (kind === 'cost' ? 0 : penalty));
  return { unknowns, multipliers, penalties, damping: DAMPING * mean, iterations: 0 };
}

function squareOf({ start, values }: JacobianRows, i: number): number {
  let sum = 0;
  for (let p = start[i]; p < start[i + 1]; p++) sum += values[p] * values[p];
  return sum;
}
