/** Reads skins: joints and inverse bind matrices. */

import { arrayAt, fail, indexAt, objectAt, optionalTextAt } from '../../text/json-checks.js';
import { readMatrices } from '../container/accessors.js';
import type { GltfDocument } from '../container/container.js';

/** A skin as in the file. */
export interface GltfSkin {
  readonly index: number;
  readonly name?: string;
  /** Node of each joint, in the order of the indices in vertex attributes. */
  readonly joints: readonly number[];
  /**
   * Inverse bind matrices, sixteen numbers a joint, column by column; identities where the file has none (glTF's
   * default). Absent where an unsupported extension stores them.
   */
  readonly inverseBinds?: Float64Array;
}

/** Reads and checks all skins. @throws FormatError at `file#/skins/0/joints/2`. */
export function readSkins(document: GltfDocument, warnings: string[]): GltfSkin[] {
  const { json, source } = document;
  const nodeCount = arrayAt(json.nodes, `${source}#/nodes`).length;
  const accessorCount = arrayAt(json.accessors, `${source}#/accessors`).length;
  return arrayAt(json.skins, `${source}#/skins`).map((entry, index): GltfSkin => {
    const path = `${source}#/skins/${index}`;
    const skin = objectAt(entry, path);
    const name = optionalTextAt(skin.name, `${path}/name`);
    const joints = arrayAt(skin.joints, `${path}/joints`).map((joint, i) =>
      indexAt(joint, `${path}/joints/${i}`, nodeCount, 'node'),
    );
    if (joints.length === 0) {
      fail(
        'invalid-file',
        `${path}/joints`,
        'is empty.',
        'A skin needs a joint; remove the skin or give it one.',
      );
    }
    if (skin.skeleton !== undefined) indexAt(skin.skeleton, `${path}/skeleton`, nodeCount, 'node');
    let inverseBinds: Float64Array | undefined = identities(joints.length);
    if (skin.inverseBindMatrices !== undefined) {
      const at = `${path}/inverseBindMatrices`;
      inverseBinds = readMatrices(
        document,
        indexAt(skin.inverseBindMatrices, at, accessorCount, 'accessor'),
        joints.length,
      );
      if (!inverseBinds) {
        warnings.push(`${at}: is compressed by an unsupported extension; joint matrices are not available.`);
      }
    }
    return { index, joints, ...(name !== undefined && { name }), ...(inverseBinds && { inverseBinds }) };
  });
}

function identities(count: number): Float64Array {
  const out = new Float64Array(16 * count);
  for (let i = 0; i < 16 * count; i += 16) out[i] = out[i + 5] = out[i + 10] = out[i + 15] = 1;
  return out;
}
