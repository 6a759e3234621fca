/** Numbers written in text files. */
import { describe, fail } from './json-checks.js';

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const infinite = /^[+-]?inf(?:inity)?$/i;

/** Whether a text is a number in decimals, with an exponent or without. */
export function isDecimal(text: string): boolean {
  return decimal.test(text);
}

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
  const value = isDecimal(text) ? Number(text) : Number.NaN;
  if (Number.isFinite(value)) return value;
  if (isDecimal(text) || infinite.test(text) || /^[+-]?nan$/i.test(text)) {
    return fail('not-finite', location, `${describe(text)} is not a finite number.`, 'Give a finite number.');
  }
  return fail(
    'invalid-file',
    location,
    `${describe(text)} is not a number.`,
    'Write numbers like 1.25 or -3e-2.',
  );
}

/** Decimals that `Number.toFixed` takes. */
const MAX_DIGITS = 15;

/**
 * Prints numbers rounded to decimals, without zeros at the end.
 * @throws FormatError `out-of-range`.
 */
export function numberPrinter(digits: number, path: string): (value: number) => string {
  if (!Number.isInteger(digits) || digits < 0 || digits > MAX_DIGITS) {
    fail('out-of-range', path, `is ${digits}.`, `Give an integer from 0 to ${MAX_DIGITS}.`);
  }
  return (value) => String(Number(value.toFixed(digits)) + 0);
}
