/** The MOTION section of a BVH file. */

import { decimalOf } from '../text/decimal.js';
import { describe, fail } from '../text/json-checks.js';
import type { BvhHierarchy } from './hierarchy.js';
import { nextLine, readRow, skipBlank, type TextLine, textOfLine, withLastEnd } from './lines.js';

/** The channel values of all frames. */
export interface BvhFrames {
  readonly count: number;
  /** Duration of a frame, s. */
  readonly frameTime: number;
  /** Frame by frame, one number a channel: file units and degrees. */
  readonly values: Float64Array;
}

/**
 * Reads one frame a line; blank lines are skipped. A count that is off by one is a warning. No text is made of them: files are long.
 *
 * @param at - Where the line after MOTION starts.
 * @throws FormatError `invalid-file`, `out-of-range` (a count that is none, a frame time not above 0, too short or too long), `wrong-size`, `not-finite`, at `file:line`.
 */
export function readFrames(
  bytes: Uint8Array,
  at: number,
  { channelCount, motionLine }: BvhHierarchy,
  source: string,
  warnings: string[],
): BvhFrames {
  const cursor = { at, number: motionLine };
  const framesLine = nextLine(bytes, cursor, source);
  const timeLine = framesLine && nextLine(bytes, cursor, source);
  const stated = header(bytes, framesLine, cursor.number, /^frames$/i, 'Frames:', source);
  const frameTime = header(bytes, timeLine, cursor.number, /^frame\s*time$/i, 'Frame Time:', source);
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
  const rows = withLastEnd(bytes);
  const usual = readUsual(rows, cursor.at, stated, channelCount);
  if (usual !== undefined) return { count: stated, frameTime, values: usual };
  let count = 0;
  let last = timeLine;
  let surplus: TextLine | undefined;
  for (let line = nextLine(bytes, cursor, source); line; line = nextLine(bytes, cursor, source)) {
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
  if (2 * count * channelCount > bytes.length - at + 2 * count) {
    requireNumbers(bytes, first, channelCount, source);
  }
  const values = new Float64Array(count * channelCount);
  for (let frame = 0; frame < count; frame++) {
    const line = nextLine(bytes, first, source) as TextLine;
    if (readRow(rows, line.start, channelCount, values, frame * channelCount) !== line.end) {
      readWords(bytes, line, frame, channelCount, source, values);
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
 * The numbers of all frames in one pass, where there are as many frames as stated, one a line; undefined for any other file, which
 * is read line by line.
 */
function readUsual(
  bytes: Uint8Array,
  at: number,
  count: number,
  channelCount: number,
): Float64Array | undefined {
  // Each number takes a character and a space: what is shorter cannot have them all.
  if (count === 0 || channelCount === 0 || 2 * count * channelCount > bytes.length - at + 1) return undefined;
  const values = new Float64Array(count * channelCount);
  let i = at;
  for (let frame = 0; frame < count; frame++) {
    i = skipBlank(bytes, i);
    if (i === bytes.length) return undefined;
    i = readRow(bytes, i, channelCount, values, frame * channelCount);
    if (i < 0) return undefined;
  }
  return skipBlank(bytes, i) === bytes.length ? values : undefined;
}

/** The numbers of a line in any form. @throws FormatError `wrong-size`, `not-finite`, `invalid-file`. */
function readWords(
  bytes: Uint8Array,
  line: TextLine,
  frame: number,
  count: number,
  source: string,
  out: Float64Array,
): void {
  const words = textOfLine(bytes, line, source).trim().split(/\s+/);
  const location = `${source}:${line.number}`;
  if (words.length !== count) {
    const what = `frame ${frame} has ${words.length} numbers; the joints have ${count} channels.`;
    fail('wrong-size', location, what, 'Give one number for each channel, one frame a line.');
  }
  for (let k = 0; k < count; k++) out[frame * count + k] = decimalOf(words[k], location);
}

/** Refuses the first frame that is too short, before memory for all is taken. @throws FormatError as {@link readWords}. */
function requireNumbers(
  bytes: Uint8Array,
  first: { readonly at: number; readonly number: number },
  count: number,
  source: string,
): void {
  const cursor = { ...first };
  const row = new Float64Array(count);
  let frame = 0;
  for (let line = nextLine(bytes, cursor, source); line; line = nextLine(bytes, cursor, source), frame++) {
    if (line.end - line.start < 2 * count - 1) readWords(bytes, line, frame, count, source, row.fill(0));
  }
}

function header(
  bytes: Uint8Array,
  line: TextLine | undefined,
  lastLine: number,
  label: RegExp,
  name: string,
  source: string,
): number {
  const content = line && textOfLine(bytes, line, source);
  // Split at the colon: one pattern for label and value takes the square of the time that a line of spaces is long.
  const colon = content?.indexOf(':') ?? -1;
  const isHeader = content !== undefined && colon >= 0 && label.test(content.slice(0, colon).trim());
  const value = isHeader ? content.slice(colon + 1).trim() : undefined;
  const location = `${source}:${line?.number ?? lastLine}`;
  if (value !== undefined) return decimalOf(value, location);
  const what = content === undefined ? `ends without ${name}` : `is ${describe(content.trim())}, not ${name}`;
  return fail('invalid-file', location, `${what}.`, 'Give the whole file.');
}
