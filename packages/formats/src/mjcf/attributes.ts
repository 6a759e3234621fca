/** Attributes of MJCF elements as checked values. */
import type { Triple } from 'poise/figure';
import { decimalOf } from '../text/decimal.js';
import { describe, fail } from '../text/json-checks.js';

/** An element with the attributes of its default class filled in. */
export interface Settings {
  readonly location: string;
  readonly attributes: ReadonlyMap<string, string>;
}

/** A text without white space around it; undefined where it is absent. */
export function wordAt({ attributes }: Settings, name: string): string | undefined {
  return attributes.get(name)?.trim();
}

/**
 * Numbers separated by white space; undefined where the attribute is absent.
 * @throws FormatError `wrong-size` | `not-finite` | `invalid-file`.
 */
export function numbersAt(
  settings: Settings,
  name: string,
  least: number,
  most = least,
): readonly number[] | undefined {
  const text = wordAt(settings, name);
  if (text === undefined) return undefined;
  const path = `${settings.location}/@${name}`;
  const words = text === '' ? [] : text.split(/\s+/);
  if (words.length < least || words.length > most) {
    const wanted = least === most ? `${least}` : `${least} to ${most}`;
    fail('wrong-size', path, `is ${describe(text)}.`, `Give ${wanted} numbers separated by spaces.`);
  }
  return words.map((word) => decimalOf(word, path));
}

/** One number; `fallback` where it is absent. @throws FormatError as {@link numbersAt}. */
export function numberAt<T>(settings: Settings, name: string, fallback: T): number | T {
  return numbersAt(settings, name, 1)?.[0] ?? fallback;
}

/** Three numbers; `fallback` where they are absent. @throws FormatError as {@link numbersAt}. */
export function tripleAt<T>(settings: Settings, name: string, fallback: T): Triple | T {
  const numbers = numbersAt(settings, name, 3);
  return numbers === undefined ? fallback : [numbers[0], numbers[1], numbers[2]];
}

/** One of the given words. @throws FormatError `invalid-file`. */
export function oneOfAt<T extends string>(
  settings: Settings,
  name: string,
  words: readonly T[],
  fallback: T,
): T {
  const text = wordAt(settings, name);
  if (text === undefined) return fallback;
  const found = words.find((word) => word === text);
  if (found !== undefined) return found;
  return fail(
    'invalid-file',
    `${settings.location}/@${name}`,
    `is ${describe(text)}.`,
    `Give ${words.slice(0, -1).join(', ')} or ${words.at(-1)}.`,
  );
}

/** `true` or `false`. @throws FormatError `invalid-file`. */
export function flagAt(settings: Settings, name: string, fallback: boolean): boolean {
  return oneOfAt(settings, name, ['true', 'false'], fallback ? 'true' : 'false') === 'true';
}

/**
 * Whether a range holds: as `flag` says, or, where that is `auto`, whether there is a range and the compiler has `autolimits`.
 */
export function isLimited(settings: Settings, flag: string, range: string, autolimits: boolean): boolean {
  const word = oneOfAt(settings, flag, ['true', 'false', 'auto'], 'auto');
  if (word !== 'auto') return word === 'true';
  const numbers = numbersAt(settings, range, 2);
  return autolimits && numbers !== undefined && (numbers[0] !== 0 || numbers[1] !== 0);
}
