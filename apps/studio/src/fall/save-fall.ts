import type { Character } from '../character/character.js';
import { view } from '../scene/view.js';
import type { Fall } from './fall.js';

/** Saves what was simulated as an animation. @returns the name of the file; undefined where nothing was simulated. */
export async function saveFall(
  kind: 'glb' | 'bvh',
  fall: Fall,
  { figure }: Character,
): Promise<string | undefined> {
  const motion = fall.motion('fall');
  if (motion === undefined || view.body === undefined) return undefined;
  const name = `fall.${kind}`;
  if (kind === 'bvh') {
    const { writeBvh } = await import('@poise/formats/bvh');
    download(name, new Blob([writeBvh(figure, motion)], { type: 'text/plain' }));
    return name;
  }
  const { writeMotion } = await import('./write-motion.js');
  download(name, new Blob([await writeMotion(view.body, motion)], { type: 'model/gltf-binary' }));
  return name;
}

function download(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
