/** Checks buffer views and accessors, and reads matrices. */
import {
  arrayAt,
  countAt,
  fail,
  indexAt,
  type JsonObject,
  objectAt,
  wordOf,
} from '../../text/json-checks.js';
import type { GltfDocument } from './container.js';

/** Bytes of a component by `componentType`. */
const componentBytes: Readonly<Record<number, number>> = {
  5120: 1,
  5121: 1,
  5122: 2,
  5123: 2,
  5125: 4,
  5126: 4,
};

/** Columns and rows of an element by `type`. */
const elementShape: Readonly<Record<string, readonly [columns: number, rows: number]>> = {
  SCALAR: [1, 1],
  VEC2: [1, 2],
  VEC3: [1, 3],
  VEC4: [1, 4],
  MAT2: [2, 2],
  MAT3: [3, 3],
  MAT4: [4, 4],
};

const damaged = 'The file is damaged; fetch or export it again.';

interface View {
  readonly buffer: number;
  readonly byteOffset: number;
  readonly byteLength: number;
  readonly byteStride?: number;
}

/** A checked accessor. */
export interface GltfAccessor {
  readonly json: JsonObject;
  readonly path: string;
  readonly componentType: number;
  readonly type: string;
  readonly count: number;
  /** Bytes of an element, each column of a matrix at a multiple of 4. */
  readonly elementBytes: number;
}

/**
 * Checks that every bufferView lies in its buffer and every accessor in its bufferView.
 * @throws FormatError `out-of-range` | `invalid-file`, at `file#/accessors/3`.
 */
export function checkAccessors(document: GltfDocument): void {
  const { json, source } = document;
  const viewCount = arrayAt(json.bufferViews, `${source}#/bufferViews`).length;
  for (let i = 0; i < viewCount; i++) readView(document, i);
  const count = arrayAt(json.accessors, `${source}#/accessors`).length;
  for (let i = 0; i < count; i++) readAccessor(document, i);
}

function readView(document: GltfDocument, index: number): View {
  const path = `${document.source}#/bufferViews/${index}`;
  const view = objectAt((document.json.bufferViews as unknown[])[index], path);
  const buffer = indexAt(view.buffer, `${path}/buffer`, document.buffers.length, 'buffer');
  const byteOffset = countAt(view.byteOffset, `${path}/byteOffset`, 0);
  const byteLength = countAt(view.byteLength, `${path}/byteLength`);
  const size = document.buffers[buffer].byteLength;
  if (byteOffset + byteLength > size) {
    const what = `ends at byte ${byteOffset + byteLength} of buffer ${buffer}, which has ${size}.`;
    fail('out-of-range', path, what, damaged);
  }
  if (view.byteStride === undefined) return { buffer, byteOffset, byteLength };
  const byteStride = countAt(view.byteStride, `${path}/byteStride`);
  if (byteStride < 4 || byteStride > 252 || byteStride % 4 !== 0) {
    fail('out-of-range', `${path}/byteStride`, `is ${byteStride}.`, 'Use a multiple of 4 from 4 to 252.');
  }
  return { buffer, byteOffset, byteLength, byteStride };
}

/** The accessor at `index`, its ranges checked. @throws FormatError `out-of-range` | `invalid-file`. */
export function readAccessor(document: GltfDocument, index: number): GltfAccessor {
  const path = `${document.source}#/accessors/${index}`;
  const json = objectAt((document.json.accessors as unknown[])[index], path);
  const componentType = countAt(json.componentType, `${path}/componentType`);
  const type = wordOf(json.type);
  const component = componentBytes[componentType];
  const shape = Object.hasOwn(elementShape, type) ? elementShape[type] : undefined;
  if (component === undefined) {
    fail('invalid-file', `${path}/componentType`, `is ${componentType}, not a glTF component type.`, damaged);
  }
  if (!shape) return fail('invalid-file', `${path}/type`, `is ${type}, not a glTF accessor type.`, damaged);
  const [columns, rows] = shape;
  const columnBytes = component * rows;
  // Columns of a matrix start at multiples of 4 bytes (glTF 2.0, 3.6.2.4).
  const elementBytes =
    columns > 1 ? (columns - 1) * Math.ceil(columnBytes / 4) * 4 + columnBytes : columnBytes;
  const count = countAt(json.count, `${path}/count`);
  const accessor = { json, path, componentType, type, count, elementBytes };
  if (json.bufferView !== undefined) requireRange(document, json, path, count, elementBytes);
  if (json.sparse !== undefined) readSparse(document, accessor);
  return accessor;
}

