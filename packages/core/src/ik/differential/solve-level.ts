import { copyNumbers } from '../../math/linear/vector.js';
import { type QuadraticProgram, solveQuadraticProgram } from '../../math/optimization/quadratic-program.js';
import { type Bounds, type CurvedSet, writePoint } from './bounds.js';
import type { HalfSpaces } from './half-spaces.js';
import type { Constraints } from './rotation-parameterization.js';

/** How far outside a curved set, in g (which has no unit), counts as on it. */
const ON_BOUNDARY = 1e-12;
/** Rounds of linearizing the curved sets: 3 to 8 as a rule, quadratic at the end; 41 the most seen in 6,000 random levels. */
const MAX_ROUNDS = 100;

/**
 * So many rounds in a row on the boundary end the search although multipliers still move: at a pose on a curved limit, what a later
 * level may still do can be one point, where multipliers have no bound.
 */
const CONTENT = 3;

/** Part of a row that P leaves; less counts as none: its joints are closed to this level. */
const CLOSED = 1e-9;

/** Memory of the level solver, for `columns` velocities. */
export interface LevelSolver {
  readonly program: QuadraticProgram;
  /** H and c of the level, without the curvature of limits. */
  readonly hessian: Float64Array;
  readonly linear: Float64Array;
  /** Velocity x* + P z. */
  readonly candidate: Float64Array;
  readonly step: Float64Array;
  readonly point: Float64Array;
  readonly gradient: Float64Array;
  readonly curvature: Float64Array;
  readonly half: HalfSpaces;
  readonly constraints: Constraints;
  /** Rows of the program before those of the curved sets: the columns, the half-spaces, the constraints. */
  readonly planes: number;
}

export function createLevelSolver(
  program: QuadraticProgram,
  half: HalfSpaces,
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
    half,
    constraints,
    planes: size + half.goals.length + constraints.count,
  };
}

/**
 * Minimizes 1/2 z^T H z + c^T z over the z for which x* + P z stays within the bounds, and adds P z to x* in place. H and c come
 * in `solver.hessian` and `solver.linear`.
 *
 * Boxes are rows of one quadratic program. A curved set that its solution leaves is linearized at the nearest point of
 * its boundary, with the curvature of the set times its multiplier in H (sequential quadratic programming: Newton's method
 * on the conditions of Karush, Kuhn and Tucker), until the solution lies on the boundary. x* itself is allowed, so the
 * program always has a solution.
 *
 * Multipliers are left in `solver.program.multipliers` for the columns and in the curved sets.
 *
 * @returns false where the iteration had to be cut short: then x* moves only as far along the last z as the bounds allow.
 */
export function solveLevel(
  solver: LevelSolver,
  bounds: Bounds,
  projector: Float64Array,
  velocity: Float64Array,
): boolean {
  const { program, hessian, linear, candidate } = solver;
  const { size } = program;
  const { curved } = bounds;
  writeRows(solver, bounds, projector, velocity);
  // What the levels before met stays linearized: a tangent of a convex set cuts nothing off.
  for (let n = 0; n < curved.length; n++) curved[n].multiplier = 0;
  let content = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    copyNumbers(hessian, program.hessian, size * size);
    copyNumbers(linear, program.linear, size);
    let count = solver.planes;
    for (let n = 0; n < curved.length; n++) {
      if (curved[n].met) linearize(solver, curved[n], bounds.part, projector, velocity, count++);
    }
    if (solveQuadraticProgram(program, count) !== 'optimal')
      return retreat(solver, bounds, projector, velocity);
    writeCandidate(solver, projector, velocity);
    const state = settle(solver, bounds);
    content = state === OUTSIDE ? 0 : content + 1;
    if (state === DONE || content === CONTENT) {
      copyNumbers(candidate, velocity, size);
      return true;
    }
  }
  return retreat(solver, bounds, projector, velocity);
}

/**
 * The columns as rows over z, lower - x* <= P z <= upper - x*, then the half-spaces, lower - J x* <= J P z, then the constraints, which
 * x* meets: A P z = 0.
 */
