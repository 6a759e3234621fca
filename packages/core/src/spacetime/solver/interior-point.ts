/**
 * Minimizes the step's model by an interior point method, for problems where too many inequalities change at once for an active set search.
 * With s >= 0 and lambda >= 0 for each inequality of penalty k, value y at p = 0 and row a (`inequality-constraints.ts`),
 *
 *   H p + g + sum of lambda a = 0,   y + a.p + s = lambda / k,   s lambda = tau,
 *
 * the central path is followed as tau goes to zero by Mehrotra's predictor-corrector method (*On the implementation of a primal-dual
 * interior point method*, SIAM J. Optim. 2, 1992), for the soft inequalities k/2 max(0, y + a.p)^2. It takes 4 to 12 factorizations in
 * practice, whatever the number of inequalities. Set constraints stay fixed.
 */
import { factorEnvelope, multiplyEnvelope } from '../../math/linear/envelope-cholesky.js';
import { addCurvature, factorCurvature, solveCurved } from './curvature.js';
import {
  addInequalityGradients,
  addInequalityGram,
  evaluateInequalities,
  type Inequalities,
  linearizeDirection,
} from './inequality-constraints.js';
import type { Subproblem } from './quadratic-model.js';

/** A point near the central path, and its Newton step. */
export interface CentralPath {
  /** p and its Newton direction; s and lambda of each inequality, and theirs. */
  readonly point: Float64Array;
  readonly direction: Float64Array;
  readonly slack: Float64Array;
  readonly multiplier: Float64Array;
  readonly slackStep: Float64Array;
  readonly multiplierStep: Float64Array;
  /** H p, and g + H p. */
  readonly product: Float64Array;
  readonly gradient: Float64Array;
  /** y + a.p + s - lambda / k, the wanted decrease of s lambda, and coefficients of a in the Newton system. */
  readonly residual: Float64Array;
  readonly complementarity: Float64Array;
  readonly coefficient: Float64Array;
}

/** @param inequalities - Number of one-sided penalties. */
export function createCentralPath(size: number, inequalities: number): CentralPath {
  const vector = (): Float64Array => new Float64Array(size);
  const zeros = (): Float64Array => new Float64Array(inequalities);
  return {
    point: vector(),
    direction: vector(),
    slack: zeros(),
    multiplier: zeros(),
    slackStep: zeros(),
    multiplierStep: zeros(),
    product: vector(),
    gradient: vector(),
    residual: zeros(),
    complementarity: zeros(),
    coefficient: zeros(),
  };
}

const MAX_FACTORIZATIONS = 25;
/** Stopping criteria: duality gap relative to the decrease, and remaining fraction of the initial gradient residual. */
const GAP = 1e-3;
const MAX_GRADIENT_FRACTION = 1e-3;
const FRACTION_TO_BOUNDARY = 0.995;
/**
 * Initial complementarity sum of s lambda, relative to the decrease of the first active set step. Too large costs an iteration or two, too
 * small many.
 */
const INITIAL_COMPLEMENTARITY = 3;

/**
 * Writes the minimum to `step`, and the values of the inequalities there.
 *
 * @param maxDecrease - Decrease of the model if no inequality changed state: usually an upper bound.
 * @returns whether it converged; else `step` is the last iterate.
 */
export function followCentralPath(
  subproblem: Subproblem,
  path: CentralPath,
  maxDecrease: number,
  step: Float64Array,
): boolean {
  const { model, activeSet } = subproblem;
  const { weight, gradientOffset } = model.factored;
  const { inequalities } = activeSet;
  const { point, direction, slack, multiplier, slackStep, multiplierStep, complementarity } = path;
  const count = inequalities.offset.length;
  initialize(inequalities, path, Math.max((INITIAL_COMPLEMENTARITY * maxDecrease) / count, Number.MIN_VALUE));
  let gradientFraction = 1;
  let converged = false;
  for (let round = 0; ; round++) {
    converged = isConverged(subproblem, path, gradientFraction);
    if (converged || round === MAX_FACTORIZATIONS || !factorNewtonSystem(subproblem, path)) break;
    // Predictor: s lambda -> 0.
    const total = complementarityAt(path, 0);
    for (let c = 0; c < count; c++) complementarity[c] = slack[c] * multiplier[c];
    solveDirection(subproblem, path);
    // Corrector: s lambda + ds dlambda -> sigma tau.
    const sigma = (complementarityAt(path, Math.min(1, maxStepLength(path))) / total) ** 3;
    for (let c = 0; c < count; c++)
      complementarity[c] += slackStep[c] * multiplierStep[c] - (sigma * total) / count;
    solveDirection(subproblem, path);
    const alpha = Math.min(1, FRACTION_TO_BOUNDARY * maxStepLength(path));
    for (let i = 0; i < point.length; i++) point[i] += alpha * direction[i];
    for (let c = 0; c < count; c++) {
      slack[c] += alpha * slackStep[c];
      multiplier[c] += alpha * multiplierStep[c];
    }
    gradientFraction *= 1 - alpha;
  }
  step.set(point);
  for (let c = 0; c < count; c++) gradientOffset[c] = multiplier[c] - weight[c] * inequalities.value[c];
  return converged;
}

