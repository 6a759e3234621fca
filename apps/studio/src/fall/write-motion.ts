import { clipFromMotion } from '@poise/three';
import type { Motion } from 'poise/motion';
import { GLTFExporter } from 'three/examples/jsm/exporters/GLTFExporter.js';
import type { CharacterModel } from '../character/model.js';

/** Keys a second: as often as was recorded. */
const RATE = 60;

/** What is drawn of a character with a motion, as a GLB. */
export async function writeMotion(
  { root, binding }: CharacterModel,
  motion: Motion,
): Promise<Uint8Array<ArrayBuffer>> {
  const animations = [clipFromMotion(binding, motion, { rate: RATE })];
  const result = await new GLTFExporter().parseAsync(root, { binary: true, animations });
  return new Uint8Array(result as ArrayBuffer);
}
