import type { Numbers, Quat, Vec3 } from '../../../math/linear/types.js';

/** A bone by name or by index. */
export type BoneRef = string | number;

/** A point carried by a bone of the same figure. */
export interface BonePoint {
  readonly bone: BoneRef;
  /** In the bone frame, m. Default: the bone's origin. */
  readonly point?: Vec3;
}

/** An orientation carried by a bone of the same figure. */
export interface BoneOrientation {
  readonly bone: BoneRef;
  /** Bone frame from goal frame. Default: identity. */
  readonly offset?: Quat;
}

/** Weights of three axes in the residual, from 0 to 1. */
export type AxisMask = readonly [number, number, number];

/**
 * Options of all goals. World targets, weights and target values are read at each solve, all else when a solver is made. A goal
 * with an infinite tolerance is soft: it is minimized, and never keeps a solve from being `converged`.
 */
interface GoalCommon {
  /** Weight relative to the other goals of its priority; 0 switches it off. Default 1. */
  weight?: number;
  /**
   * 0 is the highest. A goal of lower priority (larger number) is solved in the null space of the higher ones. Default 0; of a
   * posture 1.
   */
  readonly priority?: number;
}

/**
 * A point of a bone is to be at a target: r = x_bone - x_target, m; with a mask r = M R_target^T (x_bone - x_target).
 */
export interface PositionGoal extends GoalCommon {
  readonly type: 'position';
  readonly bone: BoneRef;
  /** In the bone frame, m. Default: the bone's origin. */
  readonly point?: Vec3;
  /** World point, or a point of another bone. */
  readonly target: Vec3 | BonePoint;
  /** Along the world's axes; along those of the target's bone where a bone carries the target. Default all ones. */
  readonly mask?: AxisMask;
  /** Largest distance of a satisfied goal, m. Default 1e-4. */
  readonly tolerance?: number;
}

/** A bone is to have an orientation: r = M log(R_target^-1 R_bone), rad. */
export interface OrientationGoal extends GoalCommon {
  readonly type: 'orientation';
  readonly bone: BoneRef;
  /** Bone frame from goal frame. Default: identity. */
  readonly offset?: Quat;
  /** World orientation as a unit quaternion, or the orientation of another bone. */
  readonly target: Quat | BoneOrientation;
  /** Along the axes of the goal frame. Default all ones. */
  readonly mask?: AxisMask;
  /** Largest angle of a satisfied goal, rad. Default 1e-4. */
  readonly tolerance?: number;
}

/** Keeps a bone upright while an axis of it points somewhere. */
export interface UpAxis {
  /** Axis of the bone that is to stay up, bone frame; not along the pointing axis. */
  readonly axis: Vec3;
  /** World direction. Default `figure.up`. */
  readonly direction?: Vec3;
}

/**
 * An axis of a bone is to point at a target (lecture notes on constraints in a scene graph, section 2): r = the angle from the axis
 * to the direction of the target, as a tangent vector of the unit sphere in the bone frame, rad. The target may be carried by the same figure
 * (*left calf points at right ankle*); both chains are then in the Jacobian.
 */
export interface PointsAtGoal extends GoalCommon {
  readonly type: 'points-at';
  readonly bone: BoneRef;
  /** In the bone frame; any length but zero. */
  readonly axis: Vec3;
  /** Where the line of sight starts, bone frame, m. Default: the bone's origin. */
  readonly origin?: Vec3;
  readonly target: Vec3 | BonePoint;
  /** Resolves the roll about the axis: the bone's up axis comes as near to the up direction as the aim allows. */
  readonly up?: UpAxis;
  /**
   * Largest angle of a satisfied goal, rad, for the aim and for the roll; the roll is multiplied by the sine of the angle between axis
   * and up direction, because it is undefined where they coincide. Default 1e-4.
   */
  readonly tolerance?: number;
}

/**
 * Bones look at a target and distribute the rotation over a chain: each looker points its axis there, and one priority lower the
 * chain minimizes sum |rotation|^2 / share, so that the rotations are in the ratio of the shares. Only the joints of the chain are
 * moved by it; other joints move only for other goals.
 */
export interface LookAtGoal extends GoalCommon {
  readonly type: 'look-at';
  /** The bone that looks (a head), or several (two eyes). */
  readonly bone: BoneRef | readonly BoneRef[];
  /** Line of sight in the frame of each looker. */
  readonly axis: Vec3;
  readonly origin?: Vec3;
  readonly target: Vec3 | BonePoint;
  readonly up?: UpAxis;
  /** Share of each bone in the rotation, positive; a looker that is to rotate belongs to the list too. */
  readonly chain: readonly { readonly bone: BoneRef; readonly share: number }[];
  /** Largest angle of a satisfied goal, rad. Default 1e-4. */
  readonly tolerance?: number;
}

/**
 * The bend direction of a limb: its middle joint is to lie in the half-plane of the pole, bounded by the line from the first to the
 * last joint. r = 2 sin(swivel / 2), rad, the swivel being the angle about that line from the pole to the middle joint; it does not depend on the
 * bend. The result has the swivel, and the `clearance` of the line from the pole: where the pole is on the line there is no swivel.
 */
export interface PoleGoal extends GoalCommon {
  readonly type: 'pole';
  /** The bone that ends the limb (a hand). */
  readonly bone: BoneRef;
  /** The bone at whose origin the limb bends (a forearm). Default: the parent of `bone`. */
  readonly middle?: BoneRef;
  /** The bone at whose origin the limb starts (an upper arm). Default: the parent of `middle`. */
  readonly start?: BoneRef;
  /** World point, or a point of another bone. */
  readonly target: Vec3 | BonePoint;
  /** Largest swivel of a satisfied goal, rad. Default 1e-3. */
  readonly tolerance?: number;
}

