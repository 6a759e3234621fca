/** What a project keeps: the document, the files of its character as they were, and whether limits are drawn. */
import type { LimitData } from 'poise/figure';
import type { HumanBoneMap } from 'poise/humanoid';
import type { Character, CharacterFile } from '../../character/character.js';
import { PROJECT_ENDING } from '../../character/files.js';
import type { Document, Pin, SessionState } from '../../document/document.js';

export const PROJECT_FORMAT = 'poise-project';
export const PROJECT_VERSION = 1;

/** Where the character of a project comes from. */
export type CharacterData =
  | { readonly type: 'human' /** Stature, m. */; readonly height: number }
  | { readonly type: 'made'; readonly name: string }
  | {
      readonly type: 'file';
      /** The file of the character, then those that it needs. */
      readonly files: readonly CharacterFile[];
      /** Bones that were chosen by hand. */
      readonly bones: HumanBoneMap<string | null>;
    };

/** The switches. */
export interface ProjectSettings {
  readonly ground: boolean;
  readonly balance: boolean;
  /** Whether hands are kept off the body. */
  readonly apart: boolean;
  /** Whether the limits of joints are drawn. */
  readonly limits: boolean;
}

/** What of a document is in no session, and plain data. */
type PlainFields = Omit<Document, keyof SessionState>;

/** A project as plain data. What is in no session stands as it is in the document. */
export interface ProjectData extends PlainFields {
  readonly character: CharacterData;
  /** Limits that were set in place of the character's own, by bone. */
  readonly limits: Readonly<Record<string, LimitData>>;
  readonly pose: readonly number[];
  /** By handle. */
  readonly pins: Readonly<Record<string, Pin>>;
  readonly gaze: readonly number[] | undefined;
  readonly settings: ProjectSettings;
}

/** @param showsLimits - Whether the limits of joints are drawn. @throws Error for a character of a file whose content is not known. */
export function projectOf(document: Document, showsLimits: boolean): ProjectData {
  const { character, pose, pins, ground, balance, apart, ...plain } = document;
  return {
    character: characterData(character),
    limits: Object.fromEntries(character.limits),
    pose,
    pins: Object.fromEntries(pins),
    ...plain,
    settings: { ground, balance, apart, limits: showsLimits },
  };
}

function characterData({ source, files, chosen }: Character): CharacterData {
  if (source.type === 'human') return { type: 'human', height: source.height };
  if (source.type === 'made') return { type: 'made', name: source.name };
  if (files.length === 0) throw new Error(`${source.name}: its file is not at hand. Open it again.`);
  return { type: 'file', files, bones: chosen };
}

/** Name of a project's file, after its character. */
export function projectName({ source }: Character): string {
  const stem = source.type === 'human' ? 'human' : source.name.replace(/\.[^.]*$/, '');
  return `${stem}.${PROJECT_ENDING}`;
}
