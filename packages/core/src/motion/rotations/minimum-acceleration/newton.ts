/**
 * Multiple shooting: the two-point boundary value problems of all pieces of a minimum-acceleration curve, solved
 * together by Newton's method.
 */

import * as quat from '../../../math/geometry/quat.js';
import * as blockTridiagonal from '../../../math/linear/block-tridiagonal.js';
import * as linear from '../../../math/linear/lu.js';
import { quatFromRotationVector } from '../../../rotation/rotation-vector/exponential.js';
import { longRotationVector } from '../../representation/rotation-keys.js';
import { computeSensitivities, integrate, type Trajectory } from './shooting.js';
import { COLUMNS, STATE } from './taylor-series.js';

export interface Problem {
  /** Duration of each piece, s. */
  readonly spans: readonly number[];
  /** Relative rotations between keyframes, as rotation vectors and as quaternions. */
  readonly deltas: Float64Array;
  readonly deltaRotations: Float64Array;
  /** Prescribed angular velocity at each keyframe, rad/s; undefined where it is free. */
  readonly prescribed: readonly (Float64Array | undefined)[];
  /** Proximal term at the free keyframes, towards these velocities; weight 1 is the stiffness of the pieces. */
  readonly proximal?: { readonly velocities: Float64Array; readonly weight: number };
}

export interface Iterate {
  /** Angular velocity at each keyframe, rad/s. */
  readonly velocities: Float64Array;
  /** w, w', w'' at the start of each piece, with the time of the piece scaled to [0, 1]. */
  readonly starts: Float64Array;
}

export interface ShootingResult extends Iterate {
  readonly trajectories: readonly Trajectory[];
  /** Norm of the residuals, dimensionless. */
  readonly residual: number;
  /** Largest angle or speed, dimensionless: the scale of rounding. */
  readonly size: number;
}

const MAX_STEPS = 30;
const MAX_HALVINGS = 8;
/** Relative residual below which a stalled line search counts as convergence. */
const TOLERANCE = 1e-13;

/**
 * The same problem with all rotations and velocities multiplied by `scale`: in the limit 0 it is a cubic spline in
 * R^3.
 */
export function scaleProblem(problem: Problem, scale: number): Problem {
  if (scale === 1) return problem;
  const deltas = problem.deltas.map((x) => scale * x);
  const deltaRotations = new Float64Array(problem.deltaRotations.length);
  for (let s = 0; s < problem.spans.length; s++) {
    quatFromRotationVector(deltas.subarray(3 * s, 3 * s + 3), deltaRotations.subarray(4 * s, 4 * s + 4));
  }
  return {
    spans: problem.spans,
    deltas,
    deltaRotations,
    prescribed: problem.prescribed.map((v) => v?.map((x) => scale * x)),
  };
}

/** Initial guess: every piece at constant speed. */
export function constantSpeed({ spans, deltas, prescribed }: Problem): Iterate {
  const pieces = spans.length;
  const velocities = new Float64Array(3 * (pieces + 1));
  const starts = new Float64Array(9 * pieces);
  for (let s = 0; s < pieces; s++) {
    for (let k = 0; k < 3; k++) {
      starts[9 * s + k] = deltas[3 * s + k];
      const speed = deltas[3 * s + k] / spans[s];
      velocities[3 * s + k] += s === 0 ? speed : speed / 2;
      velocities[3 * s + 3 + k] += s === pieces - 1 ? speed : speed / 2;
    }
  }
  for (const [i, v] of prescribed.entries()) if (v !== undefined) velocities.set(v, 3 * i);
  return { velocities, starts };
}

/** Newton's method with backtracking from `trial`. @returns undefined if it does not converge. */
export function solveNewton(problem: Problem, trial: Iterate): ShootingResult | undefined {
  let current = evaluate(problem, trial);
  for (let steps = 0; current !== undefined && steps < MAX_STEPS; steps++) {
    const step = newtonStep(problem, current);
    if (step === undefined) return undefined;
    let next: ShootingResult | undefined;
    for (let halving = 0, alpha = 1; halving < MAX_HALVINGS; halving++, alpha *= 0.5) {
      next = evaluate(problem, {
        velocities: current.velocities.map((x, i) => x + alpha * step.velocities[i]),
        starts: current.starts.map((x, i) => x + alpha * step.starts[i]),
      });
      if (next !== undefined && next.residual < current.residual * (1 - alpha / 4)) break;
      // At rounding level no step decreases the residual.
      if (current.residual <= TOLERANCE * current.size) return current;
    }
    if (next === undefined || !(next.residual < current.residual)) return undefined;
    current = next;
  }
  return undefined;
}

