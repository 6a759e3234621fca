import {
  type ActiveSet,
  createActiveSet,
  HELD_FAST,
  projectRows,
  updateTouching,
} from '../problem/active-set.js';
import type { Problem } from '../problem/problem.js';

/** What is left of a row once the rows before it are taken out, against the row itself, that counts as nothing. */
const DEPENDENT = 1e-9;
/** A push against a limit, or a pull away from it, that counts as none: against the whole gradient. */
const NO_PUSH = 1e-12;
/** How near its bound a wall counts as touched, normalized. */
const NEAR_WALL = 1e-9;
/** Mark of a limit that is touched and pushes neither way. */
const PASSED_OVER = 3;

/**
 * The ways that limits and earlier priorities leave open at a pose: directions d with A d = 0, A the rows of the earlier priorities, on
 * the face of the active limits and along the active walls. Limits and walls are counted together: first the parts of the problem's
 * limits, then the walls.
 */
export interface HeldFace {
  /** How many rows of the problem are held: the first ones. */
  readonly heldRows: number;
  /** How many rows after those must not become less than their bounds. */
  readonly wallRows: number;
  /** Least value of each wall. */
  readonly bounds: Float64Array;
  readonly activeSet: ActiveSet;
  /** 1 for a limit or a wall that is touched. */
  readonly touching: Uint8Array;
  /** Limits touched by a pose on trial. */
  readonly near: Uint8Array;
  /** 1 for a wall that a pose on trial went through. */
  readonly crossed: Uint8Array;
  /** 1 for one that the descent would leave. */
  readonly active: Uint8Array;
  /** Orthonormal rows that span those of A and of the active walls on the face; a row that adds nothing is zero. */
  readonly basis: Float64Array;
  /** A = lower basis, on the face. */
  readonly lower: Float64Array;
  /** mu of the held rows and walls. */
  readonly multipliers: Float64Array;
  /** The gradient along the open ways. */
  readonly slope: Float64Array;
  /** Pushes of limits and walls, and the last that were all positive. */
  readonly pushes: Float64Array;
  readonly accepted: Float64Array;
}

export function createHeldFace(problem: Problem, heldRows: number, wallRows: number): HeldFace {
  const width = problem.coordinates.length;
  const rows = heldRows + wallRows;
  const count = problem.parts.length + wallRows;
  return {
    heldRows,
    wallRows,
    bounds: new Float64Array(wallRows),
    activeSet: createActiveSet(problem),
    touching: new Uint8Array(count),
    near: new Uint8Array(problem.parts.length),
    crossed: new Uint8Array(wallRows),
    active: new Uint8Array(count),
    basis: new Float64Array(rows * width),
    lower: new Float64Array(rows * rows),
    multipliers: new Float64Array(rows),
    slope: new Float64Array(width),
    pushes: new Float64Array(count),
    accepted: new Float64Array(count),
  };
}

/** Whether a wall is active. */
export function isWallActive({ active, wallRows }: HeldFace, wall: number): boolean {
  return active[active.length - wallRows + wall] === 1;
}

/**
 * Finds the open ways at a feasible pose for the gradient g of a later priority: the least |g + A^T mu + sum lambda n| with
 * lambda >= 0 over the limits and walls touched, by the method of Lawson and Hanson (Solving Least Squares Problems, 1974, chapter
 * 23). What is left is the slope: its descent neither moves the held rows nor leaves a limit.
 *
 * @param problem - Its Jacobian and residual are those at the pose; they stay as they are.
 * @returns the length of the slope.
 */
export function updateHeldFace(
  face: HeldFace,
  problem: Problem,
  pose: Float64Array,
  gradient: Float64Array,
): number {
  const { activeSet, touching, active, slope, pushes, accepted } = face;
  const count = updateTouching(problem, activeSet, pose, touching) + touchWalls(face, problem);
  for (let n = 0; n < active.length; n++) active[n] = touching[n] === HELD_FAST ? 1 : 0;
  accepted.fill(0);
  const push = NO_PUSH * norm(gradient);
  for (let round = 0; ; round++) {
    writeSlope(face, problem, gradient);
    if (round > 3 * count) break;
    const left = mostLeft(face, problem, push);
    if (left < 0) break;
    active[left] = 1;
    for (;;) {
      span(face, problem);
      writePushes(face, problem, gradient);
      // How far from the pushes accepted to the new ones, until one of them is zero.
      let part = 1;
      let first = -1;
      for (let n = 0; n < active.length; n++) {
        if (active[n] === 0 || touching[n] === HELD_FAST || pushes[n] > 0) continue;
        const way = accepted[n] > 0 ? accepted[n] / (accepted[n] - pushes[n]) : 0;
        if (way < part || first < 0) {
          part = Math.min(part, way);
          first = n;
        }
      }
      if (first < 0) {
        accepted.set(pushes);
        break;
      }
      for (let n = 0; n < active.length; n++) accepted[n] += part * (pushes[n] - accepted[n]);
      active[first] = 0;
      accepted[first] = 0;
      // Rounding alone brought it in: it will not be tried again.
      if (first === left) touching[first] = PASSED_OVER;
    }
  }
  writePushes(face, problem, gradient);
  const parts = problem.parts.length;
  activeSet.multipliers.set(pushes.subarray(0, parts));
  return norm(slope);
}

