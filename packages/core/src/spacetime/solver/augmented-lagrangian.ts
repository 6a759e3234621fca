/**
 * The method: an augmented Lagrangian, whose problems are solved by Gauss-Newton steps with damping (Levenberg 1944), each the minimum of a
 * convex, piecewise quadratic model. Multipliers are brought up to date as soon as it pays (Bertsekas, *Constrained Optimization and
 * Lagrange Multiplier Methods*, chapter 2). Nothing is random.
 */
import { createEnvelope } from '../../math/linear/envelope-cholesky.js';
import { linearize, type System, writeResidual } from '../system/system.js';
import { project } from '../transcription/convex-sets.js';
import { createJacobianRows, type JacobianRows } from '../transcription/jacobian-rows.js';
import { createSides } from './inequality-constraints.js';
import { augmentedLagrangian, costOf, type Multipliers, violation } from './normal-equations.js';
import { correctStep } from './second-order-correction.js';
import { createWalls, cutOff } from './set-constraints.js';
import { createCentralPath } from './slacks.js';
import type { Solver } from './solver-state.js';
import { writeStep } from './step.js';

export interface SolverOptions {
  /** Largest scaled residual of a constraint that counts as held. Default 1e-8. */
  readonly tolerance?: number;
  /** Gain of a step, of the cost, that counts as none. Default 1e-8. */
  readonly gain?: number;
  /**
   * What constraints weigh against wishes to begin with. Default: by their models. More where a solve first runs to cheap motions that are not
   * possible; it grows by itself where it is too little.
   */
  readonly penalty?: number;
}

/** Of the mean of the model's diagonal: a step that needs more damping leads nowhere. */
const MOST_DAMPING = 1e6;
/** What damping grows by after a step that fails, twice as much each time. */
const GROWTH = 4;
/** What damping becomes less by after a step that keeps its promise. */
const EASING = 0.3;
/** And after one that does so at once. */
const EASIER = 0.1;
const EASY = 0.9;
/** A step that keeps less of its promise is corrected for the bend of the constraints, as long as that takes so much of what is missing. */
const CORRECTED = 0.7;
const HELPS = 0.1;
const MOST_CORRECTIONS = 8;
const FIRST_CLOCK_REACH = 0.25;
const LEAST_CLOCK_REACH = 1e-4;
/** Steps that are taken after one that failed until damping may become less again: it would only fail once more. */
const PATIENCE = 5;
/**
 * A penalty starts where constraints count so many times what wishes do, by the traces of their models, or what wishes do for the mean unknown: high
 * enough for the first steps to lead to motions that are possible, whatever they cost, and not to cheap ones that are not.
 */
const FIRST_PENALTY = 1e6;
const FIRST_STIFFNESS = 500;
/** Sum of squares of violations at the start: below, constraints hold as good as, and their size tells nothing. */
const HELD = 1e-3;
const PENALTY_GROWTH = 10;
/** How much less multipliers have to be off each time before the penalty grows. */
const PROGRESS = 0.25;
/** Of what is off: a problem is solved well enough for new multipliers when its gain falls below. */
const INNER = 0.1;
/** Of the gain: what damping may amount to. */
const HELD_BACK = 0.1;
/** Of the cost at the start: what counts as none. */
const NOTHING = 1e-12;
/** Steps in a row that promise too little to count, but are held back, which are tried all the same. */
const MOST_FAINT = 3;
/** So often in a row nothing may help before constraints are taken to conflict. */
const MOST_STUCK = 12;

export function createSolver(system: System, start: Float64Array, options: SolverOptions = {}): Solver {
  const unknowns = Float64Array.from(start);
  project(system.sets, unknowns);
  const room = (): Float64Array => new Float64Array(system.size);
  // Where inequalities are, intervals are sides, too, one for each end: the central path has to see them.
  const isOneSided = system.kinds.includes('inequality');
  const intervals = isOneSided ? system.sets.filter(({ size }) => size === 1) : [];
  const walled = isOneSided ? system.sets.filter(({ size }) => size > 1) : system.sets;
  const sides = createSides(system.kinds, intervals);
  return {
    system,
    tolerance: options.tolerance ?? 1e-8,
    gain: options.gain ?? 1e-8,
    unknowns,
    multipliers: { lambda: new Float64Array(system.rows), rho: options.penalty ?? 0 },
    damping: 0,
    growth: GROWTH,
    faint: 0,
    wait: 0,
    clockReach: FIRST_CLOCK_REACH,
    clockHeld: false,
    steps: 0,
    lastOff: Number.POSITIVE_INFINITY,
    stuck: 0,
    iterations: 0,
    systems: 0,
    status: 'running',
    cost: Number.NaN,
    violation: Number.NaN,
    promise: Number.NaN,
    linearized: false,
    assembled: false,
    rows: createJacobianRows(system.rows),
    steadyGradient: room(),
    steady: createEnvelope(system.first),
    modelRows: new Float64Array(system.rows),
    baseGradient: room(),
    base: createEnvelope(system.first),
    gradient: room(),
    hessian: createEnvelope(system.first),
    sides,
    path: createCentralPath(sides.offset.length),
    walled,
    walls: createWalls(walled.length),
    size: 1,
    wishes: 0,
    step: room(),
    last: room(),
    best: room(),
    work: room(),
    bestRows: new Float64Array(system.rows),
    settled: false,
    isOwn: false,
    before: 0,
    start: 0,
    promised: 0,
    trial: room(),
    trialResidual: new Float64Array(system.rows),
    kept: room(),
    keptResidual: new Float64Array(system.rows),
  };
}

