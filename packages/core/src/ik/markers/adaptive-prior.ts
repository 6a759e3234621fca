import { type Descent, descend } from './descent.js';
import { evaluate, type MarkerProblem } from './marker-problem.js';
import type { DescentWork } from './newton-step.js';

/** Median distance of a point with normal errors of variance 1 along each axis: the root of the median of chi^2_3. */
const MEDIAN_DISTANCE = 1.5381722544;
/** A hold within this ratio of the right one is left. */
const NEAR = 2;
/** Without noise the hold falls as its square each time: six rounds are enough for anything. */
const MOST_ROUNDS = 8;

/**
 * Lets the hold count by the noise there is. A hold stands for knowledge of the joints: with noise of variance s^2 a marker's square counts
 * 1 / s^2, so against squares in m^2 a hold meant for `noise` counts (s / noise)^2 of itself, and never more than all of it. s is
 * estimated from the distances that the descent has left, the descent goes on from there with the new hold, and so on. Without
 * noise what is left is the doing of the hold alone, so both fall to nothing, each round by the square.
 *
 * @param found - Of a descent with the full hold.
 */
export function settleHold(
  problem: MarkerProblem,
  work: DescentWork,
  pose: Float64Array,
  maxIterations: number,
  found: Descent,
): Descent {
  const { noise, fullHold } = problem;
  if (noise === undefined || fullHold === 0) return found;
  let last = found;
  let { iterations } = found;
  for (let round = 0; round < MOST_ROUNDS && iterations < maxIterations; round++) {
    evaluate(problem, pose);
    const share = noiseShare(distancesOf(problem), spareOf(problem), noise);
    if (share * fullHold > problem.hold / NEAR || problem.hold === 0) break;
    problem.hold = share * fullHold;
    last = descend(problem, work, pose, maxIterations - iterations);
    iterations += last.iterations;
  }
  return { ...last, iterations };
}

/** How many numbers a frame has, and how many more than the coordinates that they are to find. */
export interface Spare {
  readonly numbers: number;
  readonly spare: number;
}

/** Of the frame in the problem: the coordinates are those that some marker seen lies beyond. */
export function spareOf({ figure, free, omega, bones }: MarkerProblem): Spare {
  const { parents, boneOfCoordinate } = figure;
  const carries = new Uint8Array(parents.length);
  let numbers = 0;
  for (let m = 0; m < omega.length; m++) {
    if (omega[m] === 0) continue;
    numbers += 3;
    for (let b = bones[m]; b >= 0 && carries[b] === 0; b = parents[b]) carries[b] = 1;
  }
  let unknowns = 0;
  for (let i = 0; i < free.length; i++) if (free[i] === 1 && carries[boneOfCoordinate[i]] === 1) unknowns++;
  return { numbers, spare: numbers - unknowns };
}

/** Distances of the markers seen, each times the root of its weight and confidence, m, at the pose last evaluated. */
export function distancesOf({ omega, residual, largestWeight, lengthScale }: MarkerProblem): number[] {
  const distances: number[] = [];
  for (let m = 0; m < omega.length; m++) {
    if (omega[m] === 0) continue;
    const d = Math.hypot(residual[3 * m], residual[3 * m + 1], residual[3 * m + 2]);
    distances.push(d * lengthScale * Math.sqrt(omega[m] * largestWeight));
  }
  return distances;
}

/**
 * (s / noise)^2, 1 at most. s by the median distance, which up to half of the markers may be off without changing much; the fit has taken
 * as many numbers of the noise as there are coordinates. 1 where nothing is left to tell it from.
 *
 * @param distances - Sorted in place.
 */
export function noiseShare(distances: number[], { numbers, spare }: Spare, noise: number): number {
  if (spare <= 0) return 1;
  distances.sort((a, b) => a - b);
  const s = distances[distances.length >> 1] / MEDIAN_DISTANCE;
  return Math.min(1, ((s / noise) ** 2 * numbers) / spare);
}
