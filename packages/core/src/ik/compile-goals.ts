import { GoalError, nearestName } from '../errors.js';
import { boneIndex, type Figure } from '../figure/figure.js';
import type { Numbers } from '../math/types.js';
import { type BonePoint, type Goal, isCarried } from './goal.js';
import { goalTypes } from './goals/goal-types.js';
import type { CompiledGoal } from './goals/rows.js';

const DEFAULT_TOLERANCE = 1e-4;

/** Sum of the entries of a target, beyond which squares of residuals overflow. */
const FARTHEST = 1e100;

/**
 * Checks goals against a figure and gives each its bones and rows.
 *
 * @throws GoalError naming the goal: an unknown type or bone, a weight or tolerance that is not positive, an axis
 * without direction.
 */
export function compileGoals(figure: Figure, goals: readonly Goal[], lengthScale: number): CompiledGoal[] {
  let firstRow = 0;
  return goals.map((goal, index) => {
    const path = `goals[${index}]`;
    const type = Object.hasOwn(goalTypes, goal?.type) ? goalTypes[goal.type] : undefined;
    if (type === undefined) {
      const near = nearestName(String(goal?.type), Object.keys(goalTypes));
      throw new GoalError('unsupported', `is '${goal?.type}'.`, {
        path: `${path}.type`,
        remedy: `Use one of ${Object.keys(goalTypes).join(', ')}${near === undefined ? '' : ` (did you mean '${near}'?)`}.`,
      });
    }
    const bone = boneIndex(figure, goal.bone, `${path}.bone`);
    const targetBone = isCarried(goal.target)
      ? boneIndex(figure, goal.target.bone, `${path}.target.bone`)
      : -1;
    checkGoal(goal, path);
    const scale = Math.sqrt(goal.weight ?? 1) / (goal.type === 'position' ? lengthScale : 1);
    const compiled: CompiledGoal = {
      goal,
      rows: type.rows,
      firstRow,
      bone,
      targetBone,
      scale,
      tolerance: goal.tolerance ?? DEFAULT_TOLERANCE,
    };
    firstRow += type.rows;
    return compiled;
  });
}

function checkGoal(goal: Goal, path: string): void {
  requirePositive(goal.weight ?? 1, `${path}.weight`);
  requirePositive(goal.tolerance ?? DEFAULT_TOLERANCE, `${path}.tolerance`);
  if (goal.type === 'position' && goal.point !== undefined) requireVector(goal.point, 3, `${path}.point`);
  if (goal.type === 'points-at') {
    requireDirection(goal.axis, 3, `${path}.axis`);
    if (goal.origin !== undefined) requireVector(goal.origin, 3, `${path}.origin`);
  }
  if (goal.type === 'orientation' && goal.offset !== undefined)
    requireDirection(goal.offset, 4, `${path}.offset`);
  if (isCarried(goal.target)) {
    const { point } = goal.target as BonePoint;
    if (point !== undefined) requireVector(point, 3, `${path}.target.point`);
  }
}

/**
 * Checks the targets in the world, which may change from solve to solve.
 *
 * @throws GoalError `not-finite`, `wrong-size` or `out-of-range`.
 */
export function checkTargets(goals: readonly CompiledGoal[]): void {
  for (let n = 0; n < goals.length; n++) {
    const { goal, targetBone } = goals[n];
    if (targetBone >= 0) continue;
    const target = goal.target as Numbers;
    const size = goal.type === 'orientation' ? 4 : 3;
    let sum = 0;
    if (target?.length === size) for (let k = 0; k < size; k++) sum += Math.abs(target[k]);
    else sum = Number.NaN;
    if (sum <= FARTHEST && (size === 3 || sum > 0)) continue;
    if (size === 4) requireDirection(target, 4, `goals[${n}].target`);
    else requireVector(target, 3, `goals[${n}].target`);
    throw new GoalError(
      'out-of-range',
      `is [${Array.from(target)}], too far for its square to be a number.`,
      {
        path: `goals[${n}].target`,
        remedy: 'Give metres.',
      },
    );
  }
}

function requirePositive(value: number, path: string): void {
  if (value > 0 && Number.isFinite(value)) return;
  throw new GoalError('out-of-range', `is ${value}.`, { path, remedy: 'Give a positive, finite number.' });
}

function requireVector(numbers: Numbers, size: number, path: string): void {
  if (numbers?.length !== size) {
    throw new GoalError('wrong-size', `has ${numbers?.length ?? 'no'} numbers where ${size} belong.`, {
      path,
      remedy: `Give ${size} numbers.`,
    });
  }
  for (let k = 0; k < size; k++) {
    if (Number.isFinite(numbers[k])) continue;
    throw new GoalError('not-finite', `is ${numbers[k]}.`, {
      path: `${path}[${k}]`,
      remedy: 'Give a finite number.',
    });
  }
}

function requireDirection(numbers: Numbers, size: number, path: string): void {
  requireVector(numbers, size, path);
  if (Math.hypot(...Array.from(numbers)) > 0) return;
  throw new GoalError('not-unit', 'is zero.', { path, remedy: 'Give a vector that has a direction.' });
}
