/** Arrays of numbers in NumPy's format (numpy.lib.format, versions 1 to 3). */
import { fail } from '../text/json-checks.js';
import { encodeUtf8 } from '../text/utf8.js';

/** An array, the last index fastest. */
export interface NumpyArray {
  readonly shape: readonly number[];
  readonly values: Float64Array;
}

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59] as const;

type Read = (view: DataView, offset: number) => number;
const TYPES: Readonly<Record<string, readonly [size: number, read: Read]>> = {
  f8: [8, (view, o) => view.getFloat64(o, true)],
  f4: [4, (view, o) => view.getFloat32(o, true)],
  i8: [8, (view, o) => Number(view.getBigInt64(o, true))],
  i4: [4, (view, o) => view.getInt32(o, true)],
};

/** @throws FormatError `invalid-file`, `unsupported` for other types and orders of numbers. */
export function readNpy(bytes: Uint8Array, path: string): NumpyArray {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 12 || MAGIC.some((byte, k) => bytes[k] !== byte)) damaged(path, 'it begins otherwise');
  const start = bytes[6] === 1 ? 10 : 12;
  const size = bytes[6] === 1 ? view.getUint16(8, true) : view.getUint32(8, true);
  if (start + size > bytes.length) damaged(path, 'it is cut off');
  let header = '';
  for (let k = start; k < start + Math.min(size, 4096); k++) header += String.fromCharCode(bytes[k]);
  const type = /'descr':\s*'([<|=>]?\w+)'/.exec(header)?.[1] ?? '';
  const shape = /'shape':\s*\(([\d,\s]*)\)/.exec(header)?.[1];
  if (shape === undefined) damaged(path, 'it has no shape');
  const known =
    Object.hasOwn(TYPES, type.slice(1)) && type.startsWith('<') ? TYPES[type.slice(1)] : undefined;
  if (known === undefined) {
    return fail(
      'unsupported',
      path,
      `has numbers of type '${type}'.`,
      'Save float64 or float32, little-endian.',
    );
  }
  if (!/'fortran_order':\s*False/.test(header)) {
    fail('unsupported', path, 'has columns before rows.', 'Save numpy.ascontiguousarray of it.');
  }
  const sizes = shape.split(',').flatMap((text) => (text.trim() === '' ? [] : [Number(text)]));
  const count = sizes.reduce((product, n) => product * n, 1);
  const [width, read] = known;
  if (start + size + count * width > bytes.length) damaged(path, 'it is cut off');
  const values = new Float64Array(count);
  for (let k = 0; k < count; k++) values[k] = read(view, start + size + k * width);
  return { shape: sizes, values };
}

function damaged(path: string, what: string): never {
  return fail('invalid-file', path, `is no array of NumPy: ${what}.`, 'Write the file again.');
}

/** An array of float64, version 1. */
export function writeNpy({ shape, values }: NumpyArray): Uint8Array {
  const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const dictionary = `{'descr': '<f8', 'fortran_order': False, 'shape': (${sizes}), }`;
  // Magic, version, size and header together are a multiple of 64 bytes.
  const padding = (64 - ((10 + dictionary.length + 1) % 64)) % 64;
  const header = encodeUtf8(`${dictionary}${' '.repeat(padding)}\n`);
  const out = new Uint8Array(10 + header.length + 8 * values.length);
  out.set([...MAGIC, 1, 0, header.length & 0xff, header.length >> 8]);
  out.set(header, 10);
  const view = new DataView(out.buffer);
  for (let k = 0; k < values.length; k++) view.setFloat64(10 + header.length + 8 * k, values[k], true);
  return out;
}