/** A point of a bone is to be at a distance from a target: r = |x_bone - x_target| - distance, m. */
export interface DistanceGoal extends GoalCommon {
  readonly type: 'distance';
  readonly bone: BoneRef;
  readonly point?: Vec3;
  readonly target: Vec3 | BonePoint;
  /** m. */
  distance: number;
  /** m. Default 1e-4. */
  readonly tolerance?: number;
}

/** A plane by a point on it and its normal, in the world or in the frame of a bone. The arrays of a world plane are read at each solve. */
export interface Plane {
  readonly point: Vec3;
  /** Any length but zero. */
  readonly normal: Vec3;
  /** The bone that carries it. Default: the world. */
  readonly bone?: BoneRef;
}

/** A point of a bone is to lie on a plane: r = n.(x - p), m. */
export interface PlaneGoal extends GoalCommon {
  readonly type: 'plane';
  readonly bone: BoneRef;
  readonly point?: Vec3;
  readonly target: Plane;
  /** m. Default 1e-4. */
  readonly tolerance?: number;
}

/** A point of a bone is to stay in the half-space that a plane's normal points into: r = min(0, n.(x - p) - clearance), m. */
export interface HalfSpaceGoal extends GoalCommon {
  readonly type: 'half-space';
  readonly bone: BoneRef;
  readonly point?: Vec3;
  readonly target: Plane;
  /** Distance to keep from the plane, m. Default 0. */
  clearance?: number;
  /** m. Default 1e-4. */
  readonly tolerance?: number;
}

/**
 * A bone is to have a pose relative to another: r = M R_other^T (x_bone - x_other), m, and r = M log(R_other^T R_bone), rad. It closes
 * loops: both hands on one wheel.
 */
export interface RelativePoseGoal extends GoalCommon {
  readonly type: 'relative-pose';
  readonly bone: BoneRef;
  readonly point?: Vec3;
  readonly offset?: Quat;
  readonly target: BonePoint & BoneOrientation;
  /** Along the axes of the target's bone. Default all ones. */
  readonly positionMask?: AxisMask;
  /** Along the axes of the goal frame. Default all ones. */
  readonly orientationMask?: AxisMask;
  /** m. Default 1e-4. */
  readonly tolerance?: number;
  /** rad. Default 1e-4. */
  readonly angleTolerance?: number;
}

/**
 * The centre of mass is to be at a target (r = M (c - target), m), or above a support: within the convex hull of the support
 * points projected along `up`, r = the displacement from its nearest point to c, perpendicular to `up`, 0 inside.
 */
export interface CenterOfMassGoal extends GoalCommon {
  readonly type: 'center-of-mass';
  /** World point. */
  readonly target?: Vec3;
  /** Along the world's axes, with `target`. Default all ones. */
  readonly mask?: AxisMask;
  /** World points of an area, or of a line or a point to balance on; their number is fixed, they are read at each solve. */
  readonly support?: readonly Vec3[];
  /** World direction. Default `figure.up`. */
  readonly up?: Vec3;
  /** m. Default 1e-4. */
  readonly tolerance?: number;
}

/**
 * Joints are attracted to a reference pose, copied when the solver is made: r = log(R_ref^-1 R), rad, for rotations, and the
 * difference of coordinates for hinges and translations. It is a soft goal without a tolerance. A missed goal of higher priority
 * freezes every joint of its chain, for a posture too.
 */
export interface PostureGoal extends GoalCommon {
  readonly type: 'posture';
  /** Its joints. Default: all, with a free root; to leave the root where it is, lock it or name the others. */
  readonly bones?: readonly BoneRef[];
  /** Weight of each of `bones`, one number a bone. Default 1. */
  readonly stiffness?: readonly number[];
  /** Length `figure.dof`. Default: rest. */
  readonly reference?: Numbers;
}

/** A coordinate of a joint is to have a value: r = q - value, rad or m. */
export interface JointValueGoal extends GoalCommon {
  readonly type: 'joint-value';
  readonly bone: BoneRef;
  /** Which of the joint's coordinates. Default 0. */
  readonly coordinate?: number;
  /** rad or m. */
  value: number;
  /** rad or m. Default 1e-4. */
  readonly tolerance?: number;
}

/**
 * A bone is to be the mirror image of another: for each point of the bone, r = S x_other - x_bone in the plane's frame, m, S the
 * reflection in the plane. The point of the other bone is its mirror image at rest. Both bones move; to copy one, give it a goal of
 * higher priority.
 */
export interface MirrorGoal extends GoalCommon {
  readonly type: 'mirror';
  readonly bone: BoneRef;
  /** The bone that is mirrored. */
  readonly of: BoneRef;
  /**
   * The symmetry plane of the figure at rest. Default: through the origin of the bones' lowest common ancestor (or of the world),
   * perpendicular to the world's x axis at rest; carried by that ancestor.
   */
  readonly plane?: Plane;
  /** Points of `bone` that follow, bone frame, m. Three that are not in line fix its orientation. Default: its origin. */
  readonly points?: readonly Vec3[];
  /** m. Default 1e-4. */
  readonly tolerance?: number;
}

export type Goal =
  | PositionGoal
  | OrientationGoal
  | PointsAtGoal
  | LookAtGoal
  | PoleGoal
  | DistanceGoal
  | PlaneGoal
  | HalfSpaceGoal
  | RelativePoseGoal
  | CenterOfMassGoal
  | PostureGoal
  | JointValueGoal
  | MirrorGoal;

/** Whether a target is carried by a bone rather than fixed in the world. */
export function isCarried(
  target: Numbers | { readonly bone?: BoneRef },
): target is { readonly bone: BoneRef } {
  return !('length' in target) && 'bone' in target && target.bone !== undefined;
}
