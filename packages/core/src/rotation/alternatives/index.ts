/** The parameterizations that the paper compares the rotation vector with: Euler angles, quaternions three ways, Cayley parameters. */
export * from './cayley.js';
export * from './euler.js';
export * from './euler-unwrap.js';
export * from './quaternion-autonormalized.js';
export * from './quaternion-constraint.js';
export * from './quaternion-rate.js';
