/** The MOTION section of a BVH file. */

import { decimalOf } from '../text/decimal.js';
import { describe, fail } from '../text/json-checks.js';
import type { BvhHierarchy } from './hierarchy.js';

/** The channel values of all frames. */
export interface BvhFrames {
  readonly count: number;
  /** Duration of a frame, s. */
  readonly frameTime: number;
  /** Frame by frame, one number a channel: file units and degrees. */
  readonly values: Float64Array;
}

/** A line with something on it: where it starts and ends in the text, and its number, counted from 1. */
interface TextLine {
  readonly start: number;
  readonly end: number;
  readonly number: number;
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const FIRST_NON_ASCII = 128;
/** Significant digits of integers that a double has exactly, and the largest power of ten. */
const EXACT_DIGITS = 15;
const EXACT_POWERS: readonly number[] = /* @__PURE__ */ Array.from({ length: 23 }, (_, k) =>
  Number(`1e${k}`),
);

/**
 * Reads one frame a line; blank lines are skipped. A count that is off by one is a warning. The text is not split: files are long.
 *
 * @param at - Where the line after MOTION starts.
 * @throws FormatError `invalid-file`, `out-of-range` (a count that is none, a frame time not above 0, too short or too long), `wrong-size`, `not-finite`, at `file:line`.
 */
export function readFrames(
  text: string,
  at: number,
  { channelCount, motionLine }: BvhHierarchy,
  source: string,
  warnings: string[],
): BvhFrames {
  const cursor = { at, number: motionLine };
  const framesLine = nextLine(text, cursor);
  const timeLine = framesLine && nextLine(text, cursor);
  const stated = header(text, framesLine, cursor.number, /^frames$/i, 'Frames:', source);
  const frameTime = header(text, timeLine, cursor.number, /^frame\s*time$/i, 'Frame Time:', source);
  if (!Number.isInteger(stated) || stated < 0) {
    const what = `${stated} is not a number of frames.`;
    fail('out-of-range', `${source}:${framesLine?.number}`, what, 'Give the number of frames.');
  }
  if (!(frameTime > 0)) {
    const what = `the frame time is ${frameTime} s.`;
    fail(
      'out-of-range',
      `${source}:${timeLine?.number}`,
      what,
      'Give the duration of a frame in seconds, above 0.',
    );
  }
  requireEvaluable(frameTime, stated, `${source}:${timeLine?.number}`);
  const first = { ...cursor };
  const usual = readUsual(text, cursor.at, stated, channelCount);
  if (usual !== undefined) return { count: stated, frameTime, values: usual };
  let count = 0;
  let last = timeLine;
  let surplus: TextLine | undefined;
  for (let line = nextLine(text, cursor); line; line = nextLine(text, cursor)) {
    if (count === stated) surplus = line;
    count++;
    last = line;
  }
  if (stated === 0 && count === 0) return { count: 0, frameTime, values: new Float64Array(0) };
  if (channelCount === 0) {
    const what = 'no joint has channels, so there is no motion.';
    fail('invalid-file', `${source}:${motionLine}`, what, 'Give a file with motion.');
  }
  if (count !== stated) {
    const location = `${source}:${(surplus ?? last)?.number}`;
    const what = `there are ${count} frames where line ${framesLine?.number} says ${stated}`;
    // Programs count the intervals, or write one frame more.
    if (count === 0 || Math.abs(count - stated) > 1) {
      fail('wrong-size', location, `${what}.`, 'Give the whole file, or correct the number.');
    }
    warnings.push(`${location}: ${what}; all that are there are read.`);
  }
  // Each number takes a character and a space: what is shorter cannot have them all.
  if (2 * count * channelCount > text.length - at + 2 * count) {
    requireNumbers(text, first, channelCount, source);
  }
  const values = new Float64Array(count * channelCount);
  for (let frame = 0; frame < count; frame++) {
    const line = nextLine(text, first) as TextLine;
    if (readRow(text, line.start, channelCount, values, frame * channelCount) !== line.end) {
      readWords(text, line, frame, channelCount, source, values);
    }
  }
  return { count, frameTime, values };
}

/** Refuses a frame time whose times or accelerations, which have its inverse square, are no numbers. @throws FormatError `out-of-range`. */
function requireEvaluable(frameTime: number, count: number, location: string): void {
  const isLong = !(frameTime * (count + 1) < Infinity);
  if (!isLong && 1 / (frameTime * frameTime) < Infinity) return;
  const what = `the frame time of ${frameTime} s is too ${isLong ? 'long' : 'short'} for a motion.`;
  fail('out-of-range', location, what, 'Give the duration of a frame in seconds, such as 0.01.');
}

/**
 * The numbers of all frames in one pass, where there are as many frames as stated and all numbers have their usual form; undefined for any other file, which
 * is read line by line.
 */
function readUsual(text: string, at: number, count: number, channelCount: number): Float64Array | undefined {
  // Each number takes a character and a space: what is shorter cannot have them all.
  if (count === 0 || channelCount === 0 || 2 * count * channelCount > text.length - at + 1) return undefined;
  const values = new Float64Array(count * channelCount);
  let i = at;
  for (let frame = 0; frame < count; frame++) {
    i = skipBlank(text, i);
    i = readRow(text, i, channelCount, values, frame * channelCount);
    if (i < 0) return undefined;
  }
  return skipBlank(text, i) === text.length ? values : undefined;
}

/** Where the next character is that is neither a space nor the end of a line. */
function skipBlank(text: string, at: number): number {
  let i = at;
  for (; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c !== LINE_FEED && c !== CARRIAGE_RETURN && !isSpace(c)) break;
  }
  return i;
}

