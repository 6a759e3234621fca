/** A rotation vector with a displacement, and its derivatives. */
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
const displaced = /* @__PURE__ */ createRotationState();
const vector: [number, number, number] = [0, 0, 0];

/**
 * The rotation vector of exp(d) exp(v) with first and second derivatives, on the branch nearest to `near`.
 *
 * @param v - The reference with its derivatives.
 * @param d - The displacement with its derivatives.
 */
export function displacedVector(v: CurvePoint, d: CurvePoint, near: Numbers, out: CurvePoint): CurvePoint {
  expRotationState(v, base);
  expRotationState(d, displaced);
  composeRotationStates(displaced, base, displaced);
  rotationVectorFromQuat(displaced.quaternion, undefined, vector);
  nearestRotationVector(vector, [near[0], near[1], near[2]], out.value);
  vector[0] = out.value[0];
  vector[1] = out.value[1];
  vector[2] = out.value[2];
  rateFromAngularVelocity(vector, displaced.angularVelocity, 'body', out.first);
  secondRateFromAngularAcceleration(
    vector,
    [out.first[0], out.first[1], out.first[2]],
    displaced.angularAcceleration,
    'body',
    out.second,
  );
  return out;
}
