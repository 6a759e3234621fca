/** Convex sets of a problem: joint limits and shells of coordinates, friction cones of contact forces, bounds of the time scaling. */
import { diskShape } from '../../figure/limits/disk.js';
import { intervalShape } from '../../figure/limits/interval.js';
import { limitShapes } from '../../figure/limits/shapes.js';
import type { TermContext } from '../terms/context.js';
import { MAX_ROTATION } from '../transcription/chart-singularity.js';
import { type ConvexSet, coneShape } from '../transcription/convex-sets.js';
import { isDirect } from '../transcription/parameterization.js';
import type { Layout } from './layout.js';

/** The sets that contain the control points. */
export function feasibleSets(
  { figure, parameterization, contacts }: TermContext,
  { indices }: Layout,
): ConvexSet[] {
  const { free, columnOf, basis, timeScaling, rotations } = parameterization;
  const n = free.length;
  const sets: ConvexSet[] = [];
  const addForControlPoints = (coordinate: number, rest: Omit<ConvexSet, 'at'>): void => {
    for (let k = 0; k < basis.count; k++) {
      sets.push({ ...rest, at: indices.motion[k * n + columnOf[coordinate]] });
    }
  };
  const limited = new Set<number>();
  for (const { coordinate, kind, parameters, size, bone, role } of figure.limitComponents) {
    if (columnOf[coordinate] < 0 || !isDirect(parameterization, coordinate)) continue;
    limited.add(coordinate);
    const label = `${figure.bones[bone].name} ${role}`;
    addForControlPoints(coordinate, { size, shape: limitShapes[kind], parameters, label });
  }
  for (const { coordinate } of rotations) {
    if (columnOf[coordinate] < 0 || limited.has(coordinate)) continue;
    const label = `${figure.bones[figure.boneOfCoordinate[coordinate]].name} shell`;
    addForControlPoints(coordinate, { size: 3, shape: diskShape, parameters: [MAX_ROTATION], label });
  }
  contacts.forEach(({ normal, friction, points, basis: forces, bone }, c) => {
    const { ids } = indices.contacts[c];
    for (let k = 0; k < forces.count * points.length; k++) {
      const parameters = [normal[0], normal[1], normal[2], friction];
      sets.push({
        at: ids[3 * k],
        size: 3,
        shape: coneShape,
        parameters,
        label: `${figure.bones[bone].name} friction`,
      });
    }
  });
  for (const at of indices.timeScaling) {
    sets.push({
      at,
      size: 1,
      shape: intervalShape,
      parameters: [timeScaling.min, timeScaling.max],
      label: 'timing',
      isTiming: true,
    });
  }
  return sets;
}
