import { FigureError } from '../../../errors.js';
import { originOf, pointOf, type Rest, restOf } from '../../../figure/kinematics/rest-pose.js';
import type { Figure } from '../../../figure/model/figure.js';
import type { Humanoid } from '../../../humanoid/find-humanoid.js';
import { createHumanFigure } from '../../../humanoid/human.js';
import type { HumanBone } from '../../../humanoid/recognition/human-bones.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { VertexSets } from './vertex-sets.js';

/** Pairs of joints to measure a figure between, the best first. */
const SPANS: readonly (readonly [HumanBone, HumanBone])[] = [
  ['head', 'leftToes'],
  ['head', 'leftFoot'],
  ['neck', 'leftFoot'],
  ['hips', 'leftFoot'],
  ['leftUpperLeg', 'leftLowerLeg'],
];

/** The built-in human of height 1, made with the first figure that is measured. */
let reference: Figure | undefined;

/**
 * Height of a humanoid, m: the extent of its mesh at rest, or without a mesh the height between two joints in proportion to the built-in human.
 *
 * @throws FigureError `out-of-range` where head, hips and feet are at one height.
 */
export function findHeight(rest: Rest, humanoid: Humanoid, vertexSets: VertexSets): number {
  const { bones, up } = humanoid;
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  vertexSets.forEach((vertices, bone) => {
    for (const point of vertices) {
      const height = vec3.dot(pointOf(rest, bone, point), up);
      min = Math.min(min, height);
      max = Math.max(max, height);
    }
  });
  const hasBoth = [bones.head, bones.leftFoot ?? bones.leftLowerLeg].every(
    (bone) => bone !== undefined && vertexSets[bone].length > 0,
  );
  if (hasBoth && max > min) return max - min;
  reference ??= createHumanFigure({ height: 1 });
  const { bones: parts } = reference;
  const referenceRest = restOf(reference);
  for (const [top, bottom] of SPANS) {
    const [a, b] = [bones[top], bones[bottom]];
    if (a === undefined || b === undefined) continue;
    const high = vec3.dot(vec3.subtract(originOf(rest, a), originOf(rest, b)), up);
    if (!(high > 0)) continue;
    const heightOf = (name: HumanBone): number => {
      const bone = parts.findIndex((other) => other.name === name);
      return originOf(referenceRest, bone)[1];
    };
    return high / (heightOf(top) - heightOf(bottom));
  }
  const [top, bottom] = [bones.head ?? bones.neck ?? bones.hips, bones.leftFoot ?? bones.leftLowerLeg];
  const named = [top, bottom].flatMap((bone) =>
    bone === undefined ? [] : `'${rest.figure.bones[bone].name}'`,
  );
  throw new FigureError('out-of-range', `${named.join(' is not above ')} at rest, so it has no height.`, {
    path: `figure ${rest.figure.name}`,
    remedy: 'Give those bones lengths (offsets from their parents), or `humanoid: false`.',
  });
}
