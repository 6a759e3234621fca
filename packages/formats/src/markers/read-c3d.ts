/** Reads the points of a C3D file (https://www.c3d.org/HTML). */
import { FormatError } from 'poise';
import { type FieldsOf, requireFields } from 'poise/internal/checks';
import { fail } from '../text/json-checks.js';
import { uniqueNames } from '../text/unique-names.js';
import { type C3dBytes, c3dBytes, type Processor } from './c3d-bytes.js';
import { type C3dParameter, parametersOf } from './c3d-parameters.js';
import { type MarkerClip, metresPer, type ReadMarkersOptions } from './clip.js';

const FIELDS: FieldsOf<ReadMarkersOptions> = { source: true };

const BLOCK = 512;
const PROCESSORS: Readonly<Record<number, Processor>> = { 84: 'intel', 85: 'dec', 86: 'mips' };

/**
 * Reads the 3D points of a C3D file, of integers or floats, written for Intel, DEC or MIPS processors; analog channels and events are left out. A
 * point is missing in frames where its residual is negative.
 *
 * @throws FormatError with code, location (`walk.c3d@512`, the byte) and remedy.
 */
export function readC3d(input: Uint8Array | ArrayBuffer, options: ReadMarkersOptions = {}): MarkerClip {
  requireFields(options, FIELDS, 'options', FormatError);
  const { source = 'markers.c3d' } = options;
  const raw = input instanceof Uint8Array ? input : new Uint8Array(input);
  if (raw.length < 2 * BLOCK || raw[1] !== 0x50) {
    fail('invalid-file', `${source}@0`, 'is no header of a C3D file.', 'Give a C3D file.');
  }
  const section = BLOCK * (raw[0] - 1);
  const processor = PROCESSORS[raw[section + 3]];
  if (processor === undefined) {
    const what = `names the processor ${raw[section + 3] ?? 'nowhere'}.`;
    return fail('unsupported', `${source}@${section + 3}`, what, 'Give 84 (Intel), 85 (DEC) or 86 (MIPS).');
  }
  const bytes = c3dBytes(raw, processor);
  const parameters = parametersOf(bytes, section, source);
  const layout = layoutOf(bytes, parameters, source);
  const warnings: string[] = [];
  const unit = parameters.get('POINT:UNITS')?.texts[0] ?? '';
  const metres = metresPer(unit);
  if (metres === undefined)
    warnings.push(`${source}: POINT:UNITS is '${unit.slice(0, 20)}'; millimetres are assumed.`);
  const { points, frames, first, rate } = layout;
  return {
    names: labelsOf(parameters, points),
    frames,
    rate,
    times: Float64Array.from({ length: frames }, (_, f) => (first + f) / rate),
    positions: positionsOf(bytes, layout, metres ?? 0.001),
    ...upOf(parameters),
    warnings,
  };
}

interface Layout {
  readonly points: number;
  readonly frames: number;
  /** Number of the first frame, from 0. */
  readonly first: number;
  readonly rate: number;
  /** Units per integer; floats where it is not above 0. */
  readonly scale: number;
  /** Byte at which the first frame starts. */
  readonly start: number;
  /** Bytes of a frame. */
  readonly size: number;
}

