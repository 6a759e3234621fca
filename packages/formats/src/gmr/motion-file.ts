/** Files of robot motions: NPZ and CSV. */
import { FormatError } from 'poise';
import { type FieldsOf, requireFields, requirePositive, requireSize } from 'poise/internal/checks';
import { type NumpyArray, readNpy, writeNpy } from '../npz/npy.js';
import { isZip, readZip, writeZip } from '../npz/zip.js';
import { decimalOf } from '../text/decimal.js';
import { fail } from '../text/json-checks.js';
import { encodeUtf8, textOf } from '../text/utf8.js';
import type { RobotMotion } from './robot-motion.js';

/** Options of {@link readRobotMotion}. */
export interface ReadRobotMotionOptions {
  /** Name of the file, for messages. Default: `motion`. */
  readonly source?: string;
  /** Frames a second of a CSV without a column `time`. Default: 30. */
  readonly fps?: number;
}

const READ_FIELDS: FieldsOf<ReadRobotMotionOptions> = { source: true, fps: true };

/** Columns of a CSV before the joints. */
const ROOT = ['root_px', 'root_py', 'root_pz', 'root_qx', 'root_qy', 'root_qz', 'root_qw'] as const;

/**
 * Reads a motion of a robot: an NPZ with `fps`, `root_pos` (frames x 3), `root_rot` (frames x 4, `x y z w`) and `dof_pos` (frames x joints), as
 * `numpy.savez` writes GMR's dictionary; or a CSV with these columns in that order, with or without a header
 * (`frame,time,root_px,...,root_qw,JOINT,...`; `frame` and `time` may be missing).
 *
 * @param input - Bytes of either, or text of a CSV.
 * @throws FormatError with code, location (`walk.npz#/root_rot`, `walk.csv:12`) and remedy.
 */
export function readRobotMotion(
  input: string | Uint8Array | ArrayBuffer,
  options: ReadRobotMotionOptions = {},
): RobotMotion {
  requireFields(options, READ_FIELDS, 'options', FormatError);
  const { source = 'motion', fps = 30 } = options;
  requirePositive(fps, 'options.fps', FormatError);
  const bytes = input instanceof ArrayBuffer ? new Uint8Array(input) : input;
  const motion =
    typeof bytes !== 'string' && isZip(bytes)
      ? fromNpz(bytes, source)
      : fromCsv(textOf(bytes, source), source, fps);
  requireMotion(motion, source);
  return motion;
}

function fromNpz(bytes: Uint8Array, source: string): RobotMotion {
  const entries = readZip(bytes, source);
  const array = (name: string): NumpyArray => {
    const entry = entries.get(`${name}.npy`);
    if (entry !== undefined) return readNpy(entry, `${source}#/${name}`);
    return fail(
      'invalid-file',
      source,
      `has no array '${name}'.`,
      'Give fps, root_pos, root_rot and dof_pos.',
    );
  };
  const fps = array('fps');
  const positions = array('root_pos');
  const rotations = array('root_rot');
  const values = array('dof_pos');
  const frames = positions.shape[0] ?? 0;
  if (fps.values.length !== 1) wrongShape(`${source}#/fps`, fps, 'one number');
  requireShape(positions, frames, 3, `${source}#/root_pos`);
  requireShape(rotations, frames, 4, `${source}#/root_rot`);
  requireShape(values, frames, values.shape[1], `${source}#/dof_pos`);
  return {
    fps: fps.values[0],
    frames,
    rootPositions: positions.values,
    rootRotations: rotations.values,
    joints: values.shape[1],
    values: values.values,
  };
}

function requireShape(array: NumpyArray, rows: number, columns: number, path: string): void {
  const { shape } = array;
  if (shape.length === 2 && shape[0] === rows && shape[1] === columns) return;
  wrongShape(path, array, `(${rows}, ${columns ?? 'joints'})`);
}

function wrongShape(path: string, { shape }: NumpyArray, expected: string): never {
  return fail('wrong-size', path, `has the shape (${shape.join(', ')}).`, `Give ${expected}.`);
}

function fromCsv(text: string, source: string, fps: number): RobotMotion {
  let names: readonly string[] | undefined;
  let columns = 0;
  let frames = 0;
  const numbers: number[] = [];
  let line = 0;
  for (let start = 0; start < text.length; ) {
    const next = text.indexOf('\n', start);
    const end = next < 0 ? text.length : next;
    const row = text.slice(start, end).trim();
    start = end + 1;
    line++;
    if (row === '' || row.startsWith('#')) continue;
    const cells = row.split(',').map((cell) => cell.trim());
    if (columns === 0) {
      columns = cells.length;
      if (cells.includes(ROOT[0])) {
        names = cells;
        continue;
      }
    }
    const path = `${source}:${line}`;
    if (cells.length !== columns) {
      fail(
        'wrong-size',
        path,
        `has ${cells.length} columns where ${columns} belong.`,
        'Give all rows the same columns.',
      );
    }
    for (const cell of cells) numbers.push(decimalOf(cell, path));
    frames++;
  }
  const before = names?.indexOf(ROOT[0]) ?? 0;
  const joints = columns - before - ROOT.length;
  if (joints < 0 || ROOT.some((name, k) => names !== undefined && names[before + k] !== name)) {
    fail(
      'invalid-file',
      source,
      'is no motion of a robot.',
      `Give the columns ${ROOT.join(', ')} and the joints.`,
    );
  }
  const column = (from: number, count: number): Float64Array => {
    const out = new Float64Array(count * frames);
    for (let f = 0; f < frames; f++)
      for (let k = 0; k < count; k++) out[count * f + k] = numbers[columns * f + from + k];
    return out;
  };
  const time = names?.indexOf('time') ?? -1;
  const times = time >= 0 ? column(time, 1) : undefined;
  return {
    fps: times !== undefined && frames > 1 ? (frames - 1) / (times[frames - 1] - times[0]) : fps,
    frames,
    rootPositions: column(before, 3),
    rootRotations: column(before + 3, 4),
    joints,
    values: column(before + ROOT.length, joints),
    ...(names && { jointNames: names.slice(before + ROOT.length) }),
  };
}

