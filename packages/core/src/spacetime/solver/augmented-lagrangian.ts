/**
 * Augmented Lagrangian method with damped Gauss-Newton steps (Levenberg 1944), each the minimum of a convex, piecewise quadratic model.
 * Multipliers are updated as soon as the subproblem is solved well enough (Bertsekas, *Constrained Optimization and Lagrange Multiplier
 * Methods*, chapter 2). Deterministic.
 *
 * The method is `stepSolver`; L is in `lagrangian.ts`, its model in `quadratic-model.ts`, the minimum of the model in
 * `minimize-model.ts`. Bounds: `set-constraints.ts` and `inequality-constraints.ts`.
 */
import { linearize, type System, writeResidual } from '../system/system.js';
import type { TermKind } from '../terms/term.js';
import { project } from '../transcription/convex-sets.js';
import { createJacobianRows } from '../transcription/jacobian-rows.js';
import { createActiveSet } from './active-set.js';
import { beginSecant, finishSecant } from './curvature.js';
import { augmentedLagrangian, costOf, maxViolation } from './lagrangian.js';
import { createModelSearch, type ModelSearch, minimizeModel } from './minimize-model.js';
import { choosePenalties, increasePenalties, REQUIRED_REDUCTION } from './penalties.js';
import {
  assembleModel,
  createQuadraticModel,
  type Iterate,
  type QuadraticModel,
  type Subproblem,
} from './quadratic-model.js';
import { type Correction, correctStep, createCorrection } from './second-order-correction.js';
import { clipToSets } from './set-constraints.js';

export interface SolverOptions {
  /** Largest scaled constraint violation at a solution. Default 1e-6. */
  readonly tolerance?: number;
  /** Predicted decrease, relative to the cost, that counts as none. Default 1e-7. */
  readonly gain?: number;
}

export type SolverStatus = 'running' | 'converged' | 'infeasible' | 'stalled';

/** Where a solve starts or resumes. */
export interface SolverStart {
  readonly unknowns: Float64Array;
  readonly multipliers?: Float64Array;
  /** One for each row. */
  readonly penalties?: Float64Array;
  readonly damping?: number;
  readonly iterations?: number;
}

/** The course of a solve. */
export interface Progress {
  status: SolverStatus;
  iterations: number;
  initialCost: number;
  /** Predicted decrease of the last step, relative to the cost; and consecutive limited steps where it is small. */
  relativePredictedDecrease: number;
  smallDecreaseCount: number;
  /** Factor of damping at the next rejected step. */
  dampingGrowth: number;
  /** Steps tried since the last multiplier update; multiplier error there; consecutive updates without sufficient reduction. */
  stepsSinceUpdate: number;
  lastMultiplierError: number;
  /** Multiplier errors of the terms: at the last update, and at the one before. */
  readonly multiplierErrors: Float64Array;
  readonly lastMultiplierErrors: Float64Array;
  stagnationCount: number;
  /** Whether penalties have grown since they were chosen. */
  hasGrown: boolean;
}

/** A trial step p, x + p, and r(x + p); the last two before their correction too. */
export interface Trial {
  readonly step: Float64Array;
  readonly unknowns: Float64Array;
  readonly residual: Float64Array;
  readonly uncorrectedUnknowns: Float64Array;
  readonly uncorrectedResidual: Float64Array;
}

/** State of a solve. Each part is written by the file that declares it; the iterate, declared for its readers, by this one. */
export interface Solver extends Subproblem {
  readonly options: { readonly tolerance: number; readonly gain: number };
  readonly progress: Progress;
  readonly search: ModelSearch;
  readonly correction: Correction;
  readonly trial: Trial;
}

/**
 * A micrometre, a millionth of the weight; and a ten-millionth of the cost. `docs/decisions/0024-spacetime-accuracy.md` compares solutions with
 * those to 1e-8.
 */
const DEFAULT_TOLERANCE = 1e-6;
const DEFAULT_GAIN = 1e-7;
/** Initial and smallest damping, relative to the mean diagonal of the cost. */
const INITIAL_DAMPING = 1e-4;
const MIN_DAMPING = 1e-7;
/**
 * Smallest damping relative to the mean of the whole diagonal: below, it is lost in rounding. At 1e-12 it decides the steps on refined meshes:
 * the lamp, which takes 68 iterations, ends at 300.
 */
