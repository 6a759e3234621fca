import type { Numbers } from '../math/types.js';
import { polynomialValue } from './polynomial.js';
import type { FigureState } from './state.js';

/** All coordinates q of the joints, what joint types read: the pose, then phi(y) of each coupling. To `state.joints`. */
export function jointCoordinates({ figure, polynomials, joints }: FigureState, pose: Numbers): Numbers {
  const { couplings, dof } = figure;
  for (let i = 0; i < dof; i++) joints[i] = pose[i];
  for (let k = 0; k < couplings.length; k++) {
    joints[dof + k] = polynomialValue(polynomials[k], pose[couplings[k].coordinate]);
  }
  return joints;
}

/**
 * Turns the columns of the joints that follow into their share of the leader's column: phi' times what they were. Where
 * `curvatures` is given, phi'' times what they were goes there: the part of the share's own derivative that no turning
 * ancestor explains.
 *
 * @param columns - 6 numbers a coordinate; those behind the pose's, of the joints that follow, are read and written.
 */
export function scaleCoupledColumns(
  { figure, polynomials }: FigureState,
  pose: Numbers,
  columns: Float64Array,
  curvatures?: Float64Array,
): void {
  const { couplings, dof } = figure;
  for (let k = 0; k < couplings.length; k++) {
    const c = polynomials[k];
    const y = pose[couplings[k].coordinate];
    // Horner for phi' and phi''/2 in one go.
    let value = 0;
    let slope = 0;
    let half = 0;
    for (let n = c.length - 1; n >= 0; n--) {
      half = half * y + slope;
      slope = slope * y + value;
      value = value * y + c[n];
    }
    const o = 6 * (dof + k);
    for (let n = 0; n < 6; n++) {
      if (curvatures !== undefined) curvatures[6 * k + n] = 2 * half * columns[o + n];
      columns[o + n] *= slope;
    }
  }
}
