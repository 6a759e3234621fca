/** Kernel of minimum-norm displacements: how the displacement at some times determines it at others. */
import * as cholesky from '../../math/linear/cholesky.js';
import { dot } from '../../math/linear/vector.js';
import type { SpacetimeProblem } from '../../spacetime/problem.js';
import { gaussPoints } from '../../spacetime/transcription/quadrature.js';
import { ORDERS, type SplineBasis, writeBasis } from '../../spacetime/transcription/spline-basis.js';

/** Rows B of the basis at the given times, and Q^-1 B^T, Q the cost matrix of one coordinate: the integral of d''^2 + tracking d^2. */
export function createKernel(
  problem: SpacetimeProblem,
  times: readonly { readonly time: number }[],
  tracking: number,
): { readonly rows: readonly Float64Array[]; readonly solved: readonly Float64Array[] } {
  const { basis } = problem.system.parameterization;
  const { count } = basis;
  const gram = costMatrix(basis, tracking);
  const fixed = fixedControlPoints(problem);
  for (let k = 0; k < count; k++) if (fixed[k] === 1) fixControlPoint(gram, count, k);
  const width = basis.degree + 1;
  const values = new Float64Array(ORDERS * width);
  cholesky.factor(gram, count);
  const rows = times.map(({ time }) => {
    const row = new Float64Array(count);
    const first = writeBasis(basis, time, values);
    for (let j = 0; j < width; j++) if (fixed[first + j] === 0) row[first + j] = values[j];
    return row;
  });
  const solved = rows.map((row) => {
    const x = row.slice();
    cholesky.solve(gram, count, x);
    return x;
  });
  return { rows, solved };
}

/** Relative ridge of the kernel matrix: times closer together than the knots, or at fixed ends, make it singular. */
const RIDGE = 1e-9;

/** Weights of the first `n` times in b . d: (B Q^-1 B^T)^-1 B Q^-1 b. */
export function kernelWeights(
  solved: readonly Float64Array[],
  rows: readonly Float64Array[],
  n: number,
  b: Float64Array,
): Float64Array {
  const weights = new Float64Array(n);
  const kernel = new Float64Array(n * n);
  let trace = 0;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) kernel[i * n + j] = dot(rows[i], solved[j]);
    trace += kernel[i * n + i];
    weights[i] = dot(solved[i], b);
  }
  for (let i = 0; i < n; i++) kernel[i * n + i] += RIDGE * trace + Number.MIN_VALUE;
  if (n === 0 || !cholesky.factor(kernel, n)) return weights.fill(0);
  cholesky.solve(kernel, n, weights);
  return weights;
}

/** 1 for each control point fixed at zero. */
function fixedControlPoints({ system, data }: SpacetimeProblem): Uint8Array {
  const { count } = system.parameterization.basis;
  const { fixedEnds = 'none' } = data;
  const fixed = new Uint8Array(count);
  if (fixedEnds === 'start' || fixedEnds === 'both') fixed.fill(1, 0, 3);
  if (fixedEnds === 'end' || fixedEnds === 'both') fixed.fill(1, count - 3);
  return fixed;
}

function fixControlPoint(gram: Float64Array, count: number, k: number): void {
  for (let j = 0; j < count; j++) {
    gram[k * count + j] = 0;
    gram[j * count + k] = 0;
  }
  gram[k * count + k] = 1;
}

function costMatrix(basis: SplineBasis, tracking: number): Float64Array {
  const { count, degree, start, end } = basis;
  const width = degree + 1;
  const row = new Float64Array(ORDERS * width);
  const gram = new Float64Array(count * count);
  for (const { time, weight } of gaussPoints(basis, start, end, 2)) {
    const first = writeBasis(basis, time, row);
    for (let i = 0; i < width; i++) {
      for (let j = 0; j < width; j++) {
        gram[(first + i) * count + first + j] +=
          weight * (row[2 * width + i] * row[2 * width + j] + tracking * row[i] * row[j]);
      }
    }
  }
  return gram;
}