/** The next line that is not blank; the cursor is then behind it. At the end its number is that of the last line. */
function nextLine(text: string, cursor: { at: number; number: number }): TextLine | undefined {
  while (cursor.at <= text.length) {
    const start = cursor.at;
    let end = start;
    let isBlank = true;
    for (; end < text.length; end++) {
      const c = text.charCodeAt(end);
      if (c === LINE_FEED || c === CARRIAGE_RETURN) break;
      if (isBlank && !isSpace(c)) isBlank = c >= FIRST_NON_ASCII && /^\s$/.test(text[end]);
    }
    const isPair = text.charCodeAt(end) === CARRIAGE_RETURN && text.charCodeAt(end + 1) === LINE_FEED;
    cursor.at = end + (isPair ? 2 : 1);
    cursor.number++;
    if (!isBlank) return { start, end, number: cursor.number };
  }
  return undefined;
}

/** White space in a line: space, tab, vertical tab, form feed. */
function isSpace(c: number): boolean {
  return c === 32 || c === 9 || c === 11 || c === 12;
}

/**
 * The numbers of a line in their usual form, `-12.345`, of few enough digits that an integer by a power of ten is the nearest double.
 * @returns where the line ends; -1 where they are not so, or not as many as wanted.
 */
function readRow(text: string, at: number, count: number, out: Float64Array, o: number): number {
  const { length } = text;
  let i = at;
  for (let k = 0; k < count; k++) {
    let c = i < length ? text.charCodeAt(i) : LINE_FEED;
    while (isSpace(c)) c = ++i < length ? text.charCodeAt(i) : LINE_FEED;
    const isNegative = c === 45;
    if (isNegative || c === 43) c = ++i < length ? text.charCodeAt(i) : LINE_FEED;
    const start = i;
    let mantissa = 0;
    for (; c >= 48 && c <= 57; c = ++i < length ? text.charCodeAt(i) : LINE_FEED)
      mantissa = 10 * mantissa + (c - 48);
    let digits = i - start;
    let value = mantissa;
    if (c === 46) {
      const point = ++i;
      c = i < length ? text.charCodeAt(i) : LINE_FEED;
      for (; c >= 48 && c <= 57; c = ++i < length ? text.charCodeAt(i) : LINE_FEED)
        mantissa = 10 * mantissa + (c - 48);
      digits += i - point;
      if (digits <= EXACT_DIGITS) value = mantissa / EXACT_POWERS[i - point];
    }
    const ends = isSpace(c) || c === LINE_FEED || c === CARRIAGE_RETURN;
    if (digits === 0 || digits > EXACT_DIGITS || !ends) return -1;
    out[o + k] = isNegative ? -value : value;
  }
  for (let c = 0; i < length; i++) {
    c = text.charCodeAt(i);
    if (c === LINE_FEED || c === CARRIAGE_RETURN) return i;
    if (!isSpace(c)) return -1;
  }
  return length;
}

/** The numbers of a line in any form. @throws FormatError `wrong-size`, `not-finite`, `invalid-file`. */
function readWords(
  text: string,
  line: TextLine,
  frame: number,
  count: number,
  source: string,
  out: Float64Array,
): void {
  const words = text.slice(line.start, line.end).trim().split(/\s+/);
  const location = `${source}:${line.number}`;
  if (words.length !== count) {
    const what = `frame ${frame} has ${words.length} numbers; the joints have ${count} channels.`;
    fail('wrong-size', location, what, 'Give one number for each channel, one frame a line.');
  }
  for (let k = 0; k < count; k++) out[frame * count + k] = decimalOf(words[k], location);
}

/** Refuses the first frame that is too short, before memory for all is taken. @throws FormatError as {@link readWords}. */
function requireNumbers(
  text: string,
  first: { readonly at: number; readonly number: number },
  count: number,
  source: string,
): void {
  const cursor = { ...first };
  const row = new Float64Array(count);
  let frame = 0;
  for (let line = nextLine(text, cursor); line; line = nextLine(text, cursor), frame++) {
    if (line.end - line.start < 2 * count - 1) readWords(text, line, frame, count, source, row.fill(0));
  }
}

function header(
  text: string,
  line: TextLine | undefined,
  lastLine: number,
  label: RegExp,
  name: string,
  source: string,
): number {
  const content = line && text.slice(line.start, line.end);
  // Split at the colon: one pattern for label and value takes the square of the time that a line of spaces is long.
  const colon = content?.indexOf(':') ?? -1;
  const isHeader = content !== undefined && colon >= 0 && label.test(content.slice(0, colon).trim());
  const value = isHeader ? content.slice(colon + 1).trim() : undefined;
  const location = `${source}:${line?.number ?? lastLine}`;
  if (value !== undefined) return decimalOf(value, location);
  const what = content === undefined ? `ends without ${name}` : `is ${describe(content.trim())}, not ${name}`;
  return fail('invalid-file', location, `${what}.`, 'Give the whole file.');
}

/** The lines of a text up to MOTION, and where the line after it starts: undefined where nothing is after it. */
export function linesToMotion(text: string): {
  readonly lines: string[];
  readonly motion: number | undefined;
} {
  const lines: string[] = [];
  const end = /\r\n|\n|\r/g;
  for (let at = 0; ; at = end.lastIndex) {
    const match = end.exec(text);
    // A copy: names of bones are parts of it, and a part of the text would keep all of it in memory.
    const line = text.slice(at, match?.index).split('').join('');
    lines.push(line);
    const isMotion = line.trim().toUpperCase() === 'MOTION';
    if (match === null) return { lines, motion: undefined };
    if (isMotion) return { lines, motion: end.lastIndex };
  }
}
