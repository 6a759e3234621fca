/** Strict validation of parsed JSON against a TypeScript type: unknown keys are refused, every error has its location. */
import { FormatError, type PoiseErrorCode } from 'poise';
import { nearestName } from 'poise/errors';
import { describe } from '../text/json-checks.js';

/** Validates a value. @throws FormatError `invalid-file`, `unknown-name`, `not-finite`, `wrong-size`, `unsupported`, at `path`. */
export type Check = (value: unknown, path: string) => void;

interface OptionalCheck {
  readonly optional: Check;
}

/** A check for each key of T; optional keys of T have optional checks. */
export type Fields<T> = { readonly [K in keyof T]-?: object extends Pick<T, K> ? OptionalCheck : Check };

export function optional(check: Check): OptionalCheck {
  return { optional: check };
}

export function refuse(code: PoiseErrorCode, path: string, what: string, remedy: string): never {
  throw new FormatError(code, what, { path, remedy });
}

/** The path of a key: `terms[2].bones`, `bones['left arm']`. */
function pathOf(path: string, key: string): string {
  if (!/^[\w$-]+$/.test(key)) return `${path}['${key.replaceAll("'", "\\'")}']`;
  return path.endsWith('#') ? `${path}${key}` : `${path}.${key}`;
}

const refuseType = (value: unknown, path: string, what: string): never =>
  refuse('invalid-file', path, `is ${describe(value)}.`, `Give ${what}.`);

export const number: Check = (value, path) => {
  if (typeof value !== 'number') refuseType(value, path, 'a number');
  if (!Number.isFinite(value)) refuse('not-finite', path, `is ${String(value)}.`, 'Give a finite number.');
};

export const numberOrNull: Check = (value, path) => {
  if (value !== null) number(value, path);
};

export const text: Check = (value, path) => {
  if (typeof value !== 'string') refuseType(value, path, 'a text');
};

/** A bone, by name or index. */
export const bone: Check = (value, path) => {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return;
  if (typeof value !== 'string') refuseType(value, path, 'the name of a bone');
};

export function oneOf(...words: readonly (string | number)[]): Check {
  return (value, path) => {
    if (words.some((word) => word === value)) return;
    const near = typeof value === 'string' ? nearestName(value, words.map(String)) : undefined;
    const hint = near === undefined ? '' : ` (did you mean '${near}'?)`;
    refuse('unsupported', path, `is ${describe(value)}.`, `Give one of ${words.join(', ')}${hint}.`);
  };
}

export function list(item: Check, what = 'a list'): Check {
  return (value, path) => {
    if (!Array.isArray(value)) return refuseType(value, path, what);
    value.forEach((entry: unknown, k) => {
      item(entry, `${path}[${k}]`);
    });
  };
}

export const numbers: Check = list(number, 'a list of numbers');

/** A list of `count` numbers. */
export function vector(count: number, item: Check = number): Check {
  const entries = list(item, `a list of ${count} numbers`);
  return (value, path) => {
    entries(value, path);
    const { length } = value as unknown[];
    if (length === count) return;
    refuse('wrong-size', path, `has ${length} entries.`, `Give ${count} numbers.`);
  };
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object with any keys and values of one type. */
export function record(item: Check, what: string): Check {
  return (value, path) => {
    if (!isObject(value)) return refuseType(value, path, what);
    for (const [key, entry] of Object.entries(value)) item(entry, pathOf(path, key));
  };
}

/** An object with the keys of T and no others. */
export function object<T extends object>(fields: Fields<T>): Check {
  const checks: Readonly<Record<string, Check | OptionalCheck>> = fields;
  return (value, path) => {
    if (!isObject(value)) return refuseType(value, path, `an object with ${Object.keys(checks).join(', ')}`);
    for (const key of Object.keys(value)) {
      if (!Object.hasOwn(checks, key)) refuseKey(key, path, Object.keys(checks));
    }
    for (const [key, check] of Object.entries(checks)) {
      const isRequired = typeof check === 'function';
      if (Object.hasOwn(value, key)) (isRequired ? check : check.optional)(value[key], pathOf(path, key));
      else if (isRequired) refuse('invalid-file', pathOf(path, key), 'is missing.', 'Add it.');
    }
  };
}

function refuseKey(key: string, path: string, known: readonly string[]): never {
  const near = nearestName(key, known);
  const hint = near === undefined ? `Known keys: ${known.join(', ')}.` : `Did you mean '${near}'?`;
  return refuse('unknown-name', pathOf(path, key), 'is an unknown key.', hint);
}

/** A union discriminated by `type`. */
export function tagged(variants: Readonly<Record<string, Check>>): Check {
  const type = oneOf(...Object.keys(variants));
  return (value, path) => {
    if (!isObject(value))
      return refuseType(value, path, `an object with a type: ${Object.keys(variants).join(', ')}`);
    if (!Object.hasOwn(value, 'type')) {
      refuse(
        'invalid-file',
        pathOf(path, 'type'),
        'is missing.',
        `Give one of ${Object.keys(variants).join(', ')}.`,
      );
    }
    type(value.type, pathOf(path, 'type'));
    variants[value.type as string](value, path);
  };
}

/** The first check for values that pass a test, else the second. */
export function either(test: (value: unknown) => boolean, first: Check, second: Check): Check {
  return (value, path) => {
    (test(value) ? first : second)(value, path);
  };
}
