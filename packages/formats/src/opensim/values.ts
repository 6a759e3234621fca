/** Values of elements whose content is text, as OpenSim writes properties: `<mass>12.5</mass>`. */
import type { Triple } from 'poise/figure';
import { decimalOf, isInfinite } from '../text/decimal.js';
import { describe, fail } from '../text/json-checks.js';
import { childOf, childrenOf, type XmlElement } from '../text/xml.js';

/** Text of a child; undefined where there is none or it is empty. */
export function textOfChild(parent: XmlElement, tag: string): string | undefined {
  return childOf(parent, tag)?.text || undefined;
}

/**
 * Numbers of an element, separated by white space.
 * @throws FormatError `wrong-size` | `not-finite` | `invalid-file`.
 */
export function numbersOf(element: XmlElement, least: number, most = least): readonly number[] {
  const words = element.text === '' ? [] : element.text.split(/\s+/);
  if (words.length < least || words.length > most) {
    const wanted =
      least === most ? `${least}` : most === Infinity ? `${least} or more` : `${least} to ${most}`;
    const what = `has ${words.length} numbers.`;
    fail('wrong-size', element.location, what, `Give ${wanted} numbers separated by spaces.`);
  }
  return words.map((word) => decimalOf(word, element.location));
}

/** One number of a child; `fallback` where there is none. @throws FormatError as {@link numbersOf}. */
export function numberOfChild<T>(parent: XmlElement, tag: string, fallback: T): number | T {
  const child = childOf(parent, tag);
  return child === undefined || child.text === '' ? fallback : numbersOf(child, 1)[0];
}

/** Three numbers of a child; `fallback` where there is none. @throws FormatError as {@link numbersOf}. */
export function tripleOfChild<T>(parent: XmlElement, tag: string, fallback: T): Triple | T {
  const child = childOf(parent, tag);
  if (child === undefined || child.text === '') return fallback;
  const [x, y, z] = numbersOf(child, 3);
  return [x, y, z];
}

/** Lower and upper end of a child, which may be infinite; undefined where there is none. @throws FormatError */
export function rangeOfChild(parent: XmlElement, tag: string): readonly [number, number] | undefined {
  const child = childOf(parent, tag);
  if (child === undefined || child.text === '') return undefined;
  const words = child.text.split(/\s+/);
  if (words.length !== 2)
    fail(
      'wrong-size',
      child.location,
      `has ${words.length} numbers.`,
      'Give two: the least and the largest value.',
    );
  const [min, max] = words.map((word) =>
    isInfinite(word) ? (word.startsWith('-') ? -Infinity : Infinity) : decimalOf(word, child.location),
  );
  return [min, max];
}

/** `true` or `false` of a child. @throws FormatError `invalid-file`. */
export function flagOfChild(parent: XmlElement, tag: string, fallback: boolean): boolean {
  const child = childOf(parent, tag);
  const text = child?.text.toLowerCase();
  if (child === undefined || text === '') return fallback;
  if (text === 'true' || text === 'false') return text === 'true';
  return fail('invalid-file', child.location, `is ${describe(child.text)}.`, 'Give true or false.');
}

/** The objects of a set, `<BodySet><objects>...`; none where there is no set. */
export function objectsOf(parent: XmlElement, set: string): readonly XmlElement[] {
  return childrenOf(parent, set).flatMap((each) =>
    childrenOf(each, 'objects').flatMap((objects) => objects.children),
  );
}

/** The attribute `name`. @throws FormatError `invalid-file` where it is absent or empty. */
export function nameOf(element: XmlElement): string {
  const name = element.attributes.get('name')?.trim();
  if (name) return name;
  return fail('invalid-file', element.location, 'has no name.', `Give <${element.tag}> the attribute name.`);
}
