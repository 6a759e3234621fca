/** Tables of OpenSim: motions (.mot) and storage files (.sto). */
import { FormatError } from 'poise';
import { type FieldsOf, requireFields, requireSize } from 'poise/internal/checks';
import type { Numbers } from 'poise/math';
import { decimalOf } from '../text/decimal.js';
import { cut, describe, fail } from '../text/json-checks.js';
import { textOf } from '../text/utf8.js';
import type { OsimCoordinate, OsimModel } from './model.js';
import type { ReadOpensimOptions } from './options.js';
import { valueOfPhi } from './phi.js';

/** A table of OpenSim. */
export interface StorageTable {
  /** First line of the file. */
  readonly name: string;
  /** As in the file, `time` first in most. */
  readonly columns: readonly string[];
  readonly rows: number;
  /** Row by row. */
  readonly values: Float64Array;
  /** Whether angles are in degrees. */
  readonly inDegrees: boolean;
}

const FIELDS: FieldsOf<ReadOpensimOptions> = { source: true };

/**
 * Reads a .mot or .sto table. Where its header does not say inDegrees, motions of SIMM (`datacolumns` in the header) are in degrees,
 * others in radians, as OpenSim takes them. Names of columns are unique and times increase, as in OpenSim's tables; a value may be NaN.
 *
 * @param input - Text, or UTF-8 bytes.
 * @throws FormatError with code, location (`walk.mot:12`, the line) and remedy.
 */
export function readStorage(
  input: string | Uint8Array | ArrayBuffer,
  options: ReadOpensimOptions = {},
): StorageTable {
  requireFields(options, FIELDS, 'options', FormatError);
  const { source = 'table.sto' } = options;
  const lines = textOf(input, source).split(/\r\n|\n|\r/);
  const words = lines.map((line) => line.trim());
  const end = words.findIndex((line) => line.toLowerCase() === 'endheader');
  if (end < 0) fail('invalid-file', source, 'has no line endheader.', 'Give a .mot or .sto file of OpenSim.');
  const header = words.slice(0, end).map((line) => line.split(/[\s=]+/, 2));
  const degrees = header.find(([key]) => key.toLowerCase() === 'indegrees')?.[1]?.toLowerCase();
  let n = end + 1;
  while (n < words.length && words[n] === '') n++;
  const columns = (words[n] ?? '').split(/\s+/);
  if (columns[0] === '')
    fail('invalid-file', `${source}:${n + 1}`, 'has no names of columns.', 'Give them below endheader.');
  const names = new Set<string>();
  for (const column of columns) {
    if (names.has(column)) {
      const what = `has two columns with the name '${cut(column)}'.`;
      fail('duplicate-name', `${source}:${n + 1}`, what, 'Give each a unique name.');
    }
    names.add(column);
  }
  const time = columns.findIndex((column) => column.toLowerCase() === 'time');
  let last = -Infinity;
  const values: number[] = [];
  let rows = 0;
  for (n++; n < words.length; n++) {
    if (words[n] === '') continue;
    const cells = words[n].split(/\s+/);
    const location = `${source}:${n + 1}`;
    if (cells.length !== columns.length) {
      const what = `has ${cells.length} numbers for ${columns.length} columns.`;
      fail('wrong-size', location, what, 'Give one for each column.');
    }
    for (const word of cells) values.push(/^[+-]?nan$/i.test(word) ? Number.NaN : decimalOf(word, location));
    rows++;
    if (time < 0) continue;
    const at = values[values.length - columns.length + time];
    if (Number.isNaN(at)) fail('not-finite', location, 'has no time.', 'Give one.');
    if (at <= last) {
      const what = `is at ${at} s, not after the row before, at ${last} s.`;
      fail('not-increasing', location, what, 'Sort the rows by time, one for each.');
    }
    last = at;
  }
  return {
    name: words[0],
    columns,
    rows,
    values: Float64Array.from(values),
    inDegrees:
      degrees === undefined ? header.some(([key]) => key.toLowerCase() === 'datacolumns') : degrees === 'yes',
  };
}

/** The text of a table, as OpenSim writes them. */
export function writeStorage({ name, columns, rows, values, inDegrees }: StorageTable): string {
  requireSize(
    values,
    rows * columns.length,
    'table.values',
    FormatError,
    'Give one number for each row and column.',
  );
  const lines = [
    name.split(/[\r\n]/, 1)[0],
    'version=1',
    `nRows=${rows}`,
    `nColumns=${columns.length}`,
    `inDegrees=${inDegrees ? 'yes' : 'no'}`,
    'endheader',
    columns.join('\t'),
  ];
  for (let row = 0; row < rows; row++) {
    lines.push(values.subarray(row * columns.length, (row + 1) * columns.length).join('\t'));
  }
  return `${lines.join('\n')}\n`;
}

