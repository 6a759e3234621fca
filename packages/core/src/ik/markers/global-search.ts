import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import type { Figure } from '../../figure/model/figure.js';
import { clampToLimits } from '../../figure/model/pose.js';
import { poseBoneFromLocalTransform } from '../../figure/pose-from-transforms.js';
import * as mat3 from '../../math/geometry/mat3.js';
import { type Random, seededRandom } from '../../math/random.js';
import { sampleLimit } from '../solver/random-pose.js';
import { type Descent, descend } from './descent.js';
import { evaluate, type MarkerProblem } from './marker-problem.js';
import type { DescentWork } from './newton-step.js';
import { rigidFit } from './rigid-fit.js';

/** Nine in ten of the markers nearer than this, in length scales: good enough to seek no further. */
const GOOD = 0.03;
const NINE_IN_TEN = 0.9;
/** Starts tried in any case: a pose may be good and not the best. */
const LEAST_TRIES = 4;
/** How far a translation without a limit is drawn about where it is, in length scales. */
const OPEN_LENGTH = 0.25;
/** Rounds of weighing the outliers of a rigid fit down. */
const ROUNDS = 6;

/**
 * A pose from nothing: each root with a free joint is laid on its markers for several guesses of the other joints (the pose
 * given, rest, draws within the limits) and several facings, and each is descended from; the lowest counts.
 */
export function acquire(
  problem: MarkerProblem,
  work: DescentWork,
  pose: Float64Array,
  { maxIterations, restarts, seed }: { maxIterations: number; restarts: number; seed: number },
): Descent {
  const { figure } = problem;
  const random = seededRandom(seed);
  const candidate = new Float64Array(pose.length);
  const start = pose.slice();
  // A loss that has enough of outliers is blind to markers far off: Huber's leads up to it.
  const { loss } = problem;
  let best: Descent;
  let iterations = 0;
  try {
    if (loss.type === 'geman-mcclure') problem.loss = { type: 'huber', scale: loss.scale };
    best = descend(problem, work, pose, maxIterations);
    iterations = best.iterations;
    for (let n = 0; n < restarts && !(n >= LEAST_TRIES && isGood(problem, pose)); n++) {
      candidate.set(start);
      // The pose given, rest and two draws as they fit; the first two turned about by half; then draws.
      const guess = n < 4 ? Math.min(n, 2) : n < 7 ? 0 : n < 10 ? 1 : 2;
      if (guess > 0) guessJoints(problem, work, candidate, guess === 1 ? undefined : random);
      placeRoots(problem, candidate, n >= 4 && n < 10 ? 1 + ((n - 4) % 3) : 0);
      clampToLimits(figure, candidate);
      const found = descend(problem, work, candidate, maxIterations);
      iterations += found.iterations;
      if (!(found.objective < best.objective)) continue;
      best = found;
      pose.set(candidate);
    }
  } finally {
    // Also where a coupling's map throws: the tracker goes on with its own loss.
    problem.loss = loss;
  }
  if (loss.type === 'geman-mcclure') {
    best = descend(problem, work, pose, maxIterations);
    iterations += best.iterations;
  }
  return { ...best, iterations };
}

/** Whether all markers but a few outliers are near. Evaluates f at the pose. */
function isGood(problem: MarkerProblem, pose: Float64Array): boolean {
  evaluate(problem, pose);
  return residualQuantile(problem, NINE_IN_TEN) <= GOOD * problem.lengthScale;
}

/** The distance within which a fraction of the markers seen lie, m, at the pose last evaluated. */
export function residualQuantile({ omega, residual }: MarkerProblem, fraction: number): number {
  const distances: number[] = [];
  for (let m = 0; m < omega.length; m++) {
    if (omega[m] > 0) distances.push(Math.hypot(residual[3 * m], residual[3 * m + 1], residual[3 * m + 2]));
  }
  distances.sort((a, b) => a - b);
  return distances[Math.min(distances.length - 1, Math.floor(fraction * distances.length))] ?? 0;
}

/**
 * Rest for the joints, or a draw: anywhere within the limits, where there is none any angle and a quarter of a length scale about where
 * the joint is. Only for joints that a marker lies beyond; the others stay where they were.
 */
function guessJoints(
  { figure, free, limits, translates, lengthScale }: MarkerProblem,
  { derivatives: { below } }: DescentWork,
  pose: Float64Array,
  random: Random | undefined,
): void {
  const isGuessed = (i: number): boolean => {
    const bone = figure.boneOfCoordinate[i];
    return free[i] === 1 && below[bone] > 0 && !isFreeRoot(figure, bone);
  };
  for (let i = 0; i < pose.length; i++) {
    if (!isGuessed(i)) continue;
    if (random === undefined) pose[i] = 0;
    else if (translates[i] === 1) pose[i] += OPEN_LENGTH * lengthScale * (2 * random() - 1);
    else pose[i] = Math.PI * (2 * random() - 1);
  }
  if (random !== undefined) {
    for (const { part, shape } of limits) {
      if (isGuessed(part.coordinate)) sampleLimit(part, shape, random, pose);
    }
  }
  clampToLimits(figure, pose);
}

