/** Rigid transforms of URDF elements. */
import type { Quadruple, Triple } from 'poise/figure';
import { childOf, type XmlElement } from '../text/xml.js';
import { tripleAt } from './attributes.js';

/** Pose of an element in its parent frame. */
export interface UrdfOrigin {
  readonly position: Triple;
  readonly rotation: Quadruple;
}

/**
 * The `<origin xyz rpy>` of an element; the identity where it has none.
 * @throws FormatError
 */
export function originOf(parent: XmlElement): UrdfOrigin {
  const element = childOf(parent, 'origin');
  return {
    position: tripleAt(element, 'xyz', [0, 0, 0]),
    rotation: quaternionFromRollPitchYaw(tripleAt(element, 'rpy', [0, 0, 0])),
  };
}

/** Unit quaternion of R = Rz(yaw) Ry(pitch) Rx(roll), angles about the fixed axes of the parent frame, rad. */
export function quaternionFromRollPitchYaw([roll, pitch, yaw]: Triple): Quadruple {
  const [cr, cp, cy] = [roll, pitch, yaw].map((angle) => Math.cos(angle / 2));
  const [sr, sp, sy] = [roll, pitch, yaw].map((angle) => Math.sin(angle / 2));
  return [
    sr * cp * cy - cr * sp * sy,
    cr * sp * cy + sr * cp * sy,
    cr * cp * sy - sr * sp * cy,
    cr * cp * cy + sr * sp * sy,
  ];
}
