import { createState, type Figure, findRootJoints, forwardKinematics } from 'poise/figure';
import { rigid } from 'poise/math';

/** Moves a pose of a figure by a vector of the world, m. @param roots - The joints that move. Default: all that nothing moves. */
export function shiftPose(
  figure: Figure,
  pose: Float64Array,
  by: readonly number[],
  roots: readonly number[] = findRootJoints(figure),
): void {
  const state = createState(figure);
  forwardKinematics(state, new Float64Array(figure.dof));
  for (const bone of roots) {
    const { coordinate, joint } = figure.bones[bone];
    if (joint.type !== 'free') continue;
    const local = rigid.inverseTransformVector(state.worldFromBone.subarray(12 * bone, 12 * bone + 12), by);
    for (let k = 0; k < 3; k++) pose[coordinate + k] += local[k];
  }
}
