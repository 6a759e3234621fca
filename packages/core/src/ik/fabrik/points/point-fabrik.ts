import {
  type FieldsOf,
  requireFields,
  requireOneOf,
  requirePositive,
  requireWhole,
} from '../../../checks.js';
import { GoalError } from '../../../errors.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { Vec3 } from '../../../math/linear/types.js';
import { requireDirection } from '../../problem/option-checks.js';
import { STATIONARITY_TOLERANCE } from '../../problem/status.js';
import { descendPoints, objectiveOf, stationarityOf } from './point-descent.js';
import { bendStraightChains, straighten } from './point-layout.js';
import {
  checkPositions,
  compilePointTree,
  type PointChainData,
  type PointGoal,
  type PointTree,
  readPointGoals,
} from './point-tree.js';

export interface PointFabrikOptions {
  /** `fixed` (default) returns every root to its start; `free` lets the goals move it. */
  readonly root?: 'fixed' | 'free';
  /** Largest distance of a satisfied goal, m; for a loop, the error of its length. Default 1e-4. */
  readonly tolerance?: number;
  /** Default 500. */
  readonly maxIterations?: number;
  /**
   * Direction in which a straight chain bends for a target on its own line: any vector not parallel to it, in the basis of the points.
   * Default: normal to the line by its smallest coordinate, which depends on the basis.
   */
  readonly bendDirection?: Vec3;
}

const OPTIONS: FieldsOf<PointFabrikOptions> = {
  root: true,
  tolerance: true,
  maxIterations: true,
  bendDirection: true,
};

export interface PointFabrikResult {
  /**
   * `converged`: all within tolerance. `out-of-reach`: f = 1/2 sum of weight distance^2 is stationary over the bone directions; for one goal
   * on a chain from a fixed root, globally minimal. `stalled`: neither. `iteration-limit`: stopped early.
   */
  readonly status: 'converged' | 'out-of-reach' | 'stalled' | 'iteration-limit';
  /** Distance of each goal from its target, then of each loop from its length, m. */
  readonly residuals: readonly number[];
  /**
   * |grad f| over the angles of the bones and the positions of free roots; f and positions in length scales (a quarter of the longest path
   * from a root) and in the largest weight. Not computed where the goals are met.
   */
  readonly stationarity?: number;
  /** Passes, straightened or bent chains, and rounds of coordinate descent. */
  readonly iterations: number;
}

/** FABRIK on points with goals checked and memory allocated. */
export interface PointFabrik {
  readonly tree: PointTree;
  readonly goals: readonly PointGoal[];
  readonly rootFree: boolean;
  readonly tolerance: number;
  readonly maxIterations: number;
  readonly bendDirection: Vec3 | undefined;
}

/** Number of passes without a decrease of f by a fiftieth that counts as stagnation. */
const MAX_STAGNATION = 30;
const SUFFICIENT_DECREASE = 0.98;

/** Displacement of the points, over the length scale, at which polishing ends. */
const MIN_MOVE = 1e-13;
/** Relative increase of f within rounding. */
const ROUNDING = 1e-14;

/**
 * Prepares FABRIK on points (Aristidou & Lasenby 2011): a chain, a tree with several goals, closed loops. Without frames and limits; for
 * those use `createFabrik`. `solvePositionsToPose` converts the result to joint rotations.
 *
 * @throws GoalError naming the argument.
 */
export function createPointFabrik(
  data: PointChainData,
  goals: readonly PointGoal[],
  options: PointFabrikOptions = {},
): PointFabrik {
  requireFields(options, OPTIONS, 'options', GoalError);
  const { root = 'fixed', tolerance = 1e-4, maxIterations = 500, bendDirection } = options;
  requireOneOf(root, ['fixed', 'free'], 'options.root', GoalError);
  requireWhole(maxIterations, 'options.maxIterations', GoalError);
  if (bendDirection !== undefined) requireDirection(bendDirection, 'options.bendDirection');
  requirePositive(tolerance, 'options.tolerance', GoalError, 'm');
  const tree = compilePointTree(data, goals);
  readPointGoals(tree, goals);
  return { tree, goals: [...goals], rootFree: root === 'free', tolerance, maxIterations, bendDirection };
}

