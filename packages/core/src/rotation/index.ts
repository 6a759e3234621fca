/**
 * The rotation mathematics of Grassia, "A Practical Parameterization of 2 and 3 Degree of Freedom Rotations"
 * (CMU-CS-97-143, 1997), in full and corrected (docs/errata.md). The paper's "RQ vector" is called the rotation vector
 * here, as everywhere today.
 *
 * Angles in radians; quaternions `[x, y, z, w]`; matrices nine numbers row by row, acting on column vectors. NaN and
 * infinity in give NaN out: whoever reads coordinates from outside checks them. Words that are not allowed (an order, a
 * frame) throw a `DomainError`.
 */
export * from './axis-angle.js';
export * from './ball-and-socket.js';
export * from './cayley.js';
export * from './charts.js';
export * from './combine.js';
export * from './euler.js';
export * from './euler-unwrap.js';
export {
  createRotationCache,
  evaluateRotationVector,
  type RotationCache,
  type RotationPoint,
} from './evaluate.js';
export * from './exponential.js';
export type { RotationFrame } from './frame.js';
export * from './jacobian.js';
export * from './kernels.js';
export * from './log.js';
export * from './partials.js';
export * from './quaternion-autonormalized.js';
export * from './quaternion-constraint.js';
export * from './quaternion-rate.js';
export * from './rates.js';
export * from './swing.js';
export * from './swing-twist.js';
export * from './twist.js';
