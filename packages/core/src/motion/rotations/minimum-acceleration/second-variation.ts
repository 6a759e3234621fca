/** Second variation: whether a stationary curve is a minimum. */

import * as quat from '../../../math/geometry/quat.js';
import * as banded from '../../../math/linear/banded-cholesky.js';
import * as cholesky from '../../../math/linear/cholesky.js';
import * as linear from '../../../math/linear/lu.js';
import { accelerationRows, type Problem, pieceSolutions, type ShootingResult } from './newton.js';
import { computeSensitivities, type Sensitivities, type Trajectory } from './shooting.js';
import { COLUMNS } from './taylor-series.js';

/**
 * Whether the curve is a strict local minimum among curves through the same keyframes with the same prescribed velocities: no
 * piece has a conjugate point (Jacobi's condition), and the energy as a function of the free velocities is convex.
 */
export function isMinimum(problem: Problem, result: ShootingResult): boolean {
  const sensitivities = result.trajectories.map(computeSensitivities);
  if (!result.trajectories.every((trajectory, s) => hasNoConjugatePoint(trajectory, sensitivities[s])))
    return false;
  return isConvex(
    problem,
    result,
    sensitivities.map(({ cumulative }) => cumulative[cumulative.length - 1]),
  );
}

/**
 * Jacobi's condition by elimination: a Taylor step is too short for a conjugate point, so the piece has none if its energy as a
 * function of rotation and velocity at the ends of its steps is convex. That matrix is block tridiagonal; elimination from the
 * start leaves at each step end the Schur complement of the preceding steps plus the block of the next step.
 */
function hasNoConjugatePoint(trajectory: Trajectory, { steps, cumulative }: Sensitivities): boolean {
  for (let k = 1; k < steps.length; k++) {
    const sum = new Float64Array(36);
    if (!addEndBlock(cumulative[k - 1], sum) || !addStartBlock(steps[k], trajectory.steps[k].rotation, sum))
      return false;
    for (let r = 0; r < 6; r++) {
      for (let c = 0; c < r; c++) sum[6 * r + c] = (sum[6 * r + c] + sum[6 * c + r]) / 2;
    }
    if (!cholesky.factor(sum, 6)) return false;
  }
  return true;
}

/** Rows e and w, columns w' and w'' of a sensitivity. */
function shootingBlock(m: Float64Array): Float64Array {
  return new Float64Array(36).map((_, e) => m[COLUMNS * Math.floor(e / 6) + 3 + (e % 6)]);
}

/** sum += d(-w'', w')/d(e, w) at the end, with the start fixed: the Hessian of half the energy. */
function addEndBlock(m: Float64Array, sum: Float64Array): boolean {
  const x = new Float64Array(36);
  for (let k = 0; k < 36; k += 7) x[k] = 1;
  if (!linear.solve(shootingBlock(m), 6, x, 6)) return false;
  for (let r = 0; r < 6; r++) {
    const [row, sign] = r < 3 ? [9 + r, -1] : [3 + r, 1];
    for (let c = 0; c < 6; c++) {
      for (let k = 0; k < 6; k++) sum[6 * r + c] += sign * m[COLUMNS * row + 3 + k] * x[6 * k + c];
    }
  }
  return true;
}

/** sum += d(w'', -w')/d(e, w) at the start, with the end fixed. */
function addStartBlock(m: Float64Array, rotation: readonly number[], sum: Float64Array): boolean {
  const x = new Float64Array(36);
  const inverse = quat.toMatrix(quat.conjugate(rotation));
  for (let r = 0; r < 6; r++) {
    for (let c = 0; c < 3; c++) {
      if (r < 3) x[6 * r + c] = -inverse[3 * r + c];
      x[6 * r + 3 + c] = -m[COLUMNS * r + c];
    }
  }
  if (!linear.solve(shootingBlock(m), 6, x, 6)) return false;
  for (let r = 0; r < 6; r++) {
    const [row, sign] = r < 3 ? [3 + r, 1] : [r - 3, -1];
    for (let c = 0; c < 6; c++) sum[6 * r + c] += sign * x[6 * row + c];
  }
  return true;
}

/** Half bandwidth of a symmetric block tridiagonal matrix of 3x3 blocks. */
const BAND = 5;

function isConvex(problem: Problem, result: ShootingResult, sensitivities: readonly Float64Array[]): boolean {
  const solutions = pieceSolutions(problem, result, sensitivities);
  if (solutions === undefined) return false;
  const { prescribed } = problem;
  const { rows } = accelerationRows(problem, result, sensitivities, solutions);
  const n = 3 * prescribed.length;
  const band = new Float64Array(n * (BAND + 1));
  for (let i = 0; i < prescribed.length; i++) {
    for (let r = 0; r < 3; r++) {
      const at = (3 * i + r) * (BAND + 1) + BAND - r;
      for (let c = 0; c <= r; c++) band[at + c] = (rows.middle[i][3 * r + c] + rows.middle[i][3 * c + r]) / 2;
      if (i === 0 || prescribed[i] !== undefined || prescribed[i - 1] !== undefined) continue;
      for (let c = 0; c < 3; c++) {
        band[at - 3 + c] = (rows.left[i][3 * r + c] + rows.right[i - 1][3 * c + r]) / 2;
      }
    }
  }
  return banded.factor(band, n, BAND);
}
