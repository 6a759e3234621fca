/** The parameter section of a C3D file. */
import { fail } from '../text/json-checks.js';
import type { C3dBytes } from './c3d-bytes.js';

/** Values of a parameter: texts, or numbers. */
export interface C3dParameter {
  readonly texts: readonly string[];
  readonly numbers: readonly number[];
}

const BLOCK = 512;

/**
 * Parameters by `GROUP:NAME`, in capitals.
 *
 * @param start - Byte at which the section starts.
 * @throws FormatError `invalid-file` for a record that leaves the file.
 */
export function parametersOf(
  bytes: C3dBytes,
  start: number,
  source: string,
): ReadonlyMap<string, C3dParameter> {
  const end = Math.min(bytes.length, start + BLOCK * Math.max(1, bytes.byte(start + 2)));
  const groups = new Map<number, string>();
  const found: { readonly group: number; readonly name: string; readonly value: C3dParameter }[] = [];
  for (let at = start + 4; at + 4 <= end; ) {
    const length = Math.abs(bytes.int8(at));
    const group = bytes.int8(at + 1);
    if (length === 0 || group === 0) break;
    const name = bytes
      .text(at + 2, length)
      .trim()
      .toUpperCase();
    const pointer = at + 2 + length;
    const next = bytes.uint16(pointer);
    if (group < 0) groups.set(-group, name);
    else found.push({ group, name, value: valueAt(bytes, pointer + 2, end, `${source}@${at}`) });
    if (next === 0) break;
    at = pointer + next;
  }
  return new Map(found.map(({ group, name, value }) => [`${groups.get(group) ?? group}:${name}`, value]));
}

/** Type, dimensions and data of a parameter. @throws FormatError `invalid-file`. */
function valueAt(bytes: C3dBytes, at: number, end: number, location: string): C3dParameter {
  const type = bytes.int8(at);
  const dimensions = Array.from({ length: Math.min(7, bytes.byte(at + 1)) }, (_, k) =>
    bytes.byte(at + 2 + k),
  );
  const data = at + 2 + dimensions.length;
  const size = Math.abs(type);
  const count = dimensions.reduce((product, each) => product * each, 1);
  if (![1, 2, 4].includes(size) || data + size * count > end) {
    fail('invalid-file', location, 'is no parameter, or leaves its section.', 'Export the file again.');
  }
  if (type === -1) {
    const [width = 1, ...others] = dimensions;
    const texts = others.reduce((product, each) => product * each, 1);
    return {
      texts: Array.from({ length: texts }, (_, k) =>
        bytes.text(data + k * width, width).replace(/[\0\s]+$/, ''),
      ),
      numbers: [],
    };
  }
  const read = size === 1 ? bytes.byte : size === 2 ? bytes.int16 : bytes.float;
  return { texts: [], numbers: Array.from({ length: count }, (_, k) => read(data + k * size)) };
}
