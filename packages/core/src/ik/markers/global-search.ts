import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import type { Figure } from '../../figure/model/figure.js';
import { findFreeRoots } from '../../figure/model/floating-base.js';
import { clampToLimits } from '../../figure/model/pose.js';
import { poseBoneFromLocalTransform } from '../../figure/pose-from-transforms.js';
import * as mat3 from '../../math/geometry/mat3.js';
import * as rigid from '../../math/geometry/rigid-transform.js';
import { type Random, seededRandom } from '../../math/random.js';
import { sampleLimit } from '../solver/random-pose.js';
import { type Descent, descend } from './descent.js';
import { evaluate, type MarkerProblem } from './marker-problem.js';
import type { DescentWorkspace } from './newton-step.js';
import { rigidFit } from './rigid-fit.js';

/** Distance of nine in ten markers, in length scales, at which the search ends. */
const GOOD_DISTANCE = 0.03;
const GOOD_FRACTION = 0.9;
/** Minimum number of starts: a good pose need not be the best. */
const MIN_STARTS = 4;
/** Half-width of the random range of an unlimited translation, in length scales. */
const TRANSLATION_RANGE = 0.25;
/** Rounds of reweighting outliers in a rigid fit. */
const REWEIGHTING_ROUNDS = 6;

/**
 * Multi-start search for a pose without a previous frame: fits each free root to its markers for several initial values of the
 * other joints (the given pose, rest, random ones) and several facings, descends from each, and keeps the lowest f.
 */
export function searchGlobally(
  problem: MarkerProblem,
  work: DescentWorkspace,
  pose: Float64Array,
  { maxIterations, restarts, seed }: { maxIterations: number; restarts: number; seed: number },
): Descent {
  const { figure } = problem;
  const random = seededRandom(seed);
  const candidate = new Float64Array(pose.length);
  const start = pose.slice();
  // A redescending loss has no gradient far away: the search uses Huber's first.
  const { loss } = problem;
  let best: Descent;
  let iterations = 0;
  try {
    if (loss.type === 'geman-mcclure') problem.loss = { type: 'huber', scale: loss.scale };
    best = descend(problem, work, pose, maxIterations);
    iterations = best.iterations;
    for (let n = 0; n < restarts && !(n >= MIN_STARTS && isGood(problem, pose)); n++) {
      candidate.set(start);
      // The given pose, rest and two draws as fitted; the first two also rotated by pi; then draws.
      const initialization = n < 4 ? Math.min(n, 2) : n < 7 ? 0 : n < 10 ? 1 : 2;
      if (initialization > 0)
        initializeJoints(problem, work, candidate, initialization === 1 ? undefined : random);
      fitRoots(problem, candidate, n >= 4 && n < 10 ? 1 + ((n - 4) % 3) : 0);
      clampToLimits(figure, candidate);
      const found = descend(problem, work, candidate, maxIterations);
      iterations += found.iterations;
      if (!(found.objective < best.objective)) continue;
      best = found;
      pose.set(candidate);
    }
  } finally {
    // Also if a coupling's map throws: restores the loss.
    problem.loss = loss;
  }
  if (loss.type === 'geman-mcclure') {
    best = descend(problem, work, pose, maxIterations);
    iterations += best.iterations;
  }
  return { ...best, iterations };
}

/**
 * Leaves a local minimum at limits: descends with every observed joint in the middle of its limits, the root as it is, then from random
 * joints, without the prior, and keeps the lowest f. Several joints that share a rotation (a spine, a clavicle and an upper arm) have a
 * curve of solutions; a pose that follows it meets limits, where it may be stationary although solutions remain elsewhere. From the middle
 * a descent meets few limits.
 *
 * @param enough - f at which the search ends.
 * @returns the poses evaluated.
 */
export function searchFromMiddle(
  problem: MarkerProblem,
  work: DescentWorkspace,
  pose: Float64Array,
  { maxIterations, restarts, seed }: { maxIterations: number; restarts: number; seed: number },
  enough: number,
): number {
  const random = seededRandom(seed);
  const candidate = new Float64Array(pose.length);
  const start = pose.slice();
  const { loss, priorWeight } = problem;
  let lowest = Number.POSITIVE_INFINITY;
  let iterations = 0;
  try {
    problem.priorWeight = 0;
    for (let n = 0; n < restarts && !(lowest <= enough); n++) {
      candidate.set(start);
      initializeJoints(problem, work, candidate, n === 0 ? () => 0.5 : random);
      problem.loss = loss.type === 'geman-mcclure' ? { type: 'huber', scale: loss.scale } : loss;
      iterations += descend(problem, work, candidate, maxIterations).iterations;
      problem.loss = loss;
      const found = evaluate(problem, candidate);
      if (!(found < lowest)) continue;
      lowest = found;
      pose.set(candidate);
    }
  } finally {
    problem.loss = loss;
    problem.priorWeight = priorWeight;
  }
  return iterations;
}

/** Whether all markers but a few outliers are near. Evaluates f at the pose. */
function isGood(problem: MarkerProblem, pose: Float64Array): boolean {
  evaluate(problem, pose);
  return residualQuantile(problem, GOOD_FRACTION) <= GOOD_DISTANCE * problem.lengthScale;
}

/** Quantile of the distances of observed markers, m, at the pose last evaluated. */
export function residualQuantile({ omega, residual }: MarkerProblem, fraction: number): number {
  const distances: number[] = [];
  for (let m = 0; m < omega.length; m++) {
    if (omega[m] > 0) distances.push(Math.hypot(residual[3 * m], residual[3 * m + 1], residual[3 * m + 2]));
  }
  distances.sort((a, b) => a - b);
  return distances[Math.min(distances.length - 1, Math.floor(fraction * distances.length))] ?? 0;
}