/** One linearization at most, one step tried. @returns whether the solve goes on. */
export function stepSolver(solver: Solver): boolean {
  if (solver.status !== 'running') return false;
  const { system, rows, multipliers } = solver;
  if (!solver.linearized) {
    linearize(system, solver.unknowns, rows);
    solver.linearized = true;
    solver.assembled = false;
    if (multipliers.rho === 0) multipliers.rho = firstPenalty(system, rows);
  }
  solver.iterations++;
  solver.cost = costOf(system.kinds, rows.residual);
  solver.violation = violation(system.kinds, rows.residual);
  if (!writeStep(solver)) {
    harden(solver);
    return solver.status === 'running';
  }
  solver.promise = solver.promised / scaleOf(solver);
  solver.faint = solver.steps > 0 && isFaint(solver) ? solver.faint + 1 : 0;
  if (solver.steps > 0 && isSolved(solver)) updateMultipliers(solver, rows.residual);
  else tryStep(solver);
  return solver.status === 'running';
}

/**
 * By the models of wishes and constraints, and by what wishes amount to for each unknown: the less of both. Where much has to give way at once, as
 * with inequalities, what a violation would buy counts too.
 */
function firstPenalty({ kinds, size }: System, { residual, start, values }: JacobianRows): number {
  let wishes = 0;
  let musts = 0;
  let cost = 0;
  let off = 0;
  let isOneSided = false;
  for (let i = 0; i < kinds.length; i++) {
    let sum = 0;
    for (let p = start[i]; p < start[i + 1]; p++) sum += values[p] * values[p];
    if (kinds[i] === 'wish') {
      wishes += sum;
      cost += residual[i] * residual[i];
      continue;
    }
    musts += sum;
    if (kinds[i] === 'inequality') isOneSided = true;
    if (kinds[i] === 'equality' || residual[i] > 0) off += residual[i] * residual[i];
  }
  const byTrace = wishes > 0 && musts > 0 ? wishes / musts : 0;
  const byValue = off > HELD ? cost / off : 0;
  const penalty = isOneSided
    ? FIRST_PENALTY * Math.max(byTrace, byValue)
    : Math.min(FIRST_PENALTY * byTrace, (FIRST_STIFFNESS * wishes) / size);
  return penalty > 0 && penalty < Number.POSITIVE_INFINITY ? penalty : 1;
}

/** What gains are measured against: the cost, and what violations add to L. */
function scaleOf({ cost, before, start }: Solver): number {
  return Math.max(cost, before, NOTHING * start) + Number.MIN_VALUE;
}

/** Whether the last step promises too little to count. */
function isFaint(solver: Solver): boolean {
  return solver.promised <= solver.gain * scaleOf(solver);
}

/** Whether the problem for these multipliers is solved well enough for the next ones. */
function isSolved(solver: Solver): boolean {
  const { system, rows, multipliers, promised, faint, growth } = solver;
  const isHeld = isHeldBack(solver);
  // Steps that are freer may promise more, unless they fail.
  if (faint > 0) return !isHeld || growth > GROWTH || faint > MOST_FAINT;
  return (
    !isHeld && promised <= INNER * 0.5 * multipliers.rho * offSquared(system, rows.residual, multipliers)
  );
}

/** Whether damping, or the bound on changes of the timing, has a share in how short the last step is: it tells little of what is left to gain. */
function isHeldBack({ clockHeld, damping, step, promised }: Solver): boolean {
  let square = 0;
  for (let i = 0; i < step.length; i++) square += step[i] * step[i];
  return clockHeld || damping * square > HELD_BACK * promised;
}

/** By how much multipliers are off: squares of equalities, and of inequalities or what their multipliers would leave. */
function offSquared({ kinds }: System, residual: Float64Array, { lambda, rho }: Multipliers): number {
  let sum = 0;
  for (let i = 0; i < kinds.length; i++) {
    if (kinds[i] === 'wish') continue;
    const off = kinds[i] === 'equality' ? residual[i] : Math.max(residual[i], -lambda[i] / rho);
    sum += off * off;
  }
  return sum;
}

