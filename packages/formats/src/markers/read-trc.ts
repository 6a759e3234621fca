/** Reads a TRC file, the marker table of Motion Analysis and OpenSim. */
import { FormatError } from 'poise';
import { type FieldsOf, requireFields } from 'poise/internal/checks';
import { decimalOf } from '../text/decimal.js';
import { describe, fail } from '../text/json-checks.js';
import { textOf } from '../text/utf8.js';
import { type MarkerClip, metresPer, type ReadMarkersOptions } from './clip.js';

const FIELDS: FieldsOf<ReadMarkersOptions> = { source: true };

/**
 * Reads a TRC file: frame number, time, and three numbers a marker in each row. A marker is missing where its cells are empty or NaN.
 *
 * @param input - Text, or UTF-8 bytes.
 * @throws FormatError with code, location (`walk.trc:7`, the line) and remedy.
 */
export function readTrc(
  input: string | Uint8Array | ArrayBuffer,
  options: ReadMarkersOptions = {},
): MarkerClip {
  requireFields(options, FIELDS, 'options', FormatError);
  const { source = 'markers.trc' } = options;
  const lines = textOf(input, source).split(/\r\n|\n|\r/);
  if (!/^\s*PathFileType\b/i.test(lines[0])) {
    fail('invalid-file', `${source}:1`, `is ${describe(lines[0])}, no PathFileType.`, 'Give a TRC file.');
  }
  const header = headerOf(lines, source);
  const scale = metresPer(header('Units'));
  if (scale === undefined) {
    return fail(
      'unsupported',
      `${source}:3`,
      `has the unit ${describe(header('Units'))}.`,
      'Use m, cm, mm or in.',
    );
  }
  const rate = decimalOf(header('DataRate'), `${source}:3`);
  if (!(rate > 0))
    fail('out-of-range', `${source}:3`, `has ${rate} frames a second.`, 'Give DataRate above 0.');
  const names = namesOf(lines[3] ?? '', source);
  const warnings: string[] = [];
  const stated = Number(header('NumMarkers'));
  if (stated !== names.length) {
    warnings.push(`${source}:3: NumMarkers is ${stated}, but line 4 names ${names.length}.`);
  }
  const times: number[] = [];
  const positions: number[] = [];
  for (let n = 5; n < lines.length; n++) {
    if (lines[n].trim() === '') continue;
    const cells = cellsOf(lines[n], 2 + 3 * names.length, `${source}:${n + 1}`);
    times.push(decimalOf(cells[1], `${source}:${n + 1}`));
    if (times.length > 1 && !(times[times.length - 1] > times[times.length - 2])) {
      fail(
        'out-of-range',
        `${source}:${n + 1}`,
        `has the time ${cells[1]}, not after that before.`,
        'Sort the rows by time.',
      );
    }
    for (let m = 0; m < names.length; m++) {
      const cell = cells.slice(2 + 3 * m, 5 + 3 * m);
      const isMissing = cell.some((word) => word === '' || /^[+-]?nan$/i.test(word));
      for (const word of cell)
        positions.push(isMissing ? Number.NaN : scale * decimalOf(word, `${source}:${n + 1}`));
    }
  }
  if (times.length === 0)
    fail('invalid-file', source, 'has no frame.', 'Give rows of numbers below the header.');
  return {
    names,
    frames: times.length,
    rate,
    times: Float64Array.from(times),
    positions: Float64Array.from(positions),
    warnings,
  };
}

/** Values of the third line by the names of the second. @throws FormatError `invalid-file`. */
function headerOf(lines: readonly string[], source: string): (name: string) => string {
  const [keys, values] = [1, 2].map((n) => (lines[n] ?? '').trim().split(/\s+/));
  return (name) => {
    const value = values[keys.findIndex((key) => key.toLowerCase() === name.toLowerCase())];
    if (value !== undefined) return value;
    return fail(
      'invalid-file',
      `${source}:2`,
      `has no ${name}.`,
      'Give a TRC file with its three lines of header.',
    );
  };
}

/** The names of the fourth line, each above three columns. @throws FormatError `invalid-file`, `duplicate-name`. */
function namesOf(line: string, source: string): string[] {
  const words = line.includes('\t') ? line.split('\t').map((word) => word.trim()) : line.trim().split(/\s+/);
  const [frame, time, ...names] = words.filter((word) => word !== '');
  if (!/^frame/i.test(frame ?? '') || !/^time/i.test(time ?? '') || names.length === 0) {
    fail(
      'invalid-file',
      `${source}:4`,
      `is ${describe(line)}.`,
      'Give Frame#, Time and the names of the markers.',
    );
  }
  const again = names.find((name, k) => names.indexOf(name) < k);
  if (again === undefined) return names;
  return fail(
    'duplicate-name',
    `${source}:4`,
    `names '${again.slice(0, 60)}' twice.`,
    'Name each marker once.',
  );
}

/** The cells of a row; those that a line leaves out at its end are empty. @throws FormatError `wrong-size`. */
function cellsOf(line: string, count: number, location: string): string[] {
  const cells = line.split('\t').map((word) => word.trim());
  while (cells.length > count && cells[cells.length - 1] === '') cells.pop();
  const isTabbed = cells.length > 1 && cells.length <= count && cells[1] !== '';
  const words = isTabbed ? cells : line.trim().split(/\s+/);
  if (words.length > count || (!isTabbed && words.length < count)) {
    fail(
      'wrong-size',
      location,
      `has ${words.length} numbers.`,
      `Give ${count}: frame, time and three a marker.`,
    );
  }
  while (words.length < count) words.push('');
  return words;
}
