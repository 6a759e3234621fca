/** Ways to damage a file: its bytes, its text, its tree of JSON. */
import { below, pick, type Random } from './random.js';

/** Lengths of what is repeated: mostly short, for a thousand files a second; now and then long enough for what takes the square of it. */
function lengthOf(random: Random): number {
  return pick(random, [2, 10, 100, 100, 1000, random() < 0.05 ? 100_000 : 3000]);
}

/** How many edits a file gets: most files one, so that the rest of it is still read. */
const EDITS: readonly number[] = [1, 1, 1, 1, 2, 3];

/** Longest damaged text, characters: what one edit repeats another may repeat again. */
const MAX_LENGTH = 1e6;

/** Numbers as files write them, most of them no reader expects. */
const NUMBERS: readonly string[] = [
  '0',
  '-0',
  '1',
  '-1',
  '2',
  '0.5',
  '1e-7',
  '5e-324',
  '1e-300',
  '1e308',
  '-1e308',
  '1e400',
  '1e999999',
  '1e9',
  '1e15',
  '4294967296',
  '2147483648',
  '9007199254740993',
  '12345678901234567890123',
  '100000',
  '65535',
  '255',
  '3.5',
  '-1e-9',
  'NaN',
  'nan',
  'inf',
  '-Infinity',
];

const WORDS: readonly string[] = [
  '',
  ' ',
  '__proto__',
  'constructor',
  'toString',
  'prototype',
  'length',
  'null',
  'world',
  'ROOT',
  'MOTION',
  '}',
  '{',
  '[',
  ']',
  '<',
  '>',
  '"',
  "'",
  '&amp;',
  '&a;',
  '<!--',
  '-->',
  '<![CDATA[',
  ']]>',
  '<?x',
  '?>',
  '<!DOCTYPE a [<!ENTITY a "b">]>',
  '\u0000',
  '\ufeff',
  '\ud800',
  '$' + '{x}',
  '$(x)',
  '\\',
  '\r',
  ':',
  '=',
  '../../../etc/passwd',
  'file:///etc/passwd',
  'data:;base64,AAAA',
  'data:,%',
  'e',
  '.',
];

