import type { PoiseError, PoiseErrorCode, PoiseErrorDetails } from 'poise';
import { nearestName } from 'poise/errors';

type ErrorClass = new (code: PoiseErrorCode, what: string, details: PoiseErrorDetails) => PoiseError;

/** All field names of an options type, for {@link checkFields}; the compiler reports missing and extra ones. */
export type FieldsOf<Options> = { readonly [Key in keyof Required<Options>]: true };

/**
 * Refuses unknown fields, so that a misspelt one is not silently ignored.
 *
 * @param known - The known fields, as keys.
 * @throws an error of the class given, `unknown-name`, with the nearest name.
 */
export function checkFields(given: object, known: object, path: string, Fault: ErrorClass): void {
  if (typeof given !== 'object' || given === null) {
    throw new Fault('unsupported', `is ${String(given)}.`, {
      path,
      remedy: 'Give an object, or leave it out.',
    });
  }
  const names = Object.keys(known);
  for (const key of Object.keys(given)) {
    if (Object.hasOwn(known, key)) continue;
    const near = nearestName(key, names);
    throw new Fault('unknown-name', 'is not a known field.', {
      path: `${path}.${key}`,
      remedy: near === undefined ? `Known fields: ${names.join(', ')}.` : `Did you mean '${near}'?`,
    });
  }
}

/** Refuses a number that is not positive and finite; undefined is left out. @throws an error of the class given, `out-of-range`. */
export function checkPositive(value: number | undefined, path: string, Fault: ErrorClass): void {
  if (value === undefined || (Number.isFinite(value) && value > 0)) return;
  throw new Fault('out-of-range', `is ${String(value)}.`, {
    path,
    remedy: 'Give a positive, finite number, m.',
  });
}

/** Refuses a value that is not one of the words of an option. @throws an error of the class given, `unsupported`. */
export function checkWord(value: string, words: readonly string[], path: string, Fault: ErrorClass): void {
  if (words.includes(value)) return;
  const near = nearestName(String(value), words);
  throw new Fault('unsupported', `is '${String(value)}'.`, {
    path,
    remedy: `Give one of ${words.join(', ')}${near === undefined ? '' : `: did you mean '${near}'?`}.`,
  });
}
