import type { LimitComponent } from '../../figure/limits/limit.js';
import { norm } from '../../math/linear/vector.js';
import {
  type ActiveSet,
  createActiveSet,
  FIXED,
  findTouchedLimits,
  projectOutNormals,
} from '../../math/optimization/active-limits.js';
import {
  type NonnegativeLeastSquares,
  solveNonnegativeLeastSquares,
} from '../../math/optimization/nonnegative-least-squares.js';
import type { Problem } from '../problem/problem.js';

/** Relative length of an orthogonalized row below which it is linearly dependent on the rows before it. */
const RANK_TOLERANCE = 1e-9;
/** Multiplier that counts as zero, relative to the norm of the gradient. */
const MULTIPLIER_TOLERANCE = 1e-12;
/** Component of a step against a touched constraint that counts as zero, relative to the step. */
const BLOCKING_TOLERANCE = 1e-10;
/** Distance from its bound at which an inequality counts as touched, normalized. */
const INEQUALITY_TOLERANCE = 1e-9;

/**
 * The null space of the constraints of a level at a pose: directions d with A d = 0 in the tangent space of the active limits, A the
 * equality rows and the active inequality rows of higher priorities. Constraint indices count the limits of the problem first,
 * then its inequality rows.
 */
export interface NullSpace {
  readonly problem: Problem;
  /** g: the gradient of the level. */
  readonly gradient: Float64Array;
  /** The first rows of the problem: equality constraints. */
  readonly equalityRows: number;
  /** The rows after those: inequality constraints, with lower bounds. */
  readonly inequalityRows: number;
  /** Lower bound of each inequality row. */
  readonly inequalityBounds: Float64Array;
  readonly activeSet: ActiveSet<LimitComponent>;
  /** 1 for a touched constraint, {@link FIXED} for an equality. */
  readonly touched: Uint8Array;
  /** 1 for a limit touched by the trial pose. */
  readonly trialTouched: Uint8Array;
  /** 1 for an inequality that the trial pose violated. */
  readonly violated: Uint8Array;
  /** 1 for a constraint in the active set. */
  readonly active: Uint8Array;
  /** A, with the rows that are not active. */
  readonly rows: Float64Array;
  /** Q of A = L Q: orthonormal rows in the tangent space of the limits; zero for a dependent row. */
  readonly basis: Float64Array;
  /** L of A = L Q. */
  readonly lower: Float64Array;
  /** y: multipliers of the equality and inequality rows. */
  readonly rowMultipliers: Float64Array;
  /** The gradient projected onto the null space. */
  readonly projectedGradient: Float64Array;
  /** Multipliers of limits and inequalities: minimize |g + A^T y + sum lambda n| over lambda >= 0. */
  readonly multipliers: NonnegativeLeastSquares;
}

export function createNullSpace(problem: Problem, equalityRows: number, inequalityRows: number): NullSpace {
  const width = problem.coordinates.length;
  const rows = equalityRows + inequalityRows;
  const count = problem.limits.length + inequalityRows;
  const active = new Uint8Array(count);
  const nullSpace: NullSpace = {
    problem,
    gradient: new Float64Array(width),
    equalityRows,
    inequalityRows,
    inequalityBounds: new Float64Array(inequalityRows),
    activeSet: createActiveSet(problem.limits, problem.coordinates, problem.jacobian.columnScale),
    touched: new Uint8Array(count),
    trialTouched: new Uint8Array(problem.limits.length),
    violated: new Uint8Array(inequalityRows),
    active,
    rows: new Float64Array(rows * width),
    basis: new Float64Array(rows * width),
    lower: new Float64Array(rows * rows),
    rowMultipliers: new Float64Array(rows),
    projectedGradient: new Float64Array(width),
    multipliers: {
      candidate: new Uint8Array(count),
      active,
      solution: new Float64Array(count),
      feasible: new Float64Array(count),
      solve: () => solveMultipliers(nullSpace),
      updateResidual: () => writeProjectedGradient(nullSpace),
      descent: (n) => -outwardComponent(nullSpace, n),
    },
  };
  return nullSpace;
}

