/** Constraints on joint velocities, and the impulses that keep them. */
import { FigureError } from '../../errors.js';
import type { Figure } from '../../figure/figure.js';
import { factorTree, solveLower } from '../../math/tree-factor.js';

/**
 * Room for the constraint rows of one step over the coordinates of one figure: made once, filled anew each step, never grown.
 *
 * Row r asks J_r nu + bias_r >= 0 with an impulse of at least 0, or, where it rubs, for J_r nu = 0 with an impulse of at most `friction` times
 * that of the row it belongs to.
 */
export interface ConstraintRows {
  readonly figure: Figure;
  readonly capacity: number;
  /** Coordinate before each one on its chain, -1 for none. */
  readonly before: Int32Array;
  /** Lower triangle of M = L^T L, dof x dof. */
  readonly factor: Float64Array;
  count: number;
  /** Largest entry of M. */
  heaviest: number;
  /** J, then L^-T J^T, one row after the other, dof numbers each. */
  readonly jacobian: Float64Array;
  readonly spread: Float64Array;
  /** Coordinates that a row touches, descending, and how many: its chains to the root, and nothing beside them. */
  readonly support: Int32Array;
  readonly supportCount: Int32Array;
  readonly bias: Float64Array;
  /** Row that a rubbing row belongs to, -1 for one that pushes. Two rubbing rows follow the one that they belong to. */
  readonly pushes: Int32Array;
  readonly friction: Float64Array;
  /** J M^-1 J^T + softness of each row. */
  readonly diagonal: Float64Array;
  /** Impulses, N s or N m s. Before a solve: where to start. */
  readonly impulse: Float64Array;
  /** Velocity along each row without impulses. */
  readonly free: Float64Array;
  /** sum of L^-T J^T impulse */
  readonly sum: Float64Array;
  /** Scratch: joint velocities, all 0 between calls; coordinate rates. */
  readonly unit: Float64Array;
  readonly rate: Float64Array;
}

/** @throws FigureError `unsupported` for a figure whose joints follow others. */
export function createConstraintRows(figure: Figure, capacity: number): ConstraintRows {
  const { dof } = figure;
  if (figure.couplings.length > 0) {
    throw new FigureError('unsupported', 'has joints that follow others.', {
      path: `figure ${figure.name}`,
      remedy: 'Simulate it without limits and contacts, or give those joints coordinates of their own.',
    });
  }
  return {
    figure,
    capacity,
    before: coordinatesBefore(figure),
    factor: new Float64Array(dof * dof),
    count: 0,
    heaviest: 0,
    jacobian: new Float64Array(capacity * dof),
    spread: new Float64Array(capacity * dof),
    support: new Int32Array(capacity * dof),
    supportCount: new Int32Array(capacity),
    bias: new Float64Array(capacity),
    pushes: new Int32Array(capacity),
    friction: new Float64Array(capacity),
    diagonal: new Float64Array(capacity),
    impulse: new Float64Array(capacity),
    free: new Float64Array(capacity),
    sum: new Float64Array(dof),
    unit: new Float64Array(dof),
    rate: new Float64Array(dof),
  };
}

/** The coordinate before each one on its way to the root. */
function coordinatesBefore({ bones, parents, coordinateStart, dof }: Figure): Int32Array {
  const before = new Int32Array(dof);
  for (const { index } of bones) {
    for (let i = coordinateStart[index]; i < coordinateStart[index + 1]; i++) {
      before[i] = i > coordinateStart[index] ? i - 1 : lastCoordinate(parents[index]);
    }
  }
  return before;

  function lastCoordinate(bone: number): number {
    for (let b = bone; b >= 0; b = parents[b]) {
      if (coordinateStart[b + 1] > coordinateStart[b]) return coordinateStart[b + 1] - 1;
    }
    return -1;
  }
}

/** Last coordinate that moves a bone, -1 for none (the world, a fixed bone). */
export function chainOf({ figure }: ConstraintRows, bone: number): number {
  const { parents, coordinateStart } = figure;
  for (let b = bone; b >= 0; b = parents[b]) {
    if (coordinateStart[b + 1] > coordinateStart[b]) return coordinateStart[b + 1] - 1;
  }
  return -1;
}

/** Empties the rows and takes a mass matrix (dof x dof), which is factored in place. @returns false where it is not positive definite. */
export function beginRows(rows: ConstraintRows, mass: Float64Array): boolean {
  const { dof } = rows.figure;
  rows.count = 0;
  rows.factor.set(mass);
  rows.heaviest = 0;
  for (let i = 0; i < dof; i++) rows.heaviest = Math.max(rows.heaviest, mass[i * (dof + 1)]);
  return factorTree(rows.factor, rows.figure.dof, rows.before);
}

/**
 * Adds a row; its Jacobian is zero, to be filled at the offset returned.
 *
 * @param chain - Last coordinate of the chain that it touches, see {@link chainOf}; and of another one.
 * @returns the row, or -1 where there is no room.
 */
export function addRow(rows: ConstraintRows, chain: number, other: number): number {
  const { count, capacity, jacobian, figure } = rows;
  if (count === capacity) return -1;
  rows.count++;
  jacobian.fill(0, count * figure.dof, (count + 1) * figure.dof);
  rows.supportCount[count] = writeSupport(rows, chain, other, count * figure.dof);
  rows.bias[count] = 0;
  rows.pushes[count] = -1;
  rows.friction[count] = 0;
  rows.diagonal[count] = 0;
  rows.impulse[count] = 0;
  return count;
}

