/**
 * Augmented Lagrangian method with damped Gauss-Newton steps (Levenberg 1944), each the minimum of a convex, piecewise quadratic model.
 * Multipliers are updated as soon as the subproblem is solved well enough (Bertsekas, *Constrained Optimization and Lagrange Multiplier
 * Methods*, chapter 2). Deterministic.
 */
import { createEnvelope } from '../../math/linear/envelope-cholesky.js';
import { linearize, type System, writeResidual } from '../system/system.js';
import { project } from '../transcription/convex-sets.js';
import { createJacobianRows, type JacobianRows } from '../transcription/jacobian-rows.js';
import { createCentralPath } from './central-path.js';
import { createInequalities } from './inequality-constraints.js';
import { augmentedLagrangian, costOf, type Multipliers, maxViolation } from './normal-equations.js';
import { correctStep } from './second-order-correction.js';
import { clipToSets, createSetConstraints } from './set-constraints.js';
import type { Solver } from './solver-state.js';
import { computeStep } from './step.js';

export interface SolverOptions {
  /** Largest scaled constraint violation at a solution. Default 1e-8. */
  readonly tolerance?: number;
  /** Predicted decrease, relative to the cost, that counts as none. Default 1e-8. */
  readonly gain?: number;
  /**
   * Initial penalty of the constraints. Default: from the traces of their models. Larger where a solve first runs to cheap infeasible
   * motions; it grows by itself where it is too small.
   */
  readonly penalty?: number;
}

/** Largest damping, relative to the mean of the model's diagonal. */
const MAX_DAMPING = 1e6;
/** Factor of damping after a rejected step; doubled at each rejection in a row. */
const DAMPING_GROWTH = 4;
/** Factor of damping after a successful step. */
const DAMPING_DECREASE = 0.3;
/** Factor of damping after a very successful step, without correction. */
const FAST_DAMPING_DECREASE = 0.1;
const VERY_SUCCESSFUL = 0.9;
/**
 * A step with a smaller gain ratio gets a second-order correction, repeated while each recovers at least this fraction of the missing gain
 * ratio.
 */
const CORRECTION_RATIO = 0.7;
const MIN_CORRECTION_GAIN = 0.1;
const MAX_CORRECTIONS = 8;
const INITIAL_TIME_TRUST_RADIUS = 0.25;
const MIN_TIME_TRUST_RADIUS = 1e-4;
/** Accepted steps after a rejection before damping may decrease again: it would only fail once more. */
const DAMPING_COOLDOWN = 5;
/**
 * The initial penalty makes the trace of the constraints' model this multiple of the cost's, or this multiple of the cost's mean diagonal:
 * high enough that the first steps lead to feasible motions, whatever they cost, and not to cheap infeasible ones.
 */
const INITIAL_PENALTY_RATIO = 1e6;
const INITIAL_STIFFNESS_RATIO = 500;
/** Sum of squared initial violations below which constraints count as nearly feasible, so that its size tells nothing. */
const NEARLY_FEASIBLE = 1e-3;
const PENALTY_GROWTH = 10;
/** Reduction of the multiplier error per update below which the penalty grows. */
const REQUIRED_REDUCTION = 0.25;
/** A subproblem is solved well enough when its predicted decrease falls below this fraction of the multiplier error. */
const INNER_TOLERANCE = 0.1;
/** Largest share of the damping term in the predicted decrease of an unlimited step. */
const MAX_DAMPING_SHARE = 0.1;
/** Negligible cost, relative to the initial one. */
const NEGLIGIBLE_COST = 1e-12;
/** Number of consecutive limited steps with small predicted decrease that are still tried. */
const MAX_SMALL_DECREASES = 3;
/** Number of consecutive updates without progress after which constraints are taken to conflict. */
const MAX_STAGNATIONS = 12;

