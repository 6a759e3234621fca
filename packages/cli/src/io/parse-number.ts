/** Parses and formats numbers of the command line. */
import { GoalError } from 'poise';

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const notFinite = /^[+-]?(?:nan|inf|infinity)$/i;

/**
 * Parses a decimal number with optional exponent.
 * @param path - Location for the message.
 * @throws GoalError `not-finite` for NaN, infinity and overflow; `unsupported` for text that is not a number.
 */
export function parseNumber(text: string, path: string): number {
  const trimmed = text.trim();
  const value = decimal.test(trimmed) ? Number(trimmed) : Number.NaN;
  if (Number.isFinite(value)) return value;
  if (notFinite.test(trimmed) || decimal.test(trimmed)) {
    throw new GoalError('not-finite', `${trimmed} is not a finite number.`, {
      path,
      remedy: 'Give finite numbers.',
    });
  }
  throw new GoalError('unsupported', `'${trimmed}' is not a number.`, {
    path,
    remedy: 'Write numbers like 1.25 or -3e-2.',
  });
}

/** Parses comma-separated numbers. @throws GoalError as {@link parseNumber}, `wrong-size` for another count. */
export function parseNumbers(text: string, counts: readonly number[], path: string): number[] {
  const fields = text.split(',');
  if (!counts.includes(fields.length)) {
    const wanted = counts.join(' or ');
    throw new GoalError(
      'wrong-size',
      `'${text}' has ${text.trim() === '' ? 'no numbers' : count(fields.length, 'number')} instead of ${wanted}.`,
      { path, remedy: `Give ${wanted} numbers separated by commas, without spaces.` },
    );
  }
  return fields.map((field) => parseNumber(field, path));
}

/**
 * Checks numbers against a large bound, so that their squares cannot overflow.
 * @throws GoalError `out-of-range`.
 */
export function requireWithin(values: readonly number[], bound: number, unit: string, path: string): void {
  for (const value of values) {
    if (Math.abs(value) <= bound) continue;
    throw new GoalError('out-of-range', `${value} exceeds ${bound} ${unit}.`, {
      path,
      remedy: `Give a smaller ${unit === 'm' ? 'length' : 'angle'}.`,
    });
  }
}

/** A number with at most `digits` decimals and no trailing zeros; never -0. */
export function decimals(value: number, digits = 3): string {
  return String(Number(value.toFixed(digits)) + 0);
}

/** A point or vector. */
export function triple(v: ArrayLike<number>): string {
  return Array.from(v, (value) => decimals(value)).join(', ');
}

/** A length in m, or in mm below 1 m. */
export function lengthText(metres: number): string {
  if (metres >= 1) return `${significant(metres)} m`;
  return metres > 0 && metres < 1e-6 ? '<0.001 mm' : `${significant(1000 * metres)} mm`;
}

/** An angle in degrees. */
export function angleText(radians: number): string {
  const degrees = (radians * 180) / Math.PI;
  return degrees > 0 && degrees < 1e-3 ? '<0.001 deg' : `${significant(degrees)} deg`;
}

/** Three significant digits at most and three decimals at most. */
export function significant(value: number): string {
  return decimals(Number(value.toPrecision(3)));
}

/** `1 bone`, `2 bones`. */
export function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : noun.endsWith('sh') ? 'es' : 's'}`;
}
