/** Rigid-body dynamics of figures (paper, section 4.1). SI units; forces, velocities and accelerations against nu, bodies in world axes. */
export type { ColliderOptions } from './collide/collider.js';
export type { BoneShape, WorldShape } from './collide/shapes.js';
export { forwardDynamicsDerivatives } from './derivatives/forward.js';
export { inverseDynamicsDerivatives } from './derivatives/inverse.js';
export {
  type AccelerationDerivatives,
  createAccelerationDerivatives,
  createDerivativeWorkspace,
  createForceDerivatives,
  type DerivativeWorkspace,
  type ForceDerivatives,
} from './derivatives/workspace.js';
export { createDynamics, type Dynamics, type DynamicsOptions } from './dynamics.js';
export { kineticEnergy, type Momentum, momentum, potentialEnergy } from './energy.js';
export { forwardDynamics } from './forward-dynamics.js';
export {
  createDynamicsState,
  createIntegrator,
  type Integrator,
  sampleStep,
  stepIntegrator,
} from './integrate/integrator.js';
export type {
  AfterStep,
  AppliedForces,
  DynamicsState,
  Forces,
  IntegratorMethod,
  IntegratorOptions,
  StepReport,
  StepStatus,
} from './integrate/types.js';
export { biasForces, inverseDynamics } from './inverse-dynamics.js';
export { massMatrix } from './mass-matrix.js';
export { createRagdoll, type Ragdoll, type RagdollOptions } from './ragdoll/ragdoll.js';
export * from './simulate/index.js';
export * from './track/index.js';
