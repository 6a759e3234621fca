import * as quat from '../../../src/math/geometry/quat.js';
import { evaluateRotation, type RotationCurve } from '../../../src/motion/representation/rotation-curve.js';
import { rotationVectorFromQuat } from '../../../src/rotation/rotation-vector/log.js';

/** d/dt of a vector by central differences of sixth order. */
export function differentiate(f: (t: number) => ArrayLike<number>, t: number, h: number): number[] {
  const at = [3, 2, 1].map((k) => [f(t + k * h), f(t - k * h)]);
  return Array.from(at[0][0], (_, c) => {
    const [far, next, near] = at.map(([a, b]) => a[c] - b[c]);
    return (45 * near - 9 * next + far) / (60 * h);
  });
}

/** Angular velocity in body axes from orientations alone: d/dh of log(q(t)^-1 q(t + h)). */
export function spinByDifference(curve: RotationCurve, t: number, h: number): number[] {
  const back = quat.conjugate(evaluateRotation(curve, t).quaternion);
  return differentiate(
    (at) => rotationVectorFromQuat(quat.multiply(back, evaluateRotation(curve, at).quaternion)),
    t,
    h,
  );
}
