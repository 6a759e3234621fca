/**
 * One priority level of differential control. Its nonlinear limits are not those of `math/optimization/active-limits.ts`: they bound velocities
 * through a horizon, at the end of a step, and their multipliers belong to rows of the program instead of unit normals.
 */
import { copyNumbers } from '../../math/linear/vector.js';
import { type QuadraticProgram, solveQuadraticProgram } from '../../math/optimization/quadratic-program.js';
import { type Bounds, type NonlinearConstraint, writePoint } from './bounds.js';
import type { HalfSpaces } from './half-spaces.js';
import type { Constraints } from './rotation-parameterization.js';

/** Largest violation of a nonlinear constraint, in g (no unit), that counts as on its boundary. */
const BOUNDARY_TOLERANCE = 1e-12;
/** Rounds of sequential quadratic programming: 3 to 8 as a rule, quadratic at the end; at most 41 in 6,000 random levels. */
const MAX_ROUNDS = 100;

/**
 * Rounds in a row on the boundary that end the iteration although multipliers still change: at a pose on a nonlinear limit, the feasible
 * set of a later level may be one point, where multipliers are unbounded.
 */
const MAX_BOUNDARY_ROUNDS = 3;

/** Norm relative to the original row below which a row times P counts as zero. */
const ZERO_ROW = 1e-9;

/** Workspace of the level solver, for `columns` velocities. */
export interface LevelSolver {
  readonly program: QuadraticProgram;
  /** H and c of the level, without the curvature of constraints. */
  readonly hessian: Float64Array;
  readonly linear: Float64Array;
  /** Velocity x* + P z. */
  readonly candidate: Float64Array;
  readonly step: Float64Array;
  readonly point: Float64Array;
  readonly gradient: Float64Array;
  readonly curvature: Float64Array;
  readonly halfSpaces: HalfSpaces;
  readonly constraints: Constraints;
  /** Number of linear rows of the program: columns, half-spaces and equality constraints. */
  readonly linearRows: number;
}

export function createLevelSolver(
  program: QuadraticProgram,
  halfSpaces: HalfSpaces,
  constraints: Constraints,
): LevelSolver {
  const { size } = program;
  const numbers = (n: number): Float64Array => new Float64Array(n);
  return {
    program,
    hessian: numbers(size * size),
    linear: numbers(size),
    candidate: numbers(size),
    step: numbers(size),
    point: numbers(3),
    gradient: numbers(3),
    curvature: numbers(9),
    halfSpaces,
    constraints,
    linearRows: size + halfSpaces.goals.length + constraints.count,
  };
}

/**
 * Minimizes 1/2 z^T H z + c^T z over the z for which x* + P z stays within the bounds, and adds P z to x* in place. H and c are read
 * from `solver.hessian` and `solver.linear`.
 *
 * Bounds are rows of one quadratic program. A nonlinear constraint violated by its solution is linearized at the nearest point of its
 * boundary, with its curvature times its multiplier in H (sequential quadratic programming: Newton's method on the conditions of Karush,
 * Kuhn and Tucker), until the solution lies on the boundary. x* itself is feasible, so the program always has a solution.
 *
 * Multipliers are left in `solver.program.multipliers` for the columns and in the nonlinear constraints.
 *
 * @returns false where the iteration stopped early: x* then moves along the last z as far as the bounds allow.
 */
export function solveLevel(
  solver: LevelSolver,
  bounds: Bounds,
  projector: Float64Array,
  velocity: Float64Array,
): boolean {
  const { program, hessian, linear, candidate } = solver;
  const { size } = program;
  const { nonlinear } = bounds;
  writeRows(solver, bounds, projector, velocity);
  // Constraints linearized by earlier levels stay linearized: a tangent of a convex set cuts nothing off.
  for (let n = 0; n < nonlinear.length; n++) nonlinear[n].multiplier = 0;
  let boundaryRounds = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    copyNumbers(hessian, program.hessian, size * size);
    copyNumbers(linear, program.linear, size);
    let count = solver.linearRows;
    for (let n = 0; n < nonlinear.length; n++) {
      if (nonlinear[n].linearized)
        linearize(solver, nonlinear[n], bounds.fraction, projector, velocity, count++);
    }
    if (solveQuadraticProgram(program, count) !== 'optimal')
      return backtrack(solver, bounds, projector, velocity);
    writeCandidate(solver, projector, velocity);
    const state = updateMultipliers(solver, bounds);
    boundaryRounds = state === OUTSIDE ? 0 : boundaryRounds + 1;
    if (state === CONVERGED || boundaryRounds === MAX_BOUNDARY_ROUNDS) {
      copyNumbers(candidate, velocity, size);
      return true;
    }
  }
  return backtrack(solver, bounds, projector, velocity);
}

