import type { Figure } from 'poise/figure';
import type { HumanBoneMap } from 'poise/humanoid';
import type { Motion } from 'poise/motion';
import type { FileClip } from '../../character/character.js';
import type { Clip, ImportedClip } from '../clip/clip.js';

/** A foot or hand in contact as a clip was put on a character. */
export interface SourceContact {
  readonly label: string;
  readonly side: 'left' | 'right';
  readonly point: 'heel' | 'ball' | 'palm';
  /** By frame: whether it stands, and its distance from where it began to, mm. */
  readonly inContact: ArrayLike<number>;
  readonly sliding: ArrayLike<number>;
}

/** What a clip was put on its character from. */
export interface ClipSource {
  readonly file: FileClip;
  /** As it was put on: its keys may have been changed since. */
  readonly clip: Clip;
  readonly figure: Figure;
  readonly bones: HumanBoneMap<string | number>;
  readonly motion: Motion;
  /** Frames a second of the contacts. */
  readonly rate: number;
  readonly contacts: readonly SourceContact[];
}

/** Of what was put on since the page was opened: a project keeps none. */
const sources = new WeakMap<ImportedClip, ClipSource>();

export function sourceOf({ imported }: Clip): ClipSource | undefined {
  return imported && sources.get(imported);
}

/** Whether a clip has the keys that it was put on with: its contacts and their sliding are of these. */
export function isAsPutOn(clip: Clip): boolean {
  return sourceOf(clip)?.clip.keys === clip.keys;
}

export function rememberSource(imported: ImportedClip, source: ClipSource): void {
  sources.set(imported, source);
}
