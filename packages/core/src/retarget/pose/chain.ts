/** Bones in a row whose joints bring points of the last to their places: least squares within the limits. */
import { COORDINATE_SPACE } from '../../figure/joints/joint.js';
import { jointTypes } from '../../figure/joints/joint-types.js';
import type { LimitComponent } from '../../figure/limits/limit.js';
import { limitShapes } from '../../figure/limits/shapes.js';
import type { Figure } from '../../figure/model/figure.js';
import * as cholesky from '../../math/linear/cholesky.js';
import { transformAt } from '../kernel/rotations.js';
import { type JointWriter, placeBone } from './joint-writer.js';

export interface Chain {
  /** Bones, parents first. */
  readonly path: readonly number[];
  /** Coordinates of their joints, and the index in `path` of the bone of each. */
  readonly coordinates: readonly number[];
  readonly levels: readonly number[];
}

/** The bones from `upper` down to `end`. */
export function chainOf({ parents, bones }: Figure, upper: number, end: number): Chain {
  const path: number[] = [];
  for (let b = end; b > upper; b = parents[b]) path.push(b);
  path.push(upper);
  path.reverse();
  const own = path.map((bone) =>
    Array.from({ length: bones[bone].dof }, (_, k) => bones[bone].coordinate + k),
  );
  return {
    path,
    coordinates: own.flat(),
    levels: own.flatMap((list, level) => list.map(() => level)),
  };
}

/** A point of the last bone and its place. */
export interface PointGoal {
  /** In the frame of the bone. */
  readonly point: ArrayLike<number>;
  /** World. */
  readonly target: number[];
  /** Weights along the ground and along up: 1, or less where it gives way to others. */
  horizontal: number;
  vertical: number;
}

/** Steps, and those that came no nearer, one after the other, after which it is as near as it comes. */
const MAX_STEPS = 24;
const MAX_FAILED = 6;
/** Decrease of the sum of squares below which it has converged. */
const MIN_DECREASE = 1e-3;
/** Distance of points from their places that is left, over the length of the chain. */
export const CHAIN_TOLERANCE = 1e-4;
/** Rounds in which limits are added to a step, and their weight. */
const MAX_LIMITS = 5;
const LIMIT_WEIGHT = 1e4;
/** Distance from a limit that is none, rad. */
const AT_LIMIT = 1e-6;
/** What a step may leave of a limit that is an equality of it, over what it left before: limits are curved. */
const CURVED = 0.1;
/** Weight of changes of the joints against the position over the length of the chain. */
const REGULARIZATION = 1e-4;

const at = /* @__PURE__ */ new Float64Array(3);

/** Places the bones of a chain as the pose has them. */
export function placeChain(joints: JointWriter, { path }: Chain, pose: Float64Array): void {
  for (let l = 0; l < path.length; l++) placeBone(joints, path[l], pose);
}

export function setCoordinates({ coordinates }: Chain, values: ArrayLike<number>, pose: Float64Array): void {
  for (let c = 0; c < coordinates.length; c++) pose[coordinates[c]] = values[c];
}

/**
 * Derivatives of the weighted distances of points from their places, over `length`, with respect to the coordinates of a placed chain.
 *
 * @param out - Of each coordinate three numbers a goal.
 */
