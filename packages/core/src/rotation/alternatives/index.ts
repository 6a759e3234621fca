/** The parameterizations that Grassia 1997 compares with the rotation vector: Euler angles, three uses of quaternions, Cayley. */
export * from './cayley.js';
export * from './euler.js';
export * from './euler-unwrap.js';
export * from './quaternion-autonormalized.js';
export * from './quaternion-constraint.js';
export * from './quaternion-rate.js';
