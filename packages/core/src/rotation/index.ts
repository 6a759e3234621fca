export type { EulerFrame, EulerOrder } from './euler.js';
export {
  writeLeftJacobian,
  writeLeftJacobianInverse,
  writeQuaternion,
  writeRightJacobian,
  writeRightJacobianInverse,
  writeRotationMatrix,
} from './kernels.js';
