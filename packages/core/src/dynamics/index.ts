/** Rigid-body dynamics of figures (paper, section 4.1). SI units; forces, velocities and accelerations against nu, bodies in world axes. */
export { createDynamics, type Dynamics, type DynamicsOptions } from './dynamics.js';
export { kineticEnergy, type Momentum, momentum, potentialEnergy } from './energy.js';
export { forwardDynamics } from './forward-dynamics.js';
export { biasForces, inverseDynamics } from './inverse-dynamics.js';
export { massMatrix } from './mass-matrix.js';
