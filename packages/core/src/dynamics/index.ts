/** Rigid-body dynamics of figures (paper, section 4.1). SI units; joint velocities v and forces tau as in docs/dynamics.md, bodies in world axes. */

export { forwardDynamics } from './aba/forward-dynamics.js';
export type { ColliderOptions } from './collide/collider.js';
export type { BoneShape, WorldShape } from './collide/shapes/shapes.js';
export { massMatrix } from './crba/mass-matrix.js';
export { forwardDynamicsDerivatives } from './derivatives/forward-dynamics-derivatives.js';
export { inverseDynamicsDerivatives } from './derivatives/inverse-dynamics-derivatives.js';
export {
  type AccelerationDerivatives,
  createAccelerationDerivatives,
  createDerivativeWorkspace,
  createForceDerivatives,
  type DerivativeWorkspace,
  type ForceDerivatives,
} from './derivatives/workspace.js';
export { computeMomentum, kineticEnergy, type Momentum, potentialEnergy } from './energy.js';
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
export { createDynamics, type Dynamics, type DynamicsOptions } from './model/dynamics.js';
export { standardGravity } from './model/gravity.js';
export { type FootPointsOptions, findFootPoints } from './ragdoll/foot-points.js';
export { createRagdoll, type Ragdoll, type RagdollOptions } from './ragdoll/ragdoll.js';
export { biasForces, inverseDynamics } from './rnea/inverse-dynamics.js';
export * from './simulate/index.js';
export * from './track/index.js';
