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
 * Reads one frame a line; blank lines are skipped.
 * @throws FormatError `invalid-file`, `out-of-range` (no frame, a frame time not above 0), `wrong-size`, `not-finite`, at `file:line`.
 */
export function readFrames(
  lines: readonly string[],
  { channelCount, motionLine }: BvhHierarchy,
  source: string,
): BvhFrames {
  const nonBlank: number[] = [];
  for (let i = motionLine; i < lines.length; i++) if (/\S/.test(lines[i])) nonBlank.push(i);
  const [framesLine, timeLine, ...rows] = nonBlank;
  const count = header(lines, framesLine, /^frames$/i, 'Frames:', source);
  const frameTime = header(lines, timeLine, /^frame\s*time$/i, 'Frame Time:', source);
  if (!Number.isInteger(count) || count < 1) {
    const what = count === 0 ? 'there is no frame.' : `${count} is not a number of frames.`;
    fail('out-of-range', `${source}:${framesLine + 1}`, what, 'Give a file with at least one frame.');
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
  if (channelCount === 0) {
    const what = 'no joint has channels, so there is no motion.';
    fail('invalid-file', `${source}:${motionLine}`, what, 'Give a file with motion.');
  }
  if (rows.length !== count) {
    const last = rows.length < count ? (rows.at(-1) ?? timeLine) : rows[count];
    const what = `there are ${rows.length} frames where line ${framesLine + 1} says ${count}.`;
    fail('wrong-size', `${source}:${last + 1}`, what, 'Give the whole file, or correct the number.');
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
