import { NO_LIMIT } from './bounds.js';
import type { ControlWorkspace } from './control.js';
import { dampingAt, type Level } from './priority-levels.js';
import type { DifferentialResult, DifferentialStatus } from './result.js';
import { errorOf } from './tasks.js';

/** Relative velocity error from which on a goal counts as missed. */
const MISSED_FRACTION = 0.01;

export function resetResult(result: DifferentialResult): void {
  result.exact = true;
  result.smallestSingularValue = Number.POSITIVE_INFINITY;
  result.damping = 0;
  for (let n = 0; n < result.goals.length; n++) result.goals[n].multiplier = 0;
  for (let n = 0; n < result.limits.length; n++) {
    result.limits[n].active = false;
    result.limits[n].multiplier = 0;
  }
  for (let n = 0; n < result.rates.length; n++) {
    result.rates[n].saturated = false;
    result.rates[n].multiplier = 0;
  }
}

export function reportSingularity(result: DifferentialResult, level: Level): void {
  if (!(level.smallestSingularValue < result.smallestSingularValue)) return;
  result.smallestSingularValue = level.smallestSingularValue;
  result.singularPriority = level.priority;
  result.damping = Math.sqrt(
    dampingAt(level.smallestSingularValue * level.smallestSingularValue, level.singularRegion),
  );
}

/** Reports the multipliers of a level for every constraint that no earlier level reported. */
export function reportMultipliers(
  { solver, bounds, halfSpaces, reports, levels }: ControlWorkspace,
  result: DifferentialResult,
  priority: number,
  unit: number,
): void {
  const { multipliers } = solver.program;
  const { lowerLimit, upperLimit, rateOf, nonlinear } = bounds;
  for (let column = 0; column < rateOf.length; column++) {
    const multiplier = multipliers[column];
    if (multiplier === 0) continue;
    const limit = multiplier > 0 ? upperLimit[column] : lowerLimit[column];
    if (limit !== NO_LIMIT) reportLimit(result, limit, Math.abs(multiplier) / unit, priority);
    else reportRate(result, rateOf[column], Math.abs(multiplier) / unit, priority);
  }
  // The posture is not a goal: half-spaces report no multiplier against it.
  const isGoal = priority <= levels[levels.length - 1].priority;
  for (let n = 0; isGoal && n < halfSpaces.goals.length; n++) {
    const multiplier = Math.abs(multipliers[rateOf.length + n]) / unit;
    const goal = reports[halfSpaces.goals[n]];
    if (multiplier > 0 && goal.multiplier === 0) goal.multiplier = multiplier;
  }
  for (let n = 0; n < nonlinear.length; n++) {
    const { kind, index, multiplier } = nonlinear[n];
    if (!(multiplier > 0)) continue;
    if (kind === 'limit') reportLimit(result, index, multiplier / unit, priority);
    else reportRate(result, index, multiplier / unit, priority);
  }
}

function reportLimit(result: DifferentialResult, index: number, multiplier: number, priority: number): void {
  const limit = result.limits[index];
  if (limit.active) return;
  limit.active = true;
  limit.multiplier = multiplier;
  limit.priority = priority;
}

function reportRate(result: DifferentialResult, index: number, multiplier: number, priority: number): void {
  const rate = result.rates[index];
  if (rate.saturated) return;
  rate.saturated = true;
  rate.multiplier = multiplier;
  rate.priority = priority;
}

/** Reports errors, velocities and the status, from the unknowns in `scaled`. */
export function reportGoals(
  { problem, tasks, reports, levels, desiredVelocities, scaled, bounds }: ControlWorkspace,
  result: DifferentialResult,
  velocity: Float64Array,
): void {
  const { lengthScale } = problem;
  let converged = true;
  // The last priority that misses its desired velocity.
  let missedPriority = Number.NEGATIVE_INFINITY;
  for (let n = 0; n < levels.length; n++) {
    const level = levels[n];
    let row = 0;
    for (let t = 0; t < tasks.length; t++) {
      const task = tasks[t];
      if (task.priority !== level.priority) continue;
      const unit = task.unit === 'length' ? lengthScale : 1;
      let desiredSquare = 0;
      let dot = 0;
      let missedSquare = 0;
      for (let k = task.firstRow; k < task.firstRow + task.rows; k++, row++) {
        let achieved = 0;
        for (let c = 0; c < scaled.length; c++)
          achieved += level.jacobian[row * scaled.length + c] * scaled[c];
        achieved *= level.activations[row] > 0 ? unit / level.activations[row] : 0;
        desiredSquare += desiredVelocities[k] * desiredVelocities[k];
        dot += desiredVelocities[k] * achieved;
        missedSquare += (desiredVelocities[k] - achieved) * (desiredVelocities[k] - achieved);
      }
      const report = reports[t];
      report.error = errorOf(problem, t);
      report.satisfied = report.error <= task.tolerance;
      report.desired = Math.sqrt(desiredSquare);
      report.achieved = desiredSquare > 0 ? dot / report.desired : 0;
      report.velocityError = Math.sqrt(missedSquare);
      // Disabled.
      if (problem.goals[t].rowScale === 0) continue;
      if (!report.satisfied) converged = false;
      if (report.velocityError > MISSED_FRACTION * report.desired + 1e-9 * unit)
        missedPriority = level.priority;
    }
  }
  for (let n = 0; n < result.rates.length; n++) {
    const { coordinate, size } = bounds.rates[n];
    let square = 0;
    for (let i = coordinate; i < coordinate + size; i++) square += velocity[i] * velocity[i];
    result.rates[n].speed = Math.sqrt(square);
  }
  result.status = statusOf(result, converged, missedPriority);
}

function statusOf(
  { goals, limits, rates }: DifferentialResult,
  converged: boolean,
  missedPriority: number,
): DifferentialStatus {
  if (converged) return 'converged';
  if (missedPriority === Number.NEGATIVE_INFINITY) return 'tracking';
  // A constraint that is active for a lower priority only, such as the posture, is not the cause.
  for (let n = 0; n < limits.length; n++) {
    if (limits[n].active && limits[n].priority <= missedPriority) return 'limit-blocked';
  }
  for (let n = 0; n < goals.length; n++) if (goals[n].multiplier > 0) return 'limit-blocked';
  for (let n = 0; n < rates.length; n++) {
    if (rates[n].saturated && rates[n].priority <= missedPriority) return 'rate-limited';
  }
  return 'conflicting';
}
