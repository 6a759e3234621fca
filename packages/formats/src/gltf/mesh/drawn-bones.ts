/** Which bones shape what is drawn: rigs carry control bones (poles, targets of their own IK) that move no mesh. */
import { arrayAt, objectAt } from '../../text/json-checks.js';
import type { GltfDocument } from '../container/container.js';
import type { GltfRig } from '../skeleton/read-rig.js';
import { readAttribute } from './vertex-attributes.js';

/**
 * For each bone whether it moves something that is drawn by itself: a vertex of a skin has a weight on it, or a mesh
 * without a skin hangs from it with no bone between. Joints of a skin whose weights cannot be read (compressed) all
 * count, and so do all bones of a file without meshes.
 *
 * @throws FormatError `invalid-file` | `out-of-range` for meshes that are broken.
 */
export function drawnBones(rig: GltfRig): boolean[] {
  const { document, binding } = rig;
  const drawn: boolean[] = rig.figure.bones.map(() => false);
  for (const node of binding.nodes) {
    if (node.mesh === undefined) continue;
    if (node.skin === undefined) {
      let carrier = node.index;
      while (carrier >= 0 && binding.boneOfNode[carrier] < 0) carrier = binding.nodes[carrier].parent;
      if (carrier >= 0) drawn[binding.boneOfNode[carrier]] = true;
      continue;
    }
    const { joints } = binding.skins[node.skin];
    const weighted = weightedJoints(document, node.mesh);
    joints.forEach((joint, j) => {
      const bone = binding.boneOfNode[joint];
      if (bone >= 0 && (weighted === undefined || weighted.has(j))) drawn[bone] = true;
    });
  }
  return drawn.includes(true) ? drawn : drawn.fill(true);
}

/** Places in `skin.joints` that some vertex of the mesh gives a weight; undefined where that cannot be read. */
function weightedJoints(document: GltfDocument, mesh: number): ReadonlySet<number> | undefined {
  const path = `${document.source}#/meshes/${mesh}`;
  const { primitives } = objectAt(arrayAt(document.json.meshes, `${document.source}#/meshes`)[mesh], path);
  const weighted = new Set<number>();
  let readable = true;
  arrayAt(primitives, `${path}/primitives`).forEach((primitive, p) => {
    const at = `${path}/primitives/${p}`;
    const attributes = objectAt(objectAt(primitive, at).attributes, `${at}/attributes`);
    for (let set = 0; Object.hasOwn(attributes, `JOINTS_${set}`); set++) {
      const joints = readAttribute(document, attributes, `JOINTS_${set}`, 'VEC4', `${at}/attributes`);
      const weights = readAttribute(document, attributes, `WEIGHTS_${set}`, 'VEC4', `${at}/attributes`);
      if (!joints || !weights) {
        readable = false;
        return;
      }
      const count = Math.min(joints.length, weights.length);
      for (let i = 0; i < count; i++) if (weights[i] > 0) weighted.add(joints[i]);
    }
  });
  return readable ? weighted : undefined;
}
