export * as affine from './affine.js';
export * as cholesky from './cholesky.js';
export * as mat3 from './mat3.js';
export * as quat from './quat.js';
export * as rigid from './rigid.js';
export type { Mat3, Mat3x4, MutableNumbers, Numbers, Quat, Vec3 } from './types.js';
export * as vec3 from './vec3.js';
