/** All clips of a file that has its own figure. */
import { animatedJoints, listGltfAnimations, readGltfAnimation, rigFromDocument } from '@poise/formats';
import { PoiseError } from 'poise';
import type { Figure } from 'poise/figure';
import type { Motion } from 'poise/motion';
import { commandText } from '../io/cures.js';
import type { Source } from '../io/source.js';

export interface AllClips {
  /** That of the source, or one with the joints that its clips move. */
  readonly figure: Figure;
  readonly motions: readonly Motion[];
  /** Clips that cannot be read. */
  readonly notes: readonly string[];
}

/** @param most - Clips that are read at most, the first ones. */
export function allClips({ figure, bvh, rig }: Source, most = Number.POSITIVE_INFINITY): AllClips {
  if (bvh !== undefined) return { figure: bvh.figure, motions: [bvh.motion], notes: [] };
  if (rig === undefined) return { figure, motions: [], notes: [] };
  const notes: string[] = [];
  const read = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof PoiseError)) throw error;
      notes.push(`${error.path}: ${error.what} ${commandText(error.remedy)}`);
      return undefined;
    }
  };
  const { document } = rig;
  const all = read(() => listGltfAnimations(document)) ?? [];
  const own =
    all.length > 0 ? read(() => rigFromDocument(document, { joints: animatedJoints(document) })) : undefined;
  if (own === undefined) return { figure, motions: [], notes };
  const motions = all.slice(0, most).flatMap(({ index, keys }) => {
    const motion = keys > 0 ? read(() => readGltfAnimation(own, index).motion) : undefined;
    return motion ?? [];
  });
  return { figure: own.figure, motions, notes };
}
