import type { Character, FileClip } from '../../character/character.js';
import { type Clip, clipName, hasKeys } from '../clip/clip.js';
import { clipMotion } from '../clip/clip-motion.js';
import { importClip } from './import-clip.js';
import { sourceOf } from './sources.js';

/** A clip and the character that it is of. */
export interface ClipOn {
  readonly clip: Clip;
  readonly character: Character;
}

/**
 * A clip of a character on the one that has come in its place, if both are human: from the file that it came from, or as its keys are where they
 * were changed.
 *
 * @returns undefined where it cannot be put on.
 */
export async function adoptClip(
  { clip, character: before }: ClipOn,
  character: Character,
  retarget?: Parameters<typeof importClip>[3],
): Promise<Clip | undefined> {
  if (!hasKeys(clip) || before.humanoid === undefined || character.humanoid === undefined) return undefined;
  const source = sourceOf(clip);
  const file = source?.clip === clip ? source.file : fileOf({ clip, character: before });
  return { ...(await importClip(file, character, false, retarget)), ground: clip.ground };
}

function fileOf({ clip, character }: ClipOn): FileClip {
  const { figure, humanoid } = character;
  const bones = Object.fromEntries(
    Object.entries(humanoid?.bones ?? {}).map(([name, bone]) => [name, figure.bones[bone].name]),
  );
  const name = clipName(clip);
  return {
    name,
    rate: clip.rate,
    bones,
    read: () => ({ figure, motion: clipMotion(clip, character, name) }),
  };
}
