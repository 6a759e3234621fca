import { GoalError, nearestName } from '../../errors.js';
import { allFinite, norm } from '../../math/geometry/vec3.js';
import type { Numbers } from '../../math/linear/types.js';

/** @throws GoalError unless the options are an object with known names only. */
export function requireOptions(options: unknown, names: readonly string[], path = 'options'): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new GoalError('unsupported', `is ${describeValue(options)}.`, {
      path,
      remedy: 'Give an object, or leave it out.',
    });
  }
  for (const name of Object.keys(options)) {
    if (names.includes(name)) continue;
    const near = nearestName(name, names);
    throw new GoalError('unsupported', 'is no option.', {
      path: `${path}.${name}`,
      remedy: near === undefined ? `There are ${names.join(', ')}.` : `Did you mean '${near}'?`,
    });
  }
}

/** @throws GoalError unless the value is undefined or a whole number, zero or more. */
export function requireCount(value: unknown, path: string): void {
  if (value === undefined || (Number.isInteger(value) && (value as number) >= 0)) return;
  throw new GoalError('out-of-range', `is ${describeValue(value)}.`, {
    path,
    remedy: 'Give a whole number, zero or more.',
  });
}

/** @throws GoalError unless the value is undefined or one of the words. */
export function requireOneOf(value: unknown, words: readonly string[], path: string): void {
  if (value === undefined || words.includes(value as string)) return;
  throw new GoalError('unsupported', `is ${describeValue(value)}.`, {
    path,
    remedy: `Give ${words.map((word) => `'${word}'`).join(' or ')}.`,
  });
}

/** @throws GoalError unless the value is undefined or a boolean. */
export function requireBoolean(value: unknown, path: string): void {
  if (value === undefined || typeof value === 'boolean') return;
  throw new GoalError('unsupported', `is ${describeValue(value)}.`, { path, remedy: 'Give true or false.' });
}

/** @throws GoalError unless the value is undefined or a finite number. */
export function requireFinite(value: unknown, path: string): void {
  if (value === undefined || Number.isFinite(value)) return;
  throw new GoalError('not-finite', `is ${describeValue(value)}.`, { path, remedy: 'Give a finite number.' });
}

/** @throws GoalError unless a target is an array or `{ bone }`; its numbers are read at each solve. */
export function requireTarget(value: unknown, path: string): void {
  if (typeof value === 'object' && value !== null && ('bone' in value || 'length' in value)) return;
  throw new GoalError('wrong-size', `is ${describeValue(value)}.`, {
    path,
    remedy: 'Give numbers, or { bone }.',
  });
}

/** @throws GoalError unless the value is three finite numbers. */
export function requireTriple(value: unknown, path: string, remedy = 'Give [x, y, z].'): void {
  const numbers = value as Numbers | null | undefined;
  if (typeof numbers !== 'object' || numbers?.length !== 3) {
    throw new GoalError('wrong-size', 'is not three numbers.', { path, remedy });
  }
  for (let k = 0; k < 3; k++) {
    if (Number.isFinite(numbers[k])) continue;
    throw new GoalError('not-finite', `is ${describeValue(numbers[k])}.`, {
      path: `${path}[${k}]`,
      remedy: 'Give a finite number.',
    });
  }
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
  requireTriple(value, path);
  const numbers = value as Numbers;
  if (allFinite(numbers) && norm(numbers) > 0) return;
  throw new GoalError('not-unit', 'is zero.', { path, remedy: 'Give a vector that has a direction.' });
}

/** @throws GoalError unless the goal is of the type. */
export function requireGoal(goal: unknown, type: string, path: string): void {
  const given = (goal as { readonly type?: unknown } | null | undefined)?.type;
  if (given === type) return;
  throw new GoalError(
    'unsupported',
    `is ${given === undefined ? describeValue(goal) : describeValue(given)}.`,
    {
      path: given === undefined ? path : `${path}.type`,
      remedy: `Give a '${type}' goal.`,
    },
  );
}

/** A value as text for a message. */
function describeValue(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
