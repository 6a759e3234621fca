import type { Numbers } from '../../math/linear/types.js';
import type { FigureState } from './state.js';

/**
 * Evaluates the mimic joints at a pose: writes the pose followed by phi(y) of each mimic joint to `state.jointCoordinates`, phi'(y)
 * to `state.mimicDerivatives` and phi''(y) to `state.mimicSecondDerivatives`.
 *
 * @returns `state.jointCoordinates`, the coordinates of all joints.
 */
export function updateJointCoordinates(state: FigureState, pose: Numbers): Numbers {
  const { figure, mimicPolynomials, jointCoordinates, mimicDerivatives, mimicSecondDerivatives } = state;
  const { mimicJoints, dof } = figure;
  for (let i = 0; i < dof; i++) jointCoordinates[i] = pose[i];
  for (let k = 0; k < mimicJoints.length; k++) {
    const c = mimicPolynomials[k];
    const y = pose[mimicJoints[k].coordinate];
    // Horner's rule for phi, phi' and phi''/2.
    let value = 0;
    let derivative = 0;
    let half = 0;
    for (let n = c.length - 1; n >= 0; n--) {
      half = half * y + derivative;
      derivative = derivative * y + value;
      value = value * y + c[n];
    }
    jointCoordinates[dof + k] = value;
    mimicDerivatives[k] = derivative;
    mimicSecondDerivatives[k] = 2 * half;
  }
  return jointCoordinates;
}