/** Whether an inequality row is in the active set. */
export function isInequalityActive({ active, inequalityRows }: NullSpace, row: number): boolean {
  return active[active.length - inequalityRows + row] === 1;
}

/**
 * Updates the null space at a feasible pose for the gradient g of a level: minimizes |g + A^T y + sum lambda n| with lambda >= 0
 * over the touched limits and inequalities. The minimizer's residual is the projected gradient: descending along it keeps the
 * equality rows and leaves no limit.
 *
 * @param gradient - With Jacobian and residual of the problem at the pose.
 * @returns the norm of the projected gradient.
 */
export function updateNullSpace(nullSpace: NullSpace, pose: Float64Array, gradient: Float64Array): number {
  const { activeSet, touched, active, projectedGradient, multipliers } = nullSpace;
  nullSpace.gradient.set(gradient);
  nullSpace.rows.set(nullSpace.problem.jacobian.values.subarray(0, nullSpace.rows.length));
  findTouchedLimits(activeSet, pose, touched);
  touchInequalities(nullSpace);
  for (let n = 0; n < active.length; n++) {
    active[n] = touched[n] === FIXED ? 1 : 0;
    multipliers.candidate[n] = touched[n] === 1 ? 1 : 0;
  }
  solveNonnegativeLeastSquares(multipliers, MULTIPLIER_TOLERANCE * norm(gradient));
  activeSet.multipliers.set(multipliers.solution.subarray(0, activeSet.limits.length));
  return norm(projectedGradient);
}

/**
 * Adds the touched constraints that a step in the null space would violate to the active set; basis and projected gradient are those of
 * the larger set then. The step is to be computed again.
 *
 * @returns whether there are any.
 */
export function addBlockingConstraints(nullSpace: NullSpace, step: Float64Array): boolean {
  const { touched, active, projectedGradient, multipliers } = nullSpace;
  const tolerance = BLOCKING_TOLERANCE * norm(step);
  let added = false;
  projectedGradient.set(step);
  for (let n = 0; n < active.length; n++) {
    if (touched[n] !== 1 || active[n] === 1 || !(outwardComponent(nullSpace, n) > tolerance)) continue;
    active[n] = 1;
    added = true;
  }
  if (added) multipliers.solve();
  writeProjectedGradient(nullSpace);
  return added;
}

/** Marks the inequality rows at their bounds. */
function touchInequalities({
  equalityRows,
  inequalityRows,
  inequalityBounds,
  touched,
  problem: { residual },
}: NullSpace): void {
  const first = touched.length - inequalityRows;
  for (let row = 0; row < inequalityRows; row++) {
    touched[first + row] =
      residual[equalityRows + row] <= inequalityBounds[row] + INEQUALITY_TOLERANCE ? 1 : 0;
  }
}

/** g + A^T y + sum lambda n over the active set: g projected onto the null space. */
function writeProjectedGradient(nullSpace: NullSpace): void {
  const { activeSet, gradient, projectedGradient } = nullSpace;
  projectedGradient.set(gradient);
  projectOutNormals(activeSet, projectedGradient);
  projectOutBasis(nullSpace, projectedGradient, 0);
}

/** Null-space projection of the rows of a matrix. */
export function projectOntoNullSpace(nullSpace: NullSpace, values: Float64Array, rows: number): void {
  const width = nullSpace.projectedGradient.length;
  projectOutNormals(nullSpace.activeSet, values, rows, width);
  for (let r = 0; r < rows; r++) projectOutBasis(nullSpace, values, r * width);
}

