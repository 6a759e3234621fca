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
/** New radius over the step's length after a poor step; factor of the radius after a good step longer than this fraction of it. */
const RADIUS_DECREASE = 0.3;
const RADIUS_INCREASE = 2.5;
const MIN_STEP_FRACTION = 0.6;
/** Gain ratio of a Gauss-Newton step below which an indefinite exact Hessian is no longer replaced. */
const MIN_GAUSS_NEWTON_GAIN = 0.5;
/** Changes of f within rounding: relative to f, and absolute. */
const RELATIVE_ROUNDING = 1e-12;
const ABSOLUTE_ROUNDING = 1e-30;
/** f of residuals that are rounding alone. */
const ZERO_OBJECTIVE = 1e-28;

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
    // Model: m(d) = f + g^T d + 1/2 d^T H d, g and H reduced to the tangent space of the active limits.
    const gradientNorm = prepare(problem, work, pose, !fastDecrease);
    // Stationary: |g| small, after a last Newton step or at the resolution of f.
    // f is too flat to measure: a long step along the valley leaves a gradient across it, and from here on only that is reduced.
    if (flatSteps >= MAX_FLAT_STEPS && gradientNorm > GRADIENT_TOLERANCE) work.floor = FLOOR_DAMPING;
    if (
      gradientNorm <= GRADIENT_ROUNDING ||
      ((lastStep <= LAST_STEP || work.floor > 0) && gradientNorm <= GRADIENT_TOLERANCE)
    ) {
      return { termination: 'stationary', objective: f, iterations };
    }
    // Indefinite exact Hessian: H by Gauss-Newton.
    work.blocking.fill(0);
    work.step.fill(0);
    let solved = solveDamped(problem, work, 0);
    const gaussNewton = !fastDecrease && !solved && gaussNewtonAllowed;
    if (gaussNewton) prepare(problem, work, pose, false);
    let accepted = false;
    while (radius > MIN_RADIUS && iterations < maxIterations) {
      // Trial step: minimizer of m within the limits and |d| <= radius.
      const predictedDecrease = newtonStep(problem, work, pose, radius, solved);
      solved = false;
      const length = norm(work.step);
      let next = evaluate(problem, work.trial);
      iterations++;
      // Gain ratio: (f(q) - f(q + d)) / |m(0) - m(d)|. A step cut by limits may decrease f where the model increases.
      const predictedSize = Math.abs(predictedDecrease);
      let gainRatio = (f - next) / Math.max(predictedSize, Number.MIN_VALUE);
      // Where the predicted decrease is within rounding, the model is trusted.
      const belowRounding = predictedSize <= RELATIVE_ROUNDING * f || predictedSize < ABSOLUTE_ROUNDING;
      accepted = belowRounding
        ? next <= f * (1 + RELATIVE_ROUNDING) || next < ZERO_OBJECTIVE
        : next < f && gainRatio > MIN_GAIN;
      // Second-order correction of a poor step.
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
      // Trust radius, by the gain ratio.
      if (gaussNewton && gainRatio < MIN_GAUSS_NEWTON_GAIN) gaussNewtonAllowed = false;
      if (!accepted || (gainRatio < POOR_GAIN && !belowRounding)) radius = RADIUS_DECREASE * length;
      else if (gainRatio > GOOD_GAIN && length > MIN_STEP_FRACTION * radius)
        radius = Math.min(MAX_RADIUS, RADIUS_INCREASE * radius);
      if (!accepted) continue;
      // Accepted.
      if (!(next < FAST_DECREASE * f)) fastDecrease = false;
      f = next;
      flatSteps = belowRounding ? flatSteps + 1 : 0;
      lastStep = work.damping === 0 && !fastDecrease ? length : Number.POSITIVE_INFINITY;
      copyNumbers(work.trial, pose, pose.length);
      regularizeCharts(problem.charts, pose);
      break;
    }
    if (accepted) continue;
    // No step: once more with the exact Hessian, then the end.
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