export function createSolver(system: System, start: Float64Array, options: SolverOptions = {}): Solver {
  const unknowns = Float64Array.from(start);
  project(system.sets, unknowns);
  const zeros = (): Float64Array => new Float64Array(system.size);
  // With inequality rows, intervals become inequalities too, one per end: the interior point method has to see them.
  const hasInequalities = system.kinds.includes('inequality');
  const intervals = hasInequalities ? system.sets.filter(({ size }) => size === 1) : [];
  const constrainedSets = hasInequalities ? system.sets.filter(({ size }) => size > 1) : system.sets;
  const inequalities = createInequalities(system.kinds, intervals);
  return {
    system,
    tolerance: options.tolerance ?? 1e-8,
    decreaseTolerance: options.gain ?? 1e-8,
    unknowns,
    multipliers: { lambda: new Float64Array(system.rows), rho: options.penalty ?? 0 },
    damping: 0,
    dampingGrowth: DAMPING_GROWTH,
    smallDecreaseCount: 0,
    dampingCooldown: 0,
    timeTrustRadius: INITIAL_TIME_TRUST_RADIUS,
    timeStepLimited: false,
    stepsSinceUpdate: 0,
    lastMultiplierError: Number.POSITIVE_INFINITY,
    stagnationCount: 0,
    iterations: 0,
    factorizations: 0,
    status: 'running',
    cost: Number.NaN,
    violation: Number.NaN,
    relativePredictedDecrease: Number.NaN,
    linearized: false,
    assembled: false,
    rows: createJacobianRows(system.rows),
    quadraticGradient: zeros(),
    quadratic: createEnvelope(system.first),
    correctedRows: new Float64Array(system.rows),
    dampedGradient: zeros(),
    damped: createEnvelope(system.first),
    gradient: zeros(),
    hessian: createEnvelope(system.first),
    inequalities,
    centralPath: createCentralPath(inequalities.offset.length),
    constrainedSets,
    setConstraints: createSetConstraints(constrainedSets.length),
    diagonalMean: 1,
    costDiagonalMean: 0,
    step: zeros(),
    lastModelStep: zeros(),
    bestStep: zeros(),
    scratch: zeros(),
    predictedRows: new Float64Array(system.rows),
    isModelMinimum: false,
    isFactorOfStep: false,
    merit: 0,
    initialCost: 0,
    predictedDecrease: 0,
    trial: zeros(),
    trialResidual: new Float64Array(system.rows),
    uncorrectedTrial: zeros(),
    uncorrectedResidual: new Float64Array(system.rows),
  };
}

/** One iteration: at most one linearization, one trial step. @returns whether the solve is still running. */
export function stepSolver(solver: Solver): boolean {
  if (solver.status !== 'running') return false;
  const { system, rows, multipliers } = solver;
  if (!solver.linearized) {
    linearize(system, solver.unknowns, rows);
    solver.linearized = true;
    solver.assembled = false;
    if (multipliers.rho === 0) multipliers.rho = initialPenalty(system, rows);
  }
  solver.iterations++;
  solver.cost = costOf(system.kinds, rows.residual);
  solver.violation = maxViolation(system.kinds, rows.residual);
  if (!computeStep(solver)) {
    rejectStep(solver);
    return solver.status === 'running';
  }
  solver.relativePredictedDecrease = solver.predictedDecrease / decreaseScale(solver);
  solver.smallDecreaseCount =
    solver.stepsSinceUpdate > 0 && isSmallDecrease(solver) ? solver.smallDecreaseCount + 1 : 0;
  if (solver.stepsSinceUpdate > 0 && isSubproblemSolved(solver)) updateMultipliers(solver, rows.residual);
  else tryStep(solver);
  return solver.status === 'running';
}

/**
 * Penalty from the traces of the models of cost and constraints, and from the cost per unknown: the smaller of both. With inequalities,
 * where much changes at once, from cost and violation too.
 */