/** Starts on the central path for `tau` at p = 0: lambda - k s = k y and s lambda = tau. */
function initialize(
  { offset, penalty }: Inequalities,
  { point, slack, multiplier }: CentralPath,
  tau: number,
): void {
  point.fill(0);
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

/** Whether the current point is the minimum; writes the gradient without inequalities, and the residuals of the slack equations. */
function isConverged(
  { iterate, model, activeSet: { inequalities } }: Subproblem,
  path: CentralPath,
  gradientFraction: number,
): boolean {
  const { damped, dampedGradient } = model;
  const { point, product, gradient, slack, multiplier, residual } = path;
  const { penalty, offset, value } = inequalities;
  multiplyEnvelope(damped, point, product);
  addCurvature(model.curvature, point, product);
  let decrease = 0;
  for (let i = 0; i < point.length; i++) {
    decrease -= point[i] * (dampedGradient[i] + 0.5 * product[i]);
    gradient[i] = dampedGradient[i] + product[i];
  }
  evaluateInequalities(inequalities, iterate.rows, point);
  let gap = 0;
  for (let c = 0; c < offset.length; c++) {
    const k = penalty[c];
    const y = value[c];
    residual[c] = y + slack[c] - multiplier[c] / k;
    const after = Math.max(0, y);
    const before = Math.max(0, offset[c]);
    decrease -= 0.5 * k * (after * after - before * before);
    // Fenchel-Young gap between a penalty and its conjugate.
    gap += 0.5 * k * after * after + multiplier[c] * ((0.5 * multiplier[c]) / k - y);
  }
  return gradientFraction <= MAX_GRADIENT_FRACTION && gap <= GAP * decrease;
}

/** Factors H + sum of w a a^T, w = lambda / (s + lambda / k). */
function factorNewtonSystem(
  { iterate, model, activeSet: { inequalities } }: Subproblem,
  { slack, multiplier }: CentralPath,
): boolean {
  const { damped, factored } = model;
  const { matrix, weight } = factored;
  for (let c = 0; c < slack.length; c++) {
    weight[c] = multiplier[c] / (slack[c] + multiplier[c] / inequalities.penalty[c]);
  }
  matrix.values.set(damped.values);
  addInequalityGram(inequalities, iterate.rows, weight, matrix);
  factored.count++;
  if (!factorEnvelope(matrix, matrix)) return false;
  factorCurvature(model.curvature, matrix);
  return true;
}

/** Newton direction that decreases s lambda by `complementarity`. */
function solveDirection(
  { iterate, model, activeSet: { inequalities } }: Subproblem,
  path: CentralPath,
): void {
  const { matrix, weight } = model.factored;
  const { penalty, change } = inequalities;
  const { direction, gradient, coefficient, residual, complementarity } = path;
  const { slack, multiplier, slackStep, multiplierStep } = path;
  for (let c = 0; c < coefficient.length; c++) {
    coefficient[c] =
      multiplier[c] + weight[c] * residual[c] - complementarity[c] / (slack[c] + multiplier[c] / penalty[c]);
  }
  direction.set(gradient);
  addInequalityGradients(inequalities, iterate.rows, coefficient, direction);
  for (let i = 0; i < direction.length; i++) direction[i] = -direction[i];
  solveCurved(model.curvature, matrix, direction);
  linearizeDirection(inequalities, iterate.rows, direction);
  for (let c = 0; c < coefficient.length; c++) {
    multiplierStep[c] =
      weight[c] * (change[c] + residual[c]) - complementarity[c] / (slack[c] + multiplier[c] / penalty[c]);
    slackStep[c] = multiplierStep[c] / penalty[c] - residual[c] - change[c];
  }
}

/** The sum of s lambda after a step of length `alpha`. */
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