/** Marks the walls that stand at their bounds. */
function touchWalls({ heldRows, wallRows, bounds, touching }: HeldFace, { residual }: Problem): number {
  const first = touching.length - wallRows;
  let count = 0;
  for (let w = 0; w < wallRows; w++) {
    touching[first + w] = residual[heldRows + w] <= bounds[w] + NEAR_WALL ? 1 : 0;
    count += touching[first + w];
  }
  return count;
}

function writeSlope(face: HeldFace, problem: Problem, gradient: Float64Array): void {
  const { activeSet, slope } = face;
  span(face, problem);
  slope.set(gradient);
  projectRows(problem, activeSet, slope, 1, slope.length);
  removeBasis(face, slope, 0);
}

/** The limit or wall touched that the descent along the slope leaves fastest, -1 for none. */
function mostLeft(face: HeldFace, problem: Problem, push: number): number {
  const { touching, active, slope } = face;
  let most = push;
  let at = -1;
  for (let n = 0; n < touching.length; n++) {
    if (touching[n] !== 1 || active[n] === 1) continue;
    const x = -outward(face, problem, slope, n);
    if (x <= most) continue;
    most = x;
    at = n;
  }
  return at;
}

/** Takes what points out of the open ways from rows of a matrix. */
export function keepOpenWays(face: HeldFace, problem: Problem, values: Float64Array, rows: number): void {
  const width = face.slope.length;
  projectRows(problem, face.activeSet, values, rows, width);
  for (let r = 0; r < rows; r++) removeBasis(face, values, r * width);
}

/** Orthonormal rows for A on the face: Gram-Schmidt, twice for rows that lose digits. */
function span(face: HeldFace, problem: Problem): void {
  const { activeSet, active, basis, lower, heldRows, wallRows } = face;
  const { values, width } = problem.jacobian;
  const rows = heldRows + wallRows;
  activeSet.active.set(active.subarray(0, problem.parts.length));
  basis.set(values.subarray(0, rows * width));
  for (let w = 0; w < wallRows; w++) {
    const o = (heldRows + w) * width;
    if (!isWallActive(face, w)) basis.fill(0, o, o + width);
  }
  projectRows(problem, activeSet, basis, rows, width);
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
    const independent = length > DEPENDENT * before;
    lower[r * rows + r] = independent ? length : 0;
    for (let k = 0; k < width; k++) basis[o + k] = independent ? basis[o + k] / length : 0;
  }
}

function removeBasis({ basis, slope, multipliers }: HeldFace, values: Float64Array, o: number): void {
  const width = slope.length;
  const rows = multipliers.length;
  for (let r = 0; r < rows; r++) {
    let dot = 0;
    for (let k = 0; k < width; k++) dot += values[o + k] * basis[r * width + k];
    if (dot === 0) continue;
    for (let k = 0; k < width; k++) values[o + k] -= dot * basis[r * width + k];
  }
}

/** mu, with L^T mu = -Q g, Q the basis; and the push of each active limit, -(g + A^T mu) . n, and wall, -mu of its unit row. */
function writePushes(face: HeldFace, problem: Problem, gradient: Float64Array): void {
  const { activeSet, active, basis, lower, multipliers: mu, pushes, heldRows } = face;
  const { values, width } = problem.jacobian;
  const rows = mu.length;
  for (let r = rows - 1; r >= 0; r--) {
    let sum = 0;
    for (let k = 0; k < width; k++) sum -= basis[r * width + k] * gradient[k];
    for (let s = r + 1; s < rows; s++) sum -= lower[s * rows + r] * mu[s];
    const pivot = lower[r * rows + r];
    mu[r] = pivot > 0 ? sum / pivot : 0;
  }
  const { parts } = problem;
  for (let n = 0; n < active.length; n++) {
    pushes[n] = 0;
    if (active[n] === 0) continue;
    if (n >= parts.length) {
      const row = heldRows + n - parts.length;
      pushes[n] = -mu[row] * rowNorm(values, row * width, width);
      continue;
    }
    const { column, part } = parts[n];
    for (let k = column; k < column + part.size; k++) {
      let g = gradient[k];
      for (let r = 0; r < rows; r++) g += mu[r] * values[r * width + k];
      pushes[n] -= g * activeSet.normals[k];
    }
  }
}

/** A vector along the outward normal of a limit part, or against the unit row of a wall. */
function outward(face: HeldFace, { parts, jacobian }: Problem, x: Float64Array, n: number): number {
  let sum = 0;
  if (n >= parts.length) {
    const o = (face.heldRows + n - parts.length) * x.length;
    for (let k = 0; k < x.length; k++) sum -= x[k] * jacobian.values[o + k];
    const length = rowNorm(jacobian.values, o, x.length);
    return length > 0 ? sum / length : 0;
  }
  const { column, part } = parts[n];
  for (let k = column; k < column + part.size; k++) sum += x[k] * face.activeSet.normals[k];
  return sum;
}

function rowNorm(m: Float64Array, o: number, width: number): number {
  let sum = 0;
  for (let k = o; k < o + width; k++) sum += m[k] * m[k];
  return Math.sqrt(sum);
}

function norm(x: Float64Array): number {
  return rowNorm(x, 0, x.length);
}
