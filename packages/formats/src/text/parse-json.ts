/** JSON files: parsed with errors that have the location and quote nothing of the file. */
import { MAX_NESTING } from '../budget.js';
import { fail } from './json-checks.js';

/**
 * The value of a JSON text; a byte-order mark is dropped. The error names line and column and quotes nothing, since the file may be one that
 * the reader of the message must not see.
 *
 * @param source - Name of the file.
 * @throws FormatError `invalid-file`, at the source; `unsupported` for more than 512 levels of arrays and objects.
 */
export function parseJson(text: string, source: string, remedy: string): unknown {
  const json = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return fail('invalid-file', source, `its JSON does not parse${placeOf(json)}.`, remedy);
  }
  if (nestsTooDeep(json))
    fail('unsupported', source, `nests deeper than ${MAX_NESTING} levels.`, 'Make it flatter.');
  return value;
}

/** Whether arrays and objects nest too deep in a text that is JSON. */
function nestsTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      // To the quote that closes the string: one before which stands an even number of backslashes.
      for (at++; text.charCodeAt(at) !== 0x22; at++) if (text.charCodeAt(at) === 0x5c) at++;
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > MAX_NESTING) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}

/** ` (line 3, column 7)` of the first token that does not fit; of an unfinished text its end. */
function placeOf(text: string): string {
  if (text.trim() === '') return ': it is empty';
  const before = text.slice(0, errorIndex(text)).split(/\r\n|\n|\r/);
  return ` (line ${before.length}, column ${before[before.length - 1].length + 1})`;
}

const SPACE = /[ \t\n\r]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** Index of the first token that the grammar of JSON (RFC 8259) does not allow. */
function errorIndex(text: string): number {
  const closers: ('}' | ']')[] = [];
  let at = 0;
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.test(text);
    if (found) at = pattern.lastIndex;
    return found;
  };
  const skipTo = (word: string): boolean => {
    take(SPACE);
    if (text[at] !== word) return false;
    at++;
    return true;
  };
  const takeString = (): boolean => {
    if (text[at] !== '"') return false;
    for (at++; at < text.length && text.charCodeAt(at) >= 0x20; ) {
      if (text[at] === '"') {
        at++;
        return true;
      }
      if (text[at] !== '\\') at++;
      else if (!take(ESCAPE)) return false;
    }
    return false;
  };
  const takeKey = (): boolean => take(SPACE) && takeString() && skipTo(':');
  for (;;) {
    take(SPACE);
    // A value.
    if (text[at] === '{' || text[at] === '[') {
      const closer = text[at++] === '{' ? '}' : ']';
      if (!skipTo(closer)) {
        if (closer === '}' && !takeKey()) return at;
        closers.push(closer);
        continue;
      }
    } else if (!takeString() && !take(SCALAR)) return at;
    // What may stand after it.
    let closer = closers.at(-1);
    while (closer !== undefined && skipTo(closer)) {
      closers.pop();
      closer = closers.at(-1);
    }
    const continues = skipTo(',');
    if (closer === undefined || !continues) return continues ? at - 1 : at;
    if (closer === '}' && !takeKey()) return at;
  }
}
