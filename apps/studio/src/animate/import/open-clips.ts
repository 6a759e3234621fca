import { BUDGET } from '../../character/budget.js';
import type { FileClip } from '../../character/character.js';
import { endingOf, nameOfClip, unknownWords } from '../../character/files.js';

/** Frames a second that are read of a VRM animation, which has none. */
const VRMA_RATE = 30;

/**
 * The animations of a file; readers are loaded when they are needed.
 * @param others - Files that a .gltf names.
 * @throws PoiseError for what cannot be read, with what to do.
 */
export async function openClips(file: File, others: readonly File[] = []): Promise<readonly FileClip[]> {
  const { name } = file;
  switch (endingOf(name)) {
    case 'bvh': {
      const { readBvh } = await import('@poise/formats/bvh');
      const { figure, motion, frameTime } = readBvh(await file.text(), {
        source: name,
        scale: 'auto',
        fileUpAxis: 'auto',
        budget: BUDGET,
      });
      return [{ name, rate: Math.max(1, Math.round(1 / frameTime)), read: () => ({ figure, motion }) }];
    }
    case 'vrma':
      return vrmAnimations(new Uint8Array(await file.arrayBuffer()), name);
    case 'glb':
    case 'gltf':
    case 'vrm': {
      const { sceneClips, vrmBones } = await import('../../character/open-character.js');
      const { loadScene } = await import('../../character/load-scene.js');
      const { gltf, rig } = await loadScene(file, others);
      const bones = endingOf(name) === 'vrm' ? await vrmBones(rig) : {};
      return sceneClips(gltf, rig, bones).map((clip) => ({ ...clip, bones }));
    }
    default:
      throw new Error(unknownWords(name, 'Open a clip: BVH, GLB, glTF, VRM or VRMA.'));
  }
}

async function vrmAnimations(bytes: Uint8Array, name: string): Promise<readonly FileClip[]> {
  const { listGltfAnimations, readGltfAnimation, readGltfRig, vrmHumanoid } = await import(
    '@poise/formats/gltf'
  );
  const rig = readGltfRig(bytes, { source: name, budget: BUDGET });
  const bones = vrmHumanoid(rig) ?? {};
  return listGltfAnimations(rig.document).map((entry, index, { length }) => ({
    name: nameOfClip(entry.name, name, index, length),
    rate: VRMA_RATE,
    bones,
    read: () => ({ figure: rig.figure, motion: readGltfAnimation(rig, index).motion }),
  }));
}
