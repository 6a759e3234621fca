import {
  writeRightJacobian,
  writeRightJacobianInverse,
  writeRotationMatrix,
  writeRotationMatrixAt,
} from '../../rotation/kernels.js';
import { multiply3, readRotationVector } from './ball.js';
import { type JointType, VELOCITY_SPACE, writeSlidingColumn } from './joint.js';
import { writeBodyAxes, writeRotationVectorColumns } from './rotation-vector-columns.js';
import { writeRotationVectorDerivatives } from './rotation-vector-derivatives.js';

const scratch = /* @__PURE__ */ new Float64Array(9);

/**
 * Six coordinates: position p in rest axes, then rotation vector v. J moves by p, then turns by exp([v]).
 * nu = (p', angular velocity in the bone frame).
 */
export const freeJoint: JointType<{ readonly type: 'free' }> = {
  dof: 6,
  turns: true,
  translations: 3,
  rotationVector: 3,
  stride: 0,
  normalize: () => ({ type: 'free' }),
  pack: () => [],
  writeTransforms(batch, q, out) {
    const { bones, coordinates } = batch;
    for (let k = 0; k < bones.length; k++) {
      const i = coordinates[k];
      const o = 12 * bones[k];
      writeRotationMatrix(q[i + 3], q[i + 4], q[i + 5], out, o);
      out[o + 9] = q[i];
      out[o + 10] = q[i + 1];
      out[o + 11] = q[i + 2];
    }
  },
  writeColumns(batch, q, worldFromBone, space, out) {
    const { bones, coordinates } = batch;
    const r = scratch;
    for (let k = 0; k < bones.length; k++) {
      const i = coordinates[k];
      const w = 12 * bones[k];
      // Rest axes in the bone frame are the rows of exp([v]).
      writeRotationMatrixAt(q, i + 3, r, 0);
      writeSlidingColumn(worldFromBone, w, r[0], r[1], r[2], out, 6 * i);
      writeSlidingColumn(worldFromBone, w, r[3], r[4], r[5], out, 6 * i + 6);
      writeSlidingColumn(worldFromBone, w, r[6], r[7], r[8], out, 6 * i + 12);
      if (space === VELOCITY_SPACE) writeBodyAxes(worldFromBone, w, out, 6 * i + 18);
      else writeRotationVectorColumns(q, i + 3, worldFromBone, w, out, 6 * i + 18);
    }
  },
  /** The translations are along rest axes, which no coordinate of the joint turns. */
  writeAxisDerivatives(batch, q, worldFromBone, out) {
    const { bones, coordinates } = batch;
    for (let k = 0; k < bones.length; k++) {
      writeRotationVectorDerivatives(q, coordinates[k] + 3, worldFromBone, 12 * bones[k], out);
    }
  },
  coordinateRate(batch, k, q, nu, out) {
    const i = batch.coordinates[k];
    for (let n = 0; n < 3; n++) out[i + n] = nu[i + n];
    writeRightJacobianInverse(q[i + 3], q[i + 4], q[i + 5], scratch, 0);
    multiply3(scratch, nu, i + 3, out, i + 3);
  },
  jointVelocity(batch, k, q, rate, out) {
    const i = batch.coordinates[k];
    for (let n = 0; n < 3; n++) out[i + n] = rate[i + n];
    writeRightJacobian(q[i + 3], q[i + 4], q[i + 5], scratch, 0);
    multiply3(scratch, rate, i + 3, out, i + 3);
  },
  branches: 1,
  readCoordinates(batch, k, transform, _branch, q) {
    const i = batch.coordinates[k];
    for (let n = 0; n < 3; n++) q[i + n] = transform[9 + n];
    readRotationVector(transform, q, i + 3);
  },
};
