import type { AsfSkeleton } from '@poise/formats/asf';
import { bindFigure, clipFromMotion, object3DFromFigure } from '@poise/three';
import type { Figure } from 'poise/figure';
import type { HumanBoneMap } from 'poise/humanoid';
import type { Motion } from 'poise/motion';
import { type AnimationClip, type Object3D, PropertyBinding } from 'three';

/** What a file holds. */
export interface Opened {
  readonly name: string;
  readonly root: Object3D;
  readonly clips: readonly AnimationClip[];
  /** Whether there is a body to look at, not bones alone. */
  readonly hasMesh: boolean;
  /** The bones of a human that the file names. */
  readonly bones: HumanBoneMap<string>;
}

/** The last .asf: the skeleton of .amc files. */
let skeleton: AsfSkeleton | undefined;

/** Reads a file by its ending, a skeleton for the clips that come with it or later; readers are loaded when they are needed. */
export async function openFile(file: File): Promise<Opened | 'skeleton'> {
  const { name } = file;
  switch (endingOf(file)) {
    case 'bvh': {
      const { readBvh } = await import('@poise/formats/bvh');
      const { figure, motion } = readBvh(await file.text(), {
        source: name,
        scale: 'auto',
        fileUpAxis: 'auto',
      });
      return openedMotion(name, figure, motion);
    }
    case 'asf': {
      const { readAsf } = await import('@poise/formats/asf');
      skeleton = readAsf(await file.text(), { source: name });
      return 'skeleton';
    }
    case 'amc': {
      if (skeleton === undefined) throw new Error('needs its skeleton: drop the .asf with it.');
      const { readAmc } = await import('@poise/formats/asf');
      const { motion } = readAmc(await file.text(), skeleton, { source: name });
      return openedMotion(name, skeleton.figure, motion);
    }
    case 'glb':
    case 'gltf':
    case 'vrm': {
      const { GLTFLoader } = await import('three/examples/jsm/loaders/GLTFLoader.js');
      const bytes = await file.arrayBuffer();
      const { scene, animations } = await new GLTFLoader().parseAsync(bytes, '');
      return opened(
        name,
        scene,
        animations,
        name.toLowerCase().endsWith('.vrm') ? await vrmBones(bytes) : {},
      );
    }
    case 'fbx': {
      const { FBXLoader } = await import('three/examples/jsm/loaders/FBXLoader.js');
      const root = new FBXLoader().parse(await file.arrayBuffer(), '');
      return opened(name, root, root.animations);
    }
    default:
      throw new Error('Give a file that ends in .bvh, .amc and .asf, .glb, .gltf, .vrm or .fbx.');
  }
}

/** The human bones that a VRM names, by the names that three.js gives them. */
async function vrmBones(bytes: ArrayBuffer): Promise<HumanBoneMap<string>> {
  const { readGltfRig, vrmHumanoid } = await import('@poise/formats/gltf');
  const bones = vrmHumanoid(readGltfRig(new Uint8Array(bytes))) ?? {};
  return Object.fromEntries(
    Object.entries(bones).map(([human, bone]) => [human, PropertyBinding.sanitizeNodeName(bone)]),
  );
}

/** Skeletons before the clips that need them. */
export function skeletonsFirst(files: Iterable<File>): File[] {
  return [...files].sort((a, b) => Number(endingOf(b) === 'asf') - Number(endingOf(a) === 'asf'));
}

function endingOf({ name }: File): string | undefined {
  return /[^.]*$/.exec(name.toLowerCase())?.[0];
}

/** Bones alone, as solids. */
function openedMotion(name: string, figure: Figure, motion: Motion): Opened {
  const { root } = object3DFromFigure(figure, { color: '#8fa3bd', jointColor: '#5f7693' });
  const clip = clipFromMotion(bindFigure(figure, root), motion, { rate: 60 });
  return { name, root, clips: [clip], hasMesh: false, bones: {} };
}

function opened(
  name: string,
  root: Object3D,
  clips: readonly AnimationClip[],
  bones: HumanBoneMap<string> = {},
): Opened {
  let hasMesh = false;
  root.traverse((object) => {
    if ('isMesh' in object) hasMesh = true;
  });
  return { name, root, clips: clips.filter(({ duration }) => duration > 0), hasMesh, bones };
}
