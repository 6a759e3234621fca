import type { Numbers } from '../../math/linear/types.js';
import { evaluateMimic } from './mimic-function.js';
import type { FigureState } from './state.js';

/** phi, phi' and phi'' of a mimic joint. */
const phi = /* @__PURE__ */ new Float64Array(3);

/**
 * Evaluates the mimic joints at a pose: writes the pose followed by phi(y) of each mimic joint to `state.jointCoordinates`, phi'(y)
 * to `state.mimicDerivatives` and phi''(y) to `state.mimicSecondDerivatives`.
 *
 * @returns `state.jointCoordinates`, the coordinates of all joints.
 */
export function updateJointCoordinates(state: FigureState, pose: Numbers): Numbers {
  const { figure, mimicFunctions, jointCoordinates, mimicDerivatives, mimicSecondDerivatives } = state;
  const { mimicJoints, dof } = figure;
  for (let i = 0; i < dof; i++) jointCoordinates[i] = pose[i];
  for (let k = 0; k < mimicJoints.length; k++) {
    evaluateMimic(mimicFunctions[k], pose[mimicJoints[k].coordinate], phi);
    jointCoordinates[dof + k] = phi[0];
    mimicDerivatives[k] = phi[1];
    mimicSecondDerivatives[k] = phi[2];
  }
  return jointCoordinates;
}
