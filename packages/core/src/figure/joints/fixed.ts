import type { JointType } from './joint.js';

function nothing(): void {}

/** No coordinate: J is the identity. */
export const fixedJoint: JointType<{ readonly type: 'fixed' }> = {
  dof: 0,
  turns: false,
  translations: 0,
  rotationVector: -1,
  bodyTurn: false,
  stride: 0,
  normalize: () => ({ type: 'fixed' }),
  pack: () => [],
  writeTransforms: nothing,
  writeColumns: nothing,
  writeAxisDerivatives: nothing,
  coordinateRate: nothing,
  jointVelocity: nothing,
  branches: 1,
  readCoordinates: nothing,
};