/** Poses of a table. */
export interface StoragePoses {
  /** s. */
  readonly times: Float64Array;
  /** Row by row. */
  readonly poses: readonly Float64Array[];
  /** Independent coordinates that the table leaves out, at their default values. */
  readonly missing: readonly string[];
}

type Coordinates = Pick<OsimModel, 'coordinates' | 'defaultPose'>;

/**
 * The poses of a table whose columns are coordinates: `knee_angle_r`, or a path `/jointset/knee_r/knee_angle_r/value`. Other columns and coupled
 * coordinates are left out.
 *
 * @throws FormatError `invalid-file` for a table without times or rows, `not-increasing`, `not-finite`, `unknown-name` for one without a coordinate of the model.
 */
export function posesFromStorage(
  { coordinates, defaultPose }: Coordinates,
  table: StorageTable,
): StoragePoses {
  const names = table.columns.map(
    (column) =>
      column
        .replace(/\/value$/, '')
        .split('/')
        .at(-1) as string,
  );
  const time = names.indexOf('time');
  if (time < 0) fail('invalid-file', table.name, 'has no column time.', 'Give a table over time.');
  const independent = [...coordinates.values()].filter(({ coordinate }) => coordinate >= 0);
  const columns = independent.map(({ name }) => names.indexOf(name));
  if (columns.every((column) => column < 0)) {
    const what = `has no coordinate of the model among its ${names.length} columns, ${describe(names[1] ?? names[0])} ...`;
    fail('unknown-name', table.name, what, 'Give a motion of this model.');
  }
  const width = names.length;
  const times = Float64Array.from({ length: table.rows }, (_, row) => table.values[row * width + time]);
  if (times.length === 0) fail('invalid-file', table.name, 'has no row.', 'Give a motion.');
  times.forEach((at, row) => {
    if (!Number.isFinite(at)) fail('not-finite', `${table.name} row ${row + 1}`, 'has no time.', 'Give one.');
    if (row === 0 || at > times[row - 1]) return;
    const what = `is at ${at} s, not after the row before.`;
    fail('not-increasing', `${table.name} row ${row + 1}`, what, 'Sort the rows by time, one for each.');
  });
  const poses = Array.from({ length: table.rows }, (_, row) => {
    const pose = Float64Array.from(defaultPose);
    independent.forEach((each, k) => {
      if (columns[k] < 0) return;
      const value = table.values[row * width + columns[k]];
      if (!Number.isFinite(value)) {
        fail('not-finite', `${table.name} row ${row + 1}`, `has no number for '${each.name}'.`, 'Give one.');
      }
      pose[each.coordinate] = value / unitsPer(each, table.inDegrees);
    });
    return pose;
  });
  return {
    times,
    poses,
    missing: independent.filter((_, k) => columns[k] < 0).map(({ name }) => name),
  };
}

/** A table of all coordinates over time, coupled ones included, angles in degrees. */
export function storageFromPoses(
  { coordinates }: Pick<OsimModel, 'coordinates'>,
  times: Numbers,
  poses: readonly Numbers[],
  name = 'Coordinates',
): StorageTable {
  requireSize(times, poses.length, 'times', FormatError, 'Give a time for each pose.');
  const all = [...coordinates.values()];
  const values = poses.flatMap((pose, row) => [
    times[row],
    ...all.map((each) => valueAt(each, coordinates, pose) * unitsPer(each, true)),
  ]);
  return {
    name,
    columns: ['time', ...all.map((each) => each.name)],
    rows: poses.length,
    values: Float64Array.from(values),
    inDegrees: true,
  };
}

function valueAt(
  { coordinate, follows }: OsimCoordinate,
  coordinates: OsimModel['coordinates'],
  pose: Numbers,
): number {
  if (follows === undefined) return pose[coordinate];
  return valueOfPhi(follows, pose[coordinates.get(follows.coordinate)?.coordinate as number]);
}

/** Units of the table per rad or m. */
function unitsPer({ motionType }: OsimCoordinate, inDegrees: boolean): number {
  return inDegrees && motionType === 'rotational' ? 180 / Math.PI : 1;
}
