/** The convex sets of a problem: joint limits and shells of coordinates, cones of contact forces, bounds of the timing. */
import { diskShape } from '../../figure/limits/disk.js';
import { intervalShape } from '../../figure/limits/interval.js';
import { limitShapes } from '../../figure/limits/shapes.js';
import type { TermContext } from '../terms/context.js';
import { MOST_TURN } from '../transcription/chart-singularity.js';
import { type ConvexSet, coneShape } from '../transcription/convex-sets.js';
import { isDirect } from '../transcription/parameterization.js';
import type { Layout } from './layout.js';

/** What control points may be. */
export function setsOf({ figure, path, contacts }: TermContext, { places }: Layout): ConvexSet[] {
  const { free, columnOf, basis, clock, turnings } = path;
  const n = free.length;
  const sets: ConvexSet[] = [];
  const overPoints = (coordinate: number, rest: Omit<ConvexSet, 'at'>): void => {
    for (let k = 0; k < basis.count; k++) {
      sets.push({ ...rest, at: places.motion[k * n + columnOf[coordinate]] });
    }
  };
  const limited = new Set<number>();
  for (const { coordinate, kind, parameters, size, bone, role } of figure.limitParts) {
    if (columnOf[coordinate] < 0 || !isDirect(path, coordinate)) continue;
    limited.add(coordinate);
    const label = `${figure.bones[bone].name} ${role}`;
    overPoints(coordinate, { size, shape: limitShapes[kind], parameters, label });
  }
  for (const { coordinate } of turnings) {
    if (columnOf[coordinate] < 0 || limited.has(coordinate)) continue;
    const label = `${figure.bones[figure.boneOfCoordinate[coordinate]].name} shell`;
    overPoints(coordinate, { size: 3, shape: diskShape, parameters: [MOST_TURN], label });
  }
  contacts.forEach(({ normal, friction, points, basis: forces, bone }, c) => {
    const { ids } = places.contacts[c];
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
  for (const at of places.clock) {
    sets.push({
      at,
      size: 1,
      shape: intervalShape,
      parameters: [clock.least, clock.most],
      label: 'timing',
      isTiming: true,
    });
  }
  return sets;
}
