/** The trajectory problem of a scene. */

import { findFootPoints } from 'poise/dynamics';
import type { Figure } from 'poise/figure';
import { type BoneValues, defaultIntervals, type SpacetimeData, type SpacetimeTerm } from 'poise/spacetime';
import { requireBudget } from '../budget.js';
import { withBoneNames } from './bone-names.js';
import { refuse } from './check.js';
import { withScenePath } from './error-location.js';
import type { SceneData, SceneTerm } from './scene-data.js';
import { coordinatesOf, poseOf } from './scene-poses.js';
import { referenceOf, type SceneFiles } from './scene-reference.js';

/**
 * The trajectory problem of a scene, for `createSpacetimeProblem`.
 *
 * @throws FormatError, SpacetimeError, MotionError with the location in the file: poses of another figure, keys that do not start at 0 s, a missing
 *   duration.
 */
export function spacetimeFromScene(scene: SceneData, figure: Figure, files: SceneFiles = {}): SpacetimeData {
  const { source = 'scene', findBoneName } = files;
  const named = findBoneName === undefined ? scene : withBoneNames(scene, figure, findBoneName, source);
  const { format: _, version: _v, name: _n, figure: _f, reference: given, armature, terms, ...rest } = named;
  const reference = referenceOf(given, figure, files);
  const duration = scene.duration ?? lengthOf(reference);
  if (duration === undefined) {
    return refuse('invalid-file', `${source}#duration`, 'is missing.', 'Give the length of the motion, s.');
  }
  const problem: SpacetimeData = {
    ...rest,
    duration,
    ...(reference !== undefined && { reference }),
    ...(armature !== undefined && { armature: armatureOf(armature, figure, `${source}#armature`) }),
    terms: terms.map((term, k) => termOf(term, figure, files, `${source}#terms[${k}]`)),
  };
  const intervals =
    scene.intervals ?? defaultIntervals(typeof duration === 'number' ? duration : duration.start);
  const path = `${source}#${scene.intervals === undefined ? 'duration' : 'intervals'}`;
  requireBudget(files.budget, 'unknowns', intervals * widthOf(problem, figure), path);
  return problem;
}

/** Rows that a term has in an interval, about: what its residuals cost. */
const ROWS_PER_TERM = 4;

/** Numbers of an interval: coordinates, forces of contact points, and rows of terms. */
function widthOf({ terms }: SpacetimeData, { dof }: Figure): number {
  const points = terms.map((term) => (term.type === 'contact' ? term.points.length : 0));
  return dof + 3 * points.reduce((sum, count) => sum + count, 0) + ROWS_PER_TERM * terms.length;
}

function lengthOf(reference: SpacetimeData['reference']): number | undefined {
  if (reference === undefined || !('tracks' in reference)) return undefined;
  return reference.end - reference.start;
}

function termOf(term: SceneTerm, figure: Figure, files: SceneFiles, path: string): SpacetimeTerm {
  switch (term.type) {
    case 'pose': {
      const { pose, ...rest } = term;
      return pose === undefined ? rest : { ...rest, pose: poseOf(pose, figure, files.poses, `${path}.pose`) };
    }
    case 'velocity': {
      const { velocity, ...rest } = term;
      return velocity === undefined
        ? rest
        : { ...rest, velocity: coordinatesOf(velocity, figure, `${path}.velocity`) };
    }
    case 'acceleration': {
      const { acceleration, ...rest } = term;
      return acceleration === undefined
        ? rest
        : { ...rest, acceleration: coordinatesOf(acceleration, figure, `${path}.acceleration`) };
    }
    case 'contact': {
      const { points, ...rest } = term;
      if (points !== 'sole') return { ...rest, points };
      return {
        ...rest,
        points: withScenePath(`${path}.points`, () =>
          findFootPoints(figure, term.bone, files.human && { bones: files.human }),
        ),
      };
    }
    default:
      return term;
  }
}

function armatureOf(given: BoneValues | readonly number[], figure: Figure, path: string): Float64Array {
  if (typeof given === 'number') return new Float64Array(figure.dof).fill(given);
  if (Array.isArray(given)) return coordinatesOf(given as readonly number[], figure, path);
  const bones = Object.fromEntries(
    Object.entries(given as Readonly<Record<string, number>>).map(([name, value]) => {
      const dof = figure.bones.find((bone) => bone.name === name)?.dof ?? 0;
      return [name, new Array<number>(dof).fill(value)];
    }),
  );
  return coordinatesOf({ bones }, figure, path);
}
