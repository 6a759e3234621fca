import {
  biasForces,
  computeMomentum,
  createAccelerationDerivatives,
  createDerivativeWorkspace,
  createDynamics,
  createForceDerivatives,
  forwardDynamics,
  forwardDynamicsDerivatives,
  inverseDynamics,
  inverseDynamicsDerivatives,
  kineticEnergy,
  massMatrix,
  potentialEnergy,
} from 'poise/dynamics';
import type { Figure } from 'poise/figure';
import { GRAVITY } from './figures.js';
import { cycle, type Motion, relativeGap } from './motions.js';

/** What is timed, in the order of the table. */
export const WORK = [
  'inverseDynamics',
  'massMatrix',
  'forwardDynamics',
  'biasForces',
  'kineticEnergy + potentialEnergy',
  'momentum',
  'inverseDynamicsDerivatives',
  'forwardDynamicsDerivatives',
] as const;

/** Poise's functions on one figure, each over the cycle of motions, and `evaluate` for the comparison of what they give. */
export function poiseRows(figure: Figure, motions: readonly Motion[]) {
  const dynamics = createDynamics(figure, { gravity: GRAVITY });
  const workspace = createDerivativeWorkspace(dynamics);
  const { dof } = figure;
  const tau = new Float64Array(dof);
  const bias = new Float64Array(dof);
  const matrix = new Float64Array(dof * dof);
  const accelerations = new Float64Array(dof);
  const byForces = createForceDerivatives(figure);
  const byAccelerations = createAccelerationDerivatives(figure);
  const work: Record<(typeof WORK)[number], (motion: Motion) => unknown> = {
    inverseDynamics: (m) => inverseDynamics(dynamics, m.pose, m.velocity, m.accelerations, tau),
    massMatrix: (m) => massMatrix(dynamics, m.pose, matrix),
    forwardDynamics: (m) => forwardDynamics(dynamics, m.pose, m.velocity, m.forces, accelerations),
    biasForces: (m) => biasForces(dynamics, m.pose, m.velocity, bias),
    'kineticEnergy + potentialEnergy': (m) =>
      kineticEnergy(dynamics, m.pose, m.velocity) + potentialEnergy(dynamics, m.pose),
    momentum: (m) => computeMomentum(dynamics, m.pose, m.velocity),
    inverseDynamicsDerivatives: (m) =>
      inverseDynamicsDerivatives(workspace, m.pose, m.velocity, m.accelerations, byForces),
    forwardDynamicsDerivatives: (m) =>
      forwardDynamicsDerivatives(workspace, m.pose, m.velocity, m.forces, byAccelerations),
  };
  const rows = WORK.map((name) => cycle(name, motions.length, (k) => work[name](motions[k])));
  const evaluate = (motion: Motion) => {
    work.inverseDynamics(motion);
    work.massMatrix(motion);
    work.forwardDynamics(motion);
    return { tau, matrix, accelerations };
  };
  /** Round-trip error tau(v'(tau)) - tau, the largest over the motions, relative to the largest force. */
  const returned = (): number =>
    Math.max(
      ...motions.map((m) => {
        forwardDynamics(dynamics, m.pose, m.velocity, m.forces, accelerations);
        return relativeGap(inverseDynamics(dynamics, m.pose, m.velocity, accelerations, tau), m.forces);
      }),
    );
  return { rows, evaluate, returned };
}
