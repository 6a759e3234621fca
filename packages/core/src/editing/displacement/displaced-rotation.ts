/** A rotation vector that moves by a displacement: its numbers, with their rates. */
import type { Numbers } from '../../math/linear/types.js';
import type { CurvePoint } from '../../motion/representation/curve.js';
import {
  composeRotationStates,
  createRotationState,
  expRotationState,
} from '../../motion/representation/rotation-state.js';
import { nearestRotationVector, rotationVectorFromQuat } from '../../rotation/rotation-vector/log.js';
import {
  rateFromAngularVelocity,
  secondRateFromAngularAcceleration,
} from '../../rotation/rotation-vector/rates.js';

const base = /* @__PURE__ */ createRotationState();
const turned = /* @__PURE__ */ createRotationState();
const vector: [number, number, number] = [0, 0, 0];

/**
 * The rotation vector of exp(v) exp(d) with first and second rates, of the branch nearest to `near`.
 *
 * @param v - The reference with its rates.
 * @param d - The displacement with its rates.
 */
export function displacedVector(v: CurvePoint, d: CurvePoint, near: Numbers, out: CurvePoint): CurvePoint {
  expRotationState(v, base);
  expRotationState(d, turned);
  composeRotationStates(base, turned, turned);
  rotationVectorFromQuat(turned.quaternion, undefined, vector);
  nearestRotationVector(vector, [near[0], near[1], near[2]], out.value);
  vector[0] = out.value[0];
  vector[1] = out.value[1];
  vector[2] = out.value[2];
  rateFromAngularVelocity(vector, turned.angularVelocity, 'body', out.first);
  secondRateFromAngularAcceleration(
    vector,
    [out.first[0], out.first[1], out.first[2]],
    turned.angularAcceleration,
    'body',
    out.second,
  );
  return out;
}
