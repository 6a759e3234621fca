export * as affine from './geometry/affine.js';
export * as mat3 from './geometry/mat3.js';
export * as quat from './geometry/quat.js';
export * as rigid from './geometry/rigid-transform.js';
export * as vec3 from './geometry/vec3.js';
export * as cholesky from './linear/cholesky.js';
export type { Mat3, Mat3x4, MutableNumbers, Numbers, Quat, Vec3 } from './linear/types.js';
