import { FigureError } from '../../../errors.js';
import type { Humanoid } from '../../../humanoid/find-humanoid.js';
import { createHumanFigure } from '../../../humanoid/human.js';
import type { HumanBone } from '../../../humanoid/recognition/human-bones.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import { originOf, pointOf, type Rest, restOf } from './rest-pose.js';
import type { Clouds } from './vertex-sets.js';

/** From where to where a figure is measured, the best first. */
const SPANS: readonly (readonly [HumanBone, HumanBone])[] = [
  ['head', 'leftToes'],
  ['head', 'leftFoot'],
  ['neck', 'leftFoot'],
  ['hips', 'leftFoot'],
  ['leftUpperLeg', 'leftLowerLeg'],
];

/**
 * Height of a humanoid, m: that of its mesh at rest; without a mesh its height between two joints over that of the built-in human.
 *
 * @throws FigureError `out-of-range` where the bones have no length.
 */
export function statureOf(rest: Rest, humanoid: Humanoid, clouds: Clouds): number {
  const { bones, up } = humanoid;
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  clouds.forEach((cloud, bone) => {
    for (const point of cloud) {
      const height = vec3.dot(pointOf(rest, bone, point), up);
      least = Math.min(least, height);
      most = Math.max(most, height);
    }
  });
  const feet = [bones.head, bones.leftFoot ?? bones.leftLowerLeg].every(
    (bone) => bone !== undefined && clouds[bone].length > 0,
  );
  if (feet && most > least) return most - least;
  const reference = createHumanFigure({ height: 1 });
  const still = restOf(reference);
  for (const [top, bottom] of SPANS) {
    const [a, b] = [bones[top], bones[bottom]];
    if (a === undefined || b === undefined) continue;
    const high = vec3.dot(vec3.subtract(originOf(rest, a), originOf(rest, b)), up);
    if (!(high > 0)) continue;
    const heightOf = (name: HumanBone): number => {
      const bone = reference.bones.findIndex((other) => other.name === name);
      return originOf(still, bone)[1];
    };
    return high / (heightOf(top) - heightOf(bottom));
  }
  throw new FigureError('out-of-range', 'has bones without length.', {
    path: `figure ${rest.figure.name}`,
    remedy: 'Give a figure whose rest transforms place its bones.',
  });
}
