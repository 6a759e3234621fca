/**
 * Minimizes the step's model by an interior point method, for problems where too many inequalities change at once for an active set search.
 * With s >= 0 and mu >= 0 for each inequality,
 *
 *   H p + g + sum of mu a = 0,   y + a.p + s = mu / k,   s mu = tau,
 *
 * the central path is followed as tau goes to zero by Mehrotra's predictor-corrector method (*On the implementation of a primal-dual
 * interior point method*, SIAM J. Optim. 2, 1992), for the soft inequalities k/2 max(0, y + a.p)^2. It takes 4 to 12 factorizations in
 * practice, whatever the number of inequalities. Set constraints stay fixed.
 */
import { factorEnvelope, multiplyEnvelope, solveEnvelope } from '../../math/linear/envelope-cholesky.js';
import type { CentralPath } from './central-path.js';
import {
  addInequalityGradients,
  addInequalityGram,
  type Inequalities,
  writeDirectional,
} from './inequality-constraints.js';
import type { Solver } from './solver-state.js';

const MAX_FACTORIZATIONS = 25;
/** Stopping criteria: duality gap relative to the decrease, and remaining fraction of the initial gradient residual. */
const GAP = 1e-3;
const MAX_GRADIENT_FRACTION = 1e-3;
const FRACTION_TO_BOUNDARY = 0.995;
/**
 * Initial complementarity sum of s mu, relative to the decrease of the first active set step. Too large costs an iteration or two, too
 * small many.
 */
const INITIAL_COMPLEMENTARITY = 3;

/**
 * Writes the minimum to `solver.step`, and the constraint values there to `inequalities.value`.
 *
 * @param maxDecrease - Decrease of the model if no inequality changed state: usually an upper bound.
 * @returns whether it converged; else `step` is the last iterate.
 */
export function followCentralPath(solver: Solver, maxDecrease: number): boolean {
  const { inequalities, centralPath, lastModelStep, step } = solver;
  const { slack, multiplier, slackStep, multiplierStep, complementarity } = centralPath;
  const count = inequalities.offset.length;
  initialize(
    inequalities,
    centralPath,
    Math.max((INITIAL_COMPLEMENTARITY * maxDecrease) / count, Number.MIN_VALUE),
  );
  lastModelStep.fill(0);
  let gradientFraction = 1;
  let converged = false;
  for (let round = 0; ; round++) {
    converged = isConverged(solver, gradientFraction);
    if (converged || round === MAX_FACTORIZATIONS || !factorNewtonSystem(solver)) break;
    const total = complementarityAt(centralPath, 0);
    for (let c = 0; c < count; c++) complementarity[c] = slack[c] * multiplier[c];
    solveDirection(solver);
    const sigma = (complementarityAt(centralPath, Math.min(1, maxStepLength(centralPath))) / total) ** 3;
    for (let c = 0; c < count; c++)
      complementarity[c] += slackStep[c] * multiplierStep[c] - (sigma * total) / count;
    solveDirection(solver);
    const alpha = Math.min(1, FRACTION_TO_BOUNDARY * maxStepLength(centralPath));
    for (let i = 0; i < lastModelStep.length; i++) lastModelStep[i] += alpha * step[i];
    for (let c = 0; c < count; c++) {
      slack[c] += alpha * slackStep[c];
      multiplier[c] += alpha * multiplierStep[c];
    }
    gradientFraction *= 1 - alpha;
  }
  step.set(lastModelStep);
  for (let c = 0; c < count; c++)
    inequalities.gradientOffset[c] = multiplier[c] - inequalities.weight[c] * inequalities.value[c];
  return converged;
}

/** Starts on the central path for `tau` at p = 0: mu - k s = k y and s mu = tau. */
function initialize(
  { offset, penalty }: Inequalities,
  { slack, multiplier }: CentralPath,
  tau: number,
): void {
  for (let c = 0; c < offset.length; c++) {
    const k = penalty[c];
    const y = offset[c];
    const root = Math.sqrt(y * y + (4 * tau) / k);
    // The larger root, without cancellation.
    const large = 0.5 * (Math.abs(y) + root);
    multiplier[c] = y > 0 ? k * large : tau / large;
    slack[c] = y > 0 ? tau / (k * large) : large;
  }
}

