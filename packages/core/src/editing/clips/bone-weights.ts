/** How much each bone's joint moves the figure: what a change of it costs. */

import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import type { Figure } from '../../figure/model/figure.js';
import { createPose } from '../../figure/model/pose.js';
import { createState } from '../../figure/model/state.js';
import { lengthScaleOf } from '../../ik/problem/length-scale.js';

/** Part of the figure's length scale, squared: what a joint costs that moves next to nothing. */
const LEAST = 0.03;

/**
 * For each bone by name the mean over all origins and tips of the square of the way that it makes for a turn of one radian about its joint (a slide of a
 * metre), at rest, m^2. With it as the metric a change is shared as by bodies with weight: an arm gives way before the trunk does.
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
    const o = 12 * index;
    const ends = [[w[o + 9], w[o + 10], w[o + 11]]];
    if (tip !== undefined) {
      ends.push(
        [0, 1, 2].map(
          (r) => w[o + 3 * r] * tip[0] + w[o + 3 * r + 1] * tip[1] + w[o + 3 * r + 2] * tip[2] + w[o + 9 + r],
        ),
      );
    }
    points += ends.length;
    for (let b = index; b >= 0; b = parents[b]) {
      const slides = bones[b].joint.type === 'free' || bones[b].joint.type === 'slider';
      for (const [x, y, z] of ends) {
        const p = 12 * b + 9;
        sums[b] += slides ? 1 : (x - w[p]) ** 2 + (y - w[p + 1]) ** 2 + (z - w[p + 2]) ** 2;
      }
    }
  }
  const floor = LEAST * length * length;
  return Object.fromEntries(bones.map(({ name, index }) => [name, floor + sums[index] / points]));
}