const ROUNDING_DAMPING = 1e-14;
/** Largest damping, relative to the mean of the model's diagonal. */
const MAX_DAMPING = 1e6;
/** Factor of damping after a rejected step; doubled at each rejection in a row. */
const DAMPING_GROWTH = 4;
/** Factor of damping after a successful step. */
const DAMPING_DECREASE = 0.3;
/** Factor of damping after a very successful step, without correction. */
const FAST_DAMPING_DECREASE = 0.1;
const VERY_SUCCESSFUL = 0.9;
/** Gain ratio above which a step is accepted. */
const MIN_GAIN_RATIO = 1e-3;
/**
 * A step with a smaller gain ratio gets a second-order correction, repeated while each recovers at least this fraction of the missing gain
 * ratio.
 */
const CORRECTION_RATIO = 0.7;
const MIN_CORRECTION_GAIN = 0.1;
const MAX_CORRECTIONS = 8;
/**
 * A step that fails is shortened: to this fraction of the length of least L where the failure grows with the fourth power of the length, as
 * penalties of curved constraints do; within these bounds, and so often.
 */
const SHORTENING = 0.8;
const MIN_SHORTENING = 0.01;
const MAX_SHORTENING = 0.5;
const MAX_SHORTENINGS = 4;
const INITIAL_TIME_TRUST_RADIUS = 0.25;
const MIN_TIME_TRUST_RADIUS = 1e-4;
/**
 * Largest scaled violation at which the multipliers of damped steps count, too: 1e-2 to 1e-4 take the same iterations, while farther off
 * least time of two links does not converge. And at which steps are shortened: see `docs/decisions/0024-spacetime-accuracy.md`.
 */
const NEARLY_FEASIBLE = 1e-3;
/** A subproblem is solved well enough when its predicted decrease falls below this fraction of the multiplier error. */
const INNER_TOLERANCE = 0.1;
/** Largest share of the damping term in the predicted decrease of an unlimited step. */
const MAX_DAMPING_SHARE = 0.1;
/** Steps without a multiplier update after which penalties are chosen anew. */
const CREEPING_STEPS = 25;
/** Negligible cost, relative to the initial one. */
const NEGLIGIBLE_COST = 1e-12;
/** Number of consecutive limited steps with small predicted decrease that are still tried. */
const MAX_SMALL_DECREASES = 3;
/** Number of consecutive updates without progress after which constraints are taken to conflict. */
const MAX_STAGNATIONS = 12;

export function createSolver(system: System, start: SolverStart, options: SolverOptions = {}): Solver {
  const { size, rows, sets } = system;
  const unknowns = Float64Array.from(start.unknowns);
  project(sets, unknowns);
  const activeSet = createActiveSet(system);
  const inequalities = activeSet.inequalities.offset.length;
  const owners = 1 + system.owners.reduce((last, owner) => Math.max(last, owner), 0);
  return {
    system,
    options: { tolerance: options.tolerance ?? DEFAULT_TOLERANCE, gain: options.gain ?? DEFAULT_GAIN },
    iterate: {
      unknowns,
      multipliers: {
        lambda: Float64Array.from(start.multipliers ?? new Float64Array(rows)),
        rho: Float64Array.from(start.penalties ?? new Float64Array(rows)),
      },
      rows: createJacobianRows(rows),
      isLinearized: false,
      isAssembled: false,
      isShortened: false,
      cost: Number.NaN,
      violation: Number.NaN,
      merit: 0,
      damping: start.damping ?? 0,
      timeTrustRadius: INITIAL_TIME_TRUST_RADIUS,
    },
    progress: {
      status: 'running',
      iterations: start.iterations ?? 0,
      initialCost: 0,
      relativePredictedDecrease: Number.NaN,
      smallDecreaseCount: 0,
      dampingGrowth: DAMPING_GROWTH,
      stepsSinceUpdate: 0,
      lastMultiplierError: Number.POSITIVE_INFINITY,
      multiplierErrors: new Float64Array(owners),
      lastMultiplierErrors: new Float64Array(owners).fill(Number.POSITIVE_INFINITY),
      stagnationCount: 0,
      hasGrown: false,
    },
    model: createQuadraticModel(system, inequalities),
    activeSet,
    search: createModelSearch(size, rows, inequalities),
    correction: createCorrection(size, rows, inequalities),
    trial: {
      step: new Float64Array(size),
      unknowns: new Float64Array(size),
      residual: new Float64Array(rows),
      uncorrectedUnknowns: new Float64Array(size),
      uncorrectedResidual: new Float64Array(rows),
    },
  };
}

