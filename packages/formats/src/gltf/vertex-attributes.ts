/** Numbers of mesh attributes. */
import { readAccessor } from './accessors.js';
import { arrayAt, indexAt, type JsonObject } from './checks.js';
import type { GltfDocument } from './container.js';

/** Numbers of an element, by `type`. */
const WIDTH = { VEC3: 3, VEC4: 4 } as const;

/**
 * The numbers of a vertex attribute, integers that stand for fractions (`normalized`) as fractions; undefined where they are not plainly
 * in a buffer (compressed, sparse) or of another type.
 *
 * @param attributes - `attributes` of a primitive, which has this one.
 * @throws FormatError `invalid-file` | `out-of-range`.
 */
export function readAttribute(
  document: GltfDocument,
  attributes: JsonObject,
  name: string,
  type: keyof typeof WIDTH,
  path: string,
): Float64Array | undefined {
  const { json, source, buffers } = document;
  const accessorCount = arrayAt(json.accessors, `${source}#/accessors`).length;
  const index = indexAt(attributes[name], `${path}/${name}`, accessorCount, 'accessor');
  // Ranges are checked by readAccessor, so the offsets below are sound.
  const accessor = readAccessor(document, index);
  const { json: given, componentType, count, elementBytes } = accessor;
  if (given.bufferView === undefined || given.sparse !== undefined || accessor.type !== type)
    return undefined;
  const view = (json.bufferViews as JsonObject[])[given.bufferView as number];
  const bytes = buffers[view.buffer as number].bytes;
  const component = components[componentType];
  if (!bytes || !component) return undefined;
  const width = WIDTH[type];
  const stride = (view.byteStride as number | undefined) ?? elementBytes;
  const start = ((view.byteOffset as number | undefined) ?? 0) + ((given.byteOffset as number) ?? 0);
  const scale = given.normalized === true ? 1 / component.one : 1;
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const out = new Float64Array(width * count);
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < width; k++) {
      out[width * i + k] = scale * component.read(data, start + i * stride + (k * elementBytes) / width);
    }
  }
  return out;
}

interface Component {
  readonly read: (data: DataView, at: number) => number;
  /** What stands for 1 in a normalized attribute. */
  readonly one: number;
}

/** By `componentType`. */
const components: Readonly<Record<number, Component>> = {
  5120: { read: (data, at) => data.getInt8(at), one: 127 },
  5121: { read: (data, at) => data.getUint8(at), one: 255 },
  5122: { read: (data, at) => data.getInt16(at, true), one: 32767 },
  5123: { read: (data, at) => data.getUint16(at, true), one: 65535 },
  5126: { read: (data, at) => data.getFloat32(at, true), one: 1 },
};
