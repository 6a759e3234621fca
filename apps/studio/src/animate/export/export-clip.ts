import { clipFromMotion } from '@poise/three';
import type { Character, WrittenFile } from '../../character/character.js';
import { stemOf } from '../../character/files.js';
import type { CharacterModel } from '../../character/model.js';
import { type Clip, clipName } from '../clip/clip.js';
import { clipMotion } from '../clip/clip-motion.js';

export type ClipFile = 'glb' | 'bvh' | 'vrma';

/**
 * A clip as a file, a pose a frame: on the character's own file or on what is drawn, as a BVH, as a VRM animation.
 * @throws FormatError `unsupported` for a VRM animation of a figure that is at rest in no T-pose.
 */
export async function exportClip(
  type: ClipFile,
  clip: Clip,
  character: Character,
  model: CharacterModel,
): Promise<WrittenFile> {
  const { figure, humanoid, source, writeMotion } = character;
  const motion = clipMotion(clip, character, clipName(clip));
  const owner = source.type === 'human' ? 'human' : stemOf(source.name);
  // Of these files the clip is all that matters.
  const name = clip.imported?.name.replace(/\.(bvh|vrma)$/i, '').replace(/[\\/:*?"<>|]/g, '_') || owner;
  const { rate } = clip;
  switch (type) {
    case 'bvh': {
      const { writeBvh } = await import('@poise/formats/bvh');
      const text = writeBvh(figure, motion, { frameTime: 1 / rate });
      return { name: `${name}.bvh`, bytes: new TextEncoder().encode(text) };
    }
    case 'vrma': {
      const { writeVrmAnimation } = await import('@poise/formats/gltf');
      const bones = humanoid === undefined ? {} : { bones: humanoid.bones };
      return { name: `${name}.vrma`, bytes: Uint8Array.from(writeVrmAnimation(figure, motion, bones)) };
    }
    case 'glb': {
      if (writeMotion !== undefined) return writeMotion(motion, rate);
      const { writeObject } = await import('../../character/write-object.js');
      const animation = clipFromMotion(model.binding, motion, { rate });
      return { name: `${owner}-animated.glb`, bytes: await writeObject(model.root, [animation]) };
    }
  }
}
