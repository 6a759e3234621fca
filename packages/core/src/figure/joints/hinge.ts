import * as quat from '../../math/geometry/quat.js';
import { unset4 } from '../../math/linear/unset.js';
import type { JointData } from '../data/types.js';
import { unitAxis } from './axes.js';
import { type CoordinateReader, type JointType, nearestAngle, writeDirection } from './joint.js';

const quaternion = /* @__PURE__ */ unset4();

/** One angle about a fixed axis (revolute joint): J = exp(q [a]), S = [a; 0]. */
export const hingeJoint: JointType<Extract<JointData, { type: 'hinge' }>> = {
  dof: 1,
  rotates: true,
  translations: 0,
  rotationVector: -1,
  bodyAngularVelocity: false,
  stride: 3,
  pack: (data) => data.axis,
  writeTransforms(batch, q, out) {
    const { bones, coordinates, parameters } = batch;
    for (let k = 0; k < bones.length; k++) {
      const x = parameters[3 * k];
      const y = parameters[3 * k + 1];
      const z = parameters[3 * k + 2];
      const angle = q[coordinates[k]];
      const s = Math.sin(angle);
      // 1 - cos as 2 sin^2(angle/2) does not cancel at small angles; cos = 1 - v is exact to the last bit at 1.
      const half = Math.sin(0.5 * angle);
      const v = 2 * half * half;
      const c = 1 - v;
      const o = 12 * bones[k];
      out[o] = c + v * x * x;
      out[o + 1] = v * x * y - s * z;
      out[o + 2] = v * x * z + s * y;
      out[o + 3] = v * x * y + s * z;
      out[o + 4] = c + v * y * y;
      out[o + 5] = v * y * z - s * x;
      out[o + 6] = v * x * z - s * y;
      out[o + 7] = v * y * z + s * x;
      out[o + 8] = c + v * z * z;
    }
  },
  writeColumns(batch, _q, worldFromBone, _space, out) {
    const { bones, coordinates, parameters } = batch;
    for (let k = 0; k < bones.length; k++) {
      writeDirection(worldFromBone, 12 * bones[k], parameters, 3 * k, out, 6 * coordinates[k]);
    }
  },
};

export function normalizeHinge(data: Extract<JointData, { type: 'hinge' }>, path: string): typeof data {
  return { type: 'hinge', axis: unitAxis(data.axis, `${path}.axis`) };
}

export const hingeReader: CoordinateReader = {
  branches: 1,
  /** The angle of the nearest rotation about the axis: the twist angle of R about a. */
  read(batch, k, transform, _branch, q) {
    const i = batch.coordinates[k];
    const { parameters: p } = batch;
    quat.fromMatrix(transform, quaternion);
    const [x, y, z, w] = quaternion;
    const along = x * p[3 * k] + y * p[3 * k + 1] + z * p[3 * k + 2];
    q[i] = nearestAngle(2 * (w < 0 ? Math.atan2(-along, -w) : Math.atan2(along, w)), q[i]);
  },
};
