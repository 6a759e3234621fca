/** The human bones of a rig. */
import { FigureError } from 'poise';
import { findHumanoid, type Humanoid } from 'poise/humanoid';
import type { Source } from './source.js';

/** The human bones of a source, as recognised around those that its file and the command line name; none where a file declares what is no body. */
export function humanoidOf({ figure, human }: Pick<Source, 'figure' | 'human'>): Humanoid | undefined {
  try {
    return findHumanoid(figure, human && { bones: human });
  } catch (error) {
    // Those of the command line were checked when the file was read.
    if (error instanceof FigureError) return undefined;
    throw error;
  }
}
