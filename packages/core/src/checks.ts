/**
 * Checks of arguments, once for all layers and packages: each throws the error class given, with path, what and remedy. None returns a
 * copy. The other packages of Poise import them as `poise/internal/checks`, which is no public entry point.
 */
import { nearestName, type PoiseError, type PoiseErrorCode, type PoiseErrorDetails } from './errors.js';

/** The class of error that a check throws: {@link PoiseError} or one of its subclasses. */
export type ErrorClass = new (code: PoiseErrorCode, what: string, details: PoiseErrorDetails) => PoiseError;

/** All field names of an options type, as keys: a type error where one is missing or unknown. */
export type FieldsOf<Options> = { readonly [Key in keyof Required<Options>]: true };

/** A value as an error message shows it. Never throws, whatever was read from a file. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return `'${cut(value)}'`;
  if (typeof value === 'function') return `a function (${value.name})`;
  if (typeof value !== 'object' || value === null) return String(value);
  try {
    return cut(JSON.stringify(value));
  } catch {
    return 'an object';
  }
}

function cut(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/**
 * Refuses unknown field names.
 *
 * @param known - The known fields, as keys ({@link FieldsOf}).
 * @throws `unsupported` for what is no object, `unknown-name` for an unknown field, with the nearest known name.
 */
export function requireFields(given: unknown, known: object, path: string, Fault: ErrorClass): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new Fault('unsupported', `is ${shown(given)}.`, {
      path,
      remedy: 'Give an object, or leave it out.',
    });
  }
  const names = Object.keys(known);
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(known, name)) continue;
    const near = nearestName(name, names);
    throw new Fault('unknown-name', 'is not a known field.', {
      path: `${path}.${name}`,
      remedy: near === undefined ? `The fields are ${names.join(', ')}.` : `Did you mean '${near}'?`,
    });
  }
}

/** @throws `unsupported` for a word that is not one of `words`, with the nearest one. */
export function requireOneOf(
  value: unknown,
  words: readonly string[],
  path: string,
  Fault: ErrorClass,
): void {
  if (words.includes(value as string)) return;
  const near = typeof value === 'string' ? nearestName(value, words) : undefined;
  throw new Fault('unsupported', `is ${shown(value)}.`, {
    path,
    remedy: near === undefined ? `Give one of ${words.join(', ')}.` : `Did you mean '${near}'?`,
  });
}

/** @throws `unsupported` unless `value` is true or false. */
export function requireBoolean(value: unknown, path: string, Fault: ErrorClass): void {
  if (typeof value === 'boolean') return;
  throw new Fault('unsupported', `is ${shown(value)}.`, { path, remedy: 'Give true or false.' });
}

/** @throws `unsupported` unless `value` is a string. */
export function requireString(value: unknown, path: string, Fault: ErrorClass): void {
  if (typeof value === 'string') return;
  throw new Fault('unsupported', `is ${shown(value)}.`, { path, remedy: 'Give a string.' });
}

/** @throws `wrong-size` unless `value` is an array. */
export function requireList(value: unknown, path: string, Fault: ErrorClass, remedy: string): void {
  if (Array.isArray(value)) return;
  throw new Fault('wrong-size', 'is not a list.', { path, remedy });
}

/** @throws `not-finite` unless `value` is a finite number. */
export function requireFinite(value: unknown, path: string, Fault: ErrorClass): void {
  if (Number.isFinite(value)) return;
  throw new Fault('not-finite', `is ${shown(value)}.`, { path, remedy: 'Give a finite number.' });
}

/**
 * @param unit - Follows the number in the remedy: `kg`.
 * @param mayBeInfinite - Whether Infinity is allowed, for a bound that is off.
 * @throws `out-of-range` unless `value` is finite and above zero.
 */
export function requirePositive(
  value: unknown,
  path: string,
  Fault: ErrorClass,
  unit?: string,
  mayBeInfinite: boolean = false,
): void {
  if (typeof value === 'number' && value > 0 && isBound(value, mayBeInfinite)) return;
  throw new Fault('out-of-range', `is ${shown(value)}.`, {
    path,
    remedy: `Give a positive${mayBeInfinite ? '' : ', finite'} number${withUnit(unit)}${mayBeInfinite ? '; Infinity for no bound' : ''}.`,
  });
}

/**
 * @param unit - Follows the number in the remedy: `kg`.
 * @param mayBeInfinite - Whether Infinity is allowed, for a bound that is off.
 * @throws `out-of-range` unless `value` is finite and not below zero.
 */
