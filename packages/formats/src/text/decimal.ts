/** Numbers written in text files. */
import { describe, fail } from './json-checks.js';

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const infinite = /^[+-]?inf(?:inity)?$/i;

/** Whether a text is an infinity: `inf`, `-Infinity`. */
export function isInfinite(text: string): boolean {
  return infinite.test(text);
}

/**
 * Parses a finite number from a text without white space.
 *
 * @param location - For error messages.
 * @throws FormatError `not-finite` | `invalid-file`.
 */
export function decimalOf(text: string, location: string): number {
  const value = decimal.test(text) ? Number(text) : Number.NaN;
  if (Number.isFinite(value)) return value;
  if (decimal.test(text) || infinite.test(text) || /^[+-]?nan$/i.test(text)) {
    return fail('not-finite', location, `${describe(text)} is not a finite number.`, 'Give a finite number.');
  }
  return fail(
    'invalid-file',
    location,
    `${describe(text)} is not a number.`,
    'Write numbers like 1.25 or -3e-2.',
  );
}
