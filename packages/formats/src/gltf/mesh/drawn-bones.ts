/** Finds bones that move visible geometry: rigs also contain control bones (poles, IK targets) that deform no mesh. */
import { arrayAt, objectAt } from '../../text/json-checks.js';
import type { GltfDocument } from '../container/container.js';
import type { GltfRig } from '../skeleton/read-rig.js';
import { type AttributeReader, createAttributeReader } from './vertex-attributes.js';

/**
 * For each bone, whether it moves visible geometry itself: a skinned vertex has a weight on it, or it is the nearest ancestor
 * bone of a mesh without a skin. True for all joints of a skin with unreadable (compressed) weights, and for all bones of a
 * file without meshes.
 *
 * @throws FormatError `invalid-file` | `out-of-range` for invalid meshes.
 */
export function drawnBones(rig: GltfRig): boolean[] {
  const { document, binding } = rig;
  const drawn: boolean[] = rig.figure.bones.map(() => false);
  const read = createAttributeReader(document);
  const weightedOf = new Map<number, ReadonlySet<number> | undefined>();
  for (const node of binding.nodes) {
    if (node.mesh === undefined) continue;
    if (node.skin === undefined) {
      let ancestor = node.index;
      while (ancestor >= 0 && binding.boneOfNode[ancestor] < 0) ancestor = binding.nodes[ancestor].parent;
      if (ancestor >= 0) drawn[binding.boneOfNode[ancestor]] = true;
      continue;
    }
    const { joints } = binding.skins[node.skin];
    if (!weightedOf.has(node.mesh)) weightedOf.set(node.mesh, weightedJoints(document, read, node.mesh));
    const weighted = weightedOf.get(node.mesh);
    joints.forEach((joint, j) => {
      const bone = binding.boneOfNode[joint];
      if (bone >= 0 && (weighted === undefined || weighted.has(j))) drawn[bone] = true;
    });
  }
  return drawn.includes(true) ? drawn : drawn.fill(true);
}

/** Indices into `skin.joints` with a weight on some vertex of the mesh; undefined where weights cannot be read. */
function weightedJoints(
  document: GltfDocument,
  read: AttributeReader,
  mesh: number,
): ReadonlySet<number> | undefined {
  const path = `${document.source}#/meshes/${mesh}`;
  const { primitives } = objectAt(arrayAt(document.json.meshes, `${document.source}#/meshes`)[mesh], path);
  const weighted = new Set<number>();
  let isReadable = true;
  arrayAt(primitives, `${path}/primitives`).forEach((primitive, p) => {
    const at = `${path}/primitives/${p}`;
    const attributes = objectAt(objectAt(primitive, at).attributes, `${at}/attributes`);
    for (let set = 0; Object.hasOwn(attributes, `JOINTS_${set}`); set++) {
      const joints = read(attributes, `JOINTS_${set}`, 'VEC4', `${at}/attributes`);
      const weights = read(attributes, `WEIGHTS_${set}`, 'VEC4', `${at}/attributes`);
      if (!joints || !weights) {
        isReadable = false;
        return;
      }
      const count = Math.min(joints.length, weights.length);
      for (let i = 0; i < count; i++) if (weights[i] > 0) weighted.add(joints[i]);
    }
  });
  return isReadable ? weighted : undefined;
}