function initialPenalty({ kinds, size }: System, { residual, start, values }: JacobianRows): number {
  let costTrace = 0;
  let constraintTrace = 0;
  let cost = 0;
  let error = 0;
  let hasInequalities = false;
  for (let i = 0; i < kinds.length; i++) {
    let sum = 0;
    for (let p = start[i]; p < start[i + 1]; p++) sum += values[p] * values[p];
    if (kinds[i] === 'cost') {
      costTrace += sum;
      cost += residual[i] * residual[i];
      continue;
    }
    constraintTrace += sum;
    if (kinds[i] === 'inequality') hasInequalities = true;
    if (kinds[i] === 'equality' || residual[i] > 0) error += residual[i] * residual[i];
  }
  const traceRatio = costTrace > 0 && constraintTrace > 0 ? costTrace / constraintTrace : 0;
  const valueRatio = error > NEARLY_FEASIBLE ? cost / error : 0;
  const penalty = hasInequalities
    ? INITIAL_PENALTY_RATIO * Math.max(traceRatio, valueRatio)
    : Math.min(INITIAL_PENALTY_RATIO * traceRatio, (INITIAL_STIFFNESS_RATIO * costTrace) / size);
  return penalty > 0 && penalty < Number.POSITIVE_INFINITY ? penalty : 1;
}

/** Scale of decreases: the cost, or the augmented Lagrangian. */
function decreaseScale({ cost, merit, initialCost }: Solver): number {
  return Math.max(cost, merit, NEGLIGIBLE_COST * initialCost) + Number.MIN_VALUE;
}

/** Whether the predicted decrease of the step is negligible. */
function isSmallDecrease(solver: Solver): boolean {
  return solver.predictedDecrease <= solver.decreaseTolerance * decreaseScale(solver);
}

/** Whether the subproblem for the current multipliers is solved well enough. */
function isSubproblemSolved(solver: Solver): boolean {
  const { system, rows, multipliers, predictedDecrease, smallDecreaseCount, dampingGrowth } = solver;
  const isLimited = isStepLimited(solver);
  // Steps limited less may predict a larger decrease, unless they fail.
  if (smallDecreaseCount > 0)
    return !isLimited || dampingGrowth > DAMPING_GROWTH || smallDecreaseCount > MAX_SMALL_DECREASES;
  return (
    !isLimited &&
    predictedDecrease <=
      INNER_TOLERANCE * 0.5 * multipliers.rho * multiplierErrorSquared(system, rows.residual, multipliers)
  );
}

/** Whether damping or the trust region of the time scaling limits the step, so that it says little about the remaining decrease. */
function isStepLimited({ timeStepLimited, damping, step, predictedDecrease }: Solver): boolean {
  let square = 0;
  for (let i = 0; i < step.length; i++) square += step[i] * step[i];
  return timeStepLimited || damping * square > MAX_DAMPING_SHARE * predictedDecrease;
}

/** Squared multiplier error: violations of equalities, and of inequalities or their complementarity. */
function multiplierErrorSquared(
  { kinds }: System,
  residual: Float64Array,
  { lambda, rho }: Multipliers,
): number {
  let sum = 0;
  for (let i = 0; i < kinds.length; i++) {
    if (kinds[i] === 'cost') continue;
    const error = kinds[i] === 'equality' ? residual[i] : Math.max(residual[i], -lambda[i] / rho);
    sum += error * error;
  }
  return sum;
}

function updateMultipliers(solver: Solver, residual: Float64Array): void {
  const { system, multipliers, tolerance, decreaseTolerance, predictedRows } = solver;
  const { lambda } = multipliers;
  let error = 0;
  for (let i = 0; i < system.rows; i++) {
    const kind = system.kinds[i];
    if (kind === 'cost') continue;
    const residualError =
      kind === 'equality' ? residual[i] : Math.max(residual[i], -lambda[i] / multipliers.rho);
    error = Math.max(error, Math.abs(residualError));
    const next = solver.isModelMinimum ? predictedRows[i] : residual[i];
    lambda[i] +=
      multipliers.rho * (kind === 'equality' ? next : Math.max(next, -lambda[i] / multipliers.rho));
  }
  solver.assembled = false;
  solver.stepsSinceUpdate = 0;
  solver.smallDecreaseCount = 0;
  if (error <= tolerance && solver.relativePredictedDecrease <= decreaseTolerance && solver.isModelMinimum) {
    solver.status = 'converged';
    return;
  }
  if (error > tolerance && error > REQUIRED_REDUCTION * solver.lastMultiplierError) {
    multipliers.rho *= PENALTY_GROWTH;
    solver.stagnationCount++;
  } else {
    solver.stagnationCount = 0;
  }
  solver.lastMultiplierError = error;
  if (solver.stagnationCount > MAX_STAGNATIONS) solver.status = error > tolerance ? 'infeasible' : 'stalled';
}

