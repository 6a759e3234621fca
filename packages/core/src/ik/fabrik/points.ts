import { GoalError } from '../../errors.js';
import type { Vec3 } from '../../math/types.js';
import * as vec3 from '../../math/vec3.js';
import { layOut } from './point-layout.js';
import {
  checkPointGoals,
  checkPositions,
  compilePointTree,
  type PointChainData,
  type PointGoal,
  type PointTree,
} from './point-tree.js';

export interface PointFabrikOptions {
  /** `fixed` (default) brings every root back to where it started; `free` lets the goals move it. */
  readonly root?: 'fixed' | 'free';
  /** Distance that counts as reached, m, also of a loop from its length. Default 1e-4. */
  readonly tolerance?: number;
  /** Default 500. */
  readonly maxIterations?: number;
  /**
   * Which way a straight chain bends for a target on its own line: any direction across it, in the basis of the points. Default:
   * across by the least coordinate, which depends on the basis.
   */
  readonly side?: Vec3;
}

export interface PointFabrikResult {
  /**
   * `converged`: all within tolerance. `out-of-reach`: one chain, one goal, and laid out to the nearest point there is.
   * `stalled`: short of the goals, without a proof that no better place exists. `iteration-limit`: stopped early.
   */
  readonly status: 'converged' | 'out-of-reach' | 'stalled' | 'iteration-limit';
  /** Distance of each goal from its target, then of each loop from its length, m. */
  readonly residuals: readonly number[];
  readonly iterations: number;
}

/** FABRIK on points, checked and with all memory made. */
export interface PointFabrik {
  readonly tree: PointTree;
  readonly goals: readonly PointGoal[];
  readonly rootFree: boolean;
  readonly tolerance: number;
  readonly maxIterations: number;
  readonly side: Vec3 | undefined;
}

/** Passes without a hundredth less distance after which it has stalled. */
const PATIENCE = 30;
const PROGRESS = 0.99;

/**
 * Prepares FABRIK on plain points (Aristidou & Lasenby 2011): a chain, a tree with several goals, closed loops. No frames and no
 * limits; those are `createFabrik`'s. For joint rotations give the answer to `positionsToPose`.
 *
 * @throws GoalError naming the place.
 */
export function createPointFabrik(
  data: PointChainData,
  goals: readonly PointGoal[],
  options: PointFabrikOptions = {},
): PointFabrik {
  const { root = 'fixed', tolerance = 1e-4, maxIterations = 500, side } = options;
  if (root !== 'fixed' && root !== 'free') {
    throw new GoalError('unsupported', `is '${String(root)}'.`, {
      path: 'options.root',
      remedy: `Give 'fixed' or 'free'.`,
    });
  }
  if (!(tolerance > 0 && tolerance < Number.POSITIVE_INFINITY)) {
    throw new GoalError('out-of-range', `is ${tolerance}.`, {
      path: 'options.tolerance',
      remedy: 'Give a positive, finite length.',
    });
  }
  if (!(Number.isInteger(maxIterations) && maxIterations >= 0)) {
    throw new GoalError('out-of-range', `is ${maxIterations}.`, {
      path: 'options.maxIterations',
      remedy: 'Give a whole number, zero or more.',
    });
  }
  if (side !== undefined && !(side.length === 3 && vec3.allFinite(side) && vec3.norm(side) > 0)) {
    throw new GoalError('not-unit', 'is no direction.', {
      path: 'options.side',
      remedy: 'Give three finite numbers, not all zero, or leave it out.',
    });
  }
  const tree = compilePointTree(data, goals);
  checkPointGoals(goals);
  return { tree, goals: [...goals], rootFree: root === 'free', tolerance, maxIterations, side };
}

/**
 * Moves the points, in place, to where the goals are met or as near as the passes come. Only sums and differences of the points are
 * used (but for a `side` left out), so turning or moving everything turns or moves the answer, to rounding.
 *
 * @param positions - 3 numbers a point, m; read as the start, written as the answer. Bones keep their lengths.
 * @throws GoalError for positions of another size, numbers that are not finite.
 */
export function solvePointFabrik(work: PointFabrik, positions: Float64Array): PointFabrikResult {
  const { tree, goals } = work;
  checkPositions(tree, positions);
  checkPointGoals(goals);
  const { points, start, wanted } = tree;
  points.set(positions);
  start.set(positions);
  // Lengths first: the start may have others.
  wanted.set(points);
  forward(work);
  let worst = residualsOf(work);
  let iterations = 0;
  if (worst <= work.tolerance) return finish(work, positions, 'converged', 0);
  const laid = work.rootFree ? undefined : layOut(tree, goals[0]?.target, work.side);
  if (laid !== undefined) {
    worst = residualsOf(work);
    return finish(work, positions, worst <= work.tolerance ? 'converged' : laid, 1);
  }
  let least = worst;
  let idle = 0;
  tree.best.set(points);
  let bestWorst = worst;
  while (iterations < work.maxIterations) {
    iterations++;
    backward(work);
    forward(work);
    worst = residualsOf(work);
    if (worst < bestWorst) {
      bestWorst = worst;
      tree.best.set(points);
    }
    if (worst <= work.tolerance) return finish(work, positions, 'converged', iterations);
    idle = worst < PROGRESS * least ? 0 : idle + 1;
    if (idle === 0) least = worst;
    if (idle > PATIENCE) break;
  }
  points.set(tree.best);
  residualsOf(work);
  return finish(work, positions, idle > PATIENCE ? 'stalled' : 'iteration-limit', iterations);
}