/**
 * Moves the points, in place, to meet the goals or as near as possible. Uses only sums and differences of the points (except for the default
 * `bendDirection`), so the result is equivariant under rigid motions, to rounding.
 *
 * For conflicting goals it minimizes f = 1/2 sum of weight distance^2, loops with weight 1: the passes end near the minimum, and coordinate
 * descent continues until f is stationary.
 *
 * @param positions - 3 numbers per point, m; the start on input, the solution on output. Bones keep their lengths.
 * @throws GoalError for positions of another size or not finite.
 */
export function solvePointFabrik(work: PointFabrik, positions: Float64Array): PointFabrikResult {
  const { tree, goals, rootFree, bendDirection } = work;
  checkPositions(tree, positions);
  readPointGoals(tree, goals);
  const { points, start, desired } = tree;
  points.set(positions);
  start.set(positions);
  // Bone lengths first: those of the start may differ.
  desired.set(points);
  forwardPass(work);
  if (isSatisfied(work)) return finish(work, positions, 0, false);
  if (!rootFree && goals.length > 0 && straighten(tree, goals[0].target))
    return finish(work, positions, 1, false);
  backwardPass(work);
  let iterations = bendStraightChains(tree, rootFree, bendDirection) ? 1 : 0;
  tree.best.set(points);
  const lowest = { value: objectiveOf(tree), best: Number.POSITIVE_INFINITY };
  lowest.best = lowest.value;
  let bendCount = 0;
  for (;;) {
    const passes = descend(work, work.maxIterations - iterations, lowest);
    iterations += passes;
    if (isSatisfied(work)) return finish(work, positions, iterations, false);
    if (iterations >= work.maxIterations || bendCount++ > tree.segments.length) break;
    // If the passes stagnate with all points on one line, bend the chains.
    backwardPass(work);
    if (!bendStraightChains(tree, rootFree, bendDirection)) break;
    iterations++;
    lowest.value = objectiveOf(tree);
  }
  points.set(tree.best);
  const rounds = polish(work, work.maxIterations - iterations);
  iterations += rounds;
  return finish(work, positions, iterations, iterations >= work.maxIterations);
}

/** Passes while f decreases; keeps the points of lowest f in `best`. @returns the number of passes. */
function descend(work: PointFabrik, maxPasses: number, lowest: { value: number; best: number }): number {
  const { tree } = work;
  let stagnation = 0;
  for (let n = 1; n <= maxPasses; n++) {
    backwardPass(work);
    forwardPass(work);
    const value = objectiveOf(tree);
    if (value < lowest.best) {
      lowest.best = value;
      tree.best.set(tree.points);
    }
    if (isSatisfied(work)) return n;
    stagnation = value < SUFFICIENT_DECREASE * lowest.value ? 0 : stagnation + 1;
    if (stagnation === 0) lowest.value = value;
    if (stagnation > MAX_STAGNATION) return n;
  }
  return Math.max(0, maxPasses);
}

/** Coordinate descent until the points no longer move. @returns the number of rounds. */
function polish(work: PointFabrik, maxPasses: number): number {
  const { tree, rootFree } = work;
  const { points, desired, best, lengthScale } = tree;
  const lowest = objectiveOf(tree);
  for (let n = 1; n <= maxPasses; n++) {
    best.set(points);
    descendPoints(tree, rootFree);
    // Restores the bone lengths, which rounding changes.
    desired.set(points);
    forwardPass(work);
    if (objectiveOf(tree) > lowest * (1 + ROUNDING)) {
      points.set(best);
      return n;
    }
    let moved = 0;
    for (let i = 0; i < points.length; i++) moved = Math.max(moved, Math.abs(points[i] - best[i]));
    if (isSatisfied(work) || moved <= MIN_MOVE * lengthScale) return n;
  }
  return Math.max(0, maxPasses);
}

function isSatisfied(work: PointFabrik): boolean {
  return residualsOf(work) <= work.tolerance;
}

