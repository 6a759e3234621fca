/**
 * Where an edit begins: next to its answer. With goals at one moment the answer is d(t) = K(t) d_1, d_1 the least change of the pose there that
 * serves them (a problem of inverse kinematics with a posture) and K the smoothest bump of height one; with several moments each is served by
 * itself and the bumps put together, and the solve has to share what is left.
 */
import type { Figure } from '../../figure/figure.js';
import { rotationVectors } from '../../figure/regularize.js';
import { createIk } from '../../ik/create-ik.js';
import type { Goal } from '../../ik/goal.js';
import { solveIk } from '../../ik/solve.js';
import * as cholesky from '../../math/cholesky.js';
import * as quat from '../../math/quat.js';
import { quatFromRotationVector } from '../../rotation/exponential.js';
import { rotationVectorFromQuat } from '../../rotation/log.js';
import { createJacobianRows, type JacobianRows } from '../jacobian-rows.js';
import { gaussMoments } from '../moments-of.js';
import type { SpacetimeProblem } from '../problem.js';
import type { SpacetimeSave } from '../solve.js';
import { ORDERS, type SplineBasis, writeBasis } from '../spline-basis.js';
import { linearize } from '../system.js';
import { selectCoordinates, writeDifference } from '../terms/difference.js';

/** Goals at one moment, s from the start of the problem. */
export interface GoalMoment {
  readonly time: number;
  readonly goals: readonly Goal[];
}

/** What the change costs: that of the problem's terms. */
export interface ChangeCost {
  /** For each bone by name. */
  readonly weights: Readonly<Record<string, number>>;
  /** Of the integral of d^2 against that of d''^2. */
  readonly closeness: number;
  /** Bones that move, by index. */
  readonly moving: ReadonlySet<number>;
}

/** More moments than this are left to the solve. */
const MOST_MOMENTS = 48;
/** Goals count as met here; the solve itself goes on to its own tolerance. */
const MET = 1e-8;
/** A penalty as the solver begins with: ten times what wishes weigh. */
const PENALTY = 10;
/** Of the mean of the model's diagonal: beside the answer the model is good, but not without bound. */
const DAMPING = 0.01;

/**
 * Moments are served in the order given, each by the least change from what those before it make of it.
 *
 * @returns undefined where there are too many moments.
 */
export function editStart(
  problem: SpacetimeProblem,
  moments: readonly GoalMoment[],
  cost: ChangeCost,
): SpacetimeSave | undefined {
  if (moments.length === 0 || moments.length > MOST_MOMENTS) return undefined;
  const { path, places } = problem.system;
  const { free, basis } = path;
  const { dof } = problem.figure;
  const { rows, solved } = bumps(problem, moments, cost.closeness);
  const changes: Float64Array[] = [];
  const expected = new Float64Array(dof);
  moments.forEach((moment, a) => {
    const shares = sharesOf(solved, rows, a, rows[a]);
    expected.fill(0);
    for (let b = 0; b < a; b++) {
      for (let c = 0; c < free.length; c++) expected[free[c]] += shares[b] * changes[b][free[c]];
    }
    changes.push(changeAt(problem, moment, expected, cost));
  });
  const unknowns = new Float64Array(problem.system.size);
  const unit = new Float64Array(basis.count);
  for (let k = 0; k < basis.count; k++) {
    unit.fill(0);
    unit[k] = 1;
    const shares = sharesOf(solved, rows, moments.length, unit);
    for (let c = 0; c < free.length; c++) {
      let sum = 0;
      for (let a = 0; a < moments.length; a++) sum += shares[a] * changes[a][free[c]];
      unknowns[places.motion[k * free.length + c]] = sum;
    }
  }
  return withMultipliers(problem, unknowns);
}

/**
 * The least change of the pose at a moment that serves the goals there.
 *
 * @param expected - The displacement that the moments before ask for here.
 */
