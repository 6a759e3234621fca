import type { PoiseError, PoiseErrorCode, PoiseErrorDetails } from 'poise';
import { nearestName } from 'poise/errors';

type ErrorClass = new (code: PoiseErrorCode, what: string, details: PoiseErrorDetails) => PoiseError;

/** The names of all fields of options, for {@link checkFields}: a type error where one is missing here or is none. */
export type FieldsOf<Options> = { readonly [Key in keyof Required<Options>]: true };

/**
 * Refuses fields that nobody reads: a typing error would pass in silence.
 *
 * @param known - The fields that there are, as keys.
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
    throw new Fault('unknown-name', 'is not a field that there is.', {
      path: `${path}.${key}`,
      remedy: near === undefined ? `There are ${names.join(', ')}.` : `Did you mean '${near}'?`,
    });
  }
}

/** Refuses a word that is none of those that an option takes. @throws an error of the class given, `unsupported`. */
export function checkWord(value: string, words: readonly string[], path: string, Fault: ErrorClass): void {
  if (words.includes(value)) return;
  const near = nearestName(String(value), words);
  throw new Fault('unsupported', `is '${String(value)}'.`, {
    path,
    remedy: `Give one of ${words.join(', ')}${near === undefined ? '' : `: did you mean '${near}'?`}.`,
  });
}
