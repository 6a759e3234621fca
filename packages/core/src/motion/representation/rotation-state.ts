/**
 * An orientation with its angular velocity and acceleration, and operations on all three at once: product, exponential,
 * logarithm. Spherical curves are composed of these, so that their rates are exact without formulas of their own.
 */
import * as quat from '../../math/geometry/quat.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { MutableNumbers, Quat } from '../../math/linear/types.js';
import { unset3, unset4 } from '../../math/linear/unset.js';
import { createRotationCache, evaluateRotationVector } from '../../rotation/rotation-vector/evaluate.js';
import { quatFromRotationVector } from '../../rotation/rotation-vector/exponential.js';
import {
  angularAccelerationFromRates,
  angularVelocityFromRate,
  rateFromAngularVelocity,
  secondRateFromAngularAcceleration,
} from '../../rotation/rotation-vector/rates.js';
import type { CurvePoint } from './curve.js';
import { longRotationVector } from './rotation-keys.js';

/**
 * Orientation and angular motion of a body. Angular velocity (rad/s) and acceleration (rad/s^2) are in body axes:
 * q' = 1/2 q w, R' = R [w]. {@link toWorldAxes} converts to world axes.
 */
export interface RotationState<T extends MutableNumbers = MutableNumbers> {
  /** Unit quaternion `[x, y, z, w]`. */
  readonly quaternion: T;
  readonly angularVelocity: T;
  readonly angularAcceleration: T;
}

/** The identity, at rest. */
export function createRotationState(): RotationState<Float64Array> {
  return {
    quaternion: Float64Array.of(0, 0, 0, 1),
    angularVelocity: new Float64Array(3),
    angularAcceleration: new Float64Array(3),
  };
}

/** out = the unit quaternion q, at rest. */
export function stationaryState(q: Quat, out: RotationState = createRotationState()): RotationState {
  quat.copy(q, out.quaternion);
  vec3.set(0, 0, 0, out.angularVelocity);
  vec3.set(0, 0, 0, out.angularAcceleration);
  return out;
}

const inverse = /* @__PURE__ */ unset4();
const parentVelocity = /* @__PURE__ */ unset3();
const parentAcceleration = /* @__PURE__ */ unset3();
const transport = /* @__PURE__ */ unset3();

/**
 * out = b a, a rotation a relative to a parent b: w = w_a + R_a^T w_b, w' = w_a' + R_a^T w_b' + (R_a^T w_b) x w_a. `out` may be
 * a or b.
 */
export function composeRotationStates(b: RotationState, a: RotationState, out: RotationState): RotationState {
  quat.conjugate(a.quaternion, inverse);
  quat.rotate(inverse, b.angularVelocity, parentVelocity);
  quat.rotate(inverse, b.angularAcceleration, parentAcceleration);
  vec3.cross(parentVelocity, a.angularVelocity, transport);
  vec3.add(a.angularAcceleration, parentAcceleration, out.angularAcceleration);
  vec3.add(out.angularAcceleration, transport, out.angularAcceleration);
  vec3.add(a.angularVelocity, parentVelocity, out.angularVelocity);
  quat.multiply(b.quaternion, a.quaternion, out.quaternion);
  return out;
}

/** out = the inverse rotation with its rates: w -> -R w, w' -> -R w'. `out` may be the state. */
export function invertRotationState(state: RotationState, out: RotationState): RotationState {
  const q = state.quaternion;
  vec3.scale(quat.rotate(q, state.angularAcceleration, parentAcceleration), -1, out.angularAcceleration);
  vec3.scale(quat.rotate(q, state.angularVelocity, parentVelocity), -1, out.angularVelocity);
  quat.conjugate(q, out.quaternion);
  return out;
}

const cache = /* @__PURE__ */ createRotationCache();

/** out = exp of a time-dependent rotation vector (value v, rates v', v''): w = J_r v' and its derivative. */
export function expRotationState(v: CurvePoint, out: RotationState): RotationState {
  const at = evaluateRotationVector(v.value, cache);
  quatFromRotationVector(at, out.quaternion);
  angularAccelerationFromRates(at, v.first, v.second, 'body', out.angularAcceleration);
  angularVelocityFromRate(at, v.first, 'body', out.angularVelocity);
  return out;
}

/**
 * out = the rotation vector of the state, with v' and v''. The quaternion's sign selects the branch: |v| <= pi where w >= 0, up
 * to 2 pi where w < 0. NaN at q = -1, a rotation by 2 pi without an axis.
 */
export function logRotationState(state: RotationState, out: CurvePoint): CurvePoint {
  longRotationVector(state.quaternion, out.value);
  const at = evaluateRotationVector(out.value, cache);
  rateFromAngularVelocity(at, state.angularVelocity, 'body', out.first);
  secondRateFromAngularAcceleration(at, out.first, state.angularAcceleration, 'body', out.second);
  return out;
}

/** Angular velocity and acceleration in world axes: R w, and R w' (for R (w x w) = 0). `out` may be the state. */
export function toWorldAxes(state: RotationState, out: RotationState = createRotationState()): RotationState {
  const q = state.quaternion;
  quat.rotate(q, state.angularVelocity, out.angularVelocity);
  quat.rotate(q, state.angularAcceleration, out.angularAcceleration);
  if (out !== state) quat.copy(q, out.quaternion);
  return out;
}