function changeAt(
  { figure, reference }: SpacetimeProblem,
  { time, goals }: GoalMoment,
  expected: Float64Array,
  { weights, moving }: ChangeCost,
): Float64Array {
  const bones = Array.from(moving).filter((b) => figure.bones[b].dof > 0);
  const before = reference(time).pose;
  const near = Float64Array.from(before, (x, i) => x + expected[i]);
  for (const i of rotationVectors(figure)) {
    turned(before.subarray(i, i + 3), expected.subarray(i, i + 3), near.subarray(i, i + 3));
  }
  const pose = near.slice();
  const ik = createIk(
    figure,
    [
      ...goals.map((goal) => (goal.type === 'posture' ? goal : { ...goal, weight: 1, tolerance: MET })),
      {
        type: 'posture',
        bones,
        stiffness: bones.map((b) => Math.max(weights[figure.bones[b].name] ?? 1, 1e-9)),
        reference: near,
      },
    ],
    { restarts: 0, locked: stillBones(figure, moving) },
  );
  solveIk(ik, pose);
  const change = new Float64Array(figure.dof);
  writeDifference(
    selectCoordinates(figure, () => true),
    pose,
    before,
    change,
    0,
  );
  return change;
}

/** out = log(exp(v) exp(d)), |out| <= pi. */
function turned(v: Float64Array, d: Float64Array, out: Float64Array): void {
  const first = quatFromRotationVector([v[0], v[1], v[2]]);
  rotationVectorFromQuat(quat.multiply(first, quatFromRotationVector([d[0], d[1], d[2]])), undefined, out);
}

function stillBones({ bones }: Figure, moving: ReadonlySet<number>): number[] {
  return bones.filter(({ index, dof }) => dof > 0 && !moving.has(index)).map(({ index }) => index);
}

/** Rows B of the basis at the moments, and Q^-1 B^T, Q the model of the cost of one coordinate: the integral of d''^2 + closeness d^2. */
function bumps(
  problem: SpacetimeProblem,
  moments: readonly GoalMoment[],
  closeness: number,
): { readonly rows: readonly Float64Array[]; readonly solved: readonly Float64Array[] } {
  const { basis } = problem.system.path;
  const { count } = basis;
  const gram = gramOf(basis, closeness);
  const held = heldPoints(problem);
  for (let k = 0; k < count; k++) if (held[k] === 1) hold(gram, count, k);
  const width = basis.degree + 1;
  const values = new Float64Array(ORDERS * width);
  cholesky.factor(gram, count);
  const rows = moments.map(({ time }) => {
    const row = new Float64Array(count);
    const first = writeBasis(basis, time, values);
    for (let j = 0; j < width; j++) if (held[first + j] === 0) row[first + j] = values[j];
    return row;
  });
  const solved = rows.map((row) => {
    const x = row.slice();
    cholesky.solve(gram, count, x);
    return x;
  });
  return { rows, solved };
}

/** Moments closer together than the knots cannot all have their own; one at a held end has none. */
const RIDGE = 1e-9;

/** What the first `n` moments have to say of b . d, each its share: (B Q^-1 B^T)^-1 B Q^-1 b. */
function sharesOf(
  solved: readonly Float64Array[],
  rows: readonly Float64Array[],
  n: number,
  b: Float64Array,
): Float64Array {
  const shares = new Float64Array(n);
  const kernel = new Float64Array(n * n);
  let trace = 0;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) kernel[i * n + j] = dot(rows[i], solved[j]);
    trace += kernel[i * n + i];
    shares[i] = dot(solved[i], b);
  }
  for (let i = 0; i < n; i++) kernel[i * n + i] += RIDGE * trace + Number.MIN_VALUE;
  if (n === 0 || !cholesky.factor(kernel, n)) return shares.fill(0);
  cholesky.solve(kernel, n, shares);
  return shares;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k] * b[k];
  return sum;
}

