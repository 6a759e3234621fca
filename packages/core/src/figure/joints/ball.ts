import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import {
  writeRightJacobian,
  writeRightJacobianInverse,
  writeRotationMatrix,
} from '../../rotation/rotation-vector/kernels.js';
import { rotationVectorFromMatrix } from '../../rotation/rotation-vector/log.js';
import { type JointType, VELOCITY_SPACE } from './joint.js';
import { writeBodyAxes, writeRotationVectorColumns } from './rotation-vector-columns.js';
import { writeRotationVectorDerivatives } from './rotation-vector-derivatives.js';

const scratch = /* @__PURE__ */ new Float64Array(9);
const vector: number[] = [0, 0, 0];
const nearest: number[] = [0, 0, 0];

/** A rotation vector r: J = exp([r]), joint velocity v = J_r(r) r', the angular velocity in the bone frame (Grassia 1997, section 3). */
export const ballJoint: JointType<{ readonly type: 'ball' }> = {
  dof: 3,
  rotates: true,
  translations: 0,
  rotationVector: 0,
  bodyAngularVelocity: true,
  stride: 0,
  normalize: () => ({ type: 'ball' }),
  pack: () => [],
  writeTransforms(batch, q, out) {
    const { bones, coordinates } = batch;
    for (let k = 0; k < bones.length; k++) {
      const i = coordinates[k];
      writeRotationMatrix(q[i], q[i + 1], q[i + 2], out, 12 * bones[k]);
    }
  },
  writeColumns(batch, q, worldFromBone, space, out) {
    const { bones, coordinates } = batch;
    for (let k = 0; k < bones.length; k++) {
      const o = 6 * coordinates[k];
      if (space === VELOCITY_SPACE) writeBodyAxes(worldFromBone, 12 * bones[k], out, o);
      else writeRotationVectorColumns(q, coordinates[k], worldFromBone, 12 * bones[k], out, o);
    }
  },
  writeAxisDerivatives(batch, q, worldFromBone, out) {
    const { bones, coordinates } = batch;
    for (let k = 0; k < bones.length; k++) {
      writeRotationVectorDerivatives(q, coordinates[k], worldFromBone, 12 * bones[k], out);
    }
  },
  coordinateRate(batch, k, q, velocity, out) {
    const i = batch.coordinates[k];
    writeRightJacobianInverse(q[i], q[i + 1], q[i + 2], scratch, 0);
    multiply3(scratch, velocity, i, out, i);
  },
  jointVelocity(batch, k, q, rate, out) {
    const i = batch.coordinates[k];
    writeRightJacobian(q[i], q[i + 1], q[i + 2], scratch, 0);
    multiply3(scratch, rate, i, out, i);
  },
  branches: 1,
  readCoordinates(batch, k, transform, _branch, q) {
    readRotationVector(transform, q, batch.coordinates[k]);
  },
};

/** q[i..i+2] = log R, of the branch nearest to the previous q[i..i+2]. */
export function readRotationVector(r: Numbers, q: MutableNumbers, i: number): void {
  for (let n = 0; n < 3; n++) vector[n] = q[i + n];
  rotationVectorFromMatrix(r, vector, nearest);
  for (let n = 0; n < 3; n++) q[i + n] = nearest[n];
}

/** out[o..] = M x[i..], M row by row. */
export function multiply3(m: Numbers, x: Numbers, i: number, out: MutableNumbers, o: number): void {
  const x0 = x[i];
  const x1 = x[i + 1];
  const x2 = x[i + 2];
  out[o] = m[0] * x0 + m[1] * x1 + m[2] * x2;
  out[o + 1] = m[3] * x0 + m[4] * x1 + m[5] * x2;
  out[o + 2] = m[6] * x0 + m[7] * x1 + m[8] * x2;
}