/**
 * Sets joints to rest or to random values: uniform within the limits; without limits any angle, and translations around the current one. Only
 * for joints with an observed marker below; the others are unchanged.
 */
function initializeJoints(
  { figure, free, limits, translates, lengthScale }: MarkerProblem,
  { derivatives: { observedBelow } }: DescentWorkspace,
  pose: Float64Array,
  random: Random | undefined,
): void {
  const roots = new Set(findFreeRoots(figure));
  const isInitialized = (i: number): boolean => {
    const bone = figure.boneOfCoordinate[i];
    return free[i] === 1 && observedBelow[bone] > 0 && !roots.has(bone);
  };
  for (let i = 0; i < pose.length; i++) {
    if (!isInitialized(i)) continue;
    if (random === undefined) pose[i] = 0;
    else if (translates[i] === 1) pose[i] += TRANSLATION_RANGE * lengthScale * (2 * random() - 1);
    else pose[i] = Math.PI * (2 * random() - 1);
  }
  if (random !== undefined) {
    for (const { limit, shape } of limits) {
      if (isInitialized(limit.coordinate)) sampleLimit(limit, shape, random, pose);
    }
  }
  clampToLimits(figure, pose);
}

/**
 * Fits each free root to its markers for the current values of the other joints. A marker's weight falls with the number of joints between;
 * outliers are reweighted (Geman-McClure weights).
 *
 * @param facing - 0 for the best fit; 1, 2, 3 rotated by pi about an axis of the root's frame through the centroid of the markers.
 */
function fitRoots(problem: MarkerProblem, pose: Float64Array, facing: number): void {
  const { figure, state, bones, omega, targets, positions, residual, lengthScale } = problem;
  const fit = new Float64Array(12);
  for (const root of findFreeRoots(figure)) {
    const { coordinate, parent } = figure.bones[root];
    if (problem.free[coordinate] === 0) continue;
    evaluate(problem, pose);
    const current = state.worldFromBone.slice(12 * root, 12 * root + 12);
    const baseWeights = Float64Array.from(omega, (w, m) => {
      const links = w > 0 ? coordinatesBelow(figure, bones[m], root) : -1;
      return links < 0 ? 0 : w / (1 + links) ** 2;
    });
    const from = positions.slice();
    const weights = baseWeights.slice();
    if (!rigidFit(from, targets, weights, fit)) continue;
    for (let round = 0; round < REWEIGHTING_ROUNDS; round++) {
      for (let m = 0; m < baseWeights.length; m++) {
        if (baseWeights[m] === 0) continue;
        let square = 0;
        for (let k = 0; k < 3; k++) {
          const x =
            fit[3 * k] * from[3 * m] + fit[3 * k + 1] * from[3 * m + 1] + fit[3 * k + 2] * from[3 * m + 2];
          square += (x + fit[9 + k] - targets[3 * m + k]) ** 2;
        }
        const u = 1 + square / (0.1 * lengthScale) ** 2;
        weights[m] = baseWeights[m] / (u * u);
      }
      rigidFit(from, targets, weights, fit);
    }
    if (facing > 0) rotateByPi(fit, current, from, weights, facing - 1);
    const world = new Float64Array(12);
    mat3.multiply(fit.subarray(0, 9), current.subarray(0, 9), world.subarray(0, 9));
    for (let k = 0; k < 3; k++) {
      world[9 + k] =
        fit[9 + k] + fit[3 * k] * current[9] + fit[3 * k + 1] * current[10] + fit[3 * k + 2] * current[11];
    }
    const local = parent < 0 ? world : rigid.relative(state.worldFromBone.subarray(12 * parent), world);
    poseBoneFromLocalTransform(state, root, local, pose, { clamp: true });
  }
  forwardKinematics(state, pose);
  residual.fill(0);
}

/** fit = fit H, H the rotation by pi about an axis of the root's frame (column `axis` of `current`) through the weighted mean of `from`. */
function rotateByPi(
  fit: Float64Array,
  current: Float64Array,
  from: Float64Array,
  weights: Float64Array,
  axis: number,
): void {
  const a = [current[axis], current[3 + axis], current[6 + axis]];
  const middle = [0, 0, 0];
  let total = 0;
  for (let m = 0; m < weights.length; m++) {
    if (weights[m] === 0) continue;
    total += weights[m];
    for (let k = 0; k < 3; k++) middle[k] += weights[m] * from[3 * m + k];
  }
  for (let k = 0; k < 3; k++) middle[k] /= total;
  // H x = 2 (a.(x - c)) a - (x - c) + c
  const projection = a[0] * middle[0] + a[1] * middle[1] + a[2] * middle[2];
  const rotation = Array.from({ length: 9 }, (_, n) => {
    const [row, column] = [Math.floor(n / 3), n % 3];
    return 2 * a[row] * a[column] - (row === column ? 1 : 0);
  });
  const translation = [0, 1, 2].map((k) => 2 * (middle[k] - projection * a[k]));
  const rotated = mat3.multiply(fit.subarray(0, 9), rotation);
  for (let k = 0; k < 3; k++) {
    fit[9 + k] +=
      fit[3 * k] * translation[0] + fit[3 * k + 1] * translation[1] + fit[3 * k + 2] * translation[2];
  }
  fit.set(rotated, 0);
}

/** Number of coordinates between a root and a bone below it; -1 for other bones. */
function coordinatesBelow({ parents, bones }: Figure, bone: number, root: number): number {
  let count = 0;
  for (let b = bone; b >= 0; b = parents[b]) {
    if (b === root) return count;
    count += bones[b].dof;
  }
  return -1;
}
