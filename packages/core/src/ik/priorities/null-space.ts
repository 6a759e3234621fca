import type { LimitComponent } from '../../figure/limits/limit.js';
import { norm } from '../../math/linear/vector.js';
import {
  type ActiveSet,
  createActiveSet,
  FIXED,
  findTouchedLimits,
  normalize,
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
/** Largest distance of a limit that the start touches, rad or in length scales. */
const MAX_START_DISTANCE = 0.1;
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
  /** The active set of the least projected gradient, and s, by which a step may approach each constraint that it reached. */
  readonly minimizerActive: Uint8Array;
  readonly minimizerSlack: Float64Array;
  readonly slack: Float64Array;
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
    minimizerActive: new Uint8Array(count),
    minimizerSlack: new Float64Array(count),
    slack: new Float64Array(count),
    basis: new Float64Array(rows * width),
    lower: new Float64Array(rows * rows),
    rowMultipliers: new Float64Array(rows),
    projectedGradient: new Float64Array(width),
    multipliers: {
      candidate: new Uint8Array(count),
      active,
      solution: new Float64Array(count),
      feasible: new Float64Array(count),
      solve: () => {
        const independent = orthonormalizeRows(nullSpace);
        writeMultipliers(nullSpace, nullSpace.gradient);
        return independent;
      },
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
 * @param start - Its limits count as touched although they are some way off: those of the last frame.
 * @returns the norm of the projected gradient.
 */
export function updateNullSpace(
  nullSpace: NullSpace,
  pose: Float64Array,
  gradient: Float64Array,
  start?: Float64Array,
): number {
  const { activeSet, touched, active, projectedGradient, multipliers } = nullSpace;
  nullSpace.gradient.set(gradient);
  nullSpace.minimizerSlack.fill(0);
  nullSpace.rows.set(nullSpace.problem.jacobian.values.subarray(0, nullSpace.rows.length));
  if (start === undefined) findTouchedLimits(activeSet, pose, touched);
  else touchLimitsOf(nullSpace, start, pose);
  touchInequalities(nullSpace);
  for (let n = 0; n < active.length; n++) {
    // The guess: of the touched ones those of the last pose, or all that the start touches.
    active[n] =
      touched[n] === FIXED || (touched[n] === 1 && (start !== undefined || active[n] === 1)) ? 1 : 0;
    multipliers.candidate[n] = touched[n] === 1 ? 1 : 0;
  }
  solveNonnegativeLeastSquares(multipliers, MULTIPLIER_TOLERANCE * norm(gradient));
  activeSet.multipliers.set(multipliers.solution.subarray(0, activeSet.limits.length));
  nullSpace.minimizerActive.set(active);
  nullSpace.slack.set(nullSpace.minimizerSlack);
  return norm(projectedGradient);
}

/**
 * Adds the constraints that a step reaches to the active set, each as the plane n.d = s through the point of the limit nearest to the
 * step's end. The step is to be computed again, in the null space of the larger set.
 *
 * @param point - Scratch, as long as a pose.
 * @returns whether there are any.
 */
export function addReachedConstraints(
  nullSpace: NullSpace,
  pose: Float64Array,
  step: Float64Array,
  point: Float64Array,
): boolean {
  const { problem, rows, active, slack, equalityRows, inequalityRows, inequalityBounds } = nullSpace;
  const { limits, coordinates, columnScale, normals } = nullSpace.activeSet;
  let added = false;
  for (let n = 0; n < limits.length; n++) {
    if (active[n] !== 0) continue;
    const { limit, shape, column } = limits[n];
    const { parameters, coordinate, size, kind } = limit;
    const end = column + size;
    for (let k = column; k < end; k++)
      point[coordinates[k]] = pose[coordinates[k]] + columnScale[k] * step[k];
    if (!shape.project(parameters, point, coordinate, size)) continue;
    if (kind === 'interval') normals[column] = Math.sign(step[column]);
    else shape.gradient(parameters, point, coordinate, size, normals, column);
    normalize(normals, column, size);
    for (let k = column; k < end; k++)
      slack[n] += (normals[k] * (point[coordinates[k]] - pose[coordinates[k]])) / columnScale[k];
    active[n] = 1;
    added = true;
  }
  for (let row = 0; row < inequalityRows; row++) {
    const n = limits.length + row;
    if (active[n] !== 0) continue;
    let change = 0;
    const o = (equalityRows + row) * step.length;
    for (let k = 0; k < step.length; k++) change += rows[o + k] * step[k];
    const gap = inequalityBounds[row] - problem.residual[equalityRows + row];
    if (!(change < gap - INEQUALITY_TOLERANCE)) continue;
    slack[n] = gap;
    active[n] = 1;
    added = true;
  }
  if (added) orthonormalizeRows(nullSpace);
  return added;
}

/**
 * Takes the constraint with the most negative multiplier at a step's end out of the active set.
 *
 * @param gradient - g + H d.
 * @returns whether there is one.
 */
export function dropConstraint(nullSpace: NullSpace, gradient: Float64Array): boolean {
  const { touched, active, slack, multipliers } = nullSpace;
  writeMultipliers(nullSpace, gradient);
  let least = -MULTIPLIER_TOLERANCE * norm(gradient);
  let leaving = -1;
  for (let n = 0; n < active.length; n++) {
    if (active[n] === 0 || touched[n] === FIXED || !(multipliers.solution[n] < least)) continue;
    least = multipliers.solution[n];
    leaving = n;
  }
  if (leaving < 0) return false;
  active[leaving] = 0;
  slack[leaving] = 0;
  orthonormalizeRows(nullSpace);
  return true;
}

/** Takes the constraints that steps reached out of the active set again. */
export function removeReachedConstraints(nullSpace: NullSpace): void {
  const { active, minimizerActive, minimizerSlack, slack } = nullSpace;
  let removed = false;
  for (let n = 0; n < active.length; n++) {
    slack[n] = minimizerSlack[n];
    if (active[n] === minimizerActive[n]) continue;
    active[n] = minimizerActive[n];
    removed = true;
  }
  if (removed) orthonormalizeRows(nullSpace);
}

/** Counts the limits that a nearby start touches as touched, as planes at the distance at which their linearization ends. */
function touchLimitsOf(nullSpace: NullSpace, start: Float64Array, pose: Float64Array): void {
  const { activeSet, touched, trialTouched, minimizerSlack } = nullSpace;
  const { limits, normals, columnScale } = activeSet;
  findTouchedLimits(activeSet, start, trialTouched);
  findTouchedLimits(activeSet, pose, touched);
  for (let n = 0; n < limits.length; n++) {
    if (trialTouched[n] !== 1 || touched[n] !== 0) continue;
    const { limit, shape, column } = limits[n];
    const { parameters, coordinate, size } = limit;
    let distance = -shape.value(parameters, pose, coordinate, size);
    // The normal of an interval is that of the start.
    if (size === 1) distance /= columnScale[column];
    else {
      shape.gradient(parameters, pose, coordinate, size, normals, column);
      distance *= normalize(normals, column, size);
    }
    if (!(distance < MAX_START_DISTANCE)) continue;
    minimizerSlack[n] = distance;
    touched[n] = 1;
  }
}

/** Whether the active set has limits that the pose does not touch yet. */
export function isAwayFromLimits({ active, minimizerSlack }: NullSpace): boolean {
  for (let n = 0; n < active.length; n++) if (active[n] === 1 && minimizerSlack[n] !== 0) return true;
  return false;
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
  const { gradient, projectedGradient } = nullSpace;
  projectedGradient.set(gradient);
  projectOntoNullSpace(nullSpace, projectedGradient);
}

/** Null-space projection of a vector, in place. */
export function projectOntoNullSpace({ activeSet, basis, rowMultipliers }: NullSpace, x: Float64Array): void {
  projectOutNormals(activeSet, x);
  for (let o = 0; o < rowMultipliers.length * x.length; o += x.length) {
    let dot = 0;
    for (let k = 0; k < x.length; k++) dot += x[k] * basis[o + k];
    for (let k = 0; k < x.length; k++) x[k] -= dot * basis[o + k];
  }
}

/** Z H Z of a symmetric matrix, in place: rows, then columns, by two transpositions. */
export function reduceSymmetric(nullSpace: NullSpace, h: Float64Array): void {
  const width = nullSpace.gradient.length;
  for (let pass = 0; pass < 2; pass++) {
    for (let o = 0; o < h.length; o += width) projectOntoNullSpace(nullSpace, h.subarray(o, o + width));
    for (let k = 0; k < width; k++) {
      for (let l = 0; l < k; l++) {
        const upper = h[l * width + k];
        h[l * width + k] = h[k * width + l];
        h[k * width + l] = upper;
      }
    }
  }
}

/**
 * A = L Q in the tangent space of the limits: Gram-Schmidt, each row twice, against cancellation.
 *
 * @returns whether the rows are linearly independent of each other and of the normals.
 */
function orthonormalizeRows(nullSpace: NullSpace): boolean {
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
  let allIndependent = true;
  for (let r = 0; r < rows; r++) {
    const o = r * width;
    const before = rowNorm(basis, o, width);
    // Again where a row lost much of its length.
    for (let pass = 0, last = before; pass < 2; pass++) {
      for (let s = 0; s < r; s++) {
        let dot = 0;
        for (let k = 0; k < width; k++) dot += basis[o + k] * basis[s * width + k];
        if (dot === 0) continue;
        lower[r * rows + s] += dot;
        for (let k = 0; k < width; k++) basis[o + k] -= dot * basis[s * width + k];
      }
      const rest = rowNorm(basis, o, width);
      if (rest > 0.5 * last) break;
      last = rest;
    }
    const length = rowNorm(basis, o, width);
    const independent = length > RANK_TOLERANCE * before;
    lower[r * rows + r] = independent ? length : 0;
    for (let k = 0; k < width; k++) basis[o + k] = independent ? basis[o + k] / length : 0;
    const isActive = r < equalityRows || isInequalityActive(nullSpace, r - equalityRows);
    if (!independent && isActive && rowNorm(values, o, width) > 0) allIndependent = false;
  }
  return allIndependent;
}

/**
 * The multipliers of the factored active set for a gradient: y by L^T y = -Q g, those of active limits, -(g + A^T y) . n, and of
 * inequalities, -y of the unit row.
 */
function writeMultipliers(nullSpace: NullSpace, gradient: Float64Array): void {
  const { problem, activeSet, active, rows: values, basis, lower, rowMultipliers, equalityRows } = nullSpace;
  const { solution } = nullSpace.multipliers;
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
