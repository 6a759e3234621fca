/** Checks of parsed JSON. Errors name the location: `rig.glb#/nodes/4/rotation` (a JSON pointer after the #). */
import { FormatError, type PoiseErrorCode } from 'poise';

/** A JSON object as `JSON.parse` gives it. */
export type JsonObject = { readonly [key: string]: unknown };

/** Throws a {@link FormatError}. */
export function fail(code: PoiseErrorCode, path: string, what: string, remedy: string): never {
  throw new FormatError(code, what, { path, remedy });
}

/** A text of a file in a message, shortened: a name, a tag, an address. */
export function cut(text: string, length = 60): string {
  return text.length > length ? `${text.slice(0, length - 3)}...` : text;
}

/** Short description of a value for a message. */
export function describe(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object') return 'an object';
  // JSON has no Infinity.
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value));
  return cut(text, 40);
}

/** A text as it is; another value described. `String` of an object may throw: a file may give it a `toString`. */
export function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : describe(value);
}

/** The value as an object. @throws FormatError `invalid-file`. */
export function objectAt(value: unknown, path: string): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  return fail('invalid-file', path, `is ${describe(value)}, expected an object.`, reexport);
}

/** The value as an array; absent gives an empty one. @throws FormatError `invalid-file`. */
export function arrayAt(value: unknown, path: string): readonly unknown[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  return fail('invalid-file', path, `is ${describe(value)}, expected an array.`, reexport);
}

/** The value as an index below `count`. @throws FormatError `invalid-file` | `out-of-range`. */
export function indexAt(value: unknown, path: string, count: number, what: string): number {
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    return fail('invalid-file', path, `is ${describe(value)}, expected the index of a ${what}.`, reexport);
  }
  if (value < 0 || value >= count) {
    return fail(
      'out-of-range',
      path,
      `names ${what} ${value}, but the file has ${count}.`,
      `Point it at an existing ${what} or export the file again.`,
    );
  }
  return value;
}

/** The value as a count or byte offset; `fallback` where it is absent. @throws FormatError `invalid-file`. */
export function countAt(value: unknown, path: string, fallback?: number): number {
  if (value === undefined && fallback !== undefined) return fallback;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  return fail('invalid-file', path, `is ${describe(value)}, expected an integer of at least 0.`, reexport);
}

/** The value as `length` finite numbers. @throws FormatError `invalid-file` | `wrong-size` | `not-finite`. */
export function numbersAt(value: unknown, path: string, length: number): readonly number[] {
  if (!Array.isArray(value)) {
    return fail('invalid-file', path, `is ${describe(value)}, expected ${length} numbers.`, reexport);
  }
  if (value.length !== length) {
    return fail('wrong-size', path, `has ${value.length} entries, expected ${length} numbers.`, reexport);
  }
  for (let i = 0; i < length; i++) {
    const entry: unknown = value[i];
    if (typeof entry !== 'number') {
      fail('invalid-file', `${path}/${i}`, `is ${describe(entry)}, expected a number.`, reexport);
    }
    if (!Number.isFinite(entry)) {
      fail('not-finite', `${path}/${i}`, 'is not a finite number.', 'Give a finite number.');
    }
  }
  return value as readonly number[];
}

/** The value as a text; undefined where it is absent. @throws FormatError `invalid-file`. */
export function optionalTextAt(value: unknown, path: string): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  return fail('invalid-file', path, `is ${describe(value)}, expected text.`, reexport);
}

const reexport = 'Correct the value or export the file again.';
