import type { Numbers } from '../../math/linear/types.js';
import type { FigureState } from './state.js';

/**
 * All coordinates q of the joints, what joint types read: the pose, then phi(y) of each coupling. To `state.joints`; with
 * phi' to `state.slopes` and phi'' to `state.curvatures`.
 */
export function jointCoordinates(state: FigureState, pose: Numbers): Numbers {
  const { figure, polynomials, joints, slopes, curvatures } = state;
  const { mimicJoints, dof } = figure;
  for (let i = 0; i < dof; i++) joints[i] = pose[i];
  for (let k = 0; k < mimicJoints.length; k++) {
    const c = polynomials[k];
    const y = pose[mimicJoints[k].coordinate];
    // Horner for phi, phi' and phi''/2 in one go.
    let value = 0;
    let slope = 0;
    let half = 0;
    for (let n = c.length - 1; n >= 0; n--) {
      half = half * y + slope;
      slope = slope * y + value;
      value = value * y + c[n];
    }
    joints[dof + k] = value;
    slopes[k] = slope;
    curvatures[k] = 2 * half;
  }
  return joints;
}
