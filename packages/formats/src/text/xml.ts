/** Parses XML into a tree of elements with their locations; malformed XML is refused. */
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { cut, fail } from './json-checks.js';

/** An element of an XML file. */
export interface XmlElement {
  readonly tag: string;
  /** The file's name and an XPath, `panda.urdf#/robot/joint[@name='panda_joint1']/axis`. */
  readonly location: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** In file order, without text and comments. */
  readonly children: readonly XmlElement[];
  /** Its own text, white space around it removed, pieces between children separated by a space. */
  readonly text: string;
}

/** A node as fast-xml-parser gives it with `preserveOrder`: one key for the tag, `:@` for the attributes. */
type ParsedNode = { readonly [key: string]: unknown };

const ATTRIBUTES = ':@';
const TEXT = '#text';
/** Nesting limit of most formats, whose files are flat. */
const MAX_DEPTH = 50;
/** Characters of the parser's reason in a message, which quotes tags of the file. */
const MAX_REASON = 160;

/**
 * The root element of an XML text.
 *
 * A document type is refused: no format read here needs one, and it is the only source of recursive entity expansion and of external entities (files
 * of the local disk). Nothing is expanded either way: the parser leaves references alone, and {@link unescaped} reads the five of XML
 * and those to characters.
 *
 * @param maxDepth - Nesting limit of elements.
 * @throws FormatError `invalid-file` with line and column, `unsupported` for a document type.
 */
export function parseXml(text: string, source: string, maxDepth = MAX_DEPTH): XmlElement {
  if (declaresType(text)) {
    fail(
      'unsupported',
      source,
      'declares a document type (<!DOCTYPE>).',
      'Remove it: the format needs none.',
    );
  }
  const verdict = XMLValidator.validate(text);
  if (verdict !== true) {
    const { msg, line, col } = verdict.err;
    const open = unclosedAt(text);
    const what =
      open === undefined
        ? `its XML does not parse (line ${line}, column ${col}): ${cut(msg.replace(/\.$/, ''), MAX_REASON)}.`
        : `its XML does not parse: it ends in line ${lineAt(text, text.length)}, and ${open.what} of line ${lineAt(text, open.at)} is not closed.`;
    fail('invalid-file', source, what, 'Correct the file or export it again.');
  }
  const roots = parsed(text, source, maxDepth).flatMap((node) => elementsOf(node));
  if (roots.length !== 1) {
    const what = roots.length === 0 ? 'has no element.' : `has ${roots.length} root elements.`;
    fail('invalid-file', source, what, 'Give an XML file with one root element.');
  }
  const [root] = roots;
  return element(root.tag, root.node, `${source}#/${cut(root.tag)}`);
}

/** What opens a section whose content is no markup, and what closes it. */
const SECTIONS: readonly (readonly [open: string, close: string])[] = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
];

/**
 * Whether a declaration (`<!DOCTYPE`, `<!ENTITY`) stands outside comments, CDATA sections, processing instructions and the values of
 * attributes. One pass from left to right: a section opener inside another section is text.
 */
function declaresType(text: string): boolean {
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at)) {
    const section = SECTIONS.find(([open]) => text.startsWith(open, at));
    if (section) {
      const end = text.indexOf(section[1], at + section[0].length);
      if (end < 0) return false;
      at = end + section[1].length;
    } else if (text[at + 1] === '!') {
      return true;
    } else {
      at = tagEnd(text, at);
    }
  }
  return false;
}

/**
 * What a text that is cut off leaves open: a section, a tag, or the innermost element. Undefined where all is closed, or a tag closes another
 * than the element before it.
 */
function unclosedAt(text: string): { readonly what: string; readonly at: number } | undefined {
  const open: { tag: string; at: number }[] = [];
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at)) {
    const section = SECTIONS.find(([start]) => text.startsWith(start, at));
    const end = section ? text.indexOf(section[1], at + section[0].length) : tagEnd(text, at);
    if (section && end < 0) return { what: `the section ${section[0]}`, at };
    if (section) {
      at = end + section[1].length;
      continue;
    }
    const [name] = /^\/?[^\s/<>]*/.exec(text.slice(at + 1, end)) as RegExpExecArray;
    if (text[end - 1] !== '>') {
      const element = name.startsWith('/') ? open.at(-1) : undefined;
      return element ? elementAt(element) : { what: `the tag ${cut(`<${name}`)}`, at };
    }
    if (name.startsWith('/')) {
      if (open.pop()?.tag !== name.slice(1)) return undefined;
    } else if (text[end - 2] !== '/') open.push({ tag: name, at });
    at = end;
  }
  const innermost = open.at(-1);
  return innermost && elementAt(innermost);
}

