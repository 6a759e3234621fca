/** The reference motion of a scene. */

import type { Figure } from 'poise/figure';
import type { HumanBoneMap } from 'poise/humanoid';
import { createMotion, type Motion, motionFromPoses } from 'poise/motion';
import type { SpacetimeData } from 'poise/spacetime';
import type { ReadBudget } from '../budget.js';
import type { FindBoneName } from './bone-names.js';
import { refuse } from './check.js';
import { withScenePath } from './error-location.js';
import type { SceneReference } from './scene-data.js';
import { type PosesByPath, poseOf } from './scene-poses.js';

/** Contents of the files that a scene references, read by the caller. */
export interface SceneFiles {
  /** Name of the scene's file, for errors. Default `scene`. */
  readonly source?: string;
  /** By the addresses of {@link sceneFiles}. */
  readonly poses?: PosesByPath;
  /** Finds the bone of a name that the figure does not have: of a human bone, or of a robot's joint. Left out: there are no others. */
  readonly findBoneName?: FindBoneName;
  /** Human bones of the figure by name, null for none: those that are not recognised, or wrongly. */
  readonly human?: Readonly<HumanBoneMap<string | null>>;
  /** The clip of a reference `file`; its start is 0 s of the scene. */
  readonly clip?: Motion;
  /** How much the scene may ask for: of the entries `unknowns` applies. */
  readonly budget?: ReadBudget;
}

/** The pose or motion of a reference. @throws FormatError, MotionError */
export function referenceOf(
  given: SceneReference | undefined,
  figure: Figure,
  files: SceneFiles,
): SpacetimeData['reference'] {
  const { source = 'scene', clip } = files;
  const path = `${source}#reference`;
  switch (given?.type) {
    case 'pose':
      return poseOf(given.pose, figure, files.poses, `${path}.pose`);
    case 'keys':
      return keyedMotion(given, figure, files.poses, path);
    case 'motion': {
      const { type: _, ...data } = given;
      return withScenePath(path, () => createMotion(figure, data));
    }
    case 'file':
      if (clip !== undefined) return clip;
      return refuse(
        'missing-resource',
        `${path}.path`,
        'was not loaded.',
        'Load the file and pass it as files.clip.',
      );
    default:
      return undefined;
  }
}

/** Catmull-Rom curves through the poses; each rotation vector is the equivalent one nearest to the key before. */
function keyedMotion(
  { times, poses }: Extract<SceneReference, { type: 'keys' }>,
  figure: Figure,
  files: PosesByPath | undefined,
  path: string,
): Motion {
  if (poses.length !== times.length || times.length < 2) {
    const what = `has ${poses.length} poses and ${times.length} times.`;
    return refuse('wrong-size', path, what, 'Give at least two keys, one pose for each time.');
  }
  if (times[0] !== 0) {
    refuse('out-of-range', `${path}.times[0]`, `is ${times[0]} s.`, 'Put the first key at 0 s.');
  }
  const read = poses.map((pose, k) => poseOf(pose, figure, files, `${path}.poses[${k}]`));
  return withScenePath(path, () => motionFromPoses(figure, times, read, { name: 'keys' }));
}
