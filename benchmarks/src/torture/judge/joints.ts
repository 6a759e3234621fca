/** Errors of joints, from the places of two bodies alone. */
import {
  cross,
  dot,
  eulerAngles,
  length,
  product,
  quaternionOf,
  twistAbout,
  type V,
  vectorOf,
} from '../../rigid/vectors.js';
import type { Bone } from '../scene.js';

/** rad beyond the limit, or out of the joint's axes, of a rotation from parent to bone. */
export function jointError({ joint, limit }: Bone, q: V): number {
  switch (joint.type) {
    case 'free':
      return 0;
    case 'ball':
      return limit?.type === 'angle' ? Math.max(0, length(vectorOf(q)) - limit.max) : 0;
    case 'hinge': {
      const { angle, swing } = parts(q, joint.axis);
      return Math.max(length(swing), limit?.type === 'interval' ? beyond(angle, limit.range) : 0);
    }
    case 'swing':
    case 'ball-and-socket': {
      const { angle, swing } = parts(q, joint.axis);
      const off = joint.type === 'swing' ? Math.abs(angle) : 0;
      if (limit?.type !== 'swing') return off;
      const twisted = limit.twist ? beyond(angle, limit.twist) : 0;
      const t = cross(joint.axis, joint.side);
      return Math.max(off, twisted, beyondEllipse(limit, dot(swing, joint.side), dot(swing, t)));
    }
    case 'euler':
      return limit?.type === 'box'
        ? Math.max(...eulerAngles(joint.order, q).map((angle, k) => beyond(angle, limit.ranges[k])))
        : 0;
  }
}

/** q as a twist about an axis first, then a swing: the angle of the one, the rotation vector of the other. */
function parts(q: V, axis: V): { readonly angle: number; readonly swing: number[] } {
  const angle = twistAbout(q, axis);
  return { angle, swing: vectorOf(product(q, quaternionOf(axis.map((x) => -angle * x)))) };
}

function beyond(x: number, [min, max]: readonly [number, number]): number {
  return Math.max(0, min - x, x - max);
}

/** Beyond the quarter ellipse of its quadrant, along the ray: no shorter than the distance. */
function beyondEllipse(
  { s, t }: { readonly s: readonly [number, number]; readonly t: readonly [number, number] },
  x: number,
  y: number,
): number {
  const size = Math.hypot(x / Math.abs(s[x < 0 ? 0 : 1]), y / Math.abs(t[y < 0 ? 0 : 1]));
  return size > 1 ? Math.hypot(x, y) * (1 - 1 / size) : 0;
}