/** Whether the current step is the minimum; writes the gradient without inequalities, and the residuals of the slack equations. */
function isConverged(solver: Solver, gradientFraction: number): boolean {
  const { inequalities, rows, centralPath, lastModelStep, scratch, damped, dampedGradient, gradient } =
    solver;
  const { penalty, offset, value } = inequalities;
  const { slack, multiplier, residual } = centralPath;
  multiplyEnvelope(damped, lastModelStep, scratch);
  let decrease = 0;
  for (let i = 0; i < lastModelStep.length; i++) {
    decrease -= lastModelStep[i] * (dampedGradient[i] + 0.5 * scratch[i]);
    gradient[i] = dampedGradient[i] + scratch[i];
  }
  writeDirectional(inequalities, rows, lastModelStep, value);
  let gap = 0;
  for (let c = 0; c < offset.length; c++) {
    const k = penalty[c];
    const y = value[c] + offset[c];
    value[c] = y;
    residual[c] = y + slack[c] - multiplier[c] / k;
    const after = Math.max(0, y);
    const before = Math.max(0, offset[c]);
    decrease -= 0.5 * k * (after * after - before * before);
    // Fenchel-Young gap between a penalty and its conjugate.
    gap += 0.5 * k * after * after + multiplier[c] * ((0.5 * multiplier[c]) / k - y);
  }
  return gradientFraction <= MAX_GRADIENT_FRACTION && gap <= GAP * decrease;
}

/** Factors H + sum of w a a^T, w = mu / (s + mu / k). */
function factorNewtonSystem(solver: Solver): boolean {
  const { inequalities, rows, centralPath, damped, hessian } = solver;
  const { slack, multiplier } = centralPath;
  for (let c = 0; c < slack.length; c++) {
    inequalities.weight[c] = multiplier[c] / (slack[c] + multiplier[c] / inequalities.penalty[c]);
  }
  hessian.values.set(damped.values);
  addInequalityGram(inequalities, rows, hessian);
  solver.factorizations++;
  return factorEnvelope(hessian, hessian);
}

/** Newton direction that decreases s mu by `complementarity`. */
function solveDirection(solver: Solver): void {
  const { inequalities, rows, centralPath, gradient, hessian, step } = solver;
  const { penalty, weight, gradientWeight, change } = inequalities;
  const { slack, multiplier, slackStep, multiplierStep, residual, complementarity } = centralPath;
  for (let c = 0; c < gradientWeight.length; c++) {
    gradientWeight[c] =
      multiplier[c] + weight[c] * residual[c] - complementarity[c] / (slack[c] + multiplier[c] / penalty[c]);
  }
  step.set(gradient);
  addInequalityGradients(inequalities, rows, step);
  for (let i = 0; i < step.length; i++) step[i] = -step[i];
  solveEnvelope(hessian, step);
  writeDirectional(inequalities, rows, step, change);
  for (let c = 0; c < gradientWeight.length; c++) {
    multiplierStep[c] =
      weight[c] * (change[c] + residual[c]) - complementarity[c] / (slack[c] + multiplier[c] / penalty[c]);
    slackStep[c] = multiplierStep[c] / penalty[c] - residual[c] - change[c];
  }
}

/** The sum of s mu after a step of length `alpha`. */
function complementarityAt(
  { slack, multiplier, slackStep, multiplierStep }: CentralPath,
  alpha: number,
): number {
  let sum = 0;
  for (let c = 0; c < slack.length; c++) {
    sum += (slack[c] + alpha * slackStep[c]) * (multiplier[c] + alpha * multiplierStep[c]);
  }
  return sum;
}

/** Step length at which the first slack or multiplier becomes zero. */
function maxStepLength({ slack, multiplier, slackStep, multiplierStep }: CentralPath): number {
  let alpha = Number.POSITIVE_INFINITY;
  for (let c = 0; c < slack.length; c++) {
    if (slackStep[c] < 0) alpha = Math.min(alpha, -slack[c] / slackStep[c]);
    if (multiplierStep[c] < 0) alpha = Math.min(alpha, -multiplier[c] / multiplierStep[c]);
  }
  return alpha;
}
