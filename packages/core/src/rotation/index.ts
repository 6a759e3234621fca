/**
 * The rotation mathematics of Grassia, "A Practical Parameterization of 2 and 3 Degree of Freedom Rotations"
 * (CMU-CS-97-143, 1997), in full and corrected (docs/errata.md). The paper's "RQ vector" is called the rotation vector
 * here, as everywhere today.
 *
 * Angles in radians; quaternions `[x, y, z, w]`; matrices nine numbers row by row, acting on column vectors. NaN and
 * infinity give NaN: callers validate their input. An unknown Euler order or frame throws a `DomainError`.
 */

export * from './rotation-vector/axis-angle.js';
export * from './rotation-vector/charts.js';
export * from './rotation-vector/combine.js';
export {
  createRotationCache,
  evaluateRotationVector,
  type RotationCache,
  type RotationPoint,
} from './rotation-vector/evaluate.js';
export * from './rotation-vector/exponential.js';
export type { RotationFrame } from './rotation-vector/frame.js';
export * from './rotation-vector/jacobian.js';
export * from './rotation-vector/kernels.js';
export * from './rotation-vector/log.js';
export * from './rotation-vector/partials.js';
export * from './rotation-vector/rates.js';
export * from './swing-twist/ball-and-socket.js';
export * from './swing-twist/swing.js';
export * from './swing-twist/swing-twist.js';
export * from './swing-twist/twist.js';
