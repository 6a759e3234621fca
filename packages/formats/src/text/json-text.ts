/**
 * Edits of JSON text in place. Parsing and printing a whole file would lose what JavaScript numbers and objects
 * cannot represent: -0, 64-bit integers, 1.0 against 1, repeated keys. Here only the text of an edited value changes.
 *
 * Every function takes text that `JSON.parse` has accepted, so the scan needs no error paths. It keeps a depth counter
 * instead of a stack: nesting costs no memory.
 */

/** Start (inclusive) and end (exclusive) of a value in the text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Replaces a span by `text`; an empty span inserts. */
export interface TextEdit extends Span {
  readonly text: string;
}

/** Span of the whole document's value. */
export function rootSpan(text: string): Span {
  const start = skipSpace(text, 0);
  return { start, end: skipValue(text, start) };
}

/** Spans of the members of the object at `span`; where a key is repeated the last one counts, as in `JSON.parse`. */
export function memberSpans(text: string, span: Span): Map<string, Span> {
  const members = new Map<string, Span>();
  let at = skipSpace(text, span.start + 1);
  while (text[at] !== '}') {
    const keyEnd = skipString(text, at);
    const key = JSON.parse(text.slice(at, keyEnd)) as string;
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = skipValue(text, start);
    members.set(key, { start, end });
    at = skipSeparator(text, end);
  }
  return members;
}

/** Spans of the elements of the array at `span`. */
export function elementSpans(text: string, span: Span): Span[] {
  const elements: Span[] = [];
  let at = skipSpace(text, span.start + 1);
  while (text[at] !== ']') {
    const end = skipValue(text, at);
    elements.push({ start: at, end });
    at = skipSeparator(text, end);
  }
  return elements;
}

/**
 * Edits that give members of the object at `span` new values, each the JSON text given. A missing member is
 * inserted before the others.
 */
export function setMembers(text: string, span: Span, values: ReadonlyMap<string, string>): TextEdit[] {
  const members = memberSpans(text, span);
  const edits: TextEdit[] = [];
  const added: string[] = [];
  for (const [key, value] of values) {
    const old = members.get(key);
    if (old) edits.push({ ...old, text: value });
    else added.push(`${JSON.stringify(key)}:${value}`);
  }
  if (added.length > 0) {
    const start = span.start + 1;
    edits.push({ start, end: start, text: added.join(',') + (members.size > 0 ? ',' : '') });
  }
  return edits;
}

/** The text with all edits made. Spans refer to the text as given and do not overlap. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    pieces.push(text.slice(at, edit.start), edit.text);
    at = edit.end;
  }
  pieces.push(text.slice(at));
  return pieces.join('');
}

function skipSpace(text: string, at: number): number {
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return at;
    at++;
  }
}

/** Past a comma and the space around it, or onto the closing bracket. */
function skipSeparator(text: string, at: number): number {
  const next = skipSpace(text, at);
  return text[next] === ',' ? skipSpace(text, next + 1) : next;
}

/** Past the string that starts at `at`. */
function skipString(text: string, at: number): number {
  for (let i = at + 1; ; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x22) return i + 1;
    if (code === 0x5c) i++;
  }
}

/** Past the value that starts at `at`. */
function skipValue(text: string, at: number): number {
  let depth = 0;
  for (let i = at; i < text.length; ) {
    const code = text.charCodeAt(i);
    if (code === 0x22) {
      i = skipString(text, i);
    } else if (code === 0x7b || code === 0x5b) {
      depth++;
      i++;
      continue;
    } else if (code === 0x7d || code === 0x5d) {
      depth--;
      i++;
    } else if (depth > 0 && (code === 0x2c || code === 0x3a || code <= 0x20)) {
      i++;
      continue;
    } else {
      i = skipScalar(text, i);
    }
    if (depth === 0) return i;
  }
  return text.length;
}

/** Past a number, true, false or null. */
function skipScalar(text: string, at: number): number {
  let i = at;
  for (; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x2c || code === 0x7d || code === 0x5d || code <= 0x20) break;
  }
  return i;
}