/** 1 for each control point that stays zero. */
function heldPoints({ system, data }: SpacetimeProblem): Uint8Array {
  const { count } = system.path.basis;
  const { heldEnds = 'none' } = data;
  const held = new Uint8Array(count);
  if (heldEnds === 'start' || heldEnds === 'both') held.fill(1, 0, 3);
  if (heldEnds === 'end' || heldEnds === 'both') held.fill(1, count - 3);
  return held;
}

function hold(gram: Float64Array, count: number, k: number): void {
  for (let j = 0; j < count; j++) {
    gram[k * count + j] = 0;
    gram[j * count + k] = 0;
  }
  gram[k * count + k] = 1;
}

function gramOf(basis: SplineBasis, closeness: number): Float64Array {
  const { count, degree, start, end } = basis;
  const width = degree + 1;
  const row = new Float64Array(ORDERS * width);
  const gram = new Float64Array(count * count);
  for (const { time, weight } of gaussMoments(basis, start, end, 2)) {
    const first = writeBasis(basis, time, row);
    for (let i = 0; i < width; i++) {
      for (let j = 0; j < width; j++) {
        gram[(first + i) * count + first + j] +=
          weight * (row[2 * width + i] * row[2 * width + j] + closeness * row[i] * row[j]);
      }
    }
  }
  return gram;
}

/** The multipliers that balance the wishes best: J J^T lambda = -J g, over the rows that have to hold. */
function withMultipliers({ system }: SpacetimeProblem, unknowns: Float64Array): SpacetimeSave {
  const rows = createJacobianRows(system.rows);
  linearize(system, unknowns, rows);
  const { kinds, size } = system;
  const gradient = new Float64Array(size);
  const musts: number[] = [];
  let wishes = 0;
  let weight = 0;
  for (let i = 0; i < system.rows; i++) {
    if (kinds[i] === 'wish') {
      wishes += squareOf(rows, i);
      for (let p = rows.start[i]; p < rows.start[i + 1]; p++)
        gradient[rows.columns[p]] += rows.values[p] * rows.residual[i];
    } else if (kinds[i] === 'equality') {
      weight += squareOf(rows, i);
      musts.push(i);
    }
  }
  const n = musts.length;
  const multipliers = new Float64Array(system.rows);
  const penalty = wishes > 0 && weight > 0 ? (PENALTY * wishes) / weight : 0;
  const matrix = new Float64Array(n * n);
  const right = new Float64Array(n);
  const dense = new Float64Array(size);
  for (let a = 0; a < n; a++) {
    const i = musts[a];
    for (let p = rows.start[i]; p < rows.start[i + 1]; p++) {
      dense[rows.columns[p]] = rows.values[p];
      right[a] -= rows.values[p] * gradient[rows.columns[p]];
    }
    for (let b = 0; b <= a; b++) {
      let sum = 0;
      for (let p = rows.start[musts[b]]; p < rows.start[musts[b] + 1]; p++)
        sum += rows.values[p] * dense[rows.columns[p]];
      matrix[a * n + b] = sum;
    }
    matrix[a * n + a] += 1e-9 * matrix[a * n + a] + Number.MIN_VALUE;
    for (let p = rows.start[i]; p < rows.start[i + 1]; p++) dense[rows.columns[p]] = 0;
  }
  if (n > 0 && cholesky.factor(matrix, n)) {
    cholesky.solve(matrix, n, right);
    for (let a = 0; a < n; a++) if (Number.isFinite(right[a])) multipliers[musts[a]] = right[a];
  }
  const mean = (wishes + penalty * weight) / size;
  return { unknowns, multipliers, penalty, damping: DAMPING * mean, iterations: 0 };
}

function squareOf({ start, values }: JacobianRows, i: number): number {
  let sum = 0;
  for (let p = start[i]; p < start[i + 1]; p++) sum += values[p] * values[p];
  return sum;
}