function updateMultipliers(solver: Solver, residual: Float64Array): void {
  const { system, multipliers, tolerance, gain, bestRows } = solver;
  const { lambda } = multipliers;
  let off = 0;
  for (let i = 0; i < system.rows; i++) {
    const kind = system.kinds[i];
    if (kind === 'wish') continue;
    const left = kind === 'equality' ? residual[i] : Math.max(residual[i], -lambda[i] / multipliers.rho);
    off = Math.max(off, Math.abs(left));
    const next = solver.settled ? bestRows[i] : residual[i];
    lambda[i] +=
      multipliers.rho * (kind === 'equality' ? next : Math.max(next, -lambda[i] / multipliers.rho));
  }
  solver.assembled = false;
  solver.steps = 0;
  solver.faint = 0;
  if (off <= tolerance && solver.promise <= gain && solver.settled) {
    solver.status = 'converged';
    return;
  }
  if (off > tolerance && off > PROGRESS * solver.lastOff) {
    multipliers.rho *= PENALTY_GROWTH;
    solver.stuck++;
  } else {
    solver.stuck = 0;
  }
  solver.lastOff = off;
  if (solver.stuck > MOST_STUCK) solver.status = off > tolerance ? 'infeasible' : 'stalled';
}

/** Takes the step where that lowers L enough, corrected where that helps; trusts the model less where it does not. */
function tryStep(solver: Solver): void {
  if (!(solver.promised > 0)) {
    harden(solver);
    return;
  }
  let ratio = tryOnce(solver);
  const isEasy = ratio > EASY;
  const { trial, trialResidual, kept, keptResidual } = solver;
  for (let k = 0; k < MOST_CORRECTIONS && solver.isOwn && !(ratio > CORRECTED); k++) {
    kept.set(trial);
    keptResidual.set(trialResidual);
    correctStep(solver);
    const next = tryOnce(solver);
    if (!(next > ratio)) {
      trial.set(kept);
      trialResidual.set(keptResidual);
      break;
    }
    const helps = next - ratio > HELPS * (1 - next);
    ratio = next;
    if (!helps) break;
  }
  if (!(ratio > 1e-3)) {
    harden(solver);
    return;
  }
  solver.unknowns.set(solver.trial);
  solver.linearized = false;
  solver.steps++;
  solver.growth = GROWTH;
  if (solver.wait > 0) solver.wait--;
  if (ratio > 0.7) {
    if (solver.wait === 0) solver.damping *= isEasy ? EASIER : EASING;
    solver.clockReach = Math.min(FIRST_CLOCK_REACH, 2 * solver.clockReach);
  } else if (ratio < 0.2) {
    solver.damping *= GROWTH;
  }
  foresee(solver, ratio);
}

/** What L gains by the step, over what the model promised. */
function tryOnce({
  system,
  unknowns,
  clockReach,
  trial,
  step,
  trialResidual,
  multipliers,
  promised,
  before,
}: Solver): number {
  for (let i = 0; i < system.size; i++) trial[i] = unknowns[i] + step[i];
  cutOff(system.sets, unknowns, clockReach, trial);
  for (let i = 0; i < system.size; i++) step[i] = trial[i] - unknowns[i];
  writeResidual(system, trial, trialResidual);
  return (before - augmentedLagrangian(system.kinds, trialResidual, multipliers)) / promised;
}

/**
 * Multipliers as the model of a step that has kept its promise has them, lambda + rho (c + J p): those of sequential quadratic programming, which
 * do not wait for the end of the problem that they belong to.
 */
function foresee(solver: Solver, ratio: number): void {
  const { system, bestRows, multipliers } = solver;
  if (!(ratio > 0.5) || isHeldBack(solver)) return;
  const { lambda, rho } = multipliers;
  for (let i = 0; i < system.rows; i++) {
    const kind = system.kinds[i];
    if (kind === 'wish') continue;
    lambda[i] += rho * (kind === 'equality' ? bestRows[i] : Math.max(bestRows[i], -lambda[i] / rho));
  }
  solver.assembled = false;
}

function harden(solver: Solver): void {
  solver.steps++;
  if (solver.clockHeld && solver.clockReach > LEAST_CLOCK_REACH) {
    solver.clockReach *= 0.25;
    return;
  }
  solver.damping *= solver.growth;
  solver.growth *= 2;
  solver.wait = PATIENCE;
  if (solver.damping < MOST_DAMPING * solver.size) return;
  solver.status = solver.violation > solver.tolerance ? 'infeasible' : 'stalled';
}