/** One iteration: at most one linearization, one trial step. @returns whether the solve is still running. */
export function stepSolver(solver: Solver): boolean {
  const { system, options, iterate, progress, search, trial } = solver;
  if (progress.status !== 'running') return false;
  progress.iterations++;

  // 0. Penalties that grew where constraints did not hold yet keep steps short where they do.
  if (
    progress.stepsSinceUpdate > CREEPING_STEPS &&
    iterate.violation <= options.tolerance &&
    progress.hasGrown
  ) {
    progress.hasGrown = false;
    choosePenalties(system, iterate.rows, progress.multiplierErrors, iterate.multipliers.rho);
    iterate.isAssembled = false;
  }

  // 1. Linearization: r(x + p) ~ r + J p.
  linearizeIterate(solver);

  // 2. Quadratic model: m(p) = L(r + J p) + damping/2 |p|^2.
  buildModel(solver);

  // 3. Step: p = argmin m(p), x + p in the convex sets.
  if (!minimizeModel(solver, search, options.gain)) return rejectStep(solver);
  trial.step.set(search.bestStep);
  countSmallDecrease(solver);

  // 4. Multiplier update, once the subproblem is solved well enough: lambda += rho (c + J p), or rho c where p is not the minimum of its
  // model; then the convergence test.
  if (progress.stepsSinceUpdate > 0 && isSubproblemSolved(solver)) {
    const error = writeMultiplierErrors(system, iterate, progress.multiplierErrors);
    updateMultipliers(solver, search.isModelMinimum ? search.predictedRows : iterate.rows.residual);
    return testConvergence(solver, error);
  }
  if (!(search.predictedDecrease > 0)) return rejectStep(solver);

  // 5. Gain ratio: (L(x) - L(x + p)) / (L(r) - L(r + J p)).
  const uncorrectedRatio = evaluateTrial(solver, 1);

  // 6. Second-order correction: the same model with c(x + p) - J p for c.
  const fullRatio = correctTrial(solver, uncorrectedRatio, 1);

  // 7. Where L does not decrease enough, a shorter step along p: it takes no factorization. The next step is damped more. Far from the
  // constraints a damped step turns towards them, and a shorter one does not.
  const isShortened = !(fullRatio > MIN_GAIN_RATIO) && iterate.violation <= NEARLY_FEASIBLE;
  const ratio = isShortened ? shortenTrial(solver, fullRatio) : fullRatio;

  // 8. x += p where L decreases enough; damping by the gain ratio.
  if (!(ratio > MIN_GAIN_RATIO)) return rejectStep(solver);
  acceptStep(solver, isShortened ? 0 : ratio, uncorrectedRatio > VERY_SUCCESSFUL);
  iterate.isShortened = isShortened;

  // 9. First-order multiplier estimates of a step that agrees with its model, lambda += rho (c + J p): those of sequential quadratic
  // programming, available before the subproblem is solved. Of a damped step too where constraints nearly hold: without, they would not
  // change for as long as damping is needed.
  if (!isShortened && ratio > 0.5 && (iterate.violation <= NEARLY_FEASIBLE || !isStepLimited(solver)))
    updateMultipliers(solver, search.predictedRows);

  // 10. Secant of the step: the curvature of rows in the next model.
  beginSecant(system, iterate.rows, trial.residual, iterate.multipliers, solver.model.curvature);
  return true;
}

