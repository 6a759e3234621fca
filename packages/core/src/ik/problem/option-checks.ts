import { requireList, requireNumbers, shown } from '../../checks.js';
import { GoalError } from '../../errors.js';
import { norm } from '../../math/geometry/vec3.js';
import type { Numbers } from '../../math/linear/types.js';

/** @throws GoalError unless the value is undefined or a list. */
export function requireBones(locked: unknown, path: string): void {
  if (locked !== undefined) requireList(locked, path, GoalError, `Give an array: ['hips'].`);
}

/** @throws GoalError unless the value is undefined or a nonzero, finite quaternion. */
export function requireQuat(value: unknown, path: string): void {
  const q = value as Numbers | null | undefined;
  if (q === undefined) return;
  if (typeof q === 'object' && q?.length === 4) {
    const size = Math.hypot(q[0], q[1], q[2], q[3]);
    if (size > 0 && size < Number.POSITIVE_INFINITY) return;
  }
  throw new GoalError('not-unit', 'is no quaternion.', {
    path,
    remedy: 'Give [x, y, z, w], finite and not all zero.',
  });
}

/** @throws GoalError unless the value is three finite numbers that are not all zero. */
export function requireDirection(value: unknown, path: string): void {
  requireNumbers(value, 3, path, GoalError);
  if (norm(value as Numbers) > 0) return;
  throw new GoalError('not-unit', 'is zero.', { path, remedy: 'Give a vector that has a direction.' });
}

/** @throws GoalError unless the goal is of the type. */
export function requireGoal(goal: unknown, type: string, path: string): void {
  const given = (goal as { readonly type?: unknown } | null | undefined)?.type;
  if (given === type) return;
  throw new GoalError('unsupported', `is ${given === undefined ? shown(goal) : shown(given)}.`, {
    path: given === undefined ? path : `${path}.type`,
    remedy: `Give a '${type}' goal.`,
  });
}
