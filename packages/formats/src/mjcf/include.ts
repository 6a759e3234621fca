/** Puts the content of included files where `<include>` stands. */
import { cut, fail } from '../text/json-checks.js';
import { textOf } from '../text/utf8.js';
import { parseXml, type XmlElement } from '../text/xml.js';
import { wordAt } from './attributes.js';
import type { ReadMjcfOptions } from './options.js';

/** Nesting of elements at most, in a file and with its includes, each of which counts as a level: readers call themselves for each. */
const MAX_DEPTH = 256;

/** The root element of an MJCF text. @throws FormatError `invalid-file`. */
export function parseMjcf(text: string, source: string): XmlElement {
  return parseXml(text, source, MAX_DEPTH);
}

/**
 * The element with all includes expanded, in the files that they name too. As in MuJoCo a file is included once at most, so
 * that includes cannot go in circles.
 *
 * @throws FormatError `invalid-file`, `duplicate-name`, `unsupported` for elements and includes that nest too deep.
 */
export function withIncludes(
  root: XmlElement,
  { resource }: ReadMjcfOptions,
  warnings: string[],
): XmlElement {
  const included = new Set<string>();
  const contentOf = (element: XmlElement, depth: number): readonly XmlElement[] => {
    const file = wordAt(element, 'file');
    const path = `${element.location}/@file`;
    if (!file) return fail('invalid-file', path, 'is missing.', 'Name the file to include.');
    if (included.has(file)) {
      fail('duplicate-name', path, `includes '${cut(file)}' a second time.`, 'Include each file once.');
    }
    included.add(file);
    const content = resource?.(file, path);
    if (content === undefined) {
      const reason = resource ? 'the file does not exist' : 'no option resource says what it holds';
      warnings.push(`${path}: '${cut(file)}' is left out: ${reason}.`);
      return [];
    }
    const name = file.replace(/^\.\//, '');
    return expanded(parseMjcf(textOf(content, name), name), depth).children;
  };
  const expanded = (element: XmlElement, depth: number): XmlElement => {
    if (depth > MAX_DEPTH) {
      const what = `is nested deeper than ${MAX_DEPTH} levels of elements and includes.`;
      fail('unsupported', element.location, what, 'Make the model flatter, or include fewer files in a row.');
    }
    const children = element.children.flatMap((child) =>
      child.tag === 'include' ? contentOf(child, depth + 1) : [expanded(child, depth + 1)],
    );
    return { ...element, children };
  };
  return expanded(root, 1);
}