/** Integrates all pieces and evaluates the residual. */
function evaluate(problem: Problem, { velocities, starts }: Iterate): ShootingResult | undefined {
  const { spans, deltaRotations, prescribed } = problem;
  const trajectories: Trajectory[] = [];
  const start = new Float64Array(STATE.size);
  let residual = 0;
  let size = 1;
  for (let s = 0; s < spans.length; s++) {
    start.fill(0);
    start[3] = 1;
    start.set(starts.subarray(9 * s, 9 * s + 9), STATE.w);
    const trajectory = integrate(start.slice());
    if (trajectory === undefined) return undefined;
    trajectories.push(trajectory);
    const error = endRotationError(trajectory, deltaRotations.subarray(4 * s, 4 * s + 4));
    for (let k = 0; k < 3; k++) {
      const target = spans[s] * velocities[3 * s + 3 + k];
      residual += error[k] ** 2 + (trajectory.end[STATE.w + k] - target) ** 2;
      residual += (starts[9 * s + k] - spans[s] * velocities[3 * s + k]) ** 2;
      size = Math.max(size, Math.abs(target), Math.abs(starts[9 * s + 3 + k]));
    }
  }
  for (const [i, v] of prescribed.entries()) {
    if (v !== undefined) continue;
    const before = i > 0 ? spans[i - 1] ** -2 : 0;
    const after = i < spans.length ? spans[i] ** -2 : 0;
    for (let k = 0; k < 3; k++) {
      let jump = 0;
      if (i > 0) jump += before * trajectories[i - 1].end[STATE.a + k];
      if (i < spans.length) jump -= after * starts[9 * i + 3 + k];
      jump +=
        proximalStiffness(problem, i) *
        (velocities[3 * i + k] - (problem.proximal?.velocities[3 * i + k] ?? 0));
      residual += (jump / (before + after)) ** 2;
    }
  }
  return { velocities, starts, trajectories, residual: Math.sqrt(residual), size };
}

/** Proximal stiffness at keyframe i: that of cubics, 4/h on each side, times the weight. */
function proximalStiffness({ spans, proximal }: Problem, i: number): number {
  if (proximal === undefined) return 0;
  return 4 * proximal.weight * ((i > 0 ? 1 / spans[i - 1] : 0) + (i < spans.length ? 1 / spans[i] : 0));
}

/** log(R_end^-1 R_target): the rotation error at the end, in body axes. */
function endRotationError(trajectory: Trajectory, target: Float64Array): number[] {
  return longRotationVector(quat.multiply(quat.conjugate(trajectory.end.subarray(0, 4)), target));
}

/**
 * Columns of a piece's solution: changes of w', w'' at its start for 1, the velocity at the start (3) and at the end
 * (3).
 */
const SOLUTION_COLUMNS = 7;

/**
 * The full Newton step. The six unknowns of each piece are eliminated as linear functions of the velocities at its keyframes; the
 * remaining condition, continuity of acceleration, is block tridiagonal in the velocities. Its matrix is the Hessian of the
 * energy.
 */
function newtonStep(problem: Problem, result: ShootingResult): Iterate | undefined {
  const { spans } = problem;
  const { velocities, starts, trajectories } = result;
  const sensitivities = trajectories.map((trajectory) => {
    const { cumulative } = computeSensitivities(trajectory);
    return cumulative[cumulative.length - 1];
  });
  const solutions = pieceSolutions(problem, result, sensitivities);
  if (solutions === undefined) return undefined;
  const { rows, right } = accelerationRows(problem, result, sensitivities, solutions);
  if (!blockTridiagonal.solve(rows, right)) return undefined;
  const change = new Float64Array(starts.length);
  for (let s = 0; s < spans.length; s++) {
    for (let k = 0; k < 3; k++) change[9 * s + k] = spans[s] * right[3 * s + k] - starts[9 * s + k];
    for (let r = 0; r < 6; r++) {
      let sum = solutions[s][SOLUTION_COLUMNS * r];
      for (let k = 0; k < 6; k++) sum += solutions[s][SOLUTION_COLUMNS * r + 1 + k] * right[3 * s + k];
      change[9 * s + 3 + r] = sum;
    }
  }
  return { velocities: right.map((x, i) => x - velocities[i]), starts: change };
}

/**
 * {@link pieceSolution} of all pieces.
 * @param sensitivities - Derivative of each piece's end with respect to its start.
 */
