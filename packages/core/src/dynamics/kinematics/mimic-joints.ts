/**
 * Velocities, accelerations and forces of figures with mimic joints: v_all = G v, tau = G^T tau_all. A mimic joint has q = phi(y), y the
 * coordinate of its source joint, and a row phi' of G.
 */
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import type { Dynamics } from '../model/dynamics.js';

/** Velocities of all joints: `velocity` itself without mimic joints, else `dynamics.expandedVelocity` with phi' y' at the end. */
export function expandVelocity({ figure, state, expandedVelocity }: Dynamics, velocity: Numbers): Numbers {
  if (!state.hasMimicJoints) return velocity;
  const { mimicJoints, dof } = figure;
  for (let i = 0; i < dof; i++) expandedVelocity[i] = velocity[i];
  for (let k = 0; k < mimicJoints.length; k++)
    expandedVelocity[dof + k] = state.mimicDerivatives[k] * velocity[mimicJoints[k].coordinate];
  return expandedVelocity;
}

/** Accelerations of all joints: phi' y'' + phi'' y'^2 at mimic joints. `given` undefined is zero. Without mimic joints `given` itself. */
export function expandAcceleration(
  { figure, state, expandedAcceleration }: Dynamics,
  velocity: Numbers,
  given: Numbers | undefined,
): Numbers | undefined {
  if (!state.hasMimicJoints) return given;
  const { mimicJoints, dof } = figure;
  for (let i = 0; i < dof; i++) expandedAcceleration[i] = given === undefined ? 0 : given[i];
  for (let k = 0; k < mimicJoints.length; k++) {
    const i = mimicJoints[k].coordinate;
    expandedAcceleration[dof + k] =
      state.mimicDerivatives[k] * expandedAcceleration[i] +
      state.mimicSecondDerivatives[k] * velocity[i] * velocity[i];
  }
  return expandedAcceleration;
}

/** Forces on the figure's coordinates: those of mimic joints act on their source, times phi'. */
export function reduceForces({ figure, state }: Dynamics, all: Numbers, out: MutableNumbers): void {
  const { mimicJoints, dof } = figure;
  for (let i = 0; i < dof; i++) out[i] = all[i];
  for (let k = 0; k < mimicJoints.length; k++)
    out[mimicJoints[k].coordinate] += state.mimicDerivatives[k] * all[dof + k];
}
