import { GoalError } from '../../../errors.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { Vec3 } from '../../../math/linear/types.js';
import { requireCount, requireDirection, requireOneOf, requireOptions } from '../../problem/option-checks.js';
import { layOut, unbend } from './point-layout.js';
import { objectiveOf, stationarityOf, sweepPoints } from './point-sweep.js';
import {
  checkPositions,
  compilePointTree,
  type PointChainData,
  type PointGoal,
  type PointTree,
  readPointGoals,
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
   * `converged`: all within tolerance. `out-of-reach`: no small turn of a bone lowers f = 1/2 sum of weight distance^2 (stationary);
   * for one goal on a chain from a fixed root, the nearest point there is. `stalled`: neither. `iteration-limit`: stopped early.
   */
  readonly status: 'converged' | 'out-of-reach' | 'stalled' | 'iteration-limit';
  /** Distance of each goal from its target, then of each loop from its length, m. */
  readonly residuals: readonly number[];
  /**
   * |grad f| over the angles of the bones and over the places of free roots, f and places in length scales (a quarter of the longest
   * way from a root) and in the largest weight. Not computed where the goals are met.
   */
  readonly stationarity?: number;
  /** Passes there and back, chains laid out or bent, and sweeps. */
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

/** Passes without a fiftieth less of f after which they have stalled. */
const PATIENCE = 30;
const PROGRESS = 0.98;

/** Stationarity that `out-of-reach` asks. */
const STATIONARY = 1e-8;
/** Move of a sweep against the length scale that moves no point any more. */
const STILL = 1e-13;
/** Rise of f, relative, that is rounding. */
const ROUNDING = 1e-14;

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
  requireOptions(options, ['root', 'tolerance', 'maxIterations', 'side']);
  const { root = 'fixed', tolerance = 1e-4, maxIterations = 500, side } = options;
  requireOneOf(root, ['fixed', 'free'], 'options.root');
  requireCount(maxIterations, 'options.maxIterations');
  if (side !== undefined) requireDirection(side, 'options.side');
  if (!(tolerance > 0 && tolerance < Number.POSITIVE_INFINITY)) {
    throw new GoalError('out-of-range', `is ${String(tolerance)}.`, {
      path: 'options.tolerance',
      remedy: 'Give a positive, finite length.',
    });
  }
  const tree = compilePointTree(data, goals);
  readPointGoals(tree, goals);
  return { tree, goals: [...goals], rootFree: root === 'free', tolerance, maxIterations, side };
}

/**
 * Moves the points, in place, to where the goals are met or as near as the passes come. Only sums and differences of the points are
 * used (but for a `side` left out), so turning or moving everything turns or moves the answer, to rounding.
 *
 * Where goals pull against each other, what is least is f = 1/2 sum of weight distance^2, loops with weight 1: the passes end near
 * there, sweeps bone by bone go on to where f is stationary.
 *
 * @param positions - 3 numbers a point, m; read as the start, written as the answer. Bones keep their lengths.
 * @throws GoalError for positions of another size, numbers that are not finite.
 */
export function solvePointFabrik(work: PointFabrik, positions: Float64Array): PointFabrikResult {
  const { tree, goals, rootFree, side } = work;
  checkPositions(tree, positions);
  readPointGoals(tree, goals);
  const { points, start, wanted } = tree;
  points.set(positions);
  start.set(positions);
  // Lengths first: the start may have others.
  wanted.set(points);
  forward(work);
  if (isMet(work)) return finish(work, positions, 0, false);
  if (!rootFree && goals.length > 0 && layOut(tree, goals[0].target))
    return finish(work, positions, 1, false);
  backward(work);
  let iterations = unbend(tree, rootFree, side) ? 1 : 0;
  tree.best.set(points);
  const least = { value: objectiveOf(tree), best: Number.POSITIVE_INFINITY };
  least.best = least.value;
  let bends = 0;
  for (;;) {
    const passes = descend(work, work.maxIterations - iterations, least);
    iterations += passes;
    if (isMet(work)) return finish(work, positions, iterations, false);
    if (iterations >= work.maxIterations || bends++ > tree.segments.length) break;
    // Where the passes stall with all on one line, off it.
    backward(work);
    if (!unbend(tree, rootFree, side)) break;
    iterations++;
    least.value = objectiveOf(tree);
  }
  points.set(tree.best);
  const sweeps = settle(work, work.maxIterations - iterations);
  iterations += sweeps;
  return finish(work, positions, iterations, iterations >= work.maxIterations);
}

/** Passes while f falls; how many. Keeps the points of least f in `best`. */
function descend(work: PointFabrik, most: number, least: { value: number; best: number }): number {
  const { tree } = work;
  let idle = 0;
  for (let n = 1; n <= most; n++) {
    backward(work);
    forward(work);
    const value = objectiveOf(tree);
    if (value < least.best) {
      least.best = value;
      tree.best.set(tree.points);
    }
    if (isMet(work)) return n;
    idle = value < PROGRESS * least.value ? 0 : idle + 1;
    if (idle === 0) least.value = value;
    if (idle > PATIENCE) return n;
  }
  return Math.max(0, most);
}

/** Sweeps until they move no point any more; how many. */
function settle(work: PointFabrik, most: number): number {
  const { tree, rootFree } = work;
  const { points, wanted, best, lengthScale } = tree;
  const lowest = objectiveOf(tree);
  for (let n = 1; n <= most; n++) {
    best.set(points);
    sweepPoints(tree, rootFree);
    // Moving point by point rounds the bones' lengths.
    wanted.set(points);
    forward(work);
    if (objectiveOf(tree) > lowest * (1 + ROUNDING)) {
      points.set(best);
      return n;
    }
    let moved = 0;
    for (let i = 0; i < points.length; i++) moved = Math.max(moved, Math.abs(points[i] - best[i]));
    if (isMet(work) || moved <= STILL * lengthScale) return n;
  }
  return Math.max(0, most);
}

function isMet(work: PointFabrik): boolean {
  return residualsOf(work) <= work.tolerance;
}

/** @param stopped - Whether there was no time to go on. */
function finish(
  work: PointFabrik,
  positions: Float64Array,
  iterations: number,
  stopped: boolean,
): PointFabrikResult {
  const { tree, rootFree } = work;
  positions.set(tree.points);
  const met = isMet(work);
  const residuals = Array.from(tree.residuals);
  if (met) return { status: 'converged', residuals, iterations };
  const stationarity = stationarityOf(tree, rootFree, tree.lengthScale);
  const status = stationarity <= STATIONARY ? 'out-of-reach' : stopped ? 'iteration-limit' : 'stalled';
  return { status, residuals, stationarity, iterations };
}

/** Distances of goals and loops, to `residuals`; the largest. */
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
 * Ends to roots, to `wanted`: a point is wanted at its bone's length from where each child is wanted, towards where it stands;
 * several children and goals at their weighted centroid (the papers' sub-base).
 */
function backward({ tree }: PointFabrik): void {
  const { points, wanted, sums, weights, weightBelow, links, parents, lengths } = tree;
  const { ends, targets, weightOfGoal } = tree;
  sums.fill(0);
  weights.fill(0);
  for (let g = 0; g < weightOfGoal.length; g++) {
    const weight = weightOfGoal[g];
    for (let c = 0; c < 3; c++) sums[3 * ends[g] + c] += weight * targets[3 * g + c];
    weights[ends[g]] += weight;
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