function elementAt({ tag, at }: { readonly tag: string; readonly at: number }): {
  readonly what: string;
  readonly at: number;
} {
  return { what: `<${cut(tag)}>`, at };
}

/** The number of the line of a character, from 1. */
function lineAt(text: string, at: number): number {
  return text.slice(0, at).split(/\r\n|\n|\r/).length;
}

/** Past the tag that starts at `at`; a > in the value of an attribute does not end it. */
function tagEnd(text: string, at: number): number {
  let quote = '';
  for (let i = at + 1; i < text.length; i++) {
    const character = text[i];
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '>') return i + 1;
  }
  return text.length;
}

const CHARACTERS: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** A text with references to characters replaced, once; others stay as they are. */
function unescaped(text: string): string {
  return text.replace(
    /&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#x([\da-f]{1,6}));/gi,
    (reference, name, decimal, hex) => {
      if (name !== undefined) return CHARACTERS[name] ?? reference;
      const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : reference;
    },
  );
}

function parsed(text: string, source: string, maxDepth: number): readonly ParsedNode[] {
  const parser = new XMLParser({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: '',
    parseTagValue: false,
    parseAttributeValue: false,
    ignoreDeclaration: true,
    ignorePiTags: true,
    processEntities: false,
    maxNestedTags: maxDepth,
  });
  try {
    return parser.parse(text) as readonly ParsedNode[];
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return fail(
      'invalid-file',
      source,
      `its XML does not parse: ${cut(reason.replace(/\.$/, ''), MAX_REASON)}.`,
      'Correct the file or export it again.',
    );
  }
}

function elementsOf(node: ParsedNode): { readonly tag: string; readonly node: ParsedNode }[] {
  return Object.keys(node)
    .filter((key) => key !== ATTRIBUTES && key !== TEXT)
    .map((tag) => ({ tag, node }));
}

function element(tag: string, node: ParsedNode, location: string): XmlElement {
  const written = Object.entries((node[ATTRIBUTES] ?? {}) as Readonly<Record<string, string>>);
  const attributes = new Map(written.map(([name, value]) => [name, unescaped(value)]));
  const nodes = node[tag] as readonly ParsedNode[];
  const elements = nodes.flatMap(elementsOf);
  const text = nodes.flatMap((child) => (TEXT in child ? [String(child[TEXT]).trim()] : []));
  const count = new Map<string, number>();
  for (const child of elements) count.set(child.tag, (count.get(child.tag) ?? 0) + 1);
  const seen = new Map<string, number>();
  const children = elements.map((child) => {
    const k = (seen.get(child.tag) ?? 0) + 1;
    seen.set(child.tag, k);
    const name = (child.node[ATTRIBUTES] as Readonly<Record<string, string>> | undefined)?.name;
    const predicate =
      name !== undefined ? `[@name='${cut(name)}']` : count.get(child.tag) === 1 ? '' : `[${k}]`;
    return element(child.tag, child.node, `${location}/${cut(child.tag)}${predicate}`);
  });
  return { tag, location, attributes, children, text: unescaped(text.join(' ')) };
}

/** Children of one tag. */
export function childrenOf(parent: XmlElement, tag: string): XmlElement[] {
  return parent.children.filter((child) => child.tag === tag);
}

/**
 * The child of a tag; undefined where there is none.
 * @throws FormatError `invalid-file` where there are several.
 */
export function childOf(parent: XmlElement, tag: string): XmlElement | undefined {
  const [first, second] = childrenOf(parent, tag);
  if (second === undefined) return first;
  return fail('invalid-file', second.location, `is the second <${tag}>.`, 'Keep one of them.');
}
