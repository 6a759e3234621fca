import { requireNumbers, requireRoom } from '../checks.js';
import { FigureError } from '../errors.js';
import * as quat from '../math/geometry/quat.js';
import type { MutableNumbers, Numbers } from '../math/linear/types.js';
import { unset3 } from '../math/linear/unset.js';
import { jointTypes } from './joints/joint-types.js';
import type { Figure } from './model/figure.js';
import { checkPose } from './model/pose.js';
import type { FigureState } from './model/state.js';

/**
 * Rest transforms of one frame. A clip may translate a bone whose joint does not (hips below a root bone), or move a bone whose joint is
 * fixed. No coordinate can say so; the rest transform of that frame can.
 */

/** The rest transforms of a figure, 12 numbers a bone. */
export function restTransforms({ bones }: Figure): Float64Array {
  return Float64Array.from(bones.flatMap(({ rest }) => [...quat.toMatrix(rest.rotation), ...rest.position]));
}

/**
 * The rest transforms with which a pose reproduces the local transforms that it was read from (`poseFromLocalTransforms`): position of
 * every bone, and rotation of fixed ones. A rotation that its joint lacks, as of a hinge about another axis, stays out.
 *
 * @param parentFromBone - 12 numbers a bone.
 * @param out - Rest transforms of the figure, or those of an earlier pose: what no pose changes in them stays. Default: new ones.
 * @throws FigureError `wrong-size`, `not-finite`.
 */
export function restTransformsOfPose<T extends MutableNumbers = Float64Array>(
  figure: Figure,
  parentFromBone: Numbers,
  pose: Numbers,
  out: T = restTransforms(figure) as MutableNumbers as T,
): T {
  const { bones } = figure;
  requireNumbers(parentFromBone, 12 * bones.length, 'parentFromBone', FigureError);
  checkPose(figure, pose);
  requireRoom(out, 12 * bones.length, 'out', FigureError);
  for (let b = 0; b < bones.length; b++) {
    const { joint, rest, mimic, coordinate } = bones[b];
    const o = 12 * b;
    const isFixed = joint.type === 'fixed';
    const isSlider = joint.type === 'slider' && mimic === undefined;
    const isRead = isSlider || jointTypes[joint.type].translations === 0;
    // p = p_rest + q R_rest a
    if (isSlider) quat.rotate(rest.rotation, joint.axis, direction);
    if (isFixed) for (let i = o; i < o + 9; i++) out[i] = parentFromBone[i];
    for (let i = 0; i < 3; i++) {
      const p = isRead ? parentFromBone[o + 9 + i] : rest.position[i];
      out[o + 9 + i] = isSlider ? p - pose[coordinate] * direction[i] : p;
    }
  }
  return out;
}

/**
 * Replaces the rest transforms of a state, for its next `forwardKinematics`: positions, and rotations of fixed joints. Solvers compute
 * in their state: `setRestTransforms(ik.problem.state, ...)` makes them solve for the bones as a clip has placed them.
 *
 * @param rests - 12 numbers a bone, of {@link restTransformsOfPose} or {@link restTransforms}.
 * @throws FigureError `wrong-size`, `not-finite`.
 */
export function setRestTransforms(state: FigureState, rests: Numbers): void {
  const { figure, parentFromBone, translatingBones, translatingRests, hasTranslation } = state;
  const { bones } = figure;
  requireNumbers(rests, 12 * bones.length, 'rests', FigureError);
  for (let b = 0; b < bones.length; b++) {
    const o = 12 * b;
    if (bones[b].joint.type === 'fixed') for (let i = o; i < o + 9; i++) parentFromBone[i] = rests[i];
    if (hasTranslation[b] === 0) for (let i = o + 9; i < o + 12; i++) parentFromBone[i] = rests[i];
  }
  for (let k = 0; k < translatingBones.length; k++) {
    const o = 12 * translatingBones[k] + 9;
    for (let i = 0; i < 3; i++) translatingRests[12 * k + 9 + i] = rests[o + i];
  }
}

const direction = /* @__PURE__ */ unset3();