export function writeGoalJacobian(
  { figure, batches, world, columns }: JointWriter,
  { path, coordinates, levels }: Chain,
  goals: readonly PointGoal[],
  up: ArrayLike<number>,
  length: number,
  pose: Float64Array,
  out: Float64Array,
): void {
  const end = 12 * path[path.length - 1];
  for (const b of path) {
    const batch = batches[b];
    if (batch === undefined) continue;
    jointTypes[figure.bones[b].joint.type].writeColumns(batch, pose, world, COORDINATE_SPACE, columns);
  }
  for (let g = 0; g < goals.length; g++) {
    const { point, horizontal, vertical } = goals[g];
    transformAt(world, end, point, 0, world, end + 9, at, 0);
    for (let c = 0; c < coordinates.length; c++) {
      const i = 6 * coordinates[c];
      const o = 12 * path[levels[c]] + 9;
      const [x, y, z] = [at[0] - world[o], at[1] - world[o + 1], at[2] - world[o + 2]];
      // v + w x r
      const dx = columns[i + 3] + columns[i + 1] * z - columns[i + 2] * y;
      const dy = columns[i + 4] + columns[i + 2] * x - columns[i] * z;
      const dz = columns[i + 5] + columns[i] * y - columns[i + 1] * x;
      const height = (vertical - horizontal) * (dx * up[0] + dy * up[1] + dz * up[2]);
      const r = 3 * (c * goals.length + g);
      out[r] = (horizontal * dx + height * up[0]) / length;
      out[r + 1] = (horizontal * dy + height * up[1]) / length;
      out[r + 2] = (horizontal * dz + height * up[2]) / length;
    }
  }
}

/**
 * Levenberg-Marquardt steps of the joints towards the targets. A limit that a step would leave is an equality of the step, with the normal by which the
 * projection onto the limit moves it: the other joints take over.
 *
 * @param length - Of the chain, m.
 * @returns the largest distance that is left of points with a weight of 1, lengths.
 */
export function reachPoints(
  joints: JointWriter,
  chain: Chain,
  goals: readonly PointGoal[],
  up: ArrayLike<number>,
  length: number,
  pose: Float64Array,
): number {
  const { path, coordinates } = chain;
  const n = coordinates.length;
  const m = 3 * goals.length;
  const limits = path.flatMap((bone) => joints.state.limitsOfBone[bone]);
  const best = coordinates.map((i) => pose[i]);
  const residual = new Float64Array(m);
  const trial = new Float64Array(m);
  const jacobian = new Float64Array(m * n);
  const hessian = new Float64Array(n * n);
  const slope = new Float64Array(n);
  // With the limits of a step.
  const gauss = new Float64Array(n * n);
  const gradient = new Float64Array(n);
  const a = new Float64Array(n * n);
  const step = new Float64Array(n);
  const equalities: LimitEqualities = {
    limits,
    coordinates,
    best,
    outside: new Float64Array(n),
    depths: new Float64Array(limits.length),
    normals: new Float64Array(limits.length * n),
    bounds: new Float64Array(limits.length),
  };
  let value = writeResidual(joints, chain, goals, up, length, pose, residual);
  let damping = REGULARIZATION;
  let failed = 0;
  let isConverged = false;
  for (let round = 0; round < MAX_STEPS && failed < MAX_FAILED && !isConverged; round++) {
    if (Math.sqrt(value) <= 0.5 * CHAIN_TOLERANCE) break;
    // Of the pose that was accepted last.
    if (failed === 0) {
      writeGoalJacobian(joints, chain, goals, up, length, pose, jacobian);
      for (let r = 0; r < n; r++) {
        slope[r] = 0;
        for (let k = 0; k < m; k++) slope[r] -= jacobian[m * r + k] * residual[k];
        for (let c = 0; c <= r; c++) {
          let sum = 0;
          for (let k = 0; k < m; k++) sum += jacobian[m * r + k] * jacobian[m * c + k];
          hessian[r * n + c] = sum;
          hessian[c * n + r] = sum;
        }
      }
    }
    equalities.depths.fill(0);
    for (let pass = 0; pass < MAX_LIMITS; pass++) {
      gradient.set(slope);
      gauss.set(hessian);
      addEqualities(equalities, gradient, gauss);
      a.set(gauss);
      step.set(gradient);
      for (let c = 0; c < n; c++) a[c * n + c] += damping;
      if (!cholesky.factor(a, n)) break;
      cholesky.solve(a, n, step);
      for (let c = 0; c < n; c++) pose[coordinates[c]] = best[c] + step[c];
      if (!project(equalities, pose)) break;
    }
    const next = writeResidual(joints, chain, goals, up, length, pose, trial);
    if (next < value) {
      isConverged = next > (1 - MIN_DECREASE) * value;
      value = next;
      residual.set(trial);
      for (let c = 0; c < n; c++) best[c] = pose[coordinates[c]];
      damping = Math.max(0.1 * damping, 1e-8);
      failed = 0;
    } else {
      damping *= 10;
      failed++;
      setCoordinates(chain, best, pose);
    }
  }
  setCoordinates(chain, best, pose);
  placeChain(joints, chain, pose);
  let left = 0;
  for (let g = 0; g < goals.length; g++) {
    if (goals[g].vertical < 1) continue;
    left = Math.max(left, Math.hypot(residual[3 * g], residual[3 * g + 1], residual[3 * g + 2]));
  }
  return left;
}

