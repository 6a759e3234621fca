import { NOTHING } from './bounds.js';
import type { ControlParts } from './control.js';
import { dampingAt, type Level } from './priority-levels.js';
import type { DifferentialResult, DifferentialStatus } from './result.js';
import { errorOf } from './tasks.js';

/** Part of the velocity asked for whose lack counts as held back. */
const HELD = 0.01;

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

export function noteSingular(result: DifferentialResult, level: Level): void {
  if (!(level.smallest < result.smallestSingularValue)) return;
  result.smallestSingularValue = level.smallest;
  result.singularPriority = level.priority;
  result.damping = Math.sqrt(dampingAt(level.smallest * level.smallest, level.region));
}

/** What holds a level back, if nothing held back a level before. */
export function noteMultipliers(
  { solver, bounds, half, reports, levels }: ControlParts,
  result: DifferentialResult,
  priority: number,
  unit: number,
): void {
  const { multipliers } = solver.program;
  const { lowerLimit, upperLimit, rateOf, curved } = bounds;
  for (let column = 0; column < rateOf.length; column++) {
    const multiplier = multipliers[column];
    if (multiplier === 0) continue;
    const limit = multiplier > 0 ? upperLimit[column] : lowerLimit[column];
    if (limit !== NOTHING) noteLimit(result, limit, Math.abs(multiplier) / unit, priority);
    else noteRate(result, rateOf[column], Math.abs(multiplier) / unit, priority);
  }
  // The posture is no goal that a half-space could push against.
  const isGoal = priority <= levels[levels.length - 1].priority;
  for (let n = 0; isGoal && n < half.goals.length; n++) {
    const multiplier = Math.abs(multipliers[rateOf.length + n]) / unit;
    const goal = reports[half.goals[n]];
    if (multiplier > 0 && goal.multiplier === 0) goal.multiplier = multiplier;
  }
  for (let n = 0; n < curved.length; n++) {
    const { kind, index, multiplier } = curved[n];
    if (!(multiplier > 0)) continue;
    if (kind === 'limit') noteLimit(result, index, multiplier / unit, priority);
    else noteRate(result, index, multiplier / unit, priority);
  }
}

function noteLimit(result: DifferentialResult, index: number, multiplier: number, priority: number): void {
  const limit = result.limits[index];
  if (limit.active) return;
  limit.active = true;
  limit.multiplier = multiplier;
  limit.priority = priority;
}

function noteRate(result: DifferentialResult, index: number, multiplier: number, priority: number): void {
  const rate = result.rates[index];
  if (rate.saturated) return;
  rate.saturated = true;
  rate.multiplier = multiplier;
  rate.priority = priority;
}

/** Errors, velocities and the status, with the unknowns in `scaled`. */
export function noteGoals(
  { problem, tasks, reports, levels, wanted, scaled, bounds }: ControlParts,
  result: DifferentialResult,
  velocity: Float64Array,
): void {
  const { lengthScale } = problem;
  let converged = true;
  // The last priority that gets less than it asks for.
  let held = Number.NEGATIVE_INFINITY;
  for (let n = 0; n < levels.length; n++) {
    const level = levels[n];
    let row = 0;
    for (let t = 0; t < tasks.length; t++) {
      const task = tasks[t];
      if (task.priority !== level.priority) continue;
      const unit = task.unit === 'length' ? lengthScale : 1;
      let asked = 0;
      let along = 0;
      let missed = 0;
      for (let k = task.firstRow; k < task.firstRow + task.rows; k++, row++) {
        let given = 0;
        for (let c = 0; c < scaled.length; c++) given += level.jacobian[row * scaled.length + c] * scaled[c];
        given *= level.shares[row] > 0 ? unit / level.shares[row] : 0;
        asked += wanted[k] * wanted[k];
        along += wanted[k] * given;
        missed += (wanted[k] - given) * (wanted[k] - given);
      }
      const report = reports[t];
      report.error = errorOf(problem, t);
      report.satisfied = report.error <= task.tolerance;
      report.wanted = Math.sqrt(asked);
      report.achieved = asked > 0 ? along / report.wanted : 0;
      report.missed = Math.sqrt(missed);
      // Switched off.
      if (problem.goals[t].scale === 0) continue;
      if (!report.satisfied) converged = false;
      if (report.missed > HELD * report.wanted + 1e-9 * unit) held = level.priority;
    }
  }
  for (let n = 0; n < result.rates.length; n++) {
    const { coordinate, size } = bounds.rates[n];
    let square = 0;
    for (let i = coordinate; i < coordinate + size; i++) square += velocity[i] * velocity[i];
    result.rates[n].speed = Math.sqrt(square);
  }
  result.status = statusOf(result, converged, held);
}

function statusOf(
  { goals, limits, rates }: DifferentialResult,
  converged: boolean,
  held: number,
): DifferentialStatus {
  if (converged) return 'converged';
  if (held === Number.NEGATIVE_INFINITY) return 'tracking';
  // What holds back a later priority alone, the posture for one, is no reason.
  for (let n = 0; n < limits.length; n++) {
    if (limits[n].active && limits[n].priority <= held) return 'limit-blocked';
  }
  for (let n = 0; n < goals.length; n++) if (goals[n].multiplier > 0) return 'limit-blocked';
  for (let n = 0; n < rates.length; n++) {
    if (rates[n].saturated && rates[n].priority <= held) return 'rate-limited';
  }
  return 'compromise';
}
