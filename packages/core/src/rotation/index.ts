/**
 * The rotation mathematics of Grassia, "A Practical Parameterization of 2 and 3 Degree of Freedom Rotations"
 * (CMU-CS-97-143, 1997), in full and corrected (docs/errata.md). The paper's "RQ vector" is called the rotation vector
 * here, as everywhere today.
 *
 * Angles in radians; quaternions `[x, y, z, w]`; matrices nine numbers row by row, acting on column vectors. NaN and
 * infinity give NaN: callers validate their input. An unknown Euler order or frame throws a `DomainError`.
 */

export {
  type AxisAngle,
  axisAngleFromQuat,
  matrixFromAxisAngle,
  rotationVectorFromAxisAngle,
} from './rotation-vector/axis-angle.js';
export {
  regularize,
  regularizeGroup,
  reparameterize,
  reparameterizeTangent,
  shellIndex,
  unwrapRotationVectors,
} from './rotation-vector/charts.js';
export {
  angleBetweenRotationVectors,
  composeRotationVectors,
  differenceOfRotationVectors,
  invertRotationVector,
} from './rotation-vector/combine.js';
export {
  createRotationCache,
  evaluateRotationVector,
  type RotationCache,
  type RotationPoint,
} from './rotation-vector/evaluate.js';
export { matrixFromRotationVector, quatFromRotationVector } from './rotation-vector/exponential.js';
export type { RotationFrame } from './rotation-vector/frame.js';
export {
  leftJacobian,
  leftJacobianInverse,
  leftJacobianInverseProductDerivative,
  leftJacobianProductDerivative,
  rightJacobian,
  rightJacobianInverse,
  rightJacobianInverseProductDerivative,
  rightJacobianProductDerivative,
} from './rotation-vector/jacobian.js';
export {
  writeLeftJacobian,
  writeLeftJacobianInverse,
  writeQuaternion,
  writeRightJacobian,
  writeRightJacobianInverse,
  writeRotationMatrix,
} from './rotation-vector/kernels.js';
export {
  nearestRotationVector,
  rotationVectorFromMatrix,
  rotationVectorFromQuat,
} from './rotation-vector/log.js';
export { meanQuat } from './rotation-vector/mean.js';
export {
  matrixPartials,
  matrixSecondPartials,
  quatPartials,
  quatSecondPartials,
} from './rotation-vector/partials.js';
export {
  angularAccelerationFromRates,
  angularVelocityFromRate,
  rateFromAngularVelocity,
  secondRateFromAngularAcceleration,
} from './rotation-vector/rates.js';
export { rigidFromScrew, screwFromRigid } from './rotation-vector/screw.js';
export {
  ballAndSocketDeterminant,
  ballAndSocketJacobian,
  ballAndSocketMatrixPartials,
  ballAndSocketMatrixSecondPartials,
  ballAndSocketRateFromAngularVelocity,
  matrixFromBallAndSocket,
} from './swing-twist/ball-and-socket.js';
export {
  angularVelocityFromSwingRate,
  createSwingAxes,
  evaluateSwing,
  matrixFromSwing,
  quatFromSwing,
  type SwingAxes,
  type SwingPoint,
  swingFromVector,
  swingJacobian,
  swingMatrixPartials,
  swingMatrixSecondPartials,
  swingMetric,
  swingQuatPartials,
  swingQuatSecondPartials,
  swingRateFromAngularVelocity,
  swingVector,
} from './swing-twist/swing.js';
export {
  DEGENERATE_COSINE,
  decomposeSwingTwist,
  quatFromSwingTwist,
  type SwingTwist,
} from './swing-twist/swing-twist.js';
export {
  matrixFromTwist,
  quatFromTwist,
  twistAngleFromQuat,
  twistMatrixPartial,
  twistMatrixSecondPartial,
  twistQuatPartial,
} from './swing-twist/twist.js';
