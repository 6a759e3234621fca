/** Local rotations of all bones from a pose, as renderers take them. */

import { jointTypes } from '../../figure/joints/joint-types.js';
import type { Figure } from '../../figure/model/figure.js';
import { jointCoordinates } from '../../figure/model/mimic-joints.js';
import { createState, type FigureState } from '../../figure/model/state.js';
import * as quat from '../../math/geometry/quat.js';
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import { writeQuaternion } from '../../rotation/rotation-vector/kernels.js';

/** How each bone of a figure gets its quaternion. */
export interface QuaternionPlan {
  readonly state: FigureState;
  /** Bones whose joint does not turn, and their rest rotations, four numbers each. */
  readonly still: Int32Array;
  readonly stillRests: Float64Array;
  /** Bones turned by a rotation vector, and where it stands in the pose. */
  readonly vectorBones: Int32Array;
  readonly vectors: Int32Array;
  /** Turning bones whose rest rotation is not the identity. */
  readonly restTurned: Int32Array;
  /** Bones of joints of other kinds, by way of their matrices. */
  readonly others: Int32Array;
  /** Rest rotations of all bones, four numbers each. */
  readonly rests: Float64Array;
}

export function quaternionPlan(figure: Figure): QuaternionPlan {
  const { bones } = figure;
  const kind = bones.map(({ joint, dof, mimic }) => {
    const { turns, rotationVector } = jointTypes[joint.type];
    if (!turns) return 'still';
    return rotationVector >= 0 && dof > 0 && mimic === undefined ? 'vector' : 'other';
  });
  const of = (wanted: string) => bones.filter(({ index }) => kind[index] === wanted);
  const turning = bones.filter(({ index }) => kind[index] !== 'still');
  const indices = (list: typeof bones) => Int32Array.from(list, ({ index }) => index);
  return {
    state: createState(figure),
    still: indices(of('still')),
    stillRests: Float64Array.from(of('still').flatMap(({ rest }) => [...rest.rotation])),
    vectorBones: indices(of('vector')),
    vectors: Int32Array.from(
      of('vector'),
      ({ joint, coordinate }) => coordinate + jointTypes[joint.type].rotationVector,
    ),
    restTurned: indices(turning.filter(({ rest }) => rest.rotation.some((x, k) => k < 3 && x !== 0))),
    others: indices(of('other')),
    rests: Float64Array.from(bones.flatMap(({ rest }) => [...rest.rotation])),
  };
}

const quaternion: number[] = [0, 0, 0, 1];

/**
 * Parent frame from bone frame, rotations: unit quaternions `[x, y, z, w]`, rest included, bone b from 4 b. Rotation vectors go straight to
 * quaternions, by series up to pi. Signs are as they come: q and -q are one rotation.
 */
export function writeQuaternions(plan: QuaternionPlan, pose: Numbers, out: MutableNumbers): void {
  const { still, stillRests, vectorBones, vectors, restTurned, others, rests } = plan;
  for (let k = 0; k < vectorBones.length; k++) {
    const i = vectors[k];
    writeQuaternion(pose[i], pose[i + 1], pose[i + 2], out, 4 * vectorBones[k]);
  }
  if (others.length > 0) writeOthers(plan, pose, out);
  for (let k = 0; k < restTurned.length; k++) turnByRest(rests, out, 4 * restTurned[k]);
  for (let k = 0; k < still.length; k++) {
    for (let n = 0; n < 4; n++) out[4 * still[k] + n] = stillRests[4 * k + n];
  }
}

/** Joints that are no rotation vector write their matrices, as in forward kinematics. */
function writeOthers({ state, others }: QuaternionPlan, pose: Numbers, out: MutableNumbers): void {
  const { groups, parentFromBone: m } = state;
  const q = state.coupled ? jointCoordinates(state, pose) : pose;
  for (let g = 0; g < groups.length; g++) {
    const { type, transformed } = groups[g];
    if (type.turns && type.rotationVector < 0) type.writeTransforms(transformed, q, m);
  }
  for (let k = 0; k < others.length; k++) {
    const b = others[k];
    const o = 12 * b;
    // The matrix stays as the joint wrote it: J alone, without rest.
    for (let n = 0; n < 9; n++) matrix[n] = m[o + n];
    quat.fromMatrix(matrix, quaternion);
    for (let n = 0; n < 4; n++) out[4 * b + n] = quaternion[n];
  }
}

const matrix: number[] = [1, 0, 0, 0, 1, 0, 0, 0, 1];

/** out[o..] = rest out[o..]. */
function turnByRest(rests: Float64Array, out: MutableNumbers, o: number): void {
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
