import type { JointData } from '../data/types.js';
import { unitAxis } from './axes.js';
import { type CoordinateReader, type JointType, writeDirection } from './joint.js';

/** One distance along a fixed axis (prismatic joint): J = translation by q a, S = [0; a]. */
export const sliderJoint: JointType<Extract<JointData, { type: 'slider' }>> = {
  dof: 1,
  rotates: false,
  translations: 1,
  rotationVector: -1,
  bodyAngularVelocity: false,
  stride: 3,
  pack: (data) => data.axis,
  writeTransforms(batch, q, out) {
    const { bones, coordinates, parameters } = batch;
    for (let k = 0; k < bones.length; k++) {
      const distance = q[coordinates[k]];
      const o = 12 * bones[k];
      out[o + 9] = distance * parameters[3 * k];
      out[o + 10] = distance * parameters[3 * k + 1];
      out[o + 11] = distance * parameters[3 * k + 2];
    }
  },
  writeColumns(batch, _q, worldFromBone, _space, out) {
    const { bones, coordinates, parameters } = batch;
    for (let k = 0; k < bones.length; k++) {
      writeDirection(worldFromBone, 12 * bones[k], parameters, 3 * k, out, 6 * coordinates[k] + 3);
    }
  },
};

export function normalizeSlider(data: Extract<JointData, { type: 'slider' }>, path: string): typeof data {
  return { type: 'slider', axis: unitAxis(data.axis, `${path}.axis`) };
}

export const sliderReader: CoordinateReader = {
  branches: 1,
  /** The component of the translation along the axis. */
  read(batch, k, transform, _branch, q) {
    const { coordinates, parameters: p } = batch;
    q[coordinates[k]] = p[3 * k] * transform[9] + p[3 * k + 1] * transform[10] + p[3 * k + 2] * transform[11];
  },
};
