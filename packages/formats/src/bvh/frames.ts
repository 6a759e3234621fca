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

/**
 * Reads one frame a line; blank lines are skipped. A count that is off by one is a warning.
 * @throws FormatError `invalid-file`, `out-of-range` (a count that is none, a frame time not above 0), `wrong-size`, `not-finite`, at `file:line`.
 */
export function readFrames(
  lines: readonly string[],
  { channelCount, motionLine }: BvhHierarchy,
  source: string,
  warnings: string[],
): BvhFrames {
  const nonBlank: number[] = [];
  for (let i = motionLine; i < lines.length; i++) if (/\S/.test(lines[i])) nonBlank.push(i);
  const [framesLine, timeLine, ...rows] = nonBlank;
  const stated = header(lines, framesLine, /^frames$/i, 'Frames:', source);
  const frameTime = header(lines, timeLine, /^frame\s*time$/i, 'Frame Time:', source);
  if (!Number.isInteger(stated) || stated < 0) {
    const what = `${stated} is not a number of frames.`;
    fail('out-of-range', `${source}:${framesLine + 1}`, what, 'Give the number of frames.');
  }
  if (!(frameTime > 0)) {
    const what = `the frame time is ${frameTime} s.`;
    fail(
      'out-of-range',
      `${source}:${timeLine + 1}`,
      what,
      'Give the duration of a frame in seconds, above 0.',
    );
  }
  if (stated === 0 && rows.length === 0) return { count: 0, frameTime, values: new Float64Array(0) };
  if (channelCount === 0) {
    const what = 'no joint has channels, so there is no motion.';
    fail('invalid-file', `${source}:${motionLine}`, what, 'Give a file with motion.');
  }
  const count = rows.length;
  if (count !== stated) {
    const last = count < stated ? (rows.at(-1) ?? timeLine) : rows[stated];
    const location = `${source}:${last + 1}`;
    const what = `there are ${count} frames where line ${framesLine + 1} says ${stated}`;
    // Programs count the intervals, or write one frame more.
    if (count === 0 || Math.abs(count - stated) > 1) {
      fail('wrong-size', location, `${what}.`, 'Give the whole file, or correct the number.');
    }
    warnings.push(`${location}: ${what}; all that are there are read.`);
  }
  const values = new Float64Array(count * channelCount);
  for (const [i, row] of rows.entries()) {
    const numbers = lines[row].trim().split(/\s+/);
    const location = `${source}:${row + 1}`;
    if (numbers.length !== channelCount) {
      const what = `frame ${i} has ${numbers.length} numbers; the joints have ${channelCount} channels.`;
      fail('wrong-size', location, what, 'Give one number for each channel, one frame a line.');
    }
    for (let k = 0; k < channelCount; k++) values[i * channelCount + k] = decimalOf(numbers[k], location);
  }
  return { count, frameTime, values };
}

function header(
  lines: readonly string[],
  index: number | undefined,
  label: RegExp,
  name: string,
  source: string,
): number {
  const text = index === undefined ? undefined : lines[index];
  // Split at the colon: one pattern for label and value takes the square of the time that a line of spaces is long.
  const colon = text?.indexOf(':') ?? -1;
  const isHeader = text !== undefined && colon >= 0 && label.test(text.slice(0, colon).trim());
  const value = isHeader ? text.slice(colon + 1).trim() : undefined;
  const location = `${source}:${(index ?? lines.length - 1) + 1}`;
  if (value !== undefined) return decimalOf(value, location);
  const what = text === undefined ? `ends without ${name}` : `is ${describe(text.trim())}, not ${name}`;
  return fail('invalid-file', location, `${what}.`, 'Give the whole file.');
}