/** @throws FormatError for what no motion has. */
function requireMotion(motion: RobotMotion, source: string): void {
  const { fps, frames, rootPositions, rootRotations, joints, values } = motion;
  if (frames === 0) fail('invalid-file', source, 'has no frame.', 'Give at least one.');
  requirePositive(fps, `${source}#/fps`, FormatError);
  const lists = { root_pos: rootPositions, root_rot: rootRotations, dof_pos: values };
  const widths = { root_pos: 3, root_rot: 4, dof_pos: joints };
  for (const key of ['root_pos', 'root_rot', 'dof_pos'] as const) {
    requireSize(lists[key], frames * widths[key], `${source}#/${key}`, FormatError);
    const bad = lists[key].findIndex((x) => !Number.isFinite(x));
    if (bad < 0) continue;
    const frame = Math.floor(bad / widths[key]);
    fail('not-finite', `${source}#/${key}/${frame}`, `has ${lists[key][bad]}.`, 'Give finite numbers.');
  }
  for (let f = 0; f < frames; f++) {
    const norm = Math.hypot(...rootRotations.subarray(4 * f, 4 * f + 4));
    if (norm > 1e-6) continue;
    fail('not-unit', `${source}#/root_rot/${f}`, 'is no rotation.', 'Give a unit quaternion x y z w.');
  }
}

/** Options of {@link writeRobotMotion}. */
export interface WriteRobotMotionOptions {
  readonly format: 'npz' | 'csv';
  /** Whether a CSV has a header and the columns `frame` and `time`. Without it its frame rate is lost. Default: true. */
  readonly header?: boolean;
}

const WRITE_FIELDS: FieldsOf<WriteRobotMotionOptions> = { format: true, header: true };

/**
 * Writes a motion of a robot in the formats of {@link readRobotMotion}, numbers to the bit. An NPZ has no names of joints.
 *
 * @returns bytes of the NPZ, or UTF-8 of the CSV.
 * @throws FormatError `unsupported` for another format; for a motion that cannot be read back, as `readRobotMotion`.
 */
export function writeRobotMotion(motion: RobotMotion, options: WriteRobotMotionOptions): Uint8Array {
  requireFields(options, WRITE_FIELDS, 'options', FormatError);
  requireMotion(motion, 'motion');
  if (options.format === 'csv') return encodeUtf8(toCsv(motion, options.header ?? true));
  if (options.format !== 'npz') {
    fail('unsupported', 'options.format', `is ${String(options.format)}.`, "Give 'npz' or 'csv'.");
  }
  const { fps, frames, rootPositions, rootRotations, joints, values } = motion;
  const arrays: readonly (readonly [string, NumpyArray])[] = [
    ['fps', { shape: [1], values: Float64Array.of(fps) }],
    ['root_pos', { shape: [frames, 3], values: rootPositions }],
    ['root_rot', { shape: [frames, 4], values: rootRotations }],
    ['dof_pos', { shape: [frames, joints], values }],
  ];
  return writeZip(new Map(arrays.map(([name, array]) => [`${name}.npy`, writeNpy(array)])));
}

function toCsv(motion: RobotMotion, header: boolean): string {
  const { fps, frames, rootPositions, rootRotations, joints, values } = motion;
  const names = motion.jointNames ?? Array.from({ length: joints }, (_, k) => `joint_${k}`);
  const bad = names.findIndex((name) => /[,\r\n]/.test(name));
  if (bad >= 0) {
    fail(
      'unsupported',
      `motion.jointNames[${bad}]`,
      'has a comma or a line break.',
      'Rename the joint, or write an NPZ.',
    );
  }
  const rows = header ? [['frame', 'time', ...ROOT, ...names].join(',')] : [];
  for (let f = 0; f < frames; f++) {
    const numbers = [
      ...rootPositions.subarray(3 * f, 3 * f + 3),
      ...rootRotations.subarray(4 * f, 4 * f + 4),
      ...values.subarray(joints * f, joints * f + joints),
    ];
    rows.push((header ? [f, f / fps, ...numbers] : numbers).join(','));
  }
  return `${rows.join('\n')}\n`;
}