/** r and J at x, and what they tell of it. */
function linearizeIterate({ system, iterate, model, progress }: Solver): void {
  const { unknowns, rows, multipliers } = iterate;
  if (!iterate.isLinearized) {
    linearize(system, unknowns, rows);
    iterate.isLinearized = true;
    iterate.isAssembled = false;
    if (multipliers.rho.every((rho) => rho === 0))
      choosePenalties(system, rows, progress.multiplierErrors, multipliers.rho);
    finishSecant(system, rows, multipliers, model.curvature);
  }
  iterate.cost = costOf(system.kinds, rows.residual);
  iterate.violation = maxViolation(system.kinds, rows.residual);
}

/** The model of the iterate, with damping above its lower bound, and L there. */
export function buildModel(solver: Solver): void {
  const { system, iterate, model, progress } = solver;
  if (!iterate.isAssembled) {
    assembleModel(solver);
    iterate.isAssembled = true;
  }
  if (iterate.damping === 0) iterate.damping = INITIAL_DAMPING * model.costDiagonalMean;
  iterate.damping = Math.max(iterate.damping, minDamping(model));
  iterate.merit = augmentedLagrangian(system.kinds, iterate.rows.residual, iterate.multipliers);
  if (progress.initialCost === 0) progress.initialCost = iterate.cost;
}

function minDamping({ costDiagonalMean, diagonalMean }: QuadraticModel): number {
  return Math.max(MIN_DAMPING * costDiagonalMean, ROUNDING_DAMPING * diagonalMean);
}

/** The predicted decrease relative to the cost, or to the cost of a step of the tolerance where that is larger: the best cost may be zero. */
function countSmallDecrease({
  options: { tolerance, gain },
  iterate,
  progress,
  model,
  search,
}: Solver): void {
  const stiffness = model.costDiagonalMean > 0 ? model.costDiagonalMean : 1;
  const floor = (stiffness * tolerance * tolerance) / gain;
  const scale = Math.max(iterate.cost, iterate.merit, NEGLIGIBLE_COST * progress.initialCost, floor);
  progress.relativePredictedDecrease = search.predictedDecrease / scale;
  const isSmall = progress.stepsSinceUpdate > 0 && progress.relativePredictedDecrease <= gain;
  progress.smallDecreaseCount = isSmall ? progress.smallDecreaseCount + 1 : 0;
}

/** Whether the subproblem for the current multipliers is solved well enough. */
function isSubproblemSolved(solver: Solver): boolean {
  const { system, iterate, search } = solver;
  const { smallDecreaseCount } = solver.progress;
  const isLimited = isStepLimited(solver);
  // Steps limited less may predict a larger decrease, unless they fail.
  if (smallDecreaseCount > 0)
    return !isLimited || wasRejected(solver.progress) || smallDecreaseCount > MAX_SMALL_DECREASES;
  return (
    !isLimited &&
    search.predictedDecrease <= INNER_TOLERANCE * 0.5 * multiplierErrorSquared(system.kinds, iterate)
  );
}

function wasRejected({ dampingGrowth }: Progress): boolean {
  return dampingGrowth > DAMPING_GROWTH;
}

/** Whether damping or the trust region of the time scaling limits the step, so that it says little about the remaining decrease. */
function isStepLimited({ iterate, search, trial: { step } }: Solver): boolean {
  let square = 0;
  for (let i = 0; i < step.length; i++) square += step[i] * step[i];
  return search.isTimeStepLimited || iterate.damping * square > MAX_DAMPING_SHARE * search.predictedDecrease;
}

/** Change of a multiplier, without its factor rho: the violation of an equality; of an inequality, or its complementarity. */
function multiplierChange(kind: TermKind, c: number, lambda: number, rho: number): number {
  return kind === 'equality' ? c : Math.max(c, -lambda / rho);
}

