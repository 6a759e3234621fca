import * as mat3 from '../../math/geometry/mat3.js';
import * as quat from '../../math/geometry/quat.js';
import type { Numbers } from '../../math/linear/types.js';
import { writeRotationMatrix } from '../../rotation/rotation-vector/kernels.js';
import { readRotationVector } from './ball.js';
import {
  type CoordinateReader,
  type JointBatch,
  type JointType,
  VELOCITY_SPACE,
  writeDirection,
} from './joint.js';
import { writeBodyAxes, writeRotationVectorColumns } from './rotation-vector-columns.js';
import { writeRotationVectorDerivatives } from './rotation-vector-derivatives.js';

/**
 * Six coordinates: position p in rest axes, then rotation vector r. J = translation by p times exp([r]).
 * Joint velocity: p', then the angular velocity in the bone frame.
 */
export const freeJoint: JointType<{ readonly type: 'free' }> = {
  dof: 6,
  rotates: true,
  translations: 3,
  rotationVector: 3,
  bodyAngularVelocity: false,
  stride: 9,
  /** The rest axes, three numbers each. */
  pack: (_data, rest) => mat3.transpose(quat.toMatrix(rest.rotation)),
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
    const { bones, coordinates, parents, parameters: rest } = batch;
    for (let k = 0; k < bones.length; k++) {
      const i = coordinates[k];
      const w = 12 * bones[k];
      for (let axis = 0; axis < 3; axis++) {
        // p' is along the rest axes: R_parent R_rest e_axis.
        const n = 9 * k + 3 * axis;
        const o = 6 * (i + axis) + 3;
        if (parents[k] >= 0) writeDirection(worldFromBone, 12 * parents[k], rest, n, out, o);
        else for (let row = 0; row < 3; row++) out[o + row] = rest[n + row];
      }
      if (space === VELOCITY_SPACE) writeBodyAxes(worldFromBone, w, out, 6 * i + 18);
      else writeRotationVectorColumns(q, i + 3, worldFromBone, w, out, 6 * i + 18);
    }
  },
};

/** Axis derivatives of the rotation vector: the translations are along rest axes, independent of the joint's coordinates. */
export function writeFreeAxisDerivatives(
  batch: JointBatch,
  q: Numbers,
  worldFromBone: Float64Array,
  out: Float64Array,
): void {
  const { bones, coordinates } = batch;
  for (let k = 0; k < bones.length; k++) {
    writeRotationVectorDerivatives(q, coordinates[k] + 3, worldFromBone, 12 * bones[k], out);
  }
}

export const freeReader: CoordinateReader = {
  branches: 1,
  read(batch, k, transform, _branch, q) {
    const i = batch.coordinates[k];
    for (let n = 0; n < 3; n++) q[i + n] = transform[9 + n];
    readRotationVector(transform, q, i + 3);
  },
};
