/** Attributes of URDF elements as checked values. */
import type { Triple } from 'poise/figure';
import { decimalOf, isInfinite } from '../text/decimal.js';
import { describe, fail } from '../text/json-checks.js';
import type { XmlElement } from '../text/xml.js';

/**
 * A required, non-empty name.
 * @throws FormatError `invalid-file`.
 */
export function nameAt(element: XmlElement, attribute: string): string {
  const value = element.attributes.get(attribute)?.trim();
  if (value) return value;
  const what = value === undefined ? 'is missing.' : 'is empty.';
  return fail('invalid-file', `${element.location}/@${attribute}`, what, 'Give a name.');
}

/**
 * A finite number; `fallback` where the attribute is absent.
 * @throws FormatError `not-finite` | `invalid-file`.
 */
export function numberAt<T>(element: XmlElement, attribute: string, fallback: T): number | T {
  const text = element.attributes.get(attribute);
  return text === undefined ? fallback : decimalOf(text.trim(), `${element.location}/@${attribute}`);
}

/**
 * One bound of a limit; undefined if absent or infinite.
 * @throws FormatError `not-finite` | `invalid-file`.
 */
export function boundAt(element: XmlElement, attribute: string): number | undefined {
  const text = element.attributes.get(attribute)?.trim();
  if (text === undefined || isInfinite(text)) return undefined;
  return decimalOf(text, `${element.location}/@${attribute}`);
}

/**
 * Three numbers separated by white space; `fallback` where element or attribute is absent.
 * @throws FormatError `wrong-size` | `not-finite` | `invalid-file`.
 */
export function tripleAt(element: XmlElement | undefined, attribute: string, fallback: Triple): Triple {
  const text = element?.attributes.get(attribute);
  if (element === undefined || text === undefined) return fallback;
  const location = `${element.location}/@${attribute}`;
  const numbers = text.trim() === '' ? [] : text.trim().split(/\s+/);
  if (numbers.length !== 3) {
    fail('wrong-size', location, `is ${describe(text)}.`, 'Give three numbers separated by spaces.');
  }
  const [x, y, z] = numbers.map((number) => decimalOf(number, location));
  return [x, y, z];
}