/** Bytes set, removed, inserted, repeated, cut off. */
export function damageBytes(random: Random, bytes: Uint8Array): Uint8Array {
  let out = bytes;
  for (let n = pick(random, EDITS); n > 0; n--) {
    const at = below(random, out.length + 1);
    const end = Math.min(out.length, at + 1 + below(random, pick(random, [1, 4, 64, out.length + 1])));
    switch (below(random, 6)) {
      case 0:
        out = concat([out.subarray(0, at), Uint8Array.of(below(random, 256)), out.subarray(at + 1)]);
        break;
      case 1:
        out = concat([out.subarray(0, at), out.subarray(end)]);
        break;
      case 2:
        out = concat([out.subarray(0, end), out.subarray(at)]);
        break;
      case 3: {
        const count = Math.min(lengthOf(random), Math.ceil(200_000 / Math.max(1, end - at)));
        out = concat([
          out.subarray(0, at),
          ...Array.from({ length: count }, () => bytes.subarray(at, end)),
          out.subarray(end),
        ]);
        break;
      }
      case 4: {
        // Four bytes that are a count, an offset or a number.
        out = out.slice();
        const word = pick(
          random,
          [0, 1, 0xff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x7f800000, 0x7fc00000, 1, 0x00800000],
        );
        const start = below(random, 3) === 0 ? at : at & ~3;
        for (let k = 0; k < 4 && start + k < out.length; k++) out[start + k] = (word >>> (8 * k)) & 255;
        break;
      }
      default:
        if (below(random, 3) === 0) out = out.subarray(0, at);
    }
  }
  return out;
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

/** Numbers and words replaced, lines removed, repeated and exchanged, spaces, nesting and names without end. */
export function damageText(random: Random, text: string): string {
  let out = text;
  for (let n = pick(random, EDITS); n > 0; n--) {
    const damaged = damageOnce(random, out);
    if (damaged.length <= MAX_LENGTH) out = damaged;
  }
  return out;
}

function damageOnce(random: Random, text: string): string {
  switch (below(random, 9)) {
    case 0:
      return replaceMatch(random, text, /[-+]?\d[\d.]*(?:e[-+]?\d+)?/gi, () => pick(random, NUMBERS));
    case 1:
      return replaceMatch(random, text, /[A-Za-z_]\w*/g, () => pick(random, WORDS));
    case 2:
      return replaceMatch(random, text, /[A-Za-z_]\w*/g, () => 'x'.repeat(lengthOf(random)));
    case 3:
      return replaceMatch(random, text, /\s+/g, () =>
        pick(random, [' ', '\t', '\n', '']).repeat(lengthOf(random)),
      );
    case 4:
      return replaceMatch(random, text, /\w+/g, (word) => `${word}${' '.repeat(lengthOf(random))}${word}`);
    case 5: {
      const lines = text.split('\n');
      const at = below(random, lines.length);
      const count =
        below(random, 3) === 0 ? 0 : Math.min(lengthOf(random), Math.ceil(200_000 / (lines[at].length + 1)));
      lines.splice(at, 1, ...Array.from({ length: count }, () => lines[at]));
      return lines.join('\n');
    }
    case 6: {
      const lines = text.split('\n');
      const [a, b] = [below(random, lines.length), below(random, lines.length)];
      [lines[a], lines[b]] = [lines[b], lines[a]];
      return lines.join('\n');
    }
    case 7: {
      const at = below(random, text.length + 1);
      const open = pick(random, [
        '{',
        '[',
        '<a>',
        '<!--',
        '<?',
        '(',
        '"',
        'JOINT a\n{\nOFFSET 0 0 0\n',
        '{"a":',
        '[[',
        ...WORDS,
      ]);
      return text.slice(0, at) + open.repeat(lengthOf(random)) + text.slice(at);
    }
    default: {
      const at = below(random, text.length + 1);
      return text.slice(0, at) + pick(random, WORDS) + text.slice(at + below(random, 40));
    }
  }
}

function replaceMatch(random: Random, text: string, pattern: RegExp, by: (match: string) => string): string {
  // From a random place: the first match after it.
  const from = below(random, text.length + 1);
  pattern.lastIndex = from;
  const match = pattern.exec(text);
  if (match === null) return text;
  return text.slice(0, match.index) + by(match[0]) + text.slice(match.index + match[0].length);
}

/** Stands for text that JSON.stringify cannot print: a number out of range, a repeated or a dangerous key. */
const RAW = '\u0001raw';

function raw(text: string): string {
  return `${RAW}${text}${RAW}`;
}

/** JSON text of a tree with raw texts in place. */
function print(tree: unknown): string {
  const text = JSON.stringify(tree) ?? 'null';
  const pieces = text.split('\\u0001raw');
  // Pieces alternate: outside, raw, outside. A raw text stands alone in a string, whose quotes go too.
  return pieces
    .map((piece, k) => {
      if (k % 2 === 1) return unescaped(piece);
      return piece.slice(k === 0 ? 0 : 1, k === pieces.length - 1 ? undefined : -1);
    })
    .join('');
}

function unescaped(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}

type Place = readonly [holder: Record<string, unknown>, key: string];

/** Every place in a JSON value that holds another; at most a few thousand. */
function placesOf(tree: unknown): Place[] {
  const places: Place[] = [];
  const stack: unknown[] = [tree];
  while (stack.length > 0 && places.length < 5000) {
    const value = stack.pop();
    if (typeof value !== 'object' || value === null) continue;
    for (const key of Object.keys(value)) {
      places.push([value as Record<string, unknown>, key]);
      stack.push((value as Record<string, unknown>)[key]);
    }
  }
  return places;
}

/** The text of a JSON tree with some of its values exchanged, removed, repeated or replaced by what no reader expects. */
export function damageJson(random: Random, tree: unknown): string {
  const copy = structuredClone(tree);
  const places = placesOf(copy);
  if (places.length === 0) return damageText(random, JSON.stringify(tree));
  for (let n = pick(random, EDITS); n > 0; n--) damagePlace(random, pick(random, places), places);
  const text = print(copy);
  return text.length <= MAX_LENGTH ? text : damageText(random, JSON.stringify(tree));
}

function damagePlace(random: Random, [holder, key]: Place, places: readonly Place[]): void {
  const value = holder[key];
  const length = lengthOf(random);
  switch (below(random, 12)) {
    case 0:
    case 1:
      holder[key] = raw(
        pick(
          random,
          NUMBERS.filter((text) => /^-?\d/.test(text)),
        ),
      );
      return;
    case 2:
      holder[key] = pick<unknown>(random, [
        null,
        true,
        false,
        '',
        'x',
        {},
        [],
        [[]],
        [null],
        { a: 1 },
        0,
        -1,
        0.5,
      ]);
      return;
    case 3: {
      const [other, from] = pick(random, places);
      holder[key] = structuredClone(sized(other[from]));
      return;
    }
    case 4:
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else delete holder[key];
      return;
    case 5:
      if (Array.isArray(value) && value.length > 0) {
        const entry: unknown = sized(pick(random, value));
        const size = JSON.stringify(entry)?.length ?? 4;
        holder[key] = [
          ...value,
          ...Array.from({ length: Math.min(length, Math.ceil(200_000 / size)) }, () => entry),
        ];
      } else holder[key] = [value, value];
      return;
    case 6:
      holder[key] = raw(`${pick(random, ['[', '{"a":', '[0,', '{"bones":'])}`.repeat(length));
      return;
    case 7: {
      const [open, close] = pick(random, [
        ['[', ']'],
        ['{"a":', '}'],
        ['{"children":[', ']}'],
      ]);
      holder[key] = raw(`${open.repeat(length)}0${close.repeat(length)}`);
      return;
    }
    case 8:
      holder[key] =
        pick(random, WORDS).repeat(below(random, 3)) + (below(random, 3) === 0 ? 'n'.repeat(length) : '');
      return;
    case 9: {
      const dangerous = pick(random, [
        '__proto__',
        'constructor',
        'toString',
        'hasOwnProperty',
        'length',
        key,
      ]);
      holder[key] = raw(
        `{${JSON.stringify(dangerous)}:{"polluted":1},${JSON.stringify(key)}:0,${JSON.stringify(key)}:[]}`,
      );
      return;
    }
    case 10:
      if (!Array.isArray(holder)) {
        const [other, name] = pick(random, places);
        holder[pick(random, [name, ...WORDS.filter((word) => word !== '__proto__')])] = structuredClone(
          sized(other[name]),
        );
      }
      return;
    default:
      if (typeof value === 'number') holder[key] = value + pick(random, [1, -1, 0.5, 1e6, -1e6]);
      else if (typeof value === 'string') holder[key] = value + pick(random, WORDS);
      else holder[key] = raw(pick(random, NUMBERS.slice(0, 20)));
  }
}

/** The value, or 0 in place of a large one: copies of copies would grow without end. */
function sized(value: unknown): unknown {
  return (JSON.stringify(value)?.length ?? 0) > 20_000 ? 0 : value;
}
