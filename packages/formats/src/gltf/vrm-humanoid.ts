/** The humanoid bone map of a VRM file. */
import {
  DETAIL_BONES,
  type DetailBone,
  HUMAN_BONES,
  type HumanBone,
  type HumanBoneMap,
} from 'poise/humanoid';
import { arrayAt, indexAt, type JsonObject, objectAt, wordOf } from '../text/json-checks.js';
import type { GltfRig } from './skeleton/read-rig.js';

/** Extensions with a humanoid: VRM 1.0, VRM animation, VRM 0.x. */
const EXTENSIONS = ['VRMC_vrm', 'VRMC_vrm_animation', 'VRM'] as const;

/**
 * The human bones of a VRM file as bone names of the figure, for `findHumanoid`, `createRagdoll` and landmarks: body, fingers, eyes and jaw, by
 * their names of VRM 1.0 (the thumb of VRM 0 has others). undefined for a file without a VRM extension: `findHumanoid` then matches by names and geometry.
 *
 * @throws FormatError `invalid-file` | `out-of-range` for an invalid extension.
 */
export function vrmHumanoid(rig: GltfRig): HumanBoneMap<string> | undefined {
  const { json, source } = rig.document;
  if (json.extensions === undefined) return undefined;
  const extensions = objectAt(json.extensions, `${source}#/extensions`);
  const name = EXTENSIONS.find((extension) => Object.hasOwn(extensions, extension));
  if (name === undefined) return undefined;
  const path = `${source}#/extensions/${name}/humanoid`;
  const extension = objectAt(extensions[name], `${source}#/extensions/${name}`);
  if (extension.humanoid === undefined) return undefined;
  const { humanBones } = objectAt(extension.humanoid, path);
  const found: HumanBoneMap<string> = {};
  const add = (bone: string, entry: JsonObject, at: string): void => {
    if (!isHumanBone(bone)) return;
    const node = indexAt(entry.node, `${at}/node`, rig.binding.nodes.length, 'node');
    const index = rig.binding.boneOfNode[node];
    if (index >= 0) found[bone] = rig.figure.bones[index].name;
  };
  if (name === 'VRM') {
    arrayAt(humanBones, `${path}/humanBones`).forEach((entry, i) => {
      const at = `${path}/humanBones/${i}`;
      const bone = objectAt(entry, at);
      add(nameOfVrm0(wordOf(bone.bone)), bone, at);
    });
  } else {
    for (const [bone, entry] of Object.entries(objectAt(humanBones, `${path}/humanBones`))) {
      add(bone, objectAt(entry, `${path}/humanBones/${bone}`), `${path}/humanBones/${bone}`);
    }
  }
  return found;
}

/** VRM 0 calls the thumb's bones proximal, intermediate, distal; VRM 1.0 metacarpal, proximal, distal. */
function nameOfVrm0(bone: string): string {
  return bone.replace('ThumbProximal', 'ThumbMetacarpal').replace('ThumbIntermediate', 'ThumbProximal');
}

function isHumanBone(bone: string): bone is HumanBone | DetailBone {
  return ([...HUMAN_BONES, ...DETAIL_BONES] as readonly string[]).includes(bone);
}
