/** Reading a scene. */
import { FormatError } from 'poise';
import { checkScene } from './scene-checks.js';
import type { SceneData } from './scene-data.js';
import { isPoseFile } from './scene-poses.js';

/** Says whose file it is in errors. */
export interface ReadSceneOptions {
  /** Name of the file. Default `scene`. */
  readonly source?: string;
}

/**
 * Reads the text of a scene. Every key is known and every value of its type; what the figure makes of names and times is found out by
 * {@link spacetimeFromScene}.
 *
 * @throws FormatError `invalid-file`, `unknown-name`, `unsupported`, `not-finite`, `wrong-size`, naming the file and the place in it.
 */
export function readScene(input: string, { source = 'scene' }: ReadSceneOptions = {}): SceneData {
  let data: unknown;
  try {
    data = JSON.parse(input);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new FormatError('invalid-file', `its JSON does not parse: ${reason}.`, {
      path: source,
      remedy: 'Correct the file at the place named.',
      cause,
    });
  }
  checkScene(data, source);
  return data;
}

/** The addresses of the files that a scene names, as they stand in it. */
export function sceneFiles({ figure, reference, terms }: SceneData): {
  readonly figure?: string;
  readonly clip?: string;
  readonly poses: readonly string[];
} {
  const given = terms.flatMap((term) => (term.type === 'pose' && term.pose !== undefined ? [term.pose] : []));
  if (reference?.type === 'pose') given.push(reference.pose);
  if (reference?.type === 'keys') given.push(...reference.poses);
  const poses = new Set(given.flatMap((pose) => (isPoseFile(pose) ? [pose.path] : [])));
  return {
    ...(figure?.type === 'file' && { figure: figure.path }),
    ...(reference?.type === 'file' && { clip: reference.path }),
    poses: [...poses],
  };
}
