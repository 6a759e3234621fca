import type { EulerOrder } from '../../rotation/alternatives/euler.js';

/** Three numbers as plain data. */
export type Triple = readonly [number, number, number];

/** A unit quaternion `[x, y, z, w]` as plain data. */
export type Quadruple = readonly [number, number, number, number];

/** A rigid transform as plain data: x_outer = R x_inner + position. Metres. */
export interface RigidData {
  readonly position: Triple;
  /** Unit quaternion `[x, y, z, w]`. */
  readonly rotation: Quadruple;
}

/**
 * The joint of a bone: its motion relative to the parent. `parentFromBone = rest * T(q)`, T(q) the joint transform, T(0) the
 * identity, so all coordinates are relative to rest.
 *
 * `side` is the reference axis of a swing plane: s is `side` orthogonalized against `axis`, t = axis x s.
 *
 * | type | coordinates q | joint velocity v |
 * | --- | --- | --- |
 * | `fixed` | none | none |
 * | `hinge` | angle about `axis`, rad | q' |
 * | `slider` | distance along `axis`, m | q' |
 * | `swing` | swing vector (r_s, r_t) on the pair s, t normal to `axis`, rad | q' |
 * | `ball` | rotation vector, rad | angular velocity of the bone relative to its parent, bone frame |
 * | `ball-and-socket` | swing vector (r_s, r_t), then twist about `axis`; R = R_swing R_twist | q' |
 * | `euler` | three angles of the `order`, rad | q' |
 * | `free` | position in rest axes (m), then rotation vector (rad) | velocity of the origin in rest axes, then angular velocity in the bone frame |
 */
export type JointData =
  | { readonly type: 'fixed' }
  | { readonly type: 'hinge'; readonly axis: Triple }
  | { readonly type: 'slider'; readonly axis: Triple }
  | { readonly type: 'swing'; readonly axis: Triple; readonly side?: Triple }
  | { readonly type: 'ball' }
  | { readonly type: 'ball-and-socket'; readonly axis: Triple; readonly side?: Triple }
  | { readonly type: 'euler'; readonly order: EulerOrder }
  | { readonly type: 'free' };

export type JointTypeName = JointData['type'];

/** min <= coordinate <= max. `null` for no bound (JSON has no infinity). */
export interface IntervalLimit {
  readonly type: 'interval';
  readonly min: number | null;
  readonly max: number | null;
}

/** One interval for each coordinate of the joint. */
export interface BoxLimit {
  readonly type: 'box';
  readonly min: readonly (number | null)[];
  readonly max: readonly (number | null)[];
}

/** Maximum rotation angle of a ball joint: |v| <= max. */
export interface AngleLimit {
  readonly type: 'angle';
  readonly max: number;
}

/** Swing within a circular cone: |r| <= halfAngle. */
export interface ConeLimit {
  readonly type: 'cone';
  readonly halfAngle: number;
}

/** Swing within an ellipse: (r_s/a)^2 + (r_t/b)^2 <= 1 (Grassia 1997, section 5). */
export interface EllipseLimit {
  readonly type: 'ellipse';
  /** `[a, b]`: half-angles of swing about s and about t, rad. */
  readonly halfAngles: readonly [number, number];
}

/** Swing within four quarter ellipses, with one radius for each direction +s, -s, +t, -t. */
export interface QuadEllipseLimit {
  readonly type: 'quad-ellipse';
  /** [min, max] swing about s, rad; min < 0 < max. */
  readonly s: readonly [number, number];
  /** [min, max] swing about t, rad; min < 0 < max. */
  readonly t: readonly [number, number];
}

export type SwingLimit = ConeLimit | EllipseLimit | QuadEllipseLimit;

/** Limits of a ball-and-socket joint: of its swing, its twist, or both. */
export interface SwingTwistLimit {
  readonly type: 'swing-twist';
  readonly swing?: SwingLimit;
  readonly twist?: { readonly min: number; readonly max: number };
}

/**
 * Joint limits, relative to rest. Types by joint: hinge and slider `interval`; euler and free `box`; ball `angle`; swing `cone`,
 * `ellipse`, `quad-ellipse`; ball-and-socket `swing-twist`.
 */
export type LimitData = IntervalLimit | BoxLimit | AngleLimit | SwingLimit | SwingTwistLimit;

/** A polynomial of a spline. */
export interface MimicPiece {
  /** Smallest y for which it holds. */
  readonly from: number;
  /** Coefficients c of c[0] + c[1] (y - from) + c[2] (y - from)^2 + ... */
  readonly polynomial: readonly number[];
}

/**
 * Makes a joint a mimic joint: its coordinate is phi(y) = c[0] + c[1] y + c[2] y^2 + ..., y that of the source joint, or a spline of
 * y. It has no coordinate in the pose. Both joints are hinge or slider.
 */
export interface MimicData {
  /** Name of the bone of the source joint, which is not a mimic joint. */
  readonly bone: string;
  /** Coefficients c, the constant first: `[offset, multiplier]` for a linear phi. rad and m. */
  readonly polynomial: readonly number[];
  /** Polynomials that hold instead from some y on, `from` ascending: phi is then a spline. Such a joint has no limit. */
  readonly pieces?: readonly MimicPiece[];
}

/** Data of a bone. */
export interface BoneData {
  readonly name: string;
  /** Name of the parent bone; absent or null for a root. */
  readonly parent?: string | null;
  /** Parent frame from bone frame at q = 0. Default: identity. */
  readonly rest?: { readonly position?: Triple; readonly rotation?: Quadruple };
  /** Default: `fixed`. */
  readonly joint?: JointData;
  readonly limit?: LimitData;
  /** Largest speed of each coordinate of the joint's motor, rad/s or m/s. For `speed-limit` terms of spacetime optimization. */
  readonly speedLimit?: number;
  /** Largest torque or force of each coordinate of the joint's motor, N m or N. For `torque-limit` terms. */
  readonly torqueLimit?: number;
  /** Source and polynomial of a mimic joint. Default: the joint is independent. */
  readonly mimic?: MimicData;
  /** End of the bone in its own frame, m: the origin of its child, or its tip. For drawing; goals take it as their `point`. */
  readonly tip?: Triple;
  /** Mass of the segment, kg. */
  readonly mass?: number;
  /** Centre of mass in the bone frame, m. */
  readonly centerOfMass?: Triple;
  /** Inertia about the centre of mass in bone axes, kg m^2: [xx, yy, zz, xy, xz, yz]. */
  readonly inertia?: readonly [number, number, number, number, number, number];
}

/** Input of {@link createFigure}: plain JSON. */
export interface FigureData {
  readonly name?: string;
  /** Up in the world, any length but zero. Default +Y; robots of URDF have +Z. */
  readonly up?: Triple;
  readonly bones: readonly BoneData[];
}
