/** A solve that begins beside its answer: with the multipliers of that answer. */
import * as cholesky from '../../math/linear/cholesky.js';
import type { SpacetimeProblem } from '../../spacetime/problem.js';
import type { SpacetimeSave } from '../../spacetime/solve.js';
import { linearize } from '../../spacetime/system/system.js';
import { createJacobianRows, type JacobianRows } from '../../spacetime/transcription/jacobian-rows.js';

/** The penalty to begin with: multipliers are good from the start, so that it may be high. */
const PENALTY = 1e4;
/** Of the mean of the model's diagonal: beside the answer the model is good, but not without bound. */
const DAMPING = 1e-7;

/** The multipliers that balance the wishes best: J J^T lambda = -J g, over the rows that have to hold. */
export function withMultipliers({ system }: SpacetimeProblem, unknowns: Float64Array): SpacetimeSave {
  const rows = createJacobianRows(system.rows);
  linearize(system, unknowns, rows);
  const { kinds, size } = system;
  const gradient = new Float64Array(size);
  const musts: number[] = [];
  let wishes = 0;
  let weight = 0;
  for (let i = 0; i < system.rows; i++) {
    if (kinds[i] === 'cost') {
      wishes += squareOf(rows, i);
      for (let p = rows.start[i]; p < rows.start[i + 1]; p++)
        gradient[rows.columns[p]] += rows.values[p] * rows.residual[i];
    } else if (kinds[i] === 'equality') {
      weight += squareOf(rows, i);
      musts.push(i);
    }
  }
  const n = musts.length;
  const multipliers = new Float64Array(system.rows);
  const penalty = wishes > 0 && weight > 0 ? (PENALTY * wishes) / weight : 0;
  const matrix = new Float64Array(n * n);
  const right = new Float64Array(n);
  const dense = new Float64Array(size);
  for (let a = 0; a < n; a++) {
    const i = musts[a];
    for (let p = rows.start[i]; p < rows.start[i + 1]; p++) {
      dense[rows.columns[p]] = rows.values[p];
      right[a] -= rows.values[p] * gradient[rows.columns[p]];
    }
    for (let b = 0; b <= a; b++) {
      let sum = 0;
      for (let p = rows.start[musts[b]]; p < rows.start[musts[b] + 1]; p++)
        sum += rows.values[p] * dense[rows.columns[p]];
      matrix[a * n + b] = sum;
    }
    matrix[a * n + a] += 1e-9 * matrix[a * n + a] + Number.MIN_VALUE;
    for (let p = rows.start[i]; p < rows.start[i + 1]; p++) dense[rows.columns[p]] = 0;
  }
  if (n > 0 && cholesky.factor(matrix, n)) {
    cholesky.solve(matrix, n, right);
    for (let a = 0; a < n; a++) if (Number.isFinite(right[a])) multipliers[musts[a]] = right[a];
  }
  const mean = (wishes + penalty * weight) / size;
  return { unknowns, multipliers, penalty, damping: DAMPING * mean, iterations: 0 };
}

function squareOf({ start, values }: JacobianRows, i: number): number {
  let sum = 0;
  for (let p = start[i]; p < start[i + 1]; p++) sum += values[p] * values[p];
  return sum;
}
