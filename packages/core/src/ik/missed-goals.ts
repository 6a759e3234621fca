import {
  type FieldsOf,
  requireFields,
  requireList,
  requireNotNegative,
  requireOneOf,
  requirePositive,
  shown,
} from '../checks.js';
import { GoalError } from '../errors.js';
import type { GoalResidual, IkResult } from './problem/status.js';

/** A goal that a solve did not meet, and by how much. */
export interface MissedGoal extends GoalResidual {
  /** For people: `leftFoot, position: 3.2 mm`. */
  readonly text: string;
}

/** Options of {@link missedGoals}. */
export interface MissedGoalsOptions {
  /** Misses up to this distance, m, or this angle, rad, are left out: what nobody sees. Default 0 and 0. */
  readonly distance?: number;
  readonly angle?: number;
}

/** Cure for what is no result. */
const RESULT = 'Give what solveIk or solveFabrik returns.';

const FIELDS: FieldsOf<MissedGoalsOptions> = { distance: true, angle: true };

/**
 * The goals that a result misses, the farthest first (a radian counts as a length scale). A status is about the whole problem: beside an
 * animation that is at the limits of a figure, `limit-blocked` may be a tenth of a millimetre. Soft goals are never missed.
 *
 * @param result - Of `solveIk`, or of the `FigureSolver` of `@poise/three`.
 * @throws GoalError for what is no result of a solve, and for invalid options.
 */
export function missedGoals(
  result: Pick<IkResult, 'residuals' | 'lengthScale'>,
  options: MissedGoalsOptions = {},
): MissedGoal[] {
  requireResult(result);
  requireFields(options, FIELDS, 'options', GoalError);
  const { distance = 0, angle = 0 } = options;
  requireNotNegative(distance, 'options.distance', GoalError, 'm');
  requireNotNegative(angle, 'options.angle', GoalError, 'rad');
  const size = ({ unit, value }: GoalResidual): number =>
    unit === 'length' ? value : value * result.lengthScale;
  return result.residuals
    .filter(({ satisfied, unit, value }) => !satisfied && value > (unit === 'length' ? distance : angle))
    .sort((a, b) => size(b) - size(a))
    .map((residual) => ({ ...residual, text: textOf(residual) }));
}

/** @throws GoalError */
function requireResult(result: Pick<IkResult, 'residuals' | 'lengthScale'>): void {
  if (typeof result !== 'object' || result === null) {
    throw new GoalError('unsupported', `is ${shown(result)}.`, { path: 'result', remedy: RESULT });
  }
  requireList(result.residuals, 'result.residuals', GoalError, RESULT);
  requirePositive(result.lengthScale, 'result.lengthScale', GoalError, 'm');
  result.residuals.forEach((residual, k) => {
    const path = `result.residuals[${k}]`;
    requireOneOf(residual?.unit, ['length', 'angle'], `${path}.unit`, GoalError);
    requireNotNegative(residual.value, `${path}.value`, GoalError, undefined, true);
  });
}

function textOf({ bone, type, component, unit, value }: GoalResidual): string {
  const [amount, word] = unit === 'length' ? [1000 * value, 'mm'] : [(180 / Math.PI) * value, 'degrees'];
  const digits = amount < 0.1 ? 3 : amount < 10 ? 1 : 0;
  const what = component === undefined ? type : `${type} (${component})`;
  return `${bone}, ${what}: ${amount.toFixed(digits)} ${word}`;
}