/** Places the chain, and writes the weighted distances of points from their places, over `length`. @returns the sum of their squares. */
function writeResidual(
  joints: JointWriter,
  chain: Chain,
  goals: readonly PointGoal[],
  up: ArrayLike<number>,
  length: number,
  pose: Float64Array,
  out: Float64Array,
): number {
  placeChain(joints, chain, pose);
  const { world } = joints;
  const end = 12 * chain.path[chain.path.length - 1];
  let square = 0;
  for (let g = 0; g < goals.length; g++) {
    const { point, target, horizontal, vertical } = goals[g];
    transformAt(world, end, point, 0, world, end + 9, at, 0);
    for (let k = 0; k < 3; k++) at[k] = (at[k] - target[k]) / length;
    const height = (vertical - horizontal) * (at[0] * up[0] + at[1] * up[1] + at[2] * up[2]);
    for (let k = 0; k < 3; k++) {
      out[3 * g + k] = horizontal * at[k] + height * up[k];
      square += out[3 * g + k] ** 2;
    }
  }
  return square;
}

/** Limits that a step would leave. */
interface LimitEqualities {
  readonly limits: readonly LimitComponent[];
  readonly coordinates: readonly number[];
  /** The coordinates that the step begins at. */
  readonly best: readonly number[];
  readonly outside: Float64Array;
  /** Of each limit: how far a step left it, the normal there, and the step along it that is left. */
  readonly depths: Float64Array;
  readonly normals: Float64Array;
  readonly bounds: Float64Array;
}

/** Projects the pose onto its limits, and makes those that it left equalities of the step; whether there are such that are not yet. */
function project(
  { limits, coordinates, best, outside, depths, normals, bounds }: LimitEqualities,
  pose: Float64Array,
): boolean {
  const n = coordinates.length;
  let isNew = false;
  for (let l = 0; l < limits.length; l++) {
    const { kind, parameters, coordinate, size } = limits[l];
    const first = coordinates.indexOf(coordinate);
    for (let k = 0; k < size; k++) outside[k] = pose[coordinate + k];
    limitShapes[kind].project(parameters, pose, coordinate, size);
    let square = 0;
    for (let k = 0; k < size; k++) {
      outside[k] -= pose[coordinate + k];
      square += outside[k] ** 2;
    }
    const depth = Math.sqrt(square);
    if (!(depth > Math.max(AT_LIMIT, CURVED * depths[l]))) continue;
    isNew = true;
    depths[l] = depth;
    bounds[l] = 0;
    for (let k = 0; k < size; k++) {
      normals[n * l + k] = outside[k] / depth;
      bounds[l] += normals[n * l + k] * (pose[coordinate + k] - best[first + k]);
    }
  }
  return isNew;
}

/** Adds the equalities, with their weight, to the normal equations of a step. */
function addEqualities(
  { limits, coordinates, depths, normals, bounds }: LimitEqualities,
  gradient: Float64Array,
  hessian: Float64Array,
): void {
  const n = coordinates.length;
  for (let l = 0; l < limits.length; l++) {
    if (depths[l] === 0) continue;
    const { coordinate, size } = limits[l];
    const first = coordinates.indexOf(coordinate);
    for (let r = 0; r < size; r++) {
      gradient[first + r] += LIMIT_WEIGHT * normals[n * l + r] * bounds[l];
      for (let c = 0; c < size; c++) {
        hessian[(first + r) * n + first + c] += LIMIT_WEIGHT * normals[n * l + r] * normals[n * l + c];
      }
    }
  }
}
