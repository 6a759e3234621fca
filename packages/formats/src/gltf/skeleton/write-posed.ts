/** Writes a posed file, and computes its matrices. */
import { FormatError } from 'poise';
import { type FieldsOf, requireFields } from 'poise/internal/checks';
import { affine, type Mat3x4, mat3, type Numbers } from 'poise/math';
import { fail } from '../../text/json-checks.js';
import { type SerializeGltfOptions, serializeGltf } from '../container/serialize.js';
import { localTransform, worldTransforms } from './nodes.js';
import { poseNodes } from './pose-nodes.js';
import type { GltfRig } from './read-rig.js';

/** Options of {@link writePosedGltf}. */
export type WritePosedGltfOptions = Omit<SerializeGltfOptions, 'nodes' | 'animations'>;

const FIELDS: FieldsOf<WritePosedGltfOptions> = { kind: true, externals: true };

/**
 * The rig's file with the pose as its default pose: sets the transforms of the nodes.
 * Scale, meshes, materials, images, animations, unknown extensions and extras keep their bytes; so do the nodes of bones
 * whose coordinates are all zero.
 *
 * @param pose coordinates, length `rig.figure.dof`.
 * @throws FigureError `wrong-size` | `not-finite` for the pose; FormatError as `serializeGltf`.
 */
export function writePosedGltf(rig: GltfRig, pose: Numbers, options: WritePosedGltfOptions = {}): Uint8Array {
  requireFields(options, FIELDS, 'options', FormatError);
  return serializeGltf(rig.document, { ...options, nodes: poseNodes(rig, pose) });
}

/**
 * World matrices of all nodes in the file that {@link writePosedGltf} writes for `pose`, as glTF defines them (product of
 * the local matrices from the root): sixteen numbers a node, column by column, node i from 16 i.
 */
export function worldMatrices(rig: GltfRig, pose: Numbers): Float64Array {
  const worlds = posedWorlds(rig, pose);
  const out = new Float64Array(16 * worlds.length);
  worlds.forEach((world, i) => {
    affine.toColumnMajor4(world, out.subarray(16 * i, 16 * i + 16));
  });
  return out;
}

/**
 * Joint matrices of a skin in the posed file, for skinning: world matrix of the joint's node times its inverse bind matrix, in
 * the order of `skin.joints`, sixteen numbers each, column by column. Their weighted sum maps a vertex from bind space to
 * the world (glTF 2.0, 3.7.3.3: the transform of the mesh's own node does not count).
 *
 * @param skin index of the skin.
 * @throws FormatError `out-of-range` (no such skin), `unsupported` (inverse binds in an unsupported extension).
 */
export function jointMatrices(rig: GltfRig, pose: Numbers, skin = 0): Float64Array {
  const { binding, document } = rig;
  const path = `${document.source}#/skins/${skin}`;
  const { joints, inverseBinds } =
    binding.skins[skin] ??
    fail('out-of-range', path, `there is no skin ${skin}.`, `The file has ${binding.skins.length}.`);
  if (!inverseBinds) {
    fail('unsupported', path, 'its inverse bind matrices are compressed.', 'Decompress the file first.');
  }
  const worlds = posedWorlds(rig, pose);
  const out = new Float64Array(16 * joints.length);
  joints.forEach((node, i) => {
    multiplyColumnMajor(worlds[node], inverseBinds, 16 * i, out);
  });
  return out;
}

function posedWorlds(rig: GltfRig, pose: Numbers): Mat3x4[] {
  const changes = poseNodes(rig, pose);
  return worldTransforms(rig.binding, (node) => localTransform({ ...node, ...changes.get(node.index) }));
}

/** out[at..] = W B with W twelve numbers and B sixteen, any fourth row, column by column at `at`. */
function multiplyColumnMajor(w: Mat3x4, b: Float64Array, at: number, out: Float64Array): void {
  for (let column = at; column < at + 16; column += 4) {
    const rotated = mat3.multiplyVector(w, b.subarray(column, column + 3));
    const last = b[column + 3];
    for (let row = 0; row < 3; row++) out[column + row] = rotated[row] + w[9 + row] * last;
    out[column + 3] = last;
  }
}
