import { GoalError, nearestName } from '../../errors.js';
import { allFinite, norm } from '../../math/geometry/vec3.js';
import type { Numbers } from '../../math/linear/types.js';

/** @throws GoalError for options that are no object, or that have a name that is none of these. */
export function requireOptions(options: unknown, names: readonly string[], path = 'options'): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new GoalError('unsupported', `is ${shown(options)}.`, {
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

/** @throws GoalError for what is given and no whole number of zero or more. */
export function requireCount(value: unknown, path: string): void {
  if (value === undefined || (Number.isInteger(value) && (value as number) >= 0)) return;
  throw new GoalError('out-of-range', `is ${shown(value)}.`, {
    path,
    remedy: 'Give a whole number, zero or more.',
  });
}

/** @throws GoalError for what is given and none of the words. */
export function requireOneOf(value: unknown, words: readonly string[], path: string): void {
  if (value === undefined || words.includes(value as string)) return;
  throw new GoalError('unsupported', `is ${shown(value)}.`, {
    path,
    remedy: `Give ${words.map((word) => `'${word}'`).join(' or ')}.`,
  });
}

/** @throws GoalError for what is given and neither true nor false. */
export function requireBoolean(value: unknown, path: string): void {
  if (value === undefined || typeof value === 'boolean') return;
  throw new GoalError('unsupported', `is ${shown(value)}.`, { path, remedy: 'Give true or false.' });
}

/** @throws GoalError for what is given and no finite number. */
export function requireFinite(value: unknown, path: string): void {
  if (value === undefined || Number.isFinite(value)) return;
  throw new GoalError('not-finite', `is ${shown(value)}.`, { path, remedy: 'Give a finite number.' });
}

/** @throws GoalError for a target that is neither numbers nor carried by a bone; its numbers are read at each solve. */
export function requireTarget(value: unknown, path: string): void {
  if (typeof value === 'object' && value !== null && ('bone' in value || 'length' in value)) return;
  throw new GoalError('wrong-size', `is ${shown(value)}.`, { path, remedy: 'Give numbers, or { bone }.' });
}

/** @throws GoalError for what is no list of numbers, not three, or not finite. */
export function requireTriple(value: unknown, path: string, remedy = 'Give [x, y, z].'): void {
  const numbers = value as Numbers | null | undefined;
  if (typeof numbers !== 'object' || numbers?.length !== 3) {
    throw new GoalError('wrong-size', 'is not three numbers.', { path, remedy });
  }
  for (let k = 0; k < 3; k++) {
    if (Number.isFinite(numbers[k])) continue;
    throw new GoalError('not-finite', `is ${shown(numbers[k])}.`, {
      path: `${path}[${k}]`,
      remedy: 'Give a finite number.',
    });
  }
}

/** @throws GoalError for what is given and no quaternion. */
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

/** @throws GoalError for what is no direction: not three finite numbers, or all zero. */
export function requireDirection(value: unknown, path: string): void {
  requireTriple(value, path);
  const numbers = value as Numbers;
  if (allFinite(numbers) && norm(numbers) > 0) return;
  throw new GoalError('not-unit', 'is zero.', { path, remedy: 'Give a vector that has a direction.' });
}

/** @throws GoalError for a goal that is none of a type. */
export function requireGoal(goal: unknown, type: string, path: string): void {
  const given = (goal as { readonly type?: unknown } | null | undefined)?.type;
  if (given === type) return;
  throw new GoalError('unsupported', `is ${given === undefined ? shown(goal) : shown(given)}.`, {
    path: given === undefined ? path : `${path}.type`,
    remedy: `Give a '${type}' goal.`,
  });
}

/** A value as a message may show it. */
function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
