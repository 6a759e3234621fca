import { BUDGET } from '../../character/budget.js';
import type { FileClip } from '../../character/character.js';
import { endingOf } from '../../character/files.js';

/** Endings of files that hold animations. */
export const CLIP_FILES: readonly string[] = ['bvh', 'glb', 'gltf', 'vrm', 'vrma'];
/** Frames a second that are read of a VRM animation, which has none. */
const VRMA_RATE = 30;

/**
 * The animations of a file; readers are loaded when they are needed.
 * @throws PoiseError for what cannot be read, with what to do.
 */
export async function openClips(file: File): Promise<readonly FileClip[]> {
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
      const { gltf, rig } = await loadScene(file);
      const { scene, animations } = gltf;
      const bones = endingOf(name) === 'vrm' ? await vrmBones(rig) : {};
      return sceneClips(animations, scene, bones).map((clip) => ({ ...clip, bones }));
    }
    default:
      throw new Error(`${name} is no animation: give a file that ends in ${CLIP_FILES.join(', ')}.`);
  }
}

async function vrmAnimations(bytes: Uint8Array, name: string): Promise<readonly FileClip[]> {
  const { listGltfAnimations, readGltfAnimation, readGltfRig, vrmHumanoid } = await import(
    '@poise/formats/gltf'
  );
  const rig = readGltfRig(bytes, { source: name, budget: BUDGET });
  const bones = vrmHumanoid(rig) ?? {};
  return listGltfAnimations(rig.document).map((entry, index) => ({
    name: entry.name ?? name,
    rate: VRMA_RATE,
    bones,
    read: () => ({ figure: rig.figure, motion: readGltfAnimation(rig, index).motion }),
  }));
}
