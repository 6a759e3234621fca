/** Rates of all joints from those of the figure: joints that follow others have theirs from their leaders. */
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import type { Dynamics } from '../model/dynamics.js';

/** nu of every joint: the figure's own where nothing follows, else `dynamics.rates` with phi' y' behind them. */
export function jointRates({ figure, state, rates }: Dynamics, nu: Numbers): Numbers {
  if (!state.coupled) return nu;
  const { mimicJoints, dof } = figure;
  for (let i = 0; i < dof; i++) rates[i] = nu[i];
  for (let k = 0; k < mimicJoints.length; k++)
    rates[dof + k] = state.slopes[k] * nu[mimicJoints[k].coordinate];
  return rates;
}

/** nu' of every joint likewise: phi' y'' + phi'' y'^2. Without accelerations what the rates ask for: undefined where that is nothing. */
export function jointAccelerations(
  { figure, state, accelerations }: Dynamics,
  nu: Numbers,
  given: Numbers | undefined,
): Numbers | undefined {
  if (!state.coupled) return given;
  const { mimicJoints, dof } = figure;
  for (let i = 0; i < dof; i++) accelerations[i] = given === undefined ? 0 : given[i];
  for (let k = 0; k < mimicJoints.length; k++) {
    const i = mimicJoints[k].coordinate;
    accelerations[dof + k] = state.slopes[k] * accelerations[i] + state.curvatures[k] * nu[i] * nu[i];
  }
  return accelerations;
}

/** Adds the forces at joints that follow to those of their leaders, phi' tau, and keeps the figure's own. */
export function gatherForces({ figure, state }: Dynamics, all: Numbers, out: MutableNumbers): void {
  const { mimicJoints, dof } = figure;
  for (let i = 0; i < dof; i++) out[i] = all[i];
  for (let k = 0; k < mimicJoints.length; k++)
    out[mimicJoints[k].coordinate] += state.slopes[k] * all[dof + k];
}
