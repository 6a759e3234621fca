import { requireOneOf } from '../../checks.js';
import { MotionError } from '../../errors.js';
import { EULER_ORDERS, type EulerOrder } from '../../rotation/alternatives/euler.js';
import { type Curve, createCurvePoint, evaluateCurve } from '../representation/curve.js';
import type { RotationCurve } from '../representation/rotation-curve.js';
import {
  composeRotationStates,
  createRotationState,
  expRotationState,
} from '../representation/rotation-state.js';
import { requireSize } from '../rotations/rotation-vector-curve.js';

/**
 * The rotation whose Euler angles (rad, intrinsic) are a curve of three numbers: R = R_1 R_2 R_3 about the axes of `order`. For
 * comparison: the interpolant depends on the order, and rates are unbounded near gimbal lock (Grassia 1997, section 2.1).
 * @throws MotionError
 */
export function eulerCurve(curve: Curve, order: EulerOrder): RotationCurve {
  requireSize(curve, 3, 'Euler angles');
  requireOneOf(order, EULER_ORDERS, 'order', MotionError);
  const axes = [...order].map((letter) => 'XYZ'.indexOf(letter));
  const angles = createCurvePoint(3);
  const vector = createCurvePoint(3);
  const rotation = createRotationState();
  return {
    kind: `Euler ${order}`,
    knots: curve.knots,
    outside: curve.outside,
    evaluateInside(time, out) {
      evaluateCurve(curve, time, angles);
      for (let n = 0; n < 3; n++) {
        for (let k = 0; k < 3; k++) {
          const own = k === axes[n];
          vector.value[k] = own ? angles.value[n] : 0;
          vector.first[k] = own ? angles.first[n] : 0;
          vector.second[k] = own ? angles.second[n] : 0;
        }
        if (n === 0) expRotationState(vector, out);
        else composeRotationStates(out, expRotationState(vector, rotation), out);
      }
      return out;
    },
  };
}
