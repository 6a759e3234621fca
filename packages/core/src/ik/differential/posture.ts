import { jointTypes } from '../../figure/joints/joint-types.js';
import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import type { FigureState } from '../../figure/model/state.js';
import * as quat from '../../math/geometry/quat.js';
import { rotationVectorFromQuat } from '../../rotation/rotation-vector/log.js';
import type { Problem } from '../problem/problem.js';

const TWO_PI = 2 * Math.PI;

const relative = /* @__PURE__ */ new Float64Array(9);
const rotation = /* @__PURE__ */ new Float64Array(4);
const error = /* @__PURE__ */ new Float64Array(3);

/**
 * Scaled joint velocities towards a reference pose, at decay rate `rate` (1/s):
 *
 * - joints with several rotation axes: with e = log(R_ref^-1 R), the body angular velocity -rate e, so that e' = -rate e
 *   (J_r(e) e = e), projected onto the joint's axes a_i (bone frame): v_i = -rate a_i.e, the descent of |e|^2 / 2;
 * - hinges: the angle, the shorter way round without a limit; slides and positions: the distance.
 *
 * @param state - At the pose, `columnsQ` up to date.
 * @param reference - Kinematics of the reference pose.
 */
export function writePostureVelocity(
  problem: Problem,
  reference: FigureState,
  target: Float64Array,
  pose: Float64Array,
  rate: number,
  out: Float64Array,
): void {
  const { figure, coordinates, translates, jacobian, state } = problem;
  forwardKinematics(reference, target);
  let bone = -1;
  for (let column = 0; column < coordinates.length; column++) {
    const i = coordinates[column];
    if (translates[column] === 1) {
      out[column] = (-rate * (pose[i] - target[i])) / jacobian.columnScale[column];
      continue;
    }
    const owner = figure.boneOfCoordinate[i];
    const { joint, limit } = figure.bones[owner];
    if (joint.type === 'hinge') {
      const difference = pose[i] - target[i];
      out[column] =
        -rate * (limit === undefined ? difference - TWO_PI * Math.round(difference / TWO_PI) : difference);
      continue;
    }
    if (owner !== bone) {
      bone = owner;
      writeError(state, reference, bone);
    }
    const { rotationVector } = jointTypes[joint.type];
    if (rotationVector >= 0) {
      out[column] = -rate * error[i - figure.bones[bone].coordinate - rotationVector];
      continue;
    }
    // a_i . (R_world e), both in world axes
    const w = 12 * bone;
    const c = 6 * i;
    const m = state.worldFromBone;
    let sum = 0;
    for (let r = 0; r < 3; r++) {
      const o = w + 3 * r;
      sum += state.columnsQ[c + r] * (m[o] * error[0] + m[o + 1] * error[1] + m[o + 2] * error[2]);
    }
    out[column] = -rate * sum;
  }
}

/** e = log(R_ref^-1 R): the rest rotations cancel. */
function writeError(state: FigureState, reference: FigureState, bone: number): void {
  const o = 12 * bone;
  const a = reference.parentFromBone;
  const b = state.parentFromBone;
  for (let r = 0; r < 3; r++) {
    for (let c = 0; c < 3; c++) {
      relative[3 * r + c] = a[o + r] * b[o + c] + a[o + 3 + r] * b[o + 3 + c] + a[o + 6 + r] * b[o + 6 + c];
    }
  }
  rotationVectorFromQuat(quat.fromMatrix(relative, rotation), undefined, error);
}
