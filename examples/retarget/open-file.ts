import { bindFigure, clipFromMotion, object3DFromFigure } from '@poise/three';
import type { AnimationClip, Object3D } from 'three';

/** What a file holds. */
export interface Opened {
  readonly name: string;
  readonly root: Object3D;
  readonly clips: readonly AnimationClip[];
  /** Whether there is a body to look at, not bones alone. */
  readonly hasMesh: boolean;
}

/** Reads a file by its ending; readers are loaded when they are needed. */
export async function openFile(file: File): Promise<Opened> {
  const { name } = file;
  switch (/[^.]*$/.exec(name.toLowerCase())?.[0]) {
    case 'bvh':
      return openBvh(name, await file.text());
    case 'glb':
    case 'gltf':
    case 'vrm': {
      const { GLTFLoader } = await import('three/examples/jsm/loaders/GLTFLoader.js');
      const { scene, animations } = await new GLTFLoader().parseAsync(await file.arrayBuffer(), '');
      return opened(name, scene, animations);
    }
    case 'fbx': {
      const { FBXLoader } = await import('three/examples/jsm/loaders/FBXLoader.js');
      const root = new FBXLoader().parse(await file.arrayBuffer(), '');
      return opened(name, root, root.animations);
    }
    default:
      throw new Error('Give a file that ends in .bvh, .glb, .gltf, .vrm or .fbx.');
  }
}

async function openBvh(name: string, text: string): Promise<Opened> {
  const { readBvh } = await import('@poise/formats/bvh');
  const { figure, motion } = readBvh(text, { source: name, scale: 'auto', fileUpAxis: 'auto' });
  const { root } = object3DFromFigure(figure, { color: '#8fa3bd', jointColor: '#5f7693' });
  const clip = clipFromMotion(bindFigure(figure, root), motion, { rate: 60 });
  return { name, root, clips: [clip], hasMesh: false };
}

function opened(name: string, root: Object3D, clips: readonly AnimationClip[]): Opened {
  let hasMesh = false;
  root.traverse((object) => {
    if ('isMesh' in object) hasMesh = true;
  });
  return { name, root, clips: clips.filter(({ duration }) => duration > 0), hasMesh };
}
