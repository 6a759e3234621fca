/** The MOTION section of a BVH file. */

import { decimalOf } from '../text/decimal.js';
import { describe, fail } from '../text/json-checks.js';
import type { BvhHierarchy } from './hierarchy.js';

/** The numbers of a file. */
export interface BvhFrames {
  readonly count: number;
  /** From frame to frame, s. */
  readonly frameTime: number;
  /** One after the other, as many numbers each as there are channels: file units and degrees. */
  readonly values: Float64Array;
}

/**
 * One frame a line, blank lines left out.
 * @throws FormatError `invalid-file`, `out-of-range` (no frame, a frame time that is none), `wrong-size`, `not-finite`, at `file:line`.
 */
export function readFrames(
  lines: readonly string[],
  { channelCount, motionLine }: BvhHierarchy,
  source: string,
): BvhFrames {
  const filled: number[] = [];
  for (let i = motionLine; i < lines.length; i++) if (/\S/.test(lines[i])) filled.push(i);
  const [framesLine, timeLine, ...rows] = filled;
  const count = header(lines, framesLine, /^\s*frames\s*:\s*(.*?)\s*$/i, 'Frames:', source);
  const frameTime = header(lines, timeLine, /^\s*frame\s*time\s*:\s*(.*?)\s*$/i, 'Frame Time:', source);
  if (!Number.isInteger(count) || count < 1) {
    const what = count === 0 ? 'there is no frame.' : `${count} is no number of frames.`;
    fail('out-of-range', `${source}:${framesLine + 1}`, what, 'Give a file with one frame at least.');
  }
  if (!(frameTime > 0)) {
    const what = `a frame time of ${frameTime} s leaves no time between frames.`;
    fail('out-of-range', `${source}:${timeLine + 1}`, what, 'Write the seconds from frame to frame.');
  }
  if (channelCount === 0) {
    const what = 'no joint has channels: nothing moves.';
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
    const place = `${source}:${row + 1}`;
    if (numbers.length !== channelCount) {
      const what = `frame ${i} has ${numbers.length} numbers; the joints have ${channelCount} channels.`;
      fail('wrong-size', place, what, 'Give one number for each channel, one frame a line.');
    }
    for (let k = 0; k < channelCount; k++) values[i * channelCount + k] = decimalOf(numbers[k], place);
  }
  return { count, frameTime, values };
}

function header(
  lines: readonly string[],
  index: number | undefined,
  pattern: RegExp,
  name: string,
  source: string,
): number {
  const text = index === undefined ? undefined : lines[index];
  const value = text === undefined ? undefined : pattern.exec(text)?.[1];
  const place = `${source}:${(index ?? lines.length - 1) + 1}`;
  if (value !== undefined) return decimalOf(value, place);
  const what = text === undefined ? `ends without ${name}` : `is ${describe(text.trim())}, not ${name}`;
  return fail('invalid-file', place, `${what}.`, 'Give the whole file.');
}
