import { regularizeCharts } from '../../figure/model/regularize.js';
import { copyNumbers, largestDiagonal, norm } from '../../math/linear/vector.js';
import { reduceGradient, reduceHessian } from '../../math/optimization/active-limits.js';
import { GOOD_GAIN, MIN_GAIN, POOR_GAIN } from '../../math/optimization/gain-ratio.js';
import { GRADIENT_TOLERANCE } from '../problem/status.js';
import { differentiate } from './derivatives.js';
import { evaluate, type MarkerProblem } from './marker-problem.js';
import {
  correctStep,
  type DescentWorkspace,
  newtonStep,
  solveDamped,
  undoCorrection,
} from './newton-step.js';

/** Norm of the projected gradient within the rounding of f. */
const GRADIENT_ROUNDING = 1e-15;
/**
 * Length of a Newton step, rad, below which it is the last: the remaining error is about its square. Weak directions, which rounding damps,
 * keep about 1e-3 of it.
 */
const LAST_STEP = 1e-8;
/** Maximum and initial trust-region radius, rad and length scales together. */
const MAX_RADIUS = 2;
const INITIAL_RADIUS = 1;
/**
 * Ratio of f below which a step decreases f fast: residuals then vanish, and Gauss-Newton's model is better than the exact one, whose second
 * derivatives are weighted by them.
 */
const FAST_DECREASE = 0.5;
/** Damping that excludes weakly observed directions, relative to the largest curvature. */
const FLOOR_DAMPING = 1e-5;
/** Number of successive steps without a measurable change of f before that damping applies. */
const MAX_FLAT_STEPS = 6;
/** Radius at which the search for a step ends. */
const MIN_RADIUS = 1e-13;
/** Changes of f within rounding: relative to f, and absolute. */
const RELATIVE_ROUNDING = 1e-12;
const ABSOLUTE_ROUNDING = 1e-30;

export interface Descent {
  readonly termination: 'stationary' | 'stalled' | 'iteration-limit';
  readonly objective: number;
  readonly iterations: number;
}

/**
 * Newton's method with a trust region (More & Sorensen 1983) in the tangent space of the active limits, in place on a feasible pose. Every
 * accepted pose is feasible and f never increases (except by rounding at the end). It starts with Gauss-Newton's Hessian and keeps it while f
 * decreases fast: residuals then vanish, unobserved directions stay unchanged, and weakly observed ones are not moved across a fold. After
 * that the Hessian is exact: markers keep residuals, and in weakly observed directions their second derivatives decide. Where the exact
 * Hessian is indefinite, its Gauss-Newton part replaces it as long as its prediction is good: far from the solution it allows longer steps.
 * A step of low gain ratio gets a second-order correction, which follows the curved valley of a weakly observed direction.
 */
export function descend(
  problem: MarkerProblem,
  work: DescentWorkspace,
  pose: Float64Array,
  maxIterations: number,
): Descent {
  let f = evaluate(problem, pose);
  let radius = INITIAL_RADIUS;
  let lastStep = Number.POSITIVE_INFINITY;
  let fastDecrease = true;
  let gaussNewtonAllowed = true;
  let flatSteps = 0;
  work.damping = 0;
  work.floor = 0;
  for (let iterations = 1; ; ) {
    const gradientNorm = prepare(problem, work, pose, !fastDecrease);
    // f is too flat to measure: a long step along the valley leaves a gradient across it, and from here on only that is reduced.
    if (flatSteps >= MAX_FLAT_STEPS && gradientNorm > GRADIENT_TOLERANCE) work.floor = FLOOR_DAMPING;
    if (
      gradientNorm <= GRADIENT_ROUNDING ||
      ((lastStep <= LAST_STEP || work.floor > 0) && gradientNorm <= GRADIENT_TOLERANCE)
    ) {
      return { termination: 'stationary', objective: f, iterations };
    }
    work.blocking.fill(0);
    work.step.fill(0);
    let solved = solveDamped(problem, work, 0);
    const gaussNewton = !fastDecrease && !solved && gaussNewtonAllowed;
    if (gaussNewton) prepare(problem, work, pose, false);
    let accepted = false;
    while (radius > MIN_RADIUS && iterations < maxIterations) {
      const predictedDecrease = newtonStep(problem, work, pose, radius, solved);
      solved = false;
      const length = norm(work.step);
      let next = evaluate(problem, work.trial);
      iterations++;
      // A step cut by limits may decrease f where the model increases.
      const predictedSize = Math.abs(predictedDecrease);
      let gainRatio = (f - next) / Math.max(predictedSize, Number.MIN_VALUE);
      // Where the predicted decrease is within rounding, the model is trusted.
      const belowRounding = predictedSize <= RELATIVE_ROUNDING * f || predictedSize < ABSOLUTE_ROUNDING;
      accepted = belowRounding
        ? next <= f * (1 + RELATIVE_ROUNDING) || next < 1e-28
        : next < f && gainRatio > MIN_GAIN;
      if (
        !belowRounding &&
        gainRatio < POOR_GAIN &&
        iterations < maxIterations &&
        correctStep(problem, work, pose)
      ) {
        const corrected = evaluate(problem, work.trial);
        iterations++;
        if (corrected < f && (f - corrected) / predictedSize > Math.max(gainRatio, POOR_GAIN)) {
          next = corrected;
          gainRatio = (f - next) / predictedSize;
          accepted = true;
        } else if (accepted) {
          undoCorrection(problem, work, pose);
          evaluate(problem, work.trial);
        }
      }
      if (gaussNewton && gainRatio < 0.5) gaussNewtonAllowed = false;
      if (!accepted || (gainRatio < POOR_GAIN && !belowRounding)) radius = 0.3 * length;
      else if (gainRatio > GOOD_GAIN && length > 0.6 * radius) radius = Math.min(MAX_RADIUS, 2.5 * radius);
      if (!accepted) continue;
      if (!(next < FAST_DECREASE * f)) fastDecrease = false;
      f = next;
      flatSteps = belowRounding ? flatSteps + 1 : 0;
      lastStep = work.damping === 0 && !fastDecrease ? length : Number.POSITIVE_INFINITY;
      copyNumbers(work.trial, pose, pose.length);
      regularizeCharts(problem.charts, pose);
      break;
    }
    if (accepted) continue;
    evaluate(problem, pose);
    if (fastDecrease && iterations < maxIterations) {
      fastDecrease = false;
      radius = INITIAL_RADIUS;
      continue;
    }
    const termination =
      gradientNorm <= GRADIENT_TOLERANCE
        ? 'stationary'
        : iterations >= maxIterations
          ? 'iteration-limit'
          : 'stalled';
    return { termination, objective: f, iterations };
  }
}

/** Updates derivatives and active limits, and projects both. @returns the norm of the projected gradient. */
function prepare(problem: MarkerProblem, work: DescentWorkspace, pose: Float64Array, exact: boolean): number {
  const { derivatives, activeSet, projectedGradient } = work;
  const { gradient, hessian, size } = derivatives;
  differentiate(problem, pose, exact, false, derivatives);
  const gradientNorm = reduceGradient(activeSet, pose, gradient, projectedGradient);
  work.normalStiffness = largestDiagonal(hessian, size);
  reduceHessian(activeSet, pose, hessian, size, work.normalStiffness);
  return gradientNorm;
}
