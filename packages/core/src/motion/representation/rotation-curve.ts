/** Rotations over time: what every kind of rotation curve gives, and what happens outside its range. */
import * as quat from '../../math/geometry/quat.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { Numbers } from '../../math/linear/types.js';
import { quatFromRotationVector } from '../../rotation/rotation-vector/exponential.js';
import { frameSign, type RotationFrame } from '../../rotation/rotation-vector/frame.js';
import { rotationVectorFromQuat } from '../../rotation/rotation-vector/log.js';
import { createRotationState, type RotationState, toWorldAxes } from './rotation-state.js';
import { createPlacedTime, type OutsideRange, placeTime } from './time-range.js';

/** A rotation for every moment. Immutable; made by the functions of each kind. */
export interface RotationCurve {
  /** Its kind, in words: `slerp`, `squad`, ... */
  readonly kind: string;
  /** Where pieces begin and end, s, strictly increasing. Between them the curve is smooth. */
  readonly knots: Numbers;
  readonly outside: OutsideRange;
  /** The state at a moment inside the range, body axes. Callers use {@link evaluateRotation}. */
  readonly evaluateInside: (time: number, out: RotationState) => RotationState;
}

const placed = /* @__PURE__ */ createPlacedTime();
const way: number[] = [0, 0, 0, 1];
const vector: number[] = [0, 0, 0];

/**
 * Orientation, angular velocity and angular acceleration at `time` (s), in the named axes (`body` unless said). At a join
 * the piece that begins there counts.
 * @throws MotionError `not-finite` for a time that is none.
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
  const { time: inside, rate, rounds, beyond } = placeTime(time, start, end, outside, placed);
  curve.evaluateInside(inside, out);
  if (rounds !== 0) goRounds(curve, rounds, out);
  if (beyond !== 0) {
    quat.multiply(
      out.quaternion,
      quatFromRotationVector(vec3.scale(out.angularVelocity, beyond, vector), way),
      out.quaternion,
    );
    vec3.set(0, 0, 0, out.angularAcceleration);
  }
  if (rate === 0) {
    // A rate may be infinite, which times 0 is no number.
    vec3.set(0, 0, 0, out.angularVelocity);
    vec3.set(0, 0, 0, out.angularAcceleration);
  } else if (rate !== 1) {
    vec3.scale(out.angularVelocity, rate, out.angularVelocity);
    vec3.scale(out.angularAcceleration, rate * rate, out.angularAcceleration);
  }
  if (frameSign(frame, 'evaluateRotation(frame)') > 0) toWorldAxes(out, out);
  return out;
}

/** Every round turns on by R_end R_start^-1, in world axes. */
function goRounds(curve: RotationCurve, rounds: number, out: RotationState): void {
  const first = curve.evaluateInside(curve.knots[0], createRotationState()).quaternion;
  const last = curve.evaluateInside(curve.knots[curve.knots.length - 1], createRotationState()).quaternion;
  quat.multiply(last, quat.conjugate(first, way), way);
  vec3.scale(rotationVectorFromQuat(way, undefined, vector), rounds, vector);
  quat.multiply(quatFromRotationVector(vector, way), out.quaternion, out.quaternion);
}
