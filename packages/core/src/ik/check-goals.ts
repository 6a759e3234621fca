import { GoalError, nearestName } from '../errors.js';
import type { Numbers } from '../math/types.js';
import { type BoneOrientation, type BonePoint, type Goal, isCarried } from './goal.js';
import { goalTypes } from './goals/goal-types.js';
import type { CompiledGoal } from './goals/rows.js';

/** Default distance (m) and angle (rad) that count as reached. */
export const DEFAULT_TOLERANCE = 1e-4;

/** Largest entry of a target, beyond which squares of residuals overflow. */
const FARTHEST = 1e100;

/**
 * Checks a goal as the caller wrote it, and copies its numbers: what the caller does to them later changes nothing. Only a
 * target in the world stays the caller's own array, to be moved from solve to solve.
 *
 * @throws GoalError naming the place.
 */
export function settledGoal(goal: Goal, path: string): Goal {
  if (typeof goal !== 'object' || goal === null || !Object.hasOwn(goalTypes, goal.type)) {
    throw unknownType(goal?.type, path);
  }
  requirePositive(goal.weight ?? 1, `${path}.weight`);
  requirePositive(goal.tolerance ?? DEFAULT_TOLERANCE, `${path}.tolerance`);
  const target = settledTarget(goal, `${path}.target`);
  switch (goal.type) {
    case 'position':
      return { ...goal, target: target as Numbers, ...copied('point', goal.point, 3, path) };
    case 'orientation':
      requireDirectionIfGiven(goal.offset, 4, `${path}.offset`);
      return { ...goal, target: target as Numbers, ...copied('offset', goal.offset, 4, path) };
    default:
      requireDirection(goal.axis, 3, `${path}.axis`);
      return {
        ...goal,
        target: target as Numbers,
        axis: Array.from(goal.axis),
        ...copied('origin', goal.origin, 3, path),
      };
  }
}

function settledTarget(goal: Goal, path: string): Numbers | BonePoint | BoneOrientation {
  const { target } = goal;
  if (typeof target !== 'object' || target === null) {
    throw new GoalError('wrong-size', `is ${target}.`, {
      path,
      remedy: 'Give numbers in the world, or { bone }.',
    });
  }
  if (!isCarried(target)) return target;
  if (goal.type === 'orientation') {
    const { offset } = target as BoneOrientation;
    requireDirectionIfGiven(offset, 4, `${path}.offset`);
    return { ...target, ...copied('offset', offset, 4, path) };
  }
  return { ...target, ...copied('point', (target as BonePoint).point, 3, path) };
}

/** `{ [name]: a copy }` of an optional vector, checked. */
function copied(name: string, numbers: Numbers | undefined, size: number, path: string): object {
  if (numbers === undefined) return {};
  requireVector(numbers, size, `${path}.${name}`);
  return { [name]: Array.from(numbers) };
}

function unknownType(type: unknown, path: string): GoalError {
  const names = Object.keys(goalTypes);
  const near = nearestName(String(type), names);
  return new GoalError('unsupported', `is '${String(type)}'.`, {
    path: `${path}.type`,
    remedy: `Use one of ${names.join(', ')}${near === undefined ? '' : ` (did you mean '${near}'?)`}.`,
  });
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
    let largest = target.length === size ? 0 : Number.NaN;
    for (let k = 0; k < size; k++) {
      const x = target[k];
      if (!Number.isFinite(x)) largest = Number.NaN;
      else if (Math.abs(x) > largest) largest = Math.abs(x);
    }
    if (largest <= FARTHEST && (size === 3 || largest > 0)) continue;
    const path = `goals[${n}].target`;
    if (size === 4) requireDirection(target, 4, path);
    else requireVector(target, 3, path);
    throw new GoalError(
      'out-of-range',
      `is [${Array.from(target)}], too far for its square to be a number.`,
      {
        path,
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
      remedy: `Give ${size === 3 ? '[x, y, z]' : '[x, y, z, w]'}.`,
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

function requireDirectionIfGiven(numbers: Numbers | undefined, size: number, path: string): void {
  if (numbers !== undefined) requireDirection(numbers, size, path);
}
