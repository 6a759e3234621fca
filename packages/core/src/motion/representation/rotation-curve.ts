/** Rotations over time: the common interface of all kinds, and their extrapolation. */
import * as quat from '../../math/geometry/quat.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { Numbers } from '../../math/linear/types.js';
import { unset3, unset4 } from '../../math/linear/unset.js';
import { quatFromRotationVector } from '../../rotation/rotation-vector/exponential.js';
import { frameSign, type RotationFrame } from '../../rotation/rotation-vector/frame.js';
import { rotationVectorFromQuat } from '../../rotation/rotation-vector/log.js';
import { createRotationState, type RotationState, toWorldAxes } from './rotation-state.js';
import { createWrappedTime, type OutsideRange, wrapTime } from './time-range.js';

/** A rotation at every time. Immutable; created by the functions of each kind. */
export interface RotationCurve {
  /** Name of its kind: `slerp`, `squad`, ... */
  readonly kind: string;
  /** Knots, s, strictly increasing. Smooth between them. */
  readonly knots: Numbers;
  readonly outside: OutsideRange;
  /** State at a time inside the range, body axes. Callers use {@link evaluateRotation}. */
  readonly evaluateInside: (time: number, out: RotationState) => RotationState;
}

const wrapped = /* @__PURE__ */ createWrappedTime();
const rotation = /* @__PURE__ */ unset4();
const vector = /* @__PURE__ */ unset3();

/**
 * Orientation, angular velocity and angular acceleration at `time` (s), in `frame` axes (default `body`). At a knot the piece
 * that begins there is used.
 * @throws MotionError `not-finite` for a time that is NaN or infinite.
 */
export function evaluateRotation<S extends RotationState = RotationState<Float64Array>>(
  curve: RotationCurve,
  time: number,
  out: S = createRotationState() as RotationState as S,
  frame: RotationFrame = 'body',
): S {
  const { knots, outside } = curve;
  const start = knots[0];
  const end = knots[knots.length - 1];
  const { time: inside, rate, cycles, beyond } = wrapTime(time, start, end, outside, wrapped);
  curve.evaluateInside(inside, out);
  if (cycles !== 0) repeatWithOffset(curve, cycles, out);
  if (beyond !== 0) {
    quat.multiply(
      out.quaternion,
      quatFromRotationVector(vec3.scale(out.angularVelocity, beyond, vector), rotation),
      out.quaternion,
    );
    vec3.set(0, 0, 0, out.angularAcceleration);
  }
  if (rate === 0) {
    // A rate may be infinite, and Infinity * 0 is NaN.
    vec3.set(0, 0, 0, out.angularVelocity);
    vec3.set(0, 0, 0, out.angularAcceleration);
  } else if (rate !== 1) {
    vec3.scale(out.angularVelocity, rate, out.angularVelocity);
    vec3.scale(out.angularAcceleration, rate * rate, out.angularAcceleration);
  }
  if (frameSign(frame, 'evaluateRotation(frame)') > 0) toWorldAxes(out, out);
  return out;
}

/** Multiplies by (R_end R_start^-1)^cycles from the left, in world axes. */
function repeatWithOffset(curve: RotationCurve, cycles: number, out: RotationState): void {
  const first = curve.evaluateInside(curve.knots[0], createRotationState()).quaternion;
  const last = curve.evaluateInside(curve.knots[curve.knots.length - 1], createRotationState()).quaternion;
  quat.multiply(last, quat.conjugate(first, rotation), rotation);
  vec3.scale(rotationVectorFromQuat(rotation, undefined, vector), cycles, vector);
  quat.multiply(quatFromRotationVector(vector, rotation), out.quaternion, out.quaternion);
}
