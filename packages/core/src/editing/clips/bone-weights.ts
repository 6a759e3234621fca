/** Displacement metric by bone: the mean squared motion of the figure by each joint. */

import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import { worldPoint } from '../../figure/kinematics/points.js';
import type { Figure } from '../../figure/model/figure.js';
import { createPose } from '../../figure/model/pose.js';
import { createState } from '../../figure/model/state.js';
import { lengthScaleOf } from '../../ik/problem/length-scale.js';
import { coordinateUnits, humanScaleOf } from './human-scale.js';

/** Least weight, relative to the squared length scale, of joints that move next to nothing. */
const MIN_WEIGHT = 0.03;

/**
 * For each bone by name, the mean over all origins and tips of the squared displacement for a rotation of one radian about its joint (a
 * translation of a metre of a person), at rest, m^2. As a metric it distributes changes as by inertia: an arm moves before the trunk does.
 */
export function boneWeights(figure: Figure): Record<string, number> {
  const { bones, parents } = figure;
  const state = createState(figure);
  forwardKinematics(state, createPose(figure));
  const w = state.worldFromBone;
  const length = lengthScaleOf(figure);
  const sums = new Float64Array(bones.length);
  let points = 0;
  for (const { index, tip } of bones) {
    const ends = [worldPoint(state, index)];
    if (tip !== undefined) ends.push(worldPoint(state, index, tip));
    points += ends.length;
    for (let b = index; b >= 0; b = parents[b]) {
      const isSliding = slides(bones[b].joint.type);
      for (const [x, y, z] of ends) {
        const p = 12 * b + 9;
        sums[b] += isSliding ? 1 : (x - w[p]) ** 2 + (y - w[p + 1]) ** 2 + (z - w[p + 2]) ** 2;
      }
    }
  }
  const scale = humanScaleOf(figure);
  return Object.fromEntries(
    bones.map(({ name, index, joint }) => {
      const metre = slides(joint.type) ? scale * scale : 1;
      return [name, MIN_WEIGHT * length * length + (metre * sums[index]) / points];
    }),
  );
}

/** The same by coordinate: where a joint slides and rotates, a radian counts as a metre does on a person. */
export function displacementMetric(figure: Figure): Float64Array {
  const weights = boneWeights(figure);
  const units = coordinateUnits(figure, humanScaleOf(figure));
  return Float64Array.from(
    figure.boneOfCoordinate,
    (b, i) => weights[figure.bones[b].name] / (units[i] * units[i]),
  );
}

function slides(type: string): boolean {
  return type === 'free' || type === 'slider';
}