function finish(
  { tree }: PointFabrik,
  positions: Float64Array,
  status: PointFabrikResult['status'],
  iterations: number,
): PointFabrikResult {
  positions.set(tree.points);
  return { status, residuals: Array.from(tree.residuals), iterations };
}

/** Distances of goals and loops, to `residuals`; the largest. */
function residualsOf({ tree, goals }: PointFabrik): number {
  const { points, residuals, links } = tree;
  let worst = 0;
  for (let g = 0; g < goals.length; g++) {
    const o = 3 * goals[g].point;
    const { target } = goals[g];
    residuals[g] = vec3.length(points[o] - target[0], points[o + 1] - target[1], points[o + 2] - target[2]);
    worst = Math.max(worst, residuals[g]);
  }
  for (let n = 0; n < links.length; n++) {
    const a = 3 * links[n].a;
    const b = 3 * links[n].b;
    const length = vec3.length(
      points[a] - points[b],
      points[a + 1] - points[b + 1],
      points[a + 2] - points[b + 2],
    );
    residuals[goals.length + n] = Math.abs(length - links[n].length);
    worst = Math.max(worst, residuals[goals.length + n]);
  }
  return worst;
}

/**
 * Ends to roots, to `wanted`: a point is wanted at its bone's length from where each child is wanted, towards where it stands;
 * several children and goals at their weighted centroid (the papers' sub-base).
 */
function backward({ tree, goals }: PointFabrik): void {
  const { points, wanted, sums, weights, weightBelow, links, parents, lengths } = tree;
  sums.fill(0);
  weights.fill(0);
  for (let g = 0; g < goals.length; g++) {
    const { point, target, weight = 1 } = goals[g];
    for (let c = 0; c < 3; c++) sums[3 * point + c] += weight * target[c];
    weights[point] += weight;
  }
  for (let n = 0; n < links.length; n++) {
    // Both ends of a loop where they are as far apart as they should be, about their middle.
    const { a, b, length } = links[n];
    const distance = vec3.length(
      points[3 * a] - points[3 * b],
      points[3 * a + 1] - points[3 * b + 1],
      points[3 * a + 2] - points[3 * b + 2],
    );
    const half = distance > 0 ? (0.5 * length) / distance : 0;
    for (let c = 0; c < 3; c++) {
      const middle = 0.5 * (points[3 * a + c] + points[3 * b + c]);
      const across = points[3 * a + c] - points[3 * b + c];
      sums[3 * a + c] += middle + half * across;
      sums[3 * b + c] += middle - half * across;
    }
    weights[a] += 1;
    weights[b] += 1;
  }
  for (let p = parents.length - 1; p >= 0; p--) {
    for (let c = 0; c < 3; c++) {
      wanted[3 * p + c] = weights[p] > 0 ? sums[3 * p + c] / weights[p] : points[3 * p + c];
    }
    const parent = parents[p];
    if (parent < 0 || weightBelow[p] === 0) continue;
    reach(wanted, 3 * p, points, 3 * parent, lengths[p], points, 3 * p, 3 * parent, proposal);
    for (let c = 0; c < 3; c++) sums[3 * parent + c] += weightBelow[p] * proposal[c];
    weights[parent] += weightBelow[p];
  }
}

const proposal = /* @__PURE__ */ new Float64Array(3);

/** Roots to ends, from `wanted` to `points`: each at its bone's length from where its parent came to, towards where it is wanted. */
function forward({ tree, rootFree }: PointFabrik): void {
  const { points, wanted, start, parents, lengths } = tree;
  const { before } = tree;
  before.set(points);
  for (let p = 0; p < parents.length; p++) {
    const parent = parents[p];
    if (parent < 0) {
      const from = rootFree ? wanted : start;
      for (let c = 0; c < 3; c++) points[3 * p + c] = from[3 * p + c];
    } else reach(points, 3 * parent, wanted, 3 * p, lengths[p], before, 3 * parent, 3 * p, points, 3 * p);
  }
}

/**
 * out = the point at a length from one point towards another. Where these coincide the direction is that from old[i..] to old[j..];
 * where those coincide too, +x.
 */
function reach(
  from: Float64Array,
  f: number,
  to: Float64Array,
  t: number,
  length: number,
  old: Float64Array,
  i: number,
  j: number,
  out: Float64Array,
  o = 0,
): void {
  let x = to[t] - from[f];
  let y = to[t + 1] - from[f + 1];
  let z = to[t + 2] - from[f + 2];
  let size = vec3.length(x, y, z);
  if (!(size > 1e-12 * length)) {
    x = old[j] - old[i];
    y = old[j + 1] - old[i + 1];
    z = old[j + 2] - old[i + 2];
    size = vec3.length(x, y, z);
    if (!(size > 0)) {
      x = 1;
      y = z = 0;
      size = 1;
    }
  }
  out[o] = from[f] + (length * x) / size;
  out[o + 1] = from[f + 1] + (length * y) / size;
  out[o + 2] = from[f + 2] + (length * z) / size;
}