/** A = L Q in the tangent space of the limits: Gram-Schmidt, each row twice, against cancellation. */
function orthonormalizeRows(nullSpace: NullSpace): void {
  const { problem, activeSet, active, rows: values, basis, lower, equalityRows, inequalityRows } = nullSpace;
  const { width } = problem.jacobian;
  const rows = equalityRows + inequalityRows;
  activeSet.active.set(active.subarray(0, problem.limits.length));
  basis.set(values);
  for (let row = 0; row < inequalityRows; row++) {
    const o = (equalityRows + row) * width;
    if (!isInequalityActive(nullSpace, row)) basis.fill(0, o, o + width);
  }
  projectOutNormals(activeSet, basis, rows, width);
  lower.fill(0);
  for (let r = 0; r < rows; r++) {
    const o = r * width;
    const before = rowNorm(basis, o, width);
    for (let pass = 0; pass < 2; pass++) {
      for (let s = 0; s < r; s++) {
        let dot = 0;
        for (let k = 0; k < width; k++) dot += basis[o + k] * basis[s * width + k];
        if (dot === 0) continue;
        lower[r * rows + s] += dot;
        for (let k = 0; k < width; k++) basis[o + k] -= dot * basis[s * width + k];
      }
    }
    const length = rowNorm(basis, o, width);
    const independent = length > RANK_TOLERANCE * before;
    lower[r * rows + r] = independent ? length : 0;
    for (let k = 0; k < width; k++) basis[o + k] = independent ? basis[o + k] / length : 0;
  }
}

function projectOutBasis(
  { basis, projectedGradient, rowMultipliers }: NullSpace,
  values: Float64Array,
  o: number,
): void {
  const width = projectedGradient.length;
  const rows = rowMultipliers.length;
  for (let r = 0; r < rows; r++) {
    let dot = 0;
    for (let k = 0; k < width; k++) dot += values[o + k] * basis[r * width + k];
    if (dot === 0) continue;
    for (let k = 0; k < width; k++) values[o + k] -= dot * basis[r * width + k];
  }
}

/**
 * Factors the active set and solves for its multipliers: y by L^T y = -Q g, those of active limits, -(g + A^T y) . n, and of
 * inequalities, -y of the unit row.
 */
function solveMultipliers(nullSpace: NullSpace): void {
  const {
    problem,
    gradient,
    activeSet,
    active,
    rows: values,
    basis,
    lower,
    rowMultipliers,
    equalityRows,
  } = nullSpace;
  const { solution } = nullSpace.multipliers;
  orthonormalizeRows(nullSpace);
  const { width } = problem.jacobian;
  const rows = rowMultipliers.length;
  for (let r = rows - 1; r >= 0; r--) {
    let sum = 0;
    for (let k = 0; k < width; k++) sum -= basis[r * width + k] * gradient[k];
    for (let s = r + 1; s < rows; s++) sum -= lower[s * rows + r] * rowMultipliers[s];
    const pivot = lower[r * rows + r];
    rowMultipliers[r] = pivot > 0 ? sum / pivot : 0;
  }
  const { limits } = problem;
  for (let n = 0; n < active.length; n++) {
    solution[n] = 0;
    if (active[n] === 0) continue;
    if (n >= limits.length) {
      const row = equalityRows + n - limits.length;
      solution[n] = -rowMultipliers[row] * rowNorm(values, row * width, width);
      continue;
    }
    const { column, limit } = limits[n];
    for (let k = column; k < column + limit.size; k++) {
      let g = gradient[k];
      for (let r = 0; r < rows; r++) g += rowMultipliers[r] * values[r * width + k];
      solution[n] -= g * activeSet.normals[k];
    }
  }
}

/** The component of the projected gradient along the outward normal of a limit, or against the unit row of an inequality. */
function outwardComponent(nullSpace: NullSpace, n: number): number {
  const { projectedGradient: x } = nullSpace;
  const { rows: values } = nullSpace;
  const { limits } = nullSpace.problem;
  let sum = 0;
  if (n >= limits.length) {
    const o = (nullSpace.equalityRows + n - limits.length) * x.length;
    for (let k = 0; k < x.length; k++) sum -= x[k] * values[o + k];
    const length = rowNorm(values, o, x.length);
    return length > 0 ? sum / length : 0;
  }
  const { column, limit } = limits[n];
  for (let k = column; k < column + limit.size; k++) sum += x[k] * nullSpace.activeSet.normals[k];
  return sum;
}

function rowNorm(m: Float64Array, o: number, width: number): number {
  let sum = 0;
  for (let k = o; k < o + width; k++) sum += m[k] * m[k];
  return Math.sqrt(sum);
}