export function requireNotNegative(
  value: unknown,
  path: string,
  Fault: ErrorClass,
  unit?: string,
  mayBeInfinite: boolean = false,
): void {
  if (typeof value === 'number' && value >= 0 && isBound(value, mayBeInfinite)) return;
  throw new Fault('out-of-range', `is ${shown(value)}.`, {
    path,
    remedy: `Give a${mayBeInfinite ? '' : ' finite'} number, zero or more${withUnit(unit)}${mayBeInfinite ? '; Infinity for no bound' : ''}.`,
  });
}

function isBound(value: unknown, mayBeInfinite: boolean): boolean {
  return Number.isFinite(value) || (mayBeInfinite && value === Number.POSITIVE_INFINITY);
}

function withUnit(unit: string | undefined): string {
  return unit === undefined ? '' : `, ${unit}`;
}

/** @throws `out-of-range` unless `value` is a number from `min` to `max`. */
export function requireInRange(
  value: unknown,
  min: number,
  max: number,
  path: string,
  Fault: ErrorClass,
): void {
  if (typeof value === 'number' && value >= min && value <= max) return;
  throw new Fault('out-of-range', `is ${shown(value)}.`, {
    path,
    remedy: `Give a number from ${min} to ${max}.`,
  });
}

/** @throws `out-of-range` unless `value` is a whole number from `min` to `max`. */
export function requireWhole(
  value: unknown,
  path: string,
  Fault: ErrorClass,
  min = 0,
  max = Number.POSITIVE_INFINITY,
): void {
  if (Number.isInteger(value) && (value as number) >= min && (value as number) <= max) return;
  const range =
    max < Number.POSITIVE_INFINITY ? ` from ${min} to ${max}` : `, ${min === 0 ? 'zero' : min} or more`;
  throw new Fault('out-of-range', `is ${shown(value)}.`, {
    path,
    remedy: `Give a whole number${min === Number.NEGATIVE_INFINITY ? '' : range}.`,
  });
}

/** @throws `wrong-size` unless `numbers` is a list of `count` entries. */
export function requireSize(
  numbers: unknown,
  count: number,
  path: string,
  Fault: ErrorClass,
  remedy: string = `Give an array of ${count} numbers.`,
): void {
  const length: unknown = (numbers as ArrayLike<number> | null | undefined)?.length;
  if (typeof numbers === 'object' && length === count) return;
  const isObject = typeof numbers === 'object' && numbers !== null;
  const isList = isObject && typeof length === 'number';
  // A Vector3 or Quaternion of three.js, or an object like it.
  const cure =
    isObject && 'x' in numbers
      ? `${remedy} { x, y, z } is [v.x, v.y, v.z], or v.toArray() in three.js.`
      : remedy;
  const what = isList ? `has ${shown(length)} numbers` : `is ${shown(numbers)}`;
  throw new Fault('wrong-size', `${what} where ${count} numbers belong.`, {
    path,
    remedy: cure,
  });
}

/** {@link requireNumbers} of three numbers, for hot loops: it looks at the sum first. Entries after the third are left alone. */
export function requirePoint(point: unknown, path: string, Fault: ErrorClass): void {
  const p = point as ArrayLike<number>;
  // 0 times what is not finite is NaN.
  if (typeof p !== 'object' || p === null || 0 * (p[0] + p[1] + p[2]) !== 0)
    requireNumbers(point, 3, path, Fault);
}

/** @throws `wrong-size` unless an array that results are written to has room for `count` numbers. */
export function requireRoom(out: unknown, count: number, path: string, Fault: ErrorClass): void {
  const length = (out as ArrayLike<number> | null | undefined)?.length;
  if (typeof out === 'object' && length !== undefined && length >= count) return;
  requireSize(out, count, path, Fault, `Give a Float64Array(${count}), or leave it out.`);
}

/** @throws `wrong-size` unless `numbers` is a list of `count` numbers, `not-finite` unless all are finite. */
export function requireNumbers(numbers: unknown, count: number, path: string, Fault: ErrorClass): void {
  requireSize(numbers, count, path, Fault);
  const list = numbers as ArrayLike<number>;
  if (list instanceof Float64Array && areFinite(list)) return;
  for (let i = 0; i < count; i++)
    if (!Number.isFinite(list[i])) requireFinite(list[i], `${path}[${i}]`, Fault);
}

/** Whether all numbers are finite, in one pass without a branch: 0 times NaN or infinity is NaN, so one comparison of the sum decides. */
export function areFinite(numbers: ArrayLike<number>): boolean {
  let sum = 0;
  for (let i = 0; i < numbers.length; i++) sum += 0 * numbers[i];
  return sum === 0;
}
