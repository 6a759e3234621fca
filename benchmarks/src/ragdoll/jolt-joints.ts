import type { Bone } from 'poise/figure';
import {
  conjugate,
  cross,
  dot,
  length,
  plus,
  product,
  quaternionOf,
  rotate,
  twistAbout,
  type V,
  vectorOf,
} from '../rigid/vectors.js';
import { swingPlane } from './bodies.js';

/** A joint as Jolt's SwingTwistConstraint has it: an elliptic cone about a centre, and a range of twist. Angles in rad. */
export interface SwingTwist {
  readonly axis: V;
  /** The two axes of swing, in the bone; the ellipse's half angles about them. */
  readonly s: V;
  readonly t: V;
  readonly halves: readonly [number, number];
  /** Rotation at the centre of the swing range. */
  readonly center: V;
  readonly twist: readonly [number, number];
}

/** The swing and twist nearest to a joint of several angles; undefined for a hinge. */
export function swingTwistOf({ joint, limit }: Pick<Bone, 'joint' | 'limit'>): SwingTwist | undefined {
  if (joint.type === 'swing' || joint.type === 'ball-and-socket') {
    const { s, t } = swingPlane(joint.axis, joint.side);
    const swing = limit?.type === 'swing-twist' ? limit.swing : limit;
    const twist = limit?.type === 'swing-twist' ? limit.twist : undefined;
    const ranges = swing?.type === 'quad-ellipse' ? swing : { s: [-3, 3] as const, t: [-3, 3] as const };
    const about = joint.type === 'swing' ? ([0, 0] as const) : ([twist?.min ?? -3, twist?.max ?? 3] as const);
    return swingTwist(joint.axis, s, t, ranges.s, ranges.t, about);
  }
  if (joint.type !== 'euler' || joint.order !== 'XZY' || limit?.type !== 'box') return undefined;
  const [x, z, y] = limit.min.map((min, k) => [min ?? -3, limit.max[k] ?? 3] as const);
  return swingTwist([1, 0, 0], [0, 0, 1], [0, 1, 0], z, y, x);
}

type Range = readonly [number, number];

function swingTwist(axis: V, s: V, t: V, about: Range, across: Range, twist: Range): SwingTwist {
  const middle = ([low, high]: Range): number => (low + high) / 2;
  const half = ([low, high]: Range): number => (high - low) / 2;
  const center = quaternionOf(
    plus(
      [0, 1, 2].map((k) => middle(about) * s[k]),
      t,
      middle(across),
    ),
  );
  return { axis, s, t, halves: [half(about), half(across)], center, twist };
}

/** rad beyond the cone, on the ray, and beyond the twist, of a turn from parent to bone. */
export function swingTwistExcess({ axis, s, t, halves, center, twist }: SwingTwist, rotation: V): number {
  const q = product(conjugate(center), rotation);
  const angle = twistAbout(q, axis);
  const swing = product(q, quaternionOf([0, 1, 2].map((k) => -angle * axis[k])));
  // Jolt's ellipse is one of the sines of half angles.
  const sign = swing[3] < 0 ? -1 : 1;
  const size = Math.hypot(
    (sign * dot(swing, s)) / Math.sin(halves[0] / 2),
    (sign * dot(swing, t)) / Math.sin(halves[1] / 2),
  );
  const sine = Math.min(1, length(swing));
  const outer = size > 1 ? length(vectorOf(swing)) - 2 * Math.asin(sine / size) : 0;
  return Math.max(0, outer, twist[0] - angle, angle - twist[1]);
}

/** Twist and plane axis of the frame on the parent, world axes at rest, where bones have those of the world. */
export function parentFrame({ axis, s, center }: SwingTwist): { readonly twist: V; readonly plane: V } {
  return { twist: rotate(center, axis), plane: rotate(center, s) };
}

/** Two unit vectors normal to an axis are enough for a hinge's frame. */
export function normalOf(axis: V): V {
  const other = Math.abs(axis[0]) < 0.8 ? [1, 0, 0] : [0, 1, 0];
  const normal = cross(axis, other);
  const size = length(normal);
  return normal.map((x) => x / size);
}