function writeRows(
  { program, half, constraints }: LevelSolver,
  bounds: Bounds,
  projector: Float64Array,
  velocity: Float64Array,
): void {
  const { size, rows, lower, upper } = program;
  copyNumbers(projector, rows, size * size);
  for (let k = 0; k < size; k++) {
    closeRow(rows, k * size, size, 1);
    lower[k] = Math.min(0, bounds.part * bounds.lower[k] - velocity[k]);
    upper[k] = Math.max(0, bounds.part * bounds.upper[k] - velocity[k]);
  }
  let row = size;
  for (let n = 0; n < half.goals.length; n++, row++) {
    writeRow(program, row, half.values, n * size, projector);
    let given = 0;
    for (let c = 0; c < size; c++) given += half.values[n * size + c] * velocity[c];
    lower[row] = Math.min(0, bounds.part * half.lower[n] - given);
    upper[row] = Number.POSITIVE_INFINITY;
  }
  for (let n = 0; n < constraints.count; n++, row++) {
    writeRow(program, row, constraints.values, n * size, projector);
    lower[row] = 0;
    upper[row] = 0;
  }
}

/** Row `row` of the program: a P, a = values[o .. o + size). */
function writeRow(
  { size, rows }: QuadraticProgram,
  row: number,
  values: Float64Array,
  o: number,
  projector: Float64Array,
): void {
  const to = row * size;
  let steepness = 0;
  rows.fill(0, to, to + size);
  for (let c = 0; c < size; c++) {
    const x = values[o + c];
    if (x === 0) continue;
    steepness += x * x;
    for (let k = 0; k < size; k++) rows[to + k] += x * projector[c * size + k];
  }
  closeRow(rows, to, size, Math.sqrt(steepness));
}

/**
 * The set seen from its boundary point b: gradient.(p - b) <= 0 as row `row`, and multiplier times its second derivative in H and
 * c, with p = p* + reach M P z.
 */
function linearize(
  solver: LevelSolver,
  set: CurvedSet,
  part: number,
  projector: Float64Array,
  velocity: Float64Array,
  row: number,
): void {
  const { program, point, gradient, curvature } = solver;
  const { size: n, rows, lower, upper, hessian, linear } = program;
  const { size, width, column, map, boundary, shape, parameters, multiplier } = set;
  const reach = set.reach / part;
  writePoint(set, part, velocity, point);
  shape.gradient(parameters, boundary, 0, size, gradient, 0);
  let value = 0;
  for (let k = 0; k < size; k++) {
    point[k] -= boundary[k];
    value += gradient[k] * point[k];
  }
  const o = row * n;
  rows.fill(0, o, o + n);
  let steepness = 0;
  for (let b = 0; b < width; b++) {
    let slope = 0;
    for (let r = 0; r < size; r++) slope += gradient[r] * map[width * r + b];
    slope *= reach;
    steepness += slope * slope;
    for (let k = 0; k < n; k++) rows[o + k] += slope * projector[(column + b) * n + k];
  }
  closeRow(rows, o, n, Math.sqrt(steepness));
  lower[row] = Number.NEGATIVE_INFINITY;
  upper[row] = Math.max(0, -value);
  if (multiplier === 0) return;
  // multiplier (reach M)^T g'' (reach M) in the block, multiplier (reach M)^T g'' (p* - b) against it.
  shape.hessian(parameters, boundary, 0, size, curvature, 0);
  for (let a = 0; a < width; a++) {
    let pull = 0;
    for (let r = 0; r < size; r++)
      for (let s = 0; s < size; s++) pull += map[width * r + a] * curvature[r * size + s] * point[s];
    pull *= multiplier * reach;
    const oa = (column + a) * n;
    for (let k = 0; k < n; k++) linear[k] += pull * projector[oa + k];
    for (let b = 0; b < width; b++) {
      let bend = 0;
      for (let r = 0; r < size; r++)
        for (let s = 0; s < size; s++)
          bend += map[width * r + a] * curvature[r * size + s] * map[width * s + b];
      bend *= multiplier * reach * reach;
      const ob = (column + b) * n;
      for (let i = 0; i < n; i++) {
        const x = bend * projector[oa + i];
        if (x === 0) continue;
        for (let j = 0; j <= i; j++) hessian[i * n + j] += x * projector[ob + j];
      }
    }
  }
}