/**
 * J M^-1 J^T times the largest entry of M, below which a row moves next to nothing: what is free moves at least as its whole mass does, which comes
 * to one.
 */
const IMMOVABLE = 1e-2;

/** Sweeps over all rows, and the change of an impulse against the largest at which they end. */
const MOST_SWEEPS = 60;
const SETTLED = 1e-6;

/** Both chains as one, descending, to `support` from `o` on. */
function writeSupport({ before, support }: ConstraintRows, chain: number, other: number, o: number): number {
  let count = 0;
  for (let i = chain, j = other; i >= 0 || j >= 0; count++) {
    const next = Math.max(i, j);
    support[o + count] = next;
    if (i === next) i = before[i];
    if (j === next) j = before[j];
  }
  return count;
}

/**
 * Finds impulses by projected Gauss-Seidel sweeps in the factor's space, and adds what they do to `nu`. A pair of rubbing rows is held to the disk
 * of its friction.
 *
 * @returns sweeps made.
 */
export function solveRows(rows: ConstraintRows, nu: Float64Array): number {
  const { figure, factor, before, count, diagonal, impulse, free, sum } = rows;
  const n = figure.dof;
  sum.fill(0);
  for (let r = 0; r < count; r++) {
    prepare(rows, r, nu);
    if (impulse[r] !== 0) addSpread(rows, r, impulse[r]);
  }
  let sweep = 0;
  for (; sweep < MOST_SWEEPS && count > 0; sweep++) {
    let change = 0;
    let largest = 0;
    for (let r = 0; r < count; r++) {
      if (rows.pushes[r] >= 0) {
        change = Math.max(change, rub(rows, r));
        r++;
      } else {
        const velocity = free[r] + along(rows, r) + rows.bias[r];
        const next = Math.max(0, impulse[r] - velocity / diagonal[r]);
        const step = next - impulse[r];
        if (step !== 0) {
          impulse[r] = next;
          addSpread(rows, r, step);
          change = Math.max(change, Math.abs(step));
        }
        largest = Math.max(largest, next);
      }
    }
    if (change <= SETTLED * largest) break;
  }
  // nu += L^-1 sum
  solveLower(factor, n, before, sum);
  for (let i = 0; i < n; i++) nu[i] += sum[i];
  return sweep;
}

/** L^-T J^T, the diagonal, and the velocity along the row. */
function prepare(rows: ConstraintRows, r: number, nu: Float64Array): void {
  const { figure, factor, before, jacobian, spread, support, supportCount, free, diagonal, heaviest } = rows;
  const n = figure.dof;
  const o = r * n;
  const end = o + supportCount[r];
  let now = 0;
  for (let s = o; s < end; s++) {
    const i = support[s];
    spread[o + i] = jacobian[o + i];
    now += jacobian[o + i] * nu[i];
  }
  free[r] = now;
  let square = 0;
  for (let s = o; s < end; s++) {
    const k = support[s];
    const row = k * n;
    const x = spread[o + k] / factor[row + k];
    spread[o + k] = x;
    square += x * x;
    for (let j = before[k]; j >= 0; j = before[j]) spread[o + j] -= factor[row + j] * x;
  }
  // Two shapes pressed together along the joint between them: no impulse parts them, and rounding would make a huge one.
  diagonal[r] = square * heaviest > IMMOVABLE ? diagonal[r] + square : Number.POSITIVE_INFINITY;
}

/** Velocity along a row by the impulses so far. */
function along({ figure, spread, sum, support, supportCount }: ConstraintRows, r: number): number {
  const o = r * figure.dof;
  const end = o + supportCount[r];
  let v = 0;
  for (let s = o; s < end; s++) v += spread[o + support[s]] * sum[support[s]];
  return v;
}

function addSpread(
  { figure, spread, sum, support, supportCount }: ConstraintRows,
  r: number,
  impulse: number,
): void {
  const o = r * figure.dof;
  const end = o + supportCount[r];
  for (let s = o; s < end; s++) sum[support[s]] += impulse * spread[o + support[s]];
}

/** Both rubbing rows of a contact, r and r + 1, held to the disk of its friction. @returns the larger change. */
function rub(rows: ConstraintRows, r: number): number {
  const { impulse, free, diagonal, friction, pushes } = rows;
  const most = friction[r] * impulse[pushes[r]];
  const scale = 1 / Math.max(diagonal[r], diagonal[r + 1]);
  let x = impulse[r] - scale * (free[r] + along(rows, r));
  let y = impulse[r + 1] - scale * (free[r + 1] + along(rows, r + 1));
  const size = Math.sqrt(x * x + y * y);
  if (size > most) {
    const shorter = size > 0 ? most / size : 0;
    x *= shorter;
    y *= shorter;
  }
  const dx = x - impulse[r];
  const dy = y - impulse[r + 1];
  if (dx !== 0) addSpread(rows, r, dx);
  if (dy !== 0) addSpread(rows, r + 1, dy);
  impulse[r] = x;
  impulse[r + 1] = y;
  return Math.max(Math.abs(dx), Math.abs(dy));
}
