/** What the problem of a scene starts from. */
import type { Figure } from 'poise/figure';
import { createMotion, type Motion } from 'poise/motion';
import { nearestRotationVector } from 'poise/rotation';
import type { SpacetimeData } from 'poise/spacetime';
import { refuse } from './check.js';
import { withScenePath } from './error-location.js';
import type { SceneReference } from './scene-data.js';
import { type PosesByPath, poseOf } from './scene-poses.js';

/** What the files that a scene names hold, read by the caller. */
export interface SceneFiles {
  /** Name of the scene's file, for messages. Default `scene`. */
  readonly source?: string;
  /** By the addresses that {@link sceneFiles} lists. */
  readonly poses?: PosesByPath;
  /** The clip of a reference `file`; its start is the moment that counts as 0 s. */
  readonly clip?: Motion;
}

/** @throws FormatError */
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
      return refuse('missing-resource', `${path}.path`, 'has not been read.', 'Give the clip.');
    default:
      return undefined;
  }
}

/** Catmull-Rom curves through the poses; rotation vectors of the branch nearest to the key before. */
function keyedMotion(
  { times, poses }: Extract<SceneReference, { type: 'keys' }>,
  figure: Figure,
  files: PosesByPath | undefined,
  path: string,
): Motion {
  if (poses.length !== times.length || times.length < 2) {
    const what = `has ${poses.length} poses at ${times.length} moments.`;
    return refuse('wrong-size', path, what, 'Give two keys at least, a pose for each moment.');
  }
  if (times[0] !== 0) {
    refuse('out-of-range', `${path}.times[0]`, `is ${times[0]} s.`, 'Let the first key be at 0 s.');
  }
  const read = poses.map((pose, k) => poseOf(pose, figure, files, `${path}.poses[${k}]`));
  for (const { joint, coordinate } of figure.bones) {
    if (joint.type !== 'ball' && joint.type !== 'free') continue;
    const at = joint.type === 'free' ? coordinate + 3 : coordinate;
    for (let k = 1; k < read.length; k++) {
      const [now, before] = [read[k], read[k - 1]].map(
        (pose) => [pose[at], pose[at + 1], pose[at + 2]] as const,
      );
      read[k].set(nearestRotationVector(now, before), at);
    }
  }
  const values = read.flatMap((pose) => Array.from(pose));
  return withScenePath(path, () =>
    createMotion(figure, { name: 'keys', tracks: [{ coordinate: 0, keys: { times, values } }] }),
  );
}