export function pieceSolutions(
  problem: Problem,
  result: ShootingResult,
  sensitivities: readonly Float64Array[],
): Float64Array[] | undefined {
  const solutions: Float64Array[] = [];
  for (let s = 0; s < problem.spans.length; s++) {
    const solution = pieceSolution(problem, result, sensitivities[s], s);
    if (solution === undefined) return undefined;
    solutions.push(solution);
  }
  return solutions;
}

/** Solves M_{e,w; w',w''} x = end error, for the start velocity h v_0 and the end velocity h v_1. */
function pieceSolution(
  problem: Problem,
  { starts, trajectories }: ShootingResult,
  m: Float64Array,
  s: number,
): Float64Array | undefined {
  const h = problem.spans[s];
  const { end } = trajectories[s];
  const error = endRotationError(trajectories[s], problem.deltaRotations.subarray(4 * s, 4 * s + 4));
  const matrix = new Float64Array(36);
  const solution = new Float64Array(6 * SOLUTION_COLUMNS);
  for (let r = 0; r < 6; r++) {
    solution[SOLUTION_COLUMNS * r] = r < 3 ? error[r] : -end[STATE.w + r - 3];
    if (r >= 3) solution[SOLUTION_COLUMNS * r + 1 + r] = h;
    for (let k = 0; k < 3; k++) {
      solution[SOLUTION_COLUMNS * r] += m[COLUMNS * r + k] * starts[9 * s + k];
      solution[SOLUTION_COLUMNS * r + 1 + k] = -h * m[COLUMNS * r + k];
    }
    for (let c = 0; c < 6; c++) matrix[6 * r + c] = m[COLUMNS * r + 3 + c];
  }
  return linear.solve(matrix, 6, solution, SOLUTION_COLUMNS) ? solution : undefined;
}

/** Rows w'_before - w'_after = 0 at free keyframes and v = prescribed at the others, in terms of the velocities. */
export function accelerationRows(
  problem: Problem,
  { starts, trajectories }: ShootingResult,
  sensitivities: readonly Float64Array[],
  solutions: readonly Float64Array[],
): { rows: { left: Float64Array[]; middle: Float64Array[]; right: Float64Array[] }; right: Float64Array } {
  const { spans, prescribed, proximal } = problem;
  const keys = prescribed.length;
  const blocks = () => Array.from({ length: keys }, () => new Float64Array(9));
  const rows = { left: blocks(), middle: blocks(), right: blocks() };
  const right = new Float64Array(3 * keys);
  for (const [i, v] of prescribed.entries()) {
    const stiffness = v === undefined ? proximalStiffness(problem, i) : 1;
    for (let k = 0; k < 9; k += 4) rows.middle[i][k] = stiffness;
    for (let k = 0; k < 3; k++)
      right[3 * i + k] = stiffness * (v?.[k] ?? proximal?.velocities[3 * i + k] ?? 0);
  }
  for (let s = 0; s < spans.length; s++) {
    const h = spans[s];
    const solution = solutions[s];
    const weight = 1 / (h * h);
    if (prescribed[s] === undefined) {
      for (let r = 0; r < 3; r++) {
        right[3 * s + r] += weight * (starts[9 * s + 3 + r] + solution[SOLUTION_COLUMNS * r]);
        for (let c = 0; c < 3; c++) {
          rows.middle[s][3 * r + c] -= weight * solution[SOLUTION_COLUMNS * r + 1 + c];
          rows.right[s][3 * r + c] -= weight * solution[SOLUTION_COLUMNS * r + 4 + c];
        }
      }
    }
    if (prescribed[s + 1] !== undefined) continue;
    const m = sensitivities[s];
    for (let r = 0; r < 3; r++) {
      const row = COLUMNS * (6 + r);
      const index = 3 * (s + 1) + r;
      right[index] -= weight * trajectories[s].end[STATE.a + r];
      for (let k = 0; k < 3; k++) {
        right[index] += weight * m[row + k] * starts[9 * s + k];
        rows.left[s + 1][3 * r + k] += weight * h * m[row + k];
      }
      for (let k = 0; k < 6; k++) {
        const change = weight * m[row + 3 + k];
        right[index] -= change * solution[SOLUTION_COLUMNS * k];
        for (let c = 0; c < 3; c++) {
          rows.left[s + 1][3 * r + c] += change * solution[SOLUTION_COLUMNS * k + 1 + c];
          rows.middle[s + 1][3 * r + c] += change * solution[SOLUTION_COLUMNS * k + 4 + c];
        }
      }
    }
  }
  return { rows, right };
}
