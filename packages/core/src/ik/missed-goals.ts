import { type FieldsOf, requireFields, requireNotNegative } from '../checks.js';
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

const FIELDS: FieldsOf<MissedGoalsOptions> = { distance: true, angle: true };

/**
 * The goals that a result misses, the farthest first (a radian counts as a length scale). A status is about the whole problem: beside an
 * animation that is at the limits of a figure, `limit-blocked` may be a tenth of a millimetre. Soft goals are never missed.
 *
 * @param result - Of `solveIk`, or of the `FigureSolver` of `@poise/three`.
 * @throws GoalError for invalid options.
 */
export function missedGoals(
  result: Pick<IkResult, 'residuals' | 'lengthScale'>,
  options: MissedGoalsOptions = {},
): MissedGoal[] {
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

function textOf({ bone, type, component, unit, value }: GoalResidual): string {
  const [amount, word] = unit === 'length' ? [1000 * value, 'mm'] : [(180 / Math.PI) * value, 'degrees'];
  const digits = amount < 0.1 ? 3 : amount < 10 ? 1 : 0;
  const what = component === undefined ? type : `${type} (${component})`;
  return `${bone}, ${what}: ${amount.toFixed(digits)} ${word}`;
}
