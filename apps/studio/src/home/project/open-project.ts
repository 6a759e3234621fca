/** Projects become documents: the character is made again, and what was kept of it is checked against it. */
import { FormatError } from 'poise';
import { clipFor, jointsOf } from '../../animate/clip/clip.js';
import type { Character } from '../../character/character.js';
import { withLimits } from '../../character/limits.js';
import { MADE } from '../../character/made/made.js';
import type { Document } from '../../document/document.js';
import type { CharacterData, ProjectData } from './project.js';

/** Makes the built-in human of a height. */
export type MakeHuman = (height: number) => Character;

/**
 * @param source - Name of the project, for errors.
 * @throws PoiseError for a character that cannot be read, and for a pose or clip that does not fit it.
 */
export async function documentOf(project: ProjectData, human: MakeHuman, source: string): Promise<Document> {
  const { character: data, limits, settings, pins, ...plain } = project;
  const own = await characterOf(data, human, source);
  const { bones } = own.figure;
  const character = withLimits(
    own,
    new Map(Object.entries(limits).filter(([bone]) => bones.some(({ name }) => name === bone))),
  );
  const { figure, handles } = character;
  const misfit = (path: string) =>
    new FormatError('wrong-size', 'does not fit the character.', {
      path: `${source}#${path}`,
      remedy: 'Open an earlier copy of the project, or its character alone.',
    });
  if (plain.pose.length !== figure.dof) throw misfit('pose');
  if (plain.clip?.joints === jointsOf(character) && clipFor(plain.clip, character) === undefined)
    throw misfit('clip');
  // Handles of another version may have other names: the pose stays without their pins.
  const known = Object.entries(pins).filter(([id]) => handles.some((handle) => handle.id === id));
  const { ground, balance, apart } = settings;
  return { ...plain, character, pins: new Map(known), ground, balance, apart };
}

async function characterOf(data: CharacterData, human: MakeHuman, source: string): Promise<Character> {
  if (data.type === 'human') return human(data.height);
  if (data.type === 'made') {
    const made = MADE.find(({ name }) => name === data.name);
    if (made) return made.create();
    throw new FormatError('unsupported', `has a character that this studio does not have: ${data.name}.`, {
      path: source,
      remedy: 'Load this page again while you are online, then open it.',
    });
  }
  const [file, ...others] = data.files.map(({ name, bytes }) => new File([bytes], name));
  const { openCharacter } = await import('../../character/open-character.js');
  return openCharacter(file, others, data.bones);
}
