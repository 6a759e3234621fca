import type { Bone, Figure, LimitData, SwingLimit } from 'poise/figure';
import {
  conjugate,
  dot,
  eulerAngles,
  length,
  plus,
  product,
  quaternionOf,
  rotate,
  twistAbout,
  type V,
  vectorOf,
} from '../rigid/vectors.js';
import { type Bodies, swingPlane } from './bodies.js';

/** Largest joint errors of a figure, degrees and m. */
export interface JointFaults {
  /** Beyond a limit; along the ray to rest where a limit is no interval, which is no shorter than the distance. */
  readonly limit: number;
  /** Rotation outside the joint's degrees of freedom: a hinge off its axis, a swing with a twist. */
  readonly off: number;
  /** Separation of a bone's origin from its joint on the parent. */
  readonly gap: number;
}

export function judgeJoints(figure: Figure, bodies: Bodies): JointFaults {
  let [limit, off, gap] = [0, 0, 0];
  for (const bone of figure.bones) {
    const { index: b, parent, rest, joint } = bone;
    if (joint.type === 'free' || parent < 0) continue;
    const position = plus(bodies.position[parent], rotate(bodies.rotation[parent], rest.position));
    gap = larger(gap, length(plus(bodies.position[b], position, -1)));
    const rotation = product(
      conjugate(rest.rotation),
      product(conjugate(bodies.rotation[parent]), bodies.rotation[b]),
    );
    const fault = judgeRotation(bone, rotation);
    limit = larger(limit, fault.limit);
    off = larger(off, fault.off);
  }
  const degrees = 180 / Math.PI;
  return { limit: limit * degrees, off: off * degrees, gap };
}

/** The larger; NaN if one is NaN. */
const larger = (a: number, b: number): number => (a > b ? a : b > a || b === a ? b : Number.NaN);

function judgeRotation({ joint, limit }: Bone, q: V): { readonly limit: number; readonly off: number } {
  switch (joint.type) {
    case 'hinge': {
      const { angle, rest } = twisted(q, joint.axis);
      return {
        limit: limit?.type === 'interval' ? outside(angle, limit.min, limit.max) : 0,
        off: length(vectorOf(rest)),
      };
    }
    case 'ball':
      return { limit: limit?.type === 'angle' ? Math.max(0, length(vectorOf(q)) - limit.max) : 0, off: 0 };
    case 'swing':
    case 'ball-and-socket': {
      const { angle, rest } = twisted(q, joint.axis);
      const v = vectorOf(rest);
      const { s, t } = swingPlane(joint.axis, joint.side);
      const { swing, twist } = swingAndTwist(limit);
      const outer = swing === undefined ? 0 : outsideOf(swing, dot(v, s), dot(v, t));
      if (joint.type === 'swing') return { limit: outer, off: Math.abs(angle) };
      return { limit: Math.max(outer, twist ? outside(angle, twist.min, twist.max) : 0), off: 0 };
    }
    case 'euler': {
      if (limit?.type !== 'box') return { limit: 0, off: 0 };
      const angles = eulerAngles(joint.order, q);
      return { limit: Math.max(...angles.map((a, k) => outside(a, limit.min[k], limit.max[k]))), off: 0 };
    }
    default:
      return { limit: 0, off: length(vectorOf(q)) };
  }
}

/** q as a twist about an axis first, then a swing. */
function twisted(q: V, axis: V): { readonly angle: number; readonly rest: V } {
  const angle = twistAbout(q, axis);
  return { angle, rest: product(q, quaternionOf([-angle * axis[0], -angle * axis[1], -angle * axis[2]])) };
}

function swingAndTwist(limit: LimitData | undefined): {
  readonly swing?: SwingLimit | undefined;
  readonly twist?: { readonly min: number; readonly max: number } | undefined;
} {
  if (limit?.type === 'swing-twist') return limit;
  if (limit?.type === 'cone' || limit?.type === 'ellipse' || limit?.type === 'quad-ellipse')
    return { swing: limit };
  return {};
}

function outside(x: number, min: number | null, max: number | null): number {
  return Math.max(0, (min ?? -Infinity) - x, x - (max ?? Infinity));
}

/** Excess of the swing (x, y) beyond the curve along its ray. */
function outsideOf(limit: SwingLimit, x: number, y: number): number {
  const [a, b] = radii(limit, x, y);
  const size = Math.hypot(x / a, y / b);
  return size > 1 ? Math.hypot(x, y) * (1 - 1 / size) : 0;
}

function radii(limit: SwingLimit, x: number, y: number): readonly [number, number] {
  if (limit.type === 'cone') return [limit.halfAngle, limit.halfAngle];
  if (limit.type === 'ellipse') return limit.halfAngles;
  return [Math.abs(limit.s[x < 0 ? 0 : 1]), Math.abs(limit.t[y < 0 ? 0 : 1])];
}