/** The multiplier error of each term: the largest change without its factor rho. @returns the largest of all. */
function writeMultiplierErrors(
  { kinds, owners }: System,
  { rows: { residual }, multipliers: { lambda, rho } }: Iterate,
  errors: Float64Array,
): number {
  errors.fill(0);
  let largest = 0;
  for (let i = 0; i < kinds.length; i++) {
    if (kinds[i] === 'cost') continue;
    const error = Math.abs(multiplierChange(kinds[i], residual[i], lambda[i], rho[i]));
    errors[owners[i]] = Math.max(errors[owners[i]], error);
    largest = Math.max(largest, error);
  }
  return largest;
}

/** The sum of their squares, each times its penalty. */
function multiplierErrorSquared(
  kinds: readonly TermKind[],
  { rows: { residual }, multipliers: { lambda, rho } }: Iterate,
): number {
  let sum = 0;
  for (let i = 0; i < kinds.length; i++) {
    if (kinds[i] === 'cost') continue;
    const change = multiplierChange(kinds[i], residual[i], lambda[i], rho[i]);
    sum += rho[i] * change * change;
  }
  return sum;
}

/** lambda += rho c; at least zero for an inequality. */
function updateMultipliers({ system: { kinds }, iterate }: Solver, c: Float64Array): void {
  const { lambda, rho } = iterate.multipliers;
  for (let i = 0; i < kinds.length; i++) {
    if (kinds[i] !== 'cost') lambda[i] += rho[i] * multiplierChange(kinds[i], c[i], lambda[i], rho[i]);
  }
  iterate.isAssembled = false;
}

/**
 * Status after a multiplier update, from the multiplier error before it; a larger penalty where that falls too slowly.
 *
 * @returns whether the solve is still running.
 */
function testConvergence(solver: Solver, error: number): boolean {
  const { system, options, iterate, progress, search } = solver;
  const { tolerance, gain } = options;
  progress.stepsSinceUpdate = 0;
  progress.smallDecreaseCount = 0;
  if (error <= tolerance && progress.relativePredictedDecrease <= gain && search.isModelMinimum) {
    progress.status = 'converged';
    takeLastStep(solver);
    return false;
  }
  if (error > tolerance && error > REQUIRED_REDUCTION * progress.lastMultiplierError) {
    increasePenalties(
      system,
      progress.multiplierErrors,
      progress.lastMultiplierErrors,
      tolerance,
      iterate.multipliers.rho,
    );
    progress.hasGrown = true;
    progress.stagnationCount++;
  } else {
    progress.stagnationCount = 0;
  }
  progress.lastMultiplierError = error;
  progress.lastMultiplierErrors.set(progress.multiplierErrors);
  if (progress.stagnationCount > MAX_STAGNATIONS)
    progress.status = error > tolerance ? 'infeasible' : 'stalled';
  return progress.status === 'running';
}

/**
 * The step of a solve that has converged: known already, and the error after it is smaller, of a problem that is nearly quadratic by far.
 * Taken where constraints hold at its end and L, with the multipliers that belong to it, decreases.
 */
function takeLastStep(solver: Solver): void {
  const { system, options, iterate, trial } = solver;
  const { rows, multipliers } = iterate;
  evaluateTrial(solver, 1);
  const violation = maxViolation(system.kinds, trial.residual);
  const change =
    augmentedLagrangian(system.kinds, trial.residual, multipliers) -
    augmentedLagrangian(system.kinds, rows.residual, multipliers);
  if (!(change <= 0 && violation <= options.tolerance)) return;
  iterate.unknowns.set(trial.unknowns);
  iterate.isLinearized = false;
  iterate.cost = costOf(system.kinds, trial.residual);
  iterate.violation = violation;
}

/**
 * Evaluates the trial step, clipped to the sets.
 *
 * @param length - Fraction of p that the model predicts its decrease for: length (2 - length) of that of p.
 * @returns the gain ratio: actual decrease of L over predicted decrease.
 */
function evaluateTrial({ system, iterate, search, trial }: Solver, length: number): number {
  const { unknowns, multipliers, merit, timeTrustRadius } = iterate;
  const { step, residual } = trial;
  for (let i = 0; i < system.size; i++) trial.unknowns[i] = unknowns[i] + step[i];
  clipToSets(system.sets, unknowns, timeTrustRadius, trial.unknowns);
  for (let i = 0; i < system.size; i++) step[i] = trial.unknowns[i] - unknowns[i];
  writeResidual(system, trial.unknowns, residual);
  const predicted = length * (2 - length) * search.predictedDecrease;
  return (merit - augmentedLagrangian(system.kinds, residual, multipliers)) / predicted;
}

