/** Attributes of URDF elements as checked values. */
import type { Triple } from 'poise/figure';
import { decimalOf, isInfinite } from '../text/decimal.js';
import { describe, fail } from '../text/json-checks.js';
import type { XmlElement } from './xml.js';

/**
 * A name, which must be there and must not be empty.
 * @throws FormatError `invalid-file`.
 */
export function nameAt(element: XmlElement, attribute: string): string {
  const value = element.attributes.get(attribute)?.trim();
  if (value) return value;
  const what = value === undefined ? 'is missing.' : 'is empty.';
  return fail('invalid-file', `${element.place}/@${attribute}`, what, 'Give a name.');
}

/**
 * A finite number; `fallback` where the attribute is absent.
 * @throws FormatError `not-finite` | `invalid-file`.
 */
export function numberAt<T>(element: XmlElement, attribute: string, fallback: T): number | T {
  const text = element.attributes.get(attribute);
  return text === undefined ? fallback : decimalOf(text.trim(), `${element.place}/@${attribute}`);
}

/**
 * One end of a limit: infinite counts as absent.
 * @throws FormatError `not-finite` | `invalid-file`.
 */
export function endAt(element: XmlElement, attribute: string): number | undefined {
  const text = element.attributes.get(attribute)?.trim();
  if (text === undefined || isInfinite(text)) return undefined;
  return decimalOf(text, `${element.place}/@${attribute}`);
}

/**
 * Three numbers with white space between; `fallback` where element or attribute is absent.
 * @throws FormatError `wrong-size` | `not-finite` | `invalid-file`.
 */
export function tripleAt(element: XmlElement | undefined, attribute: string, fallback: Triple): Triple {
  const text = element?.attributes.get(attribute);
  if (element === undefined || text === undefined) return fallback;
  const place = `${element.place}/@${attribute}`;
  const parts = text.trim() === '' ? [] : text.trim().split(/\s+/);
  if (parts.length !== 3) {
    fail('wrong-size', place, `is ${describe(text)}.`, 'Give three numbers with spaces between.');
  }
  const [x, y, z] = parts.map((part) => decimalOf(part, place));
  return [x, y, z];
}