/** Accepts the step, corrected where that helps, if it decreases L enough; else rejects it. */
function tryStep(solver: Solver): void {
  if (!(solver.predictedDecrease > 0)) {
    rejectStep(solver);
    return;
  }
  let ratio = evaluateTrial(solver);
  const isVerySuccessful = ratio > VERY_SUCCESSFUL;
  const { trial, trialResidual, uncorrectedTrial, uncorrectedResidual } = solver;
  for (let k = 0; k < MAX_CORRECTIONS && solver.isFactorOfStep && !(ratio > CORRECTION_RATIO); k++) {
    uncorrectedTrial.set(trial);
    uncorrectedResidual.set(trialResidual);
    correctStep(solver);
    const next = evaluateTrial(solver);
    if (!(next > ratio)) {
      trial.set(uncorrectedTrial);
      trialResidual.set(uncorrectedResidual);
      break;
    }
    const improves = next - ratio > MIN_CORRECTION_GAIN * (1 - next);
    ratio = next;
    if (!improves) break;
  }
  if (!(ratio > 1e-3)) {
    rejectStep(solver);
    return;
  }
  solver.unknowns.set(solver.trial);
  solver.linearized = false;
  solver.stepsSinceUpdate++;
  solver.dampingGrowth = DAMPING_GROWTH;
  if (solver.dampingCooldown > 0) solver.dampingCooldown--;
  if (ratio > 0.7) {
    if (solver.dampingCooldown === 0)
      solver.damping *= isVerySuccessful ? FAST_DAMPING_DECREASE : DAMPING_DECREASE;
    solver.timeTrustRadius = Math.min(INITIAL_TIME_TRUST_RADIUS, 2 * solver.timeTrustRadius);
  } else if (ratio < 0.2) {
    solver.damping *= DAMPING_GROWTH;
  }
  predictMultipliers(solver, ratio);
}

/** Evaluates the trial step. @returns the gain ratio: actual decrease of L over predicted decrease. */
function evaluateTrial({
  system,
  unknowns,
  timeTrustRadius,
  trial,
  step,
  trialResidual,
  multipliers,
  predictedDecrease,
  merit,
}: Solver): number {
  for (let i = 0; i < system.size; i++) trial[i] = unknowns[i] + step[i];
  clipToSets(system.sets, unknowns, timeTrustRadius, trial);
  for (let i = 0; i < system.size; i++) step[i] = trial[i] - unknowns[i];
  writeResidual(system, trial, trialResidual);
  return (merit - augmentedLagrangian(system.kinds, trialResidual, multipliers)) / predictedDecrease;
}

/**
 * First-order multiplier estimates of a step that agrees with its model, lambda + rho (c + J p): those of sequential quadratic programming,
 * available before the subproblem is solved.
 */
function predictMultipliers(solver: Solver, ratio: number): void {
  const { system, predictedRows, multipliers } = solver;
  if (!(ratio > 0.5) || isStepLimited(solver)) return;
  const { lambda, rho } = multipliers;
  for (let i = 0; i < system.rows; i++) {
    const kind = system.kinds[i];
    if (kind === 'cost') continue;
    lambda[i] +=
      rho * (kind === 'equality' ? predictedRows[i] : Math.max(predictedRows[i], -lambda[i] / rho));
  }
  solver.assembled = false;
}

function rejectStep(solver: Solver): void {
  solver.stepsSinceUpdate++;
  if (solver.timeStepLimited && solver.timeTrustRadius > MIN_TIME_TRUST_RADIUS) {
    solver.timeTrustRadius *= 0.25;
    return;
  }
  solver.damping *= solver.dampingGrowth;
  solver.dampingGrowth *= 2;
  solver.dampingCooldown = DAMPING_COOLDOWN;
  if (solver.damping < MAX_DAMPING * solver.diagonalMean) return;
  solver.status = solver.violation > solver.tolerance ? 'infeasible' : 'stalled';
}
