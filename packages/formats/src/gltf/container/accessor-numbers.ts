/** Reads the numbers of accessors: vertices, keys of animations. */
import { forEachElement, type GltfAccessor } from './accessors.js';
import type { GltfDocument } from './container.js';

/** Components of an element by `type`. */
const WIDTH = { SCALAR: 1, VEC3: 3, VEC4: 4 } as const;

/** A supported accessor type. */
export type NumbersType = keyof typeof WIDTH;

/**
 * The numbers of a checked accessor, `normalized` integers converted to fractions; undefined if they are compressed by an extension, of another
 * type, or of an unsupported component type.
 */
export function accessorNumbers(
  document: GltfDocument,
  accessor: GltfAccessor,
  type: NumbersType,
): Float64Array | undefined {
  const { json, componentType, count, elementBytes } = accessor;
  const component = components[componentType];
  // Without a view nothing bounds the count that the file states.
  if (accessor.type !== type || json.bufferView === undefined || component === undefined) return undefined;
  const width = WIDTH[type];
  const scale = json.normalized === true ? 1 / component.one : 1;
  const min = component.signed && json.normalized === true ? -1 : Number.NEGATIVE_INFINITY;
  const out = new Float64Array(width * count);
  const complete = forEachElement(document, accessor, count, (data, at, element) => {
    for (let k = 0; k < width; k++) {
      const value = scale * component.read(data, at + (k * elementBytes) / width);
      out[width * element + k] = Math.max(value, min);
    }
  });
  return complete ? out : undefined;
}

interface Component {
  readonly read: (data: DataView, at: number) => number;
  /** The integer for 1 in a normalized accessor. */
  readonly one: number;
  /** Signed integers are clamped to -1 when normalized (glTF 2.0, 3.11). */
  readonly signed?: boolean;
}

/** By `componentType`. */
const components: Readonly<Record<number, Component>> = {
  5120: { read: (data, at) => data.getInt8(at), one: 127, signed: true },
  5121: { read: (data, at) => data.getUint8(at), one: 255 },
  5122: { read: (data, at) => data.getInt16(at, true), one: 32767, signed: true },
  5123: { read: (data, at) => data.getUint16(at, true), one: 65535 },
  5126: { read: (data, at) => data.getFloat32(at, true), one: 1 },
};
