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
 * The rotation whose Euler angles (rad, intrinsic) follow a curve of three numbers: R = R_1 R_2 R_3 about the axes that the order names. For
 * comparison: the same keys give another motion in every order, and rates grow near gimbal lock (paper, section 2.1).
 * @throws MotionError
 */
export function eulerCurve(curve: Curve, order: EulerOrder): RotationCurve {
  requireSize(curve, 3, 'Euler angles');
  if (!EULER_ORDERS.includes(order)) {
    throw new MotionError('out-of-range', `'${String(order)}' is no order of Euler angles.`, {
      path: 'order',
      remedy: `Use one of ${EULER_ORDERS.join(', ')}, in capitals.`,
    });
  }
  const axes = [...order].map((letter) => 'XYZ'.indexOf(letter));
  const angles = createCurvePoint(3);
  const turn = createCurvePoint(3);
  const one = createRotationState();
  return {
    kind: `Euler ${order}`,
    knots: curve.knots,
    outside: curve.outside,
    evaluateInside(time, out) {
      evaluateCurve(curve, time, angles);
      for (let n = 0; n < 3; n++) {
        for (let k = 0; k < 3; k++) {
          const own = k === axes[n];
          turn.value[k] = own ? angles.value[n] : 0;
          turn.first[k] = own ? angles.first[n] : 0;
          turn.second[k] = own ? angles.second[n] : 0;
        }
        if (n === 0) expRotationState(turn, out);
        else composeRotationStates(out, expRotationState(turn, one), out);
      }
      return out;
    },
  };
}
