/** Reads vertex attributes of meshes. */

import { arrayAt, indexAt, type JsonObject } from '../../text/json-checks.js';
import { accessorNumbers } from '../container/accessor-numbers.js';
import { readAccessor } from '../container/accessors.js';
import type { GltfDocument } from '../container/container.js';

/**
 * The numbers of a vertex attribute, `normalized` integers converted to fractions; undefined if compressed or of another type.
 *
 * @param attributes - `attributes` of a primitive; contains `name`.
 * @throws FormatError `invalid-file` | `out-of-range`.
 */
export function readAttribute(
  document: GltfDocument,
  attributes: JsonObject,
  name: string,
  type: 'VEC3' | 'VEC4',
  path: string,
): Float64Array | undefined {
  const { json, source } = document;
  const accessorCount = arrayAt(json.accessors, `${source}#/accessors`).length;
  const index = indexAt(attributes[name], `${path}/${name}`, accessorCount, 'accessor');
  return accessorNumbers(document, readAccessor(document, index), type);
}
