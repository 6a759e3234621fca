import type { EulerOrder } from '../../rotation/alternatives/euler.js';

/** Three numbers as plain data. */
export type Triple = readonly [number, number, number];

/** A unit quaternion `[x, y, z, w]` as plain data. */
export type Quadruple = readonly [number, number, number, number];

/** A rigid transform as plain data: rotate, then move. Metres. */
export interface RigidData {
  readonly position: Triple;
  /** Unit quaternion `[x, y, z, w]`. */
  readonly rotation: Quadruple;
}

/**
 * How a bone moves against its parent. The joint transform J(q) stands between the rest transform and
 * the bone: `parentFromBone = rest * J(q)`, and J(0) is the identity, so every coordinate is relative to rest.
 *
 * | type | coordinates q | joint velocity nu |
 * | --- | --- | --- |
 * | `fixed` | none | none |
 * | `hinge` | angle about `axis`, rad | q' |
 * | `slider` | distance along `axis`, m | q' |
 * | `swing` | swing vector (r_s, r_t) on the pair s, t normal to `axis`, rad | q' |
 * | `ball` | rotation vector, rad | angular velocity of the bone against its parent, bone frame |
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

/** lo <= coordinate <= hi. `null` leaves that side open (JSON has no infinity). */
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

/** Largest rotation angle of a ball joint: |v| <= max. */
export interface AngleLimit {
  readonly type: 'angle';
  readonly max: number;
}

/** Swing within a circular cone: |r| <= halfAngle. */
export interface ConeLimit {
  readonly type: 'cone';
  readonly halfAngle: number;
}

/** Swing within an ellipse: (r_s/a)^2 + (r_t/b)^2 <= 1 (the paper's section 5). */
export interface EllipseLimit {
  readonly type: 'ellipse';
  /** `[a, b]`: half-angles of swing about s and about t, rad. */
  readonly halfAngles: readonly [number, number];
}

/** Swing within four quarter ellipses: a radius of its own for each direction +s, -s, +t, -t. */
export interface QuadEllipseLimit {
  readonly type: 'quad-ellipse';
  /** [least, greatest] swing about s, rad; least < 0 < greatest. */
  readonly s: readonly [number, number];
  /** [least, greatest] swing about t, rad; least < 0 < greatest. */
  readonly t: readonly [number, number];
}

export type SwingLimit = ConeLimit | EllipseLimit | QuadEllipseLimit;

/** Limits of a ball-and-socket joint: its swing, its twist, or both. */
export interface SwingTwistLimit {
  readonly type: 'swing-twist';
  readonly swing?: SwingLimit;
  readonly twist?: { readonly min: number; readonly max: number };
}

/**
 * What a joint may reach, always relative to rest. Which kind goes with which joint:
 * hinge and slider `interval`; euler and free `box`; ball `angle`; swing `cone`, `ellipse`, `quad-ellipse`;
 * ball-and-socket `swing-twist`.
 */
export type LimitData = IntervalLimit | BoxLimit | AngleLimit | SwingLimit | SwingTwistLimit;

/**
 * Makes a joint follow another: its coordinate is phi(y) = c[0] + c[1] y + c[2] y^2 + ..., y that of the leader. It owns no
 * coordinate of the pose. Both joints are hinge or slider.
 */
export interface MimicData {
  /** Name of the bone whose joint leads; it follows none itself. */
  readonly bone: string;
  /** Coefficients c, the constant first: `[offset, multiplier]` for a straight phi. rad and m. */
  readonly polynomial: readonly number[];
}

/** A bone as the caller writes it. */
export interface BoneData {
  readonly name: string;
  /** Name of the parent bone; absent or null for a root. */
  readonly parent?: string | null;
  /** Parent frame from bone frame at q = 0. Default: identity. */
  readonly rest?: { readonly position?: Triple; readonly rotation?: Quadruple };
  /** Default: `fixed`. */
  readonly joint?: JointData;
  readonly limit?: LimitData;
  /** Whom the joint follows; it has a coordinate of its own where this is left out. */
  readonly mimic?: MimicData;
  /** End of the bone in its own frame, m: where its child starts or its tip is. Drawing and default goal point. */
  readonly tip?: Triple;
  /** Mass of the segment, kg. */
  readonly mass?: number;
  /** Centre of mass in the bone frame, m. */
  readonly centerOfMass?: Triple;
  /** Inertia about the centre of mass in bone axes, kg m^2: [xx, yy, zz, xy, xz, yz]. */
  readonly inertia?: readonly [number, number, number, number, number, number];
}

/** What {@link createFigure} reads: plain JSON. */
export interface FigureData {
  readonly name?: string;
  readonly bones: readonly BoneData[];
}
