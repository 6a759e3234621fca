import type { LimitRole } from '../figure/limits/limit.js';
import { updateActiveSet } from './active-set.js';
import type { Goal } from './goal.js';
import { differentiate, evaluate, type Problem, satisfied, writeGradient } from './problem.js';
import type { Workspace } from './workspace.js';

/**
 * How a solve ended.
 * - `converged`: every goal within its tolerance.
 * - `out-of-reach`: as near as can be (stationary), and no limit is in the way.
 * - `limit-blocked`: as near as the limits allow; each limit reported pushes back with a positive multiplier.
 * - `stalled`: neither; no lower pose was found.
 * - `iteration-limit`: stopped early.
 */
export type IkStatus = 'converged' | 'out-of-reach' | 'limit-blocked' | 'stalled' | 'iteration-limit';

export interface GoalResidual {
  /** Index of the goal in the list given. */
  readonly index: number;
  readonly type: Goal['type'];
  readonly bone: string;
  /** Distance (m) or angle (rad) left. */
  readonly value: number;
  readonly tolerance: number;
  readonly satisfied: boolean;
}

export interface ActiveLimit {
  readonly bone: string;
  readonly role: LimitRole;
  /** First coordinate of the limit in the pose. */
  readonly coordinate: number;
  /** Push of the limit against the goals along its inward normal: the fall of f per unit that it gave way. */
  readonly multiplier: number;
}

export interface IkResult {
  readonly status: IkStatus;
  readonly residuals: readonly GoalResidual[];
  readonly activeLimits: readonly ActiveLimit[];
  /** f = 1/2 sum of weight |r|^2 over the goals; angles in rad, lengths over `lengthScale`. */
  readonly objective: number;
  readonly lengthScale: number;
  /** |P(q - grad f) - q|, P the projection on the limits: 0 at a stationary pose. */
  readonly stationarity: number;
  /** Poses evaluated on the way, all descents together. */
  readonly iterations: number;
  /** Descents from other starts. */
  readonly restarts: number;
}

/** Stationarity that DESIGN.md asks of `out-of-reach` and `limit-blocked`. */
const STATIONARY = 1e-8;

/** Evaluates the pose once more and says honestly where it stands. */
export function resultOf(
  problem: Problem,
  work: Workspace,
  pose: Float64Array,
  iterations: number,
  restarts: number,
  stopped: boolean,
): IkResult {
  const { figure, goals, parts, norms } = problem;
  const objective = evaluate(problem, pose);
  differentiate(problem, pose);
  writeGradient(problem, work.gradient);
  updateActiveSet(problem, work.activeSet, pose, work.gradient);
  const reached = satisfied(problem);
  const stationarity = stationarityOf(problem, work, pose);
  const activeLimits = parts.flatMap(({ part }, n) => {
    // A multiplier below the tolerance of stationarity blocks nothing: the pose would be stationary without the limit.
    if (work.activeSet.active[n] === 0 || work.activeSet.multipliers[n] <= STATIONARY) return [];
    const { bone, role, coordinate } = part;
    return [{ bone: figure.bones[bone].name, role, coordinate, multiplier: work.activeSet.multipliers[n] }];
  });
  return {
    status: statusOf(reached, stationarity, activeLimits.length, stopped),
    residuals: goals.map(({ goal, bone, tolerance }, index) => ({
      index,
      type: goal.type,
      bone: figure.bones[bone].name,
      value: norms[index],
      tolerance,
      satisfied: norms[index] <= tolerance,
    })),
    activeLimits,
    objective,
    lengthScale: problem.lengthScale,
    stationarity,
    iterations,
    restarts,
  };
}

function statusOf(reached: boolean, stationarity: number, active: number, stopped: boolean): IkStatus {
  if (reached) return 'converged';
  if (stationarity <= STATIONARY) return active > 0 ? 'limit-blocked' : 'out-of-reach';
  return stopped ? 'iteration-limit' : 'stalled';
}

/** |P(q - grad f) - q| over the free coordinates, the gradient against q itself. */
function stationarityOf(
  { coordinates, parts, jacobian }: Problem,
  work: Workspace,
  pose: Float64Array,
): number {
  const { trial, gradient } = work;
  trial.set(pose);
  for (let k = 0; k < coordinates.length; k++) trial[coordinates[k]] -= gradient[k] / jacobian.columnScale[k];
  for (const { part, shape } of parts) shape.project(part.parameters, trial, part.coordinate, part.size);
  let sum = 0;
  for (let k = 0; k < coordinates.length; k++) sum += (trial[coordinates[k]] - pose[coordinates[k]]) ** 2;
  return Math.sqrt(sum);
}