/**
 * Writes the linear rows over z: columns, lower - x* <= P z <= upper - x*; half-spaces, lower - J x* <= J P z; equality constraints,
 * A P z = 0, met by x*.
 */
function writeRows(
  { program, halfSpaces, constraints }: LevelSolver,
  bounds: Bounds,
  projector: Float64Array,
  velocity: Float64Array,
): void {
  const { size, rows, lower, upper } = program;
  copyNumbers(projector, rows, size * size);
  for (let k = 0; k < size; k++) {
    zeroNegligibleRow(rows, k * size, size, 1);
    lower[k] = Math.min(0, bounds.fraction * bounds.lower[k] - velocity[k]);
    upper[k] = Math.max(0, bounds.fraction * bounds.upper[k] - velocity[k]);
  }
  let row = size;
  for (let n = 0; n < halfSpaces.goals.length; n++, row++) {
    writeRow(program, row, halfSpaces.values, n * size, projector);
    let achieved = 0;
    for (let c = 0; c < size; c++) achieved += halfSpaces.values[n * size + c] * velocity[c];
    lower[row] = Math.min(0, bounds.fraction * halfSpaces.lower[n] - achieved);
    upper[row] = Number.POSITIVE_INFINITY;
  }
  for (let n = 0; n < constraints.count; n++, row++) {
    writeRow(program, row, constraints.values, n * size, projector);
    lower[row] = 0;
    upper[row] = 0;
  }
}

/** Writes row `row` of the program: a P, a = values[o .. o + size). */
function writeRow(
  { size, rows }: QuadraticProgram,
  row: number,
  values: Float64Array,
  o: number,
  projector: Float64Array,
): void {
  const to = row * size;
  let squaredNorm = 0;
  rows.fill(0, to, to + size);
  for (let c = 0; c < size; c++) {
    const x = values[o + c];
    if (x === 0) continue;
    squaredNorm += x * x;
    for (let k = 0; k < size; k++) rows[to + k] += x * projector[c * size + k];
  }
  zeroNegligibleRow(rows, to, size, Math.sqrt(squaredNorm));
}

/**
 * Linearizes a constraint at its boundary point b: gradient.(p - b) <= 0 as row `row`, and multiplier times its second derivative in H
 * and c, with p = p* + horizon M P z.
 */
function linearize(
  solver: LevelSolver,
  set: NonlinearConstraint,
  fraction: number,
  projector: Float64Array,
  velocity: Float64Array,
  row: number,
): void {
  const { program, point, gradient, curvature } = solver;
  const { size: n, rows, lower, upper, hessian, linear } = program;
  const { size, width, column, map, boundary, shape, parameters, multiplier } = set;
  const horizon = set.horizon / fraction;
  writePoint(set, fraction, velocity, point);
  shape.gradient(parameters, boundary, 0, size, gradient, 0);
  let value = 0;
  for (let k = 0; k < size; k++) {
    point[k] -= boundary[k];
    value += gradient[k] * point[k];
  }
  const o = row * n;
  rows.fill(0, o, o + n);
  let squaredNorm = 0;
  for (let b = 0; b < width; b++) {
    let coefficient = 0;
    for (let r = 0; r < size; r++) coefficient += gradient[r] * map[width * r + b];
    coefficient *= horizon;
    squaredNorm += coefficient * coefficient;
    for (let k = 0; k < n; k++) rows[o + k] += coefficient * projector[(column + b) * n + k];
  }
  zeroNegligibleRow(rows, o, n, Math.sqrt(squaredNorm));
  lower[row] = Number.NEGATIVE_INFINITY;
  upper[row] = Math.max(0, -value);
  if (multiplier === 0) return;
  // multiplier (horizon M)^T g'' (horizon M) to H, multiplier (horizon M)^T g'' (p* - b) to c.
  shape.hessian(parameters, boundary, 0, size, curvature, 0);
  for (let a = 0; a < width; a++) {
    let gradientTerm = 0;
    for (let r = 0; r < size; r++)
      for (let s = 0; s < size; s++) gradientTerm += map[width * r + a] * curvature[r * size + s] * point[s];
    gradientTerm *= multiplier * horizon;
    const oa = (column + a) * n;
    for (let k = 0; k < n; k++) linear[k] += gradientTerm * projector[oa + k];
    for (let b = 0; b < width; b++) {
      let curvatureTerm = 0;
      for (let r = 0; r < size; r++)
        for (let s = 0; s < size; s++)
          curvatureTerm += map[width * r + a] * curvature[r * size + s] * map[width * s + b];
      curvatureTerm *= multiplier * horizon * horizon;
      const ob = (column + b) * n;
      for (let i = 0; i < n; i++) {
        const x = curvatureTerm * projector[oa + i];
        if (x === 0) continue;
        for (let j = 0; j <= i; j++) hessian[i * n + j] += x * projector[ob + j];
      }
    }
  }
}

