/** Local rotations of all bones from a pose, for renderers. */

import { jointTypes } from '../../figure/joints/joint-types.js';
import type { Figure } from '../../figure/model/figure.js';
import { updateJointCoordinates } from '../../figure/model/mimic-joints.js';
import { createState, type FigureState } from '../../figure/model/state.js';
import * as quat from '../../math/geometry/quat.js';
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import { unset4, unset9 } from '../../math/linear/unset.js';
import { writeQuaternion } from '../../rotation/rotation-vector/kernels.js';

/** How the quaternion of each bone is computed. */
export interface QuaternionPlan {
  readonly state: FigureState;
  /** Bones with a joint that does not rotate, and their rest rotations, four numbers each. */
  readonly fixed: Int32Array;
  readonly fixedRests: Float64Array;
  /** Bones with a rotation vector, and its pose index. */
  readonly vectorBones: Int32Array;
  readonly vectors: Int32Array;
  /** Rotating bones with a rest rotation other than the identity. */
  readonly restRotated: Int32Array;
  /** Rotating bones of other joint types, computed from their matrices. */
  readonly others: Int32Array;
  /** Rest rotations of all bones, four numbers each. */
  readonly rests: Float64Array;
}

export function quaternionPlan(figure: Figure): QuaternionPlan {
  const { bones } = figure;
  const kind = bones.map(({ joint, dof, mimic }) => {
    const { rotates, rotationVector } = jointTypes[joint.type];
    if (!rotates) return 'fixed';
    return rotationVector >= 0 && dof > 0 && mimic === undefined ? 'vector' : 'other';
  });
  const of = (wanted: string) => bones.filter(({ index }) => kind[index] === wanted);
  const rotating = bones.filter(({ index }) => kind[index] !== 'fixed');
  const indices = (list: typeof bones) => Int32Array.from(list, ({ index }) => index);
  return {
    state: createState(figure),
    fixed: indices(of('fixed')),
    fixedRests: Float64Array.from(of('fixed').flatMap(({ rest }) => [...rest.rotation])),
    vectorBones: indices(of('vector')),
    vectors: Int32Array.from(
      of('vector'),
      ({ joint, coordinate }) => coordinate + jointTypes[joint.type].rotationVector,
    ),
    restRotated: indices(rotating.filter(({ rest }) => rest.rotation.some((x, k) => k < 3 && x !== 0))),
    others: indices(of('other')),
    rests: Float64Array.from(bones.flatMap(({ rest }) => [...rest.rotation])),
  };
}

const quaternion = /* @__PURE__ */ unset4();

/**
 * Rotations of parent frame from bone frame, rest included: unit quaternions `[x, y, z, w]`, bone b from 4 b. Rotation vectors
 * are converted directly, by series up to pi. Signs are not normalized: q and -q are the same rotation.
 */
export function writeQuaternions(plan: QuaternionPlan, pose: Numbers, out: MutableNumbers): void {
  const { fixed, fixedRests, vectorBones, vectors, restRotated, others, rests } = plan;
  for (let k = 0; k < vectorBones.length; k++) {
    const i = vectors[k];
    writeQuaternion(pose[i], pose[i + 1], pose[i + 2], out, 4 * vectorBones[k]);
  }
  if (others.length > 0) writeOthers(plan, pose, out);
  for (let k = 0; k < restRotated.length; k++) rotateByRest(rests, out, 4 * restRotated[k]);
  for (let k = 0; k < fixed.length; k++) {
    for (let n = 0; n < 4; n++) out[4 * fixed[k] + n] = fixedRests[4 * k + n];
  }
}

/** Joints without a rotation vector write their matrices, as in forward kinematics. */
function writeOthers({ state, others }: QuaternionPlan, pose: Numbers, out: MutableNumbers): void {
  const { groups, parentFromBone: m } = state;
  const q = state.hasMimicJoints ? updateJointCoordinates(state, pose) : pose;
  for (let g = 0; g < groups.length; g++) {
    const { type, transformed } = groups[g];
    if (type.rotates && type.rotationVector < 0) type.writeTransforms(transformed, q, m);
  }
  for (let k = 0; k < others.length; k++) {
    const b = others[k];
    const o = 12 * b;
    // `writeTransforms` leaves the joint's rotation alone in the matrix, without rest.
    for (let n = 0; n < 9; n++) matrix[n] = m[o + n];
    quat.fromMatrix(matrix, quaternion);
    for (let n = 0; n < 4; n++) out[4 * b + n] = quaternion[n];
  }
}

const matrix = /* @__PURE__ */ unset9();

/** out[o..] = rest * out[o..]. */
function rotateByRest(rests: Float64Array, out: MutableNumbers, o: number): void {
  const bx = rests[o];
  const by = rests[o + 1];
  const bz = rests[o + 2];
  const bw = rests[o + 3];
  const ax = out[o];
  const ay = out[o + 1];
  const az = out[o + 2];
  const aw = out[o + 3];
  out[o] = bw * ax + bx * aw + by * az - bz * ay;
  out[o + 1] = bw * ay - bx * az + by * aw + bz * ax;
  out[o + 2] = bw * az + bx * ay - by * ax + bz * aw;
  out[o + 3] = bw * aw - bx * ax - by * ay - bz * az;
}
