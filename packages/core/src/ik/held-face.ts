import { type ActiveSet, createActiveSet, HELD_FAST, projectRows, updateTouching } from './active-set.js';
import type { Problem } from './problem.js';

/** What is left of a row once the rows before it are taken out, against the row itself, that counts as nothing. */
const DEPENDENT = 1e-9;
/** A push against a limit, or a pull away from it, that counts as none: against the whole gradient. */
const NO_PUSH = 1e-12;

/**
 * The ways that limits and earlier priorities leave open at a pose: directions d with A d = 0, A the rows of the earlier
 * priorities, on the face of the active limits.
 */
export interface HeldFace {
  readonly activeSet: ActiveSet;
  readonly touching: Uint8Array;
  /** Orthonormal rows that span those of A on the face; rows x columns, a row that adds nothing is zero. */
  readonly basis: Float64Array;
  /** A = lower basis, on the face. */
  readonly lower: Float64Array;
  readonly multipliers: Float64Array;
  /** The gradient along the open ways. */
  readonly slope: Float64Array;
}

export function createHeldFace(problem: Problem, held: Problem): HeldFace {
  const width = problem.coordinates.length;
  return {
    activeSet: createActiveSet(problem),
    touching: new Uint8Array(problem.parts.length),
    basis: new Float64Array(held.rows * width),
    lower: new Float64Array(held.rows * held.rows),
    multipliers: new Float64Array(held.rows),
    slope: new Float64Array(width),
  };
}

/**
 * Finds the open ways at a feasible pose for the gradient g of a later priority, by an active-set method: a limit that the descent
 * along the open ways would leave becomes active, one that holds the descent back from inside is released. At a stationary pose
 * g + A^T mu + sum lambda n = 0 with lambda >= 0.
 *
 * @param held - Its Jacobian is that of the earlier priorities at the pose; it stays as it is.
 * @returns the length of the slope.
 */
export function updateHeldFace(
  face: HeldFace,
  problem: Problem,
  held: Problem,
  pose: Float64Array,
  gradient: Float64Array,
): number {
  const { activeSet, touching, slope } = face;
  const { active, multipliers } = activeSet;
  const { parts } = problem;
  const count = updateTouching(problem, activeSet, pose, touching);
  for (let n = 0; n < parts.length; n++) active[n] = touching[n] === HELD_FAST ? 1 : 0;
  const push = NO_PUSH * norm(gradient);
  for (let round = 0; ; round++) {
    span(face, problem, held);
    slope.set(gradient);
    projectRows(problem, activeSet, slope, 1, slope.length);
    removeBasis(face, slope, 0, held.rows);
    if (round > 3 * count) break;
    const left = farthest(parts.length, (n) =>
      touching[n] === 1 && active[n] === 0 ? -along(face, problem, slope, n) : 0,
    );
    if (left.value > push) {
      active[left.at] = 1;
      continue;
    }
    writeMultipliers(face, problem, held, gradient);
    const pulled = farthest(parts.length, (n) =>
      touching[n] === 1 && active[n] === 1 ? -multipliers[n] : 0,
    );
    if (!(pulled.value > push)) break;
    active[pulled.at] = 0;
  }
  writeMultipliers(face, problem, held, gradient);
  return norm(slope);
}

/** Takes what points out of the open ways from rows of a matrix. */
export function keepOpenWays(
  face: HeldFace,
  problem: Problem,
  held: Problem,
  values: Float64Array,
  rows: number,
): void {
  const width = face.slope.length;
  projectRows(problem, face.activeSet, values, rows, width);
  for (let r = 0; r < rows; r++) removeBasis(face, values, r * width, held.rows);
}

/** Orthonormal rows for A on the face: Gram-Schmidt, twice for rows that lose digits. */
function span({ activeSet, basis, lower }: HeldFace, problem: Problem, { jacobian, rows }: Problem): void {
  const { values, width } = jacobian;
  basis.set(values);
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

function removeBasis({ basis, slope }: HeldFace, values: Float64Array, o: number, rows: number): void {
  const width = slope.length;
  for (let r = 0; r < rows; r++) {
    let dot = 0;
    for (let k = 0; k < width; k++) dot += values[o + k] * basis[r * width + k];
    if (dot === 0) continue;
    for (let k = 0; k < width; k++) values[o + k] -= dot * basis[r * width + k];
  }
}

/** lambda of each active limit: -(g + A^T mu) . n, with L^T mu = -Q g, Q the basis. */
function writeMultipliers(
  { activeSet, basis, lower, multipliers: mu }: HeldFace,
  problem: Problem,
  { jacobian, rows }: Problem,
  gradient: Float64Array,
): void {
  const { values, width } = jacobian;
  for (let r = rows - 1; r >= 0; r--) {
    let sum = 0;
    for (let k = 0; k < width; k++) sum -= basis[r * width + k] * gradient[k];
    for (let s = r + 1; s < rows; s++) sum -= lower[s * rows + r] * mu[s];
    const pivot = lower[r * rows + r];
    mu[r] = pivot > 0 ? sum / pivot : 0;
  }
  const { parts } = problem;
  const { active, normals, multipliers } = activeSet;
  for (let n = 0; n < parts.length; n++) {
    multipliers[n] = 0;
    if (active[n] === 0) continue;
    const { column, part } = parts[n];
    for (let k = column; k < column + part.size; k++) {
      let g = gradient[k];
      for (let r = 0; r < rows; r++) g += mu[r] * values[r * width + k];
      multipliers[n] -= g * normals[k];
    }
  }
}

/** A vector along the normal of a limit part. */
function along({ activeSet: { normals } }: HeldFace, { parts }: Problem, x: Float64Array, n: number): number {
  const { column, part } = parts[n];
  let sum = 0;
  for (let k = column; k < column + part.size; k++) sum += x[k] * normals[k];
  return sum;
}

function farthest(count: number, value: (n: number) => number): { at: number; value: number } {
  const best = { at: -1, value: 0 };
  for (let n = 0; n < count; n++) {
    const x = value(n);
    if (x <= best.value) continue;
    best.at = n;
    best.value = x;
  }
  return best;
}

function rowNorm(m: Float64Array, o: number, width: number): number {
  let sum = 0;
  for (let k = o; k < o + width; k++) sum += m[k] * m[k];
  return Math.sqrt(sum);
}

function norm(x: Float64Array): number {
  return rowNorm(x, 0, x.length);
}