/** @throws FormatError `invalid-file`, `out-of-range` for a file without points, or shorter than it says. */
function layoutOf(bytes: C3dBytes, parameters: ReadonlyMap<string, C3dParameter>, source: string): Layout {
  const number = (name: string) => parameters.get(name)?.numbers[0];
  const unsigned = (x: number) => (x < 0 ? x + 65_536 : x);
  const points = unsigned(number('POINT:USED') ?? bytes.uint16(2));
  const first = bytes.uint16(6);
  const frames = framesOf(parameters) ?? bytes.uint16(8) - first + 1;
  const rate = number('POINT:RATE') || bytes.float(20);
  const scale = number('POINT:SCALE') ?? bytes.float(12);
  const start = BLOCK * (unsigned(number('POINT:DATA_START') ?? bytes.uint16(16)) - 1);
  const size = (scale > 0 ? 2 : 4) * (4 * points + bytes.uint16(4));
  if (!(points > 0 && frames > 0 && start > 0)) {
    fail(
      'invalid-file',
      `${source}@2`,
      `has ${points} points and ${frames} frames.`,
      'Give a file with points.',
    );
  }
  if (!(rate > 0 && rate < Infinity)) {
    fail('out-of-range', `${source}@20`, `has ${rate} frames a second.`, 'Give POINT:RATE above 0.');
  }
  if (!(Number.isFinite(scale) && start + frames * size <= bytes.length)) {
    const what = `says ${frames} frames of ${size} bytes from byte ${start}, but has ${bytes.length} bytes.`;
    fail('invalid-file', `${source}@${start}`, what, 'Export the file again.');
  }
  return { points, frames, first: Math.max(0, first - 1), rate, scale, start, size };
}

/** The number of frames where it does not fit the header: TRIAL, two words each; else POINT:FRAMES. */
function framesOf(parameters: ReadonlyMap<string, C3dParameter>): number | undefined {
  const field = (name: string): number | undefined => {
    const words = parameters.get(`TRIAL:${name}`)?.numbers;
    return words?.length === 2 ? (words[0] & 0xffff) + 65_536 * (words[1] & 0xffff) : undefined;
  };
  const [from, to] = [field('ACTUAL_START_FIELD'), field('ACTUAL_END_FIELD')];
  if (from !== undefined && to !== undefined && to >= from) return to - from + 1;
  const long = parameters.get('POINT:LONG_FRAMES')?.numbers[0];
  if (long !== undefined) return long;
  const frames = parameters.get('POINT:FRAMES')?.numbers[0];
  // A count of 16 bits that is full says nothing.
  return frames === undefined || frames === -1 ? undefined : frames < 0 ? frames + 65_536 : frames;
}

/** POINT:LABELS, then LABELS2, ... for more than 255; unique. */
function labelsOf(parameters: ReadonlyMap<string, C3dParameter>, points: number): string[] {
  const labels = (parameters.get('POINT:LABELS')?.texts ?? []).slice();
  for (let k = 2; parameters.has(`POINT:LABELS${k}`); k++) {
    labels.push(...(parameters.get(`POINT:LABELS${k}`) as C3dParameter).texts);
  }
  return uniqueNames(
    Array.from({ length: points }, (_, index) => ({
      index,
      name: labels[index]?.trim() || `point_${index + 1}`,
    })),
  );
}

/** POINT:Y_SCREEN: the axis that points up on a screen, `+Z`. */
function upOf(parameters: ReadonlyMap<string, C3dParameter>): { up?: 'x' | 'y' | 'z' } {
  const screen = parameters.get('POINT:Y_SCREEN')?.texts[0]?.trim().toLowerCase();
  const axis = (['x', 'y', 'z'] as const).find((letter) => screen === letter || screen === `+${letter}`);
  return axis === undefined ? {} : { up: axis };
}

function positionsOf(
  bytes: C3dBytes,
  { points, frames, scale, start, size }: Layout,
  metres: number,
): Float64Array {
  const out = new Float64Array(3 * points * frames);
  const isFloat = !(scale > 0);
  const width = isFloat ? 4 : 2;
  const factor = isFloat ? metres : metres * scale;
  const read = isFloat ? bytes.float : bytes.int16;
  for (let f = 0; f < frames; f++) {
    for (let p = 0; p < points; p++) {
      const at = start + f * size + 4 * width * p;
      const o = 3 * (points * f + p);
      const residual = read(at + 3 * width);
      for (let k = 0; k < 3; k++) {
        const x = read(at + k * width);
        out[o + k] = residual < 0 || !Number.isFinite(x) ? Number.NaN : factor * x;
      }
    }
  }
  return out;
}
