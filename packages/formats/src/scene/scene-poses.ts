/** Poses of a scene. */
import type { Figure } from 'poise/figure';
import { type PoseData, poseFromData } from '../pose/pose-data.js';
import { isObject, refuse } from './check.js';
import { withScenePath } from './error-location.js';
import type { SceneCoordinates, ScenePose } from './scene-data.js';

/** Poses read from files, by their address in the scene. */
export type PosesByPath = ReadonlyMap<string, PoseData>;

export function isPoseFile(pose: ScenePose): pose is { readonly path: string } {
  return isObject(pose) && Object.hasOwn(pose, 'path');
}

/** Coordinates of a pose. @throws FormatError for a pose of another figure. */
export function poseOf(
  pose: ScenePose,
  figure: Figure,
  poses: PosesByPath | undefined,
  path: string,
): Float64Array {
  if (pose === 'rest') return new Float64Array(figure.dof);
  if (!isPoseFile(pose)) return coordinatesOf(pose, figure, path);
  const data = poses?.get(pose.path);
  if (data === undefined)
    return refuse(
      'missing-resource',
      `${path}.path`,
      'was not loaded.',
      'Load the file and pass it in files.poses.',
    );
  return poseFromData(figure, data, { source: pose.path });
}

/** All coordinates of a figure. @throws FormatError for unknown bones or a wrong number of values. */
export function coordinatesOf(given: SceneCoordinates, figure: Figure, path: string): Float64Array {
  if ('bones' in given) {
    const data: PoseData = { format: 'poise-pose', version: 1, figure: figure.name, bones: given.bones };
    // The paths of poseFromData start with a #.
    return withScenePath(path, () => poseFromData(figure, data, { source: '' }));
  }
  if (given.length === figure.dof) return Float64Array.from(given);
  const what = `has ${given.length} numbers; ${figure.name} has ${figure.dof} coordinates.`;
  return refuse('wrong-size', path, what, 'Give one for each, or { "bones": { "NAME": [...] } }.');
}