/** The view of `json.bufferView`, after checking that `count` elements of `elementBytes` lie inside. */
function requireRange(
  document: GltfDocument,
  json: JsonObject,
  path: string,
  count: number,
  elementBytes: number,
): View & { readonly start: number; readonly stride: number } {
  const viewCount = arrayAt(document.json.bufferViews, `${document.source}#/bufferViews`).length;
  const index = indexAt(json.bufferView, `${path}/bufferView`, viewCount, 'bufferView');
  const view = readView(document, index);
  const offset = countAt(json.byteOffset, `${path}/byteOffset`, 0);
  const stride = view.byteStride ?? elementBytes;
  const end = count === 0 ? offset : offset + (count - 1) * stride + elementBytes;
  if (end > view.byteLength) {
    const what = `needs ${end} bytes of bufferView ${index}, which has ${view.byteLength}.`;
    fail('out-of-range', path, what, damaged);
  }
  return { ...view, start: view.byteOffset + offset, stride };
}

interface Sparse {
  readonly count: number;
  readonly indexBytes: number;
  readonly indices: View & { readonly start: number };
  readonly values: View & { readonly start: number };
}

function readSparse(document: GltfDocument, accessor: GltfAccessor): Sparse {
  const path = `${accessor.path}/sparse`;
  const sparse = objectAt(accessor.json.sparse, path);
  const count = countAt(sparse.count, `${path}/count`);
  const indicesJson = objectAt(sparse.indices, `${path}/indices`);
  const valuesJson = objectAt(sparse.values, `${path}/values`);
  const type = countAt(indicesJson.componentType, `${path}/indices/componentType`);
  if (type !== 5121 && type !== 5123 && type !== 5125) {
    fail(
      'invalid-file',
      `${path}/indices/componentType`,
      `is ${type}, not an unsigned integer type.`,
      damaged,
    );
  }
  const indexBytes = componentBytes[type];
  return {
    count,
    indexBytes,
    indices: requireRange(document, indicesJson, `${path}/indices`, count, indexBytes),
    values: requireRange(document, valuesJson, `${path}/values`, count, accessor.elementBytes),
  };
}

/**
 * The first `count` matrices of a FLOAT MAT4 accessor, sixteen numbers each, column by column. Undefined where
 * an unsupported extension (meshopt) stores the bytes.
 * @throws FormatError `invalid-file` (another type), `out-of-range` (fewer matrices), `not-finite`.
 */
export function readMatrices(document: GltfDocument, index: number, count: number): Float64Array | undefined {
  const accessor = readAccessor(document, index);
  const { path, type, componentType } = accessor;
  if (type !== 'MAT4' || componentType !== 5126) {
    fail(
      'invalid-file',
      path,
      `holds ${type} of component type ${componentType}, not MAT4 of 5126 (FLOAT).`,
      damaged,
    );
  }
  if (accessor.count < count) {
    fail(
      'out-of-range',
      `${path}/count`,
      `is ${accessor.count}, but ${count} joints need a matrix each.`,
      damaged,
    );
  }
  const out = new Float64Array(16 * count);
  const complete = forEachElement(document, accessor, count, (data, at, element) => {
    for (let k = 0; k < 16; k++) {
      const value = data.getFloat32(at + 4 * k, true);
      if (!Number.isFinite(value)) {
        fail('not-finite', path, `entry ${k} of matrix ${element} is ${value}.`, damaged);
      }
      out[16 * element + k] = value;
    }
  });
  return complete ? out : undefined;
}

/**
 * Visits the first `count` elements of an accessor, then the elements that its sparse part replaces.
 * @returns false where an unsupported extension (meshopt) stores the bytes.
 * @throws FormatError `out-of-range`, `invalid-file`.
 */
export function forEachElement(
  document: GltfDocument,
  accessor: GltfAccessor,
  count: number,
  visit: (data: DataView, at: number, element: number) => void,
): boolean {
  const { json, path, elementBytes } = accessor;
  if (json.bufferView !== undefined) {
    const { buffer, start, stride } = requireRange(document, json, path, accessor.count, elementBytes);
    const { bytes } = document.buffers[buffer];
    if (!bytes) return false;
    const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let i = 0; i < count; i++) visit(data, start + i * stride, i);
  }
  if (json.sparse === undefined) return true;
  const { count: replaced, indexBytes, indices, values } = readSparse(document, accessor);
  const indexSource = document.buffers[indices.buffer].bytes;
  const valueSource = document.buffers[values.buffer].bytes;
  if (!indexSource || !valueSource) return false;
  const data = new DataView(valueSource.buffer, valueSource.byteOffset, valueSource.byteLength);
  for (let i = 0; i < replaced; i++) {
    let element = 0;
    for (let b = indexBytes - 1; b >= 0; b--) {
      element = element * 256 + indexSource[indices.start + i * indexBytes + b];
    }
    if (element >= accessor.count) {
      const what = `entry ${i} replaces element ${element} of ${accessor.count}.`;
      fail('out-of-range', `${path}/sparse/indices`, what, damaged);
    }
    if (element < count) visit(data, values.start + i * elementBytes, element);
  }
  return true;
}
