import type { AnimationClip, Object3D } from 'three';
import { GLTFExporter } from 'three/examples/jsm/exporters/GLTFExporter.js';

/** An object and all below it as a GLB, where and how it is drawn, with animations. */
export async function writeObject(
  root: Object3D,
  animations: AnimationClip[] = [],
): Promise<Uint8Array<ArrayBuffer>> {
  const result = await new GLTFExporter().parseAsync(root, { binary: true, animations });
  return new Uint8Array(result as ArrayBuffer);
}
