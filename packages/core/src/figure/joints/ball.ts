import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import { unset3 } from '../../math/linear/unset.js';
import { writeRotationMatrix } from '../../rotation/rotation-vector/kernels.js';
import { rotationVectorFromMatrix } from '../../rotation/rotation-vector/log.js';
import { type CoordinateReader, type JointBatch, type JointType, VELOCITY_SPACE } from './joint.js';
import { writeBodyAxes, writeRotationVectorColumns } from './rotation-vector-columns.js';
import { writeRotationVectorDerivatives } from './rotation-vector-derivatives.js';

const vector = /* @__PURE__ */ unset3();
const nearest = /* @__PURE__ */ unset3();

/** A rotation vector r: J = exp([r]), joint velocity v = J_r(r) r', the angular velocity in the bone frame (Grassia 1997, section 3). */
export const ballJoint: JointType<{ readonly type: 'ball' }> = {
  dof: 3,
  rotates: true,
  translations: 0,
  rotationVector: 0,
  bodyAngularVelocity: true,
  stride: 0,
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
};

export function writeBallAxisDerivatives(
  batch: JointBatch,
  q: Numbers,
  worldFromBone: Float64Array,
  out: Float64Array,
): void {
  const { bones, coordinates } = batch;
  for (let k = 0; k < bones.length; k++) {
    writeRotationVectorDerivatives(q, coordinates[k], worldFromBone, 12 * bones[k], out);
  }
}

export const ballReader: CoordinateReader = {
  branches: 1,
  read(batch, k, transform, _branch, q) {
    readRotationVector(transform, q, batch.coordinates[k]);
  },
};

/** q[i..i+2] = log R, of the branch nearest to the previous q[i..i+2]. */
export function readRotationVector(r: Numbers, q: MutableNumbers, i: number): void {
  for (let n = 0; n < 3; n++) vector[n] = q[i + n];
  rotationVectorFromMatrix(r, vector, nearest);
  for (let n = 0; n < 3; n++) q[i + n] = nearest[n];
}
