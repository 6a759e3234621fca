import { nearestAngle } from '../../../figure/joints/joint.js';
import * as quat from '../../../math/geometry/quat.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import { rotationVectorFromQuat } from '../../../rotation/rotation-vector/log.js';
import { quatFromTwist } from '../../../rotation/swing-twist/twist.js';
import { type Aim, angleBetween, idealRotation, projectOntoLimits } from './aim.js';
import { MIN_LENGTH } from './best-angle.js';
import { pointsAtRotation } from './points-at.js';

/**
 * The best rotation vector of a ball or free joint, in closed form.
 *
 * Without a limit it is the rotation vector of the ideal rotation. A limit allows rotations by up to `max`, which move no direction by
 * more than that. With alpha the angle from d (`Aim.axis`) to u (`Aim.target`) and A the smallest rotation from d to u, all rotations that aim are A exp(phi [d]), whose
 * half-angle h has cos h = cos(alpha/2) cos(phi/2) (the axis of A is normal to d). So
 * - alpha <= max: |phi| <= 2 acos(cos(max/2) / cos(alpha/2)), and of these the nearest to the ideal one;
 * - alpha > max: only the rotation by max about d x u leaves alpha - max.
 */
export function aimBall(aim: Aim): number[] {
  const { axis: d, target: u, current, limits } = aim;
  const first = aim.type.translations;
  const limit = limits.find(({ size }) => size === 3);
  const q = current.slice();
  if (limit === undefined) {
    const v = rotationVectorFromQuat(idealRotation(aim), current.slice(first));
    for (let k = 0; k < 3; k++) q[first + k] = v[k];
    return q;
  }
  const max = limit.parameters[0];
  const alpha = angleBetween(d, u);
  if (alpha <= max) {
    const arc = pointsAtRotation(d, u);
    const roll = quat.multiply(quat.conjugate(arc), idealRotation(aim));
    const phi = nearestAngle(2 * Math.atan2(vec3.dot(roll, d), roll[3]), 0);
    // Accurate where both cosines are near 1: sin^2(phi/2) = (sin^2(max/2) - sin^2(alpha/2)) / cos^2(alpha/2), the numerator
    // sin((max + alpha)/2) sin((max - alpha)/2).
    const sine = Math.sqrt(Math.sin((max + alpha) / 2) * Math.sin((max - alpha) / 2)) / Math.cos(alpha / 2);
    const widest = sine < 1 ? 2 * Math.asin(sine) : Math.PI;
    const kept = Math.max(-widest, Math.min(widest, phi));
    rotationVectorFromQuat(quat.multiply(arc, quatFromTwist(d, kept)), undefined, q);
  } else {
    const across = vec3.cross(d, u);
    if (vec3.norm(across) < MIN_LENGTH) {
      // Straight behind, every axis normal to d is equivalent: the one nearest to the current rotation axis.
      vec3.addScaled(current, d, -vec3.dot(current, d), across);
      if (vec3.norm(across) < MIN_LENGTH) vec3.perpendicular(d, across);
    }
    vec3.scale(vec3.normalize(across), max, q);
  }
  projectOntoLimits(limits, q);
  return q;
}