function isFreeRoot({ bones }: Figure, b: number): boolean {
  return bones[b].parent < 0 && bones[b].joint.type === 'free';
}

/**
 * Lays each free root where its markers say, the other joints as they are. Markers count the less the more joints lie between;
 * those far off after a fit count less in the next (Geman-McClure weights).
 *
 * @param facing - 0 as it fits best; 1, 2, 3 then turned half about an axis of the root's frame through the middle of the markers.
 */
function placeRoots(problem: MarkerProblem, pose: Float64Array, facing: number): void {
  const { figure, state, bones, omega, targets, places, residual, lengthScale } = problem;
  const fit = new Float64Array(12);
  for (const root of figure.bones) {
    if (!isFreeRoot(figure, root.index) || problem.free[root.coordinate] === 0) continue;
    evaluate(problem, pose);
    const before = state.worldFromBone.slice(12 * root.index, 12 * root.index + 12);
    const own = Float64Array.from(omega, (w, m) =>
      w > 0 && rootOf(figure, bones[m]) === root.index ? w / trust(figure, bones[m]) : 0,
    );
    const from = places.slice();
    const weights = own.slice();
    if (!rigidFit(from, targets, weights, fit)) continue;
    for (let round = 0; round < ROUNDS; round++) {
      for (let m = 0; m < own.length; m++) {
        if (own[m] === 0) continue;
        let square = 0;
        for (let k = 0; k < 3; k++) {
          const x =
            fit[3 * k] * from[3 * m] + fit[3 * k + 1] * from[3 * m + 1] + fit[3 * k + 2] * from[3 * m + 2];
          square += (x + fit[9 + k] - targets[3 * m + k]) ** 2;
        }
        const u = 1 + square / (0.1 * lengthScale) ** 2;
        weights[m] = own[m] / (u * u);
      }
      rigidFit(from, targets, weights, fit);
    }
    if (facing > 0) turnAbout(fit, before, from, weights, facing - 1);
    const placed = new Float64Array(12);
    mat3.multiply(fit.subarray(0, 9), before.subarray(0, 9), placed.subarray(0, 9));
    for (let k = 0; k < 3; k++) {
      placed[9 + k] =
        fit[9 + k] + fit[3 * k] * before[9] + fit[3 * k + 1] * before[10] + fit[3 * k + 2] * before[11];
    }
    poseBoneFromLocalTransform(state, root.index, placed, pose, { clamp: true });
  }
  forwardKinematics(state, pose);
  residual.fill(0);
}

/** fit = fit H, H half a turn about an axis of the root's frame (column `axis` of `before`) through the weighted middle of `from`. */
function turnAbout(
  fit: Float64Array,
  before: Float64Array,
  from: Float64Array,
  weights: Float64Array,
  axis: number,
): void {
  const a = [before[axis], before[3 + axis], before[6 + axis]];
  const middle = [0, 0, 0];
  let total = 0;
  for (let m = 0; m < weights.length; m++) {
    if (weights[m] === 0) continue;
    total += weights[m];
    for (let k = 0; k < 3; k++) middle[k] += weights[m] * from[3 * m + k];
  }
  for (let k = 0; k < 3; k++) middle[k] /= total;
  // H x = 2 (a.(x - c)) a - (x - c) + c
  const along = a[0] * middle[0] + a[1] * middle[1] + a[2] * middle[2];
  const half = Array.from({ length: 9 }, (_, n) => {
    const [row, column] = [Math.floor(n / 3), n % 3];
    return 2 * a[row] * a[column] - (row === column ? 1 : 0);
  });
  const move = [0, 1, 2].map((k) => 2 * (middle[k] - along * a[k]));
  const turned = mat3.multiply(fit.subarray(0, 9), half);
  for (let k = 0; k < 3; k++) {
    fit[9 + k] += fit[3 * k] * move[0] + fit[3 * k + 1] * move[1] + fit[3 * k + 2] * move[2];
  }
  fit.set(turned, 0);
}

function rootOf({ parents }: Figure, bone: number): number {
  let b = bone;
  while (parents[b] >= 0) b = parents[b];
  return b;
}

/** Square of one more than the coordinates between the root and what carries the bone's origin. */
function trust({ parents, bones }: Figure, bone: number): number {
  let count = 1;
  for (let b = bone; parents[b] >= 0; b = parents[b]) count += bones[b].dof;
  return count * count;
}
