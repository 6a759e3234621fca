import { type Descent, descend } from './descent.js';
import { evaluate, type MarkerProblem } from './marker-problem.js';
import type { DescentWorkspace } from './newton-step.js';

/** Median distance of a point with normal errors of variance 1 along each axis: the root of the median of chi^2_3. */
const MEDIAN_DISTANCE = 1.5381722544;
/** A prior weight within this factor of the adapted one is kept. */
const MIN_CHANGE = 2;
/** Without noise the weight is squared in each round: six rounds suffice. */
const MAX_ROUNDS = 8;

/**
 * Adapts the prior to the noise. The prior represents knowledge of the joints: with noise of variance s^2 a marker's square has weight
 * 1 / s^2, so relative to squares in m^2 a prior meant for `noise` is weighted by (s / noise)^2, at most 1. s is estimated from the
 * distances that the descent leaves; the descent continues with the new weight, and so on. Without noise the prior causes all remaining
 * distance, so both converge to zero quadratically.
 *
 * @param found - Result of a descent with the full prior.
 */
export function adaptPrior(
  problem: MarkerProblem,
  work: DescentWorkspace,
  pose: Float64Array,
  maxIterations: number,
  found: Descent,
): Descent {
  const { noise, fullPriorWeight } = problem;
  if (noise === undefined || fullPriorWeight === 0) return found;
  let last = found;
  let { iterations } = found;
  for (let round = 0; round < MAX_ROUNDS && iterations < maxIterations; round++) {
    evaluate(problem, pose);
    const ratio = noiseRatio(weightedDistances(problem), degreesOfFreedomOf(problem), noise);
    if (ratio * fullPriorWeight > problem.priorWeight / MIN_CHANGE || problem.priorWeight === 0) break;
    problem.priorWeight = ratio * fullPriorWeight;
    last = descend(problem, work, pose, maxIterations - iterations);
    iterations += last.iterations;
  }
  return { ...last, iterations };
}

/** Number of measurements, and residual degrees of freedom: measurements less unknowns. */
export interface DegreesOfFreedom {
  readonly measurements: number;
  readonly residual: number;
}

/** Of the current frame; the unknowns are the free coordinates with an observed marker below. */
export function degreesOfFreedomOf({ figure, free, omega, bones }: MarkerProblem): DegreesOfFreedom {
  const { parents, boneOfCoordinate } = figure;
  const carries = new Uint8Array(parents.length);
  let measurements = 0;
  for (let m = 0; m < omega.length; m++) {
    if (omega[m] === 0) continue;
    measurements += 3;
    for (let b = bones[m]; b >= 0 && carries[b] === 0; b = parents[b]) carries[b] = 1;
  }
  let unknowns = 0;
  for (let i = 0; i < free.length; i++) if (free[i] === 1 && carries[boneOfCoordinate[i]] === 1) unknowns++;
  return { measurements, residual: measurements - unknowns };
}

/** Distances of the observed markers, each times the root of its weight and confidence, m, at the pose last evaluated. */
export function weightedDistances({ omega, residual, largestWeight, lengthScale }: MarkerProblem): number[] {
  const distances: number[] = [];
  for (let m = 0; m < omega.length; m++) {
    if (omega[m] === 0) continue;
    const d = Math.hypot(residual[3 * m], residual[3 * m + 1], residual[3 * m + 2]);
    distances.push(d * lengthScale * Math.sqrt(omega[m] * largestWeight));
  }
  return distances;
}

/**
 * (s / noise)^2, at most 1; 1 where no degrees of freedom are left. s is the noise, standard deviation along each axis, by the median distance:
 * robust to up to half of the markers as outliers, and corrected for the degrees of freedom of the fit.
 *
 * @param distances - Sorted in place.
 */
export function noiseRatio(distances: number[], degrees: DegreesOfFreedom, noise: number): number {
  return degrees.residual <= 0 ? 1 : Math.min(1, squaredRatio(distances, degrees, noise));
}

/** s, m; undefined where no degrees of freedom are left. @param distances - Sorted in place. */
export function noiseOf(distances: number[], degrees: DegreesOfFreedom): number | undefined {
  return degrees.residual <= 0 ? undefined : Math.sqrt(squaredRatio(distances, degrees, 1));
}

function squaredRatio(
  distances: number[],
  { measurements, residual }: DegreesOfFreedom,
  noise: number,
): number {
  distances.sort((a, b) => a - b);
  const s = distances[distances.length >> 1] / MEDIAN_DISTANCE;
  return ((s / noise) ** 2 * measurements) / residual;
}