/** @param stopped - Whether the iteration limit was reached. */
function finish(
  work: PointFabrik,
  positions: Float64Array,
  iterations: number,
  stopped: boolean,
): PointFabrikResult {
  const { tree, rootFree } = work;
  positions.set(tree.points);
  const satisfied = isSatisfied(work);
  const residuals = Array.from(tree.residuals);
  if (satisfied) return { status: 'converged', residuals, iterations };
  const stationarity = stationarityOf(tree, rootFree, tree.lengthScale);
  const status =
    stationarity <= STATIONARITY_TOLERANCE ? 'out-of-reach' : stopped ? 'iteration-limit' : 'stalled';
  return { status, residuals, stationarity, iterations };
}

/** Writes the distances of goals and loops to `residuals`. @returns the largest. */
function residualsOf({ tree }: PointFabrik): number {
  const { points, residuals, links, ends, targets, weightOfGoal } = tree;
  const goals = weightOfGoal.length;
  let worst = 0;
  for (let g = 0; g < goals; g++) {
    const o = 3 * ends[g];
    const t = 3 * g;
    const x = points[o] - targets[t];
    residuals[g] = vec3.length(x, points[o + 1] - targets[t + 1], points[o + 2] - targets[t + 2]);
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
    residuals[goals + n] = Math.abs(length - links[n].length);
    worst = Math.max(worst, residuals[goals + n]);
  }
  return worst;
}

/**
 * Backward pass, ends to roots, to `desired`: the desired position of a point is at its bone's length from that of its child, towards the
 * point's current position; for several children and goals their weighted centroid (the sub-base of the papers).
 */
function backwardPass({ tree }: PointFabrik): void {
  const { points, desired, sums, weights, weightBelow, links, parents, lengths } = tree;
  const { ends, targets, weightOfGoal } = tree;
  sums.fill(0);
  weights.fill(0);
  for (let g = 0; g < weightOfGoal.length; g++) {
    const weight = weightOfGoal[g];
    for (let c = 0; c < 3; c++) sums[3 * ends[g] + c] += weight * targets[3 * g + c];
    weights[ends[g]] += weight;
  }
  for (let n = 0; n < links.length; n++) {
    // The desired ends of a loop are at its length, about their midpoint.
    const { a, b, length } = links[n];
    const distance = vec3.length(
      points[3 * a] - points[3 * b],
      points[3 * a + 1] - points[3 * b + 1],
      points[3 * a + 2] - points[3 * b + 2],
    );
    const half = distance > 0 ? (0.5 * length) / distance : 0;
    for (let c = 0; c < 3; c++) {
      const middle = 0.5 * (points[3 * a + c] + points[3 * b + c]);
      const difference = points[3 * a + c] - points[3 * b + c];
      sums[3 * a + c] += middle + half * difference;
      sums[3 * b + c] += middle - half * difference;
    }
    weights[a] += 1;
    weights[b] += 1;
  }
  for (let p = parents.length - 1; p >= 0; p--) {
    for (let c = 0; c < 3; c++) {
      desired[3 * p + c] = weights[p] > 0 ? sums[3 * p + c] / weights[p] : points[3 * p + c];
    }
    const parent = parents[p];
    if (parent < 0 || weightBelow[p] === 0) continue;
    writeAtDistance(desired, 3 * p, points, 3 * parent, lengths[p], points, 3 * p, 3 * parent, proposal);
    for (let c = 0; c < 3; c++) sums[3 * parent + c] += weightBelow[p] * proposal[c];
    weights[parent] += weightBelow[p];
  }
}

const proposal = /* @__PURE__ */ new Float64Array(3);

/** Forward pass, roots to ends, from `desired` to `points`: each point at its bone's length from its parent, towards its desired position. */
function forwardPass({ tree, rootFree }: PointFabrik): void {
  const { points, desired, start, parents, lengths } = tree;
  const { before } = tree;
  before.set(points);
  for (let p = 0; p < parents.length; p++) {
    const parent = parents[p];
    if (parent < 0) {
      const from = rootFree ? desired : start;
      for (let c = 0; c < 3; c++) points[3 * p + c] = from[3 * p + c];
    } else
      writeAtDistance(
        points,
        3 * parent,
        desired,
        3 * p,
        lengths[p],
        before,
        3 * parent,
        3 * p,
        points,
        3 * p,
      );
  }
}

/**
 * out = the point at a length from one point towards another. Where these coincide, the direction is that from old[i..] to old[j..];
 * where those coincide too, +x.
 */
function writeAtDistance(
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
