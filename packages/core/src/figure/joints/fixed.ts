import type { JointType } from './joint.js';

function noop(): void {}

/** No coordinates: J is the identity. */
export const fixedJoint: JointType<{ readonly type: 'fixed' }> = {
  dof: 0,
  rotates: false,
  translations: 0,
  rotationVector: -1,
  bodyAngularVelocity: false,
  stride: 0,
  pack: () => [],
  writeTransforms: noop,
  writeColumns: noop,
};