/** Zeroes a row of which P has left only rounding; the program ignores it then. */
function closeRow(rows: Float64Array, o: number, n: number, size: number): void {
  let square = 0;
  for (let k = o; k < o + n; k++) square += rows[k] * rows[k];
  if (square < CLOSED * CLOSED * size * size) rows.fill(0, o, o + n);
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

const DONE = 0;
const ON_BOUNDARIES = 1;
const OUTSIDE = 2;

/** Takes up the multipliers of a round, moves each linearization on, and says how far from the end that is. */
function settle(solver: LevelSolver, { curved, part }: Bounds): number {
  const { program, candidate, point } = solver;
  let row = solver.planes;
  let state = DONE;
  for (let n = 0; n < curved.length; n++) {
    const set = curved[n];
    if (set.off) continue;
    const { shape, parameters, size, boundary, met } = set;
    writePoint(set, part, candidate, point);
    let change = 0;
    if (met) {
      const multiplier = program.multipliers[row++];
      change = Math.abs(multiplier - set.multiplier);
      set.multiplier = multiplier;
    }
    const outside = shape.value(parameters, point, 0, size);
    if (!(outside > 0)) continue;
    // The gradient at the point differs from that of the linearization by g'' times the way between.
    let way = 0;
    let far = 0;
    for (let k = 0; k < size; k++) {
      way = Math.max(way, Math.abs(point[k] - boundary[k]));
      far = Math.max(far, Math.abs(point[k]));
    }
    const touches = met && outside <= ON_BOUNDARY;
    if (touches && change * way <= ON_BOUNDARY * set.multiplier * far) continue;
    state = Math.max(state, touches ? ON_BOUNDARIES : OUTSIDE);
    shape.project(parameters, point, 0, size);
    for (let k = 0; k < size; k++) boundary[k] = point[k];
    set.met = true;
  }
  return state;
}

/** The part of the last z that the bounds allow, by bisection; x* is allowed. Constraints hold all along z. */
function retreat(
  solver: LevelSolver,
  bounds: Bounds,
  projector: Float64Array,
  velocity: Float64Array,
): boolean {
  const { program, candidate, step } = solver;
  writeCandidate(solver, projector, velocity);
  let good = 0;
  let bad = 1;
  for (let round = 0; round < 50; round++) {
    const part = 0.5 * (good + bad);
    for (let k = 0; k < program.size; k++) candidate[k] = velocity[k] + part * step[k];
    if (allowed(solver, bounds)) good = part;
    else bad = part;
  }
  for (let k = 0; k < program.size; k++) {
    const moved = velocity[k] + good * step[k];
    if (Number.isFinite(moved)) velocity[k] = moved;
  }
  return false;
}

function allowed(
  { program, candidate, point, half }: LevelSolver,
  { lower, upper, curved, part }: Bounds,
): boolean {
  for (let k = 0; k < program.size; k++)
    if (!(candidate[k] >= part * lower[k] && candidate[k] <= part * upper[k])) return false;
  for (let n = 0; n < half.goals.length; n++) {
    let given = 0;
    for (let c = 0; c < program.size; c++) given += half.values[n * program.size + c] * candidate[c];
    if (!(given >= part * half.lower[n])) return false;
  }
  for (let n = 0; n < curved.length; n++) {
    if (curved[n].off) continue;
    writePoint(curved[n], part, candidate, point);
    if (curved[n].shape.value(curved[n].parameters, point, 0, curved[n].size) > 0) return false;
  }
  return true;
}
