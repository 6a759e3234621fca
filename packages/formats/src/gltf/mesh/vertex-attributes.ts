/** Reads vertex attributes of meshes. */

import { createMeter } from '../../budget.js';
import { arrayAt, indexAt, type JsonObject } from '../../text/json-checks.js';
import { accessorNumbers } from '../container/accessor-numbers.js';
import { readAccessor } from '../container/accessors.js';
import type { GltfDocument } from '../container/container.js';

/**
 * Reads the numbers of a vertex attribute, `normalized` integers converted to fractions; undefined if compressed or of another type.
 *
 * @param attributes - `attributes` of a primitive; contains `name`.
 * @throws FormatError `invalid-file` | `out-of-range` | `over-budget`.
 */
export type AttributeReader = (
  attributes: JsonObject,
  name: string,
  type: 'VEC3' | 'VEC4',
  path: string,
) => Float64Array | undefined;

/** A reader that decodes each accessor once, however many primitives share it, and counts the vertices that it gives. */
export function createAttributeReader(document: GltfDocument): AttributeReader {
  const { json, source, budget } = document;
  const accessorCount = arrayAt(json.accessors, `${source}#/accessors`).length;
  const decoded = new Map<string, Float64Array | undefined>();
  const spend = createMeter(budget, 'vertices', `${source}#/meshes`);
  return (attributes, name, type, path) => {
    const index = indexAt(attributes[name], `${path}/${name}`, accessorCount, 'accessor');
    const accessor = readAccessor(document, index);
    const key = `${index} ${type}`;
    const numbers = decoded.has(key) ? decoded.get(key) : accessorNumbers(document, accessor, type);
    decoded.set(key, numbers);
    if (numbers !== undefined) spend(accessor.count);
    return numbers;
  };
}