/** Corrects the trial of that fraction of p while that helps. @returns its gain ratio. */
function correctTrial(solver: Solver, uncorrectedRatio: number, length: number): number {
  const { search, correction, trial } = solver;
  let ratio = uncorrectedRatio;
  for (let k = 0; k < MAX_CORRECTIONS && search.isFactorOfStep && !(ratio > CORRECTION_RATIO); k++) {
    trial.uncorrectedUnknowns.set(trial.unknowns);
    trial.uncorrectedResidual.set(trial.residual);
    correctStep(solver, correction, trial.residual, trial.step);
    // The correction is that of p and more: a shorter step has so much less of p.
    for (let i = 0; length < 1 && i < trial.step.length; i++)
      trial.step[i] -= (1 - length) * search.bestStep[i];
    const next = evaluateTrial(solver, length);
    if (!(next > ratio)) {
      trial.unknowns.set(trial.uncorrectedUnknowns);
      trial.residual.set(trial.uncorrectedResidual);
      break;
    }
    const improves = next - ratio > MIN_CORRECTION_GAIN * (1 - next);
    ratio = next;
    if (!improves) break;
  }
  return ratio;
}

/** Shortens the trial until L decreases, or too often. @param fullRatio - Gain ratio of p. @returns that of the trial. */
function shortenTrial(solver: Solver, fullRatio: number): number {
  const { search, trial } = solver;
  let length = 1;
  let ratio = fullRatio;
  for (let k = 0; k < MAX_SHORTENINGS && !(ratio > MIN_GAIN_RATIO); k++) {
    // Least of -2 a + (1 - ratio) a^4, a the length: L over the predicted decrease. A ratio that is not finite takes the shortest.
    const least = Math.cbrt(0.5 / (1 - ratio));
    length *= Math.min(MAX_SHORTENING, Math.max(MIN_SHORTENING, SHORTENING * least || 0));
    for (let i = 0; i < trial.step.length; i++) trial.step[i] = length * search.bestStep[i];
    ratio = correctTrial(solver, evaluateTrial(solver, length), length);
  }
  return ratio;
}

function acceptStep(
  { iterate, progress, trial, model }: Solver,
  ratio: number,
  isVerySuccessful: boolean,
): void {
  const { step } = model.curvature;
  for (let i = 0; i < step.length; i++) step[i] = trial.unknowns[i] - iterate.unknowns[i];
  iterate.unknowns.set(trial.unknowns);
  iterate.isLinearized = false;
  progress.stepsSinceUpdate++;
  if (ratio > 0.7) {
    // The step after a rejected one leaves damping: less would only fail once more.
    if (!wasRejected(progress))
      iterate.damping *= isVerySuccessful ? FAST_DAMPING_DECREASE : DAMPING_DECREASE;
    iterate.timeTrustRadius = Math.min(INITIAL_TIME_TRUST_RADIUS, 2 * iterate.timeTrustRadius);
  } else if (ratio < 0.2) {
    iterate.damping *= DAMPING_GROWTH;
  }
  progress.dampingGrowth = DAMPING_GROWTH;
}

/** Shrinks the trust radius of the time scaling where that limited the step, else increases damping. @returns whether the solve is still running. */
function rejectStep({ options, iterate, progress, search, model }: Solver): boolean {
  progress.stepsSinceUpdate++;
  if (search.isTimeStepLimited && iterate.timeTrustRadius > MIN_TIME_TRUST_RADIUS) {
    iterate.timeTrustRadius *= 0.25;
    return true;
  }
  iterate.damping *= progress.dampingGrowth;
  progress.dampingGrowth *= 2;
  if (iterate.damping < MAX_DAMPING * model.diagonalMean) return true;
  progress.status = iterate.violation > options.tolerance ? 'infeasible' : 'stalled';
  return false;
}