/** Zeroes a row of which P has left only rounding; the program then ignores it. */
function zeroNegligibleRow(rows: Float64Array, o: number, n: number, size: number): void {
  let square = 0;
  for (let k = o; k < o + n; k++) square += rows[k] * rows[k];
  if (square < ZERO_ROW * ZERO_ROW * size * size) rows.fill(0, o, o + n);
}

/** candidate = x* + P z */
function writeCandidate(solver: LevelSolver, projector: Float64Array, velocity: Float64Array): void {
  const { program, candidate, step } = solver;
  const { size, solution } = program;
  for (let r = 0; r < size; r++) {
    let sum = 0;
    for (let k = 0; k < size; k++) sum += projector[r * size + k] * solution[k];
    step[r] = sum;
    candidate[r] = velocity[r] + sum;
  }
}

const CONVERGED = 0;
const ON_BOUNDARIES = 1;
const OUTSIDE = 2;

/** Updates multipliers and linearization points after a round. @returns the state of convergence. */
function updateMultipliers(solver: LevelSolver, { nonlinear, fraction }: Bounds): number {
  const { program, candidate, point } = solver;
  let row = solver.linearRows;
  let state = CONVERGED;
  for (let n = 0; n < nonlinear.length; n++) {
    const set = nonlinear[n];
    if (set.disabled) continue;
    const { shape, parameters, size, boundary, linearized } = set;
    writePoint(set, fraction, candidate, point);
    let change = 0;
    if (linearized) {
      const multiplier = program.multipliers[row++];
      change = Math.abs(multiplier - set.multiplier);
      set.multiplier = multiplier;
    }
    const violation = shape.value(parameters, point, 0, size);
    if (!(violation > 0)) continue;
    // Between the point and its linearization the gradient changes by g'' times the displacement.
    let displacement = 0;
    let magnitude = 0;
    for (let k = 0; k < size; k++) {
      displacement = Math.max(displacement, Math.abs(point[k] - boundary[k]));
      magnitude = Math.max(magnitude, Math.abs(point[k]));
    }
    const touches = linearized && violation <= BOUNDARY_TOLERANCE;
    if (touches && change * displacement <= BOUNDARY_TOLERANCE * set.multiplier * magnitude) continue;
    state = Math.max(state, touches ? ON_BOUNDARIES : OUTSIDE);
    shape.project(parameters, point, 0, size);
    for (let k = 0; k < size; k++) boundary[k] = point[k];
    set.linearized = true;
  }
  return state;
}

/** Moves x* along the last z as far as the bounds allow, by bisection; x* is feasible, and equality constraints hold along z. */
function backtrack(
  solver: LevelSolver,
  bounds: Bounds,
  projector: Float64Array,
  velocity: Float64Array,
): boolean {
  const { program, candidate, step } = solver;
  writeCandidate(solver, projector, velocity);
  let feasible = 0;
  let infeasible = 1;
  for (let round = 0; round < 50; round++) {
    const fraction = 0.5 * (feasible + infeasible);
    for (let k = 0; k < program.size; k++) candidate[k] = velocity[k] + fraction * step[k];
    if (isFeasible(solver, bounds)) feasible = fraction;
    else infeasible = fraction;
  }
  for (let k = 0; k < program.size; k++) {
    const moved = velocity[k] + feasible * step[k];
    if (Number.isFinite(moved)) velocity[k] = moved;
  }
  return false;
}

function isFeasible(
  { program, candidate, point, halfSpaces }: LevelSolver,
  { lower, upper, nonlinear, fraction }: Bounds,
): boolean {
  for (let k = 0; k < program.size; k++)
    if (!(candidate[k] >= fraction * lower[k] && candidate[k] <= fraction * upper[k])) return false;
  for (let n = 0; n < halfSpaces.goals.length; n++) {
    let achieved = 0;
    for (let c = 0; c < program.size; c++) achieved += halfSpaces.values[n * program.size + c] * candidate[c];
    if (!(achieved >= fraction * halfSpaces.lower[n])) return false;
  }
  for (let n = 0; n < nonlinear.length; n++) {
    if (nonlinear[n].disabled) continue;
    writePoint(nonlinear[n], fraction, candidate, point);
    if (nonlinear[n].shape.value(nonlinear[n].parameters, point, 0, nonlinear[n].size) > 0) return false;
  }
  return true;
}
