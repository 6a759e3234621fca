import { plainGlb } from '@poise/test-support/plain-glb';
import { type GLTF, GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';

/** A GLB or .gltf as three.js loads it, without pictures and materials. */
export function loadRig(bytes: Buffer): Promise<GLTF> {
  return new GLTFLoader().parseAsync(plainGlb(bytes), '');
}
