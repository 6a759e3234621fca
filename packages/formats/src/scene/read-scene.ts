/** Reads the text of a scene. */

import { FormatError } from 'poise';
import { type FieldsOf, requireFields } from 'poise/internal/checks';
import { parseJson } from '../text/parse-json.js';
import { checkScene } from './scene-checks.js';
import type { SceneData } from './scene-data.js';
import { isPoseFile } from './scene-poses.js';

/** Options of {@link readScene}. */
export interface ReadSceneOptions {
  /** Name of the file, for errors. Default `scene`. */
  readonly source?: string;
}

const FIELDS: FieldsOf<ReadSceneOptions> = { source: true };

/**
 * Reads the text of a scene and validates keys and types. Bone names and times are checked by {@link spacetimeFromScene}.
 *
 * @throws FormatError `invalid-file`, `unknown-name`, `unsupported`, `not-finite`, `wrong-size`, with the location in the file.
 */
export function readScene(input: string, options: ReadSceneOptions = {}): SceneData {
  requireFields(options, FIELDS, 'options', FormatError);
  const { source = 'scene' } = options;
  const data = parseJson(input, source, 'Correct the file at this location.');
  checkScene(data, source);
  return data;
}

/** Addresses of the files that a scene references, as written in it. */
export function sceneFiles({ figure, reference, terms }: SceneData): {
  readonly figure?: string;
  readonly clip?: string;
  readonly poses: readonly string[];
} {
  const given = terms.flatMap((term) => (term.type === 'pose' && term.pose !== undefined ? [term.pose] : []));
  if (reference?.type === 'pose') given.push(reference.pose);
  if (reference?.type === 'keys') for (const pose of reference.poses) given.push(pose);
  const poses = new Set(given.flatMap((pose) => (isPoseFile(pose) ? [pose.path] : [])));
  return {
    ...(figure?.type === 'file' && { figure: figure.path }),
    ...(reference?.type === 'file' && { clip: reference.path }),
    poses: [...poses],
  };
}
