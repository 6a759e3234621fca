/**
 * An orientation with its angular velocity and acceleration, and the calculus that carries all three at once: product,
 * exponential, logarithm. Every spherical curve is written with these, so that its rates are exact without a formula of
 * its own.
 */
import * as quat from '../../math/geometry/quat.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { MutableNumbers, Quat } from '../../math/linear/types.js';
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
 * Where a turning body is and how it turns. Angular velocity (rad/s) and acceleration (rad/s^2) are in body axes, the
 * turning ones: q' = 1/2 q w, R' = R [w]. {@link toWorldAxes} gives the fixed ones.
 */
export interface RotationState<T extends MutableNumbers = MutableNumbers> {
  /** Unit quaternion `[x, y, z, w]`. */
  readonly quaternion: T;
  readonly angularVelocity: T;
  readonly angularAcceleration: T;
}

/** At rest, unturned. */
export function createRotationState(): RotationState<Float64Array> {
  return {
    quaternion: Float64Array.of(0, 0, 0, 1),
    angularVelocity: new Float64Array(3),
    angularAcceleration: new Float64Array(3),
  };
}

/** out = standing still at the unit quaternion q. */
export function stationaryState(q: Quat, out: RotationState = createRotationState()): RotationState {
  quat.copy(q, out.quaternion);
  vec3.set(0, 0, 0, out.angularVelocity);
  vec3.set(0, 0, 0, out.angularAcceleration);
  return out;
}

const back: number[] = [0, 0, 0, 1];
const carried: number[] = [0, 0, 0];
const carriedRate: number[] = [0, 0, 0];
const across: number[] = [0, 0, 0];

/**
 * out = b a, a turning inside b (a is the child, b the parent): w = w_a + R_a^T w_b,
 * w' = w_a' + R_a^T w_b' + (R_a^T w_b) x w_a. `out` may be a or b.
 */
export function composeRotationStates(b: RotationState, a: RotationState, out: RotationState): RotationState {
  quat.conjugate(a.quaternion, back);
  quat.rotate(back, b.angularVelocity, carried);
  quat.rotate(back, b.angularAcceleration, carriedRate);
  vec3.cross(carried, a.angularVelocity, across);
  vec3.add(a.angularAcceleration, carriedRate, out.angularAcceleration);
  vec3.add(out.angularAcceleration, across, out.angularAcceleration);
  vec3.add(a.angularVelocity, carried, out.angularVelocity);
  quat.multiply(b.quaternion, a.quaternion, out.quaternion);
  return out;
}

/** out = the inverse rotation, as it turns: w -> -R w, w' -> -R w'. `out` may be the state. */
export function invertRotationState(state: RotationState, out: RotationState): RotationState {
  const q = state.quaternion;
  vec3.scale(quat.rotate(q, state.angularAcceleration, carriedRate), -1, out.angularAcceleration);
  vec3.scale(quat.rotate(q, state.angularVelocity, carried), -1, out.angularVelocity);
  quat.conjugate(q, out.quaternion);
  return out;
}

const cache = /* @__PURE__ */ createRotationCache();

/** out = exp of a moving rotation vector (value v, rates v', v''): w = J_r v' and its derivative. */
export function expRotationState(v: CurvePoint, out: RotationState): RotationState {
  const at = evaluateRotationVector(v.value, cache);
  quatFromRotationVector(at, out.quaternion);
  angularAccelerationFromRates(at, v.first, v.second, 'body', out.angularAcceleration);
  angularVelocityFromRate(at, v.first, 'body', out.angularVelocity);
  return out;
}

/**
 * out = the rotation vector of a turning body, with v' and v'', on the way that the quaternion's sign says: |v| <= pi where w >= 0, up to
 * 2 pi where w < 0. Not a number at q = -1, a full turn about no axis.
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
