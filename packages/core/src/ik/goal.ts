import type { Numbers, Quat, Vec3 } from '../math/types.js';

/** A point carried by a bone of the same figure. */
export interface BonePoint {
  readonly bone: string | number;
  /** In the bone frame, m. Default: the bone's origin. */
  readonly point?: Vec3;
}

/** An orientation carried by a bone of the same figure. */
export interface BoneOrientation {
  readonly bone: string | number;
  /** Bone frame from goal frame. Default: identity. */
  readonly offset?: Quat;
}

interface GoalCommon {
  readonly bone: string | number;
  /** How much this goal counts against the others, positive, default 1. Read, like all but world targets, when the solver is made. */
  readonly weight?: number;
}

/**
 * A point of a bone is to be at a target: r = x_bone - x_target, m.
 * Targets are read at each solve: write into the array to move one.
 */
export interface PositionGoal extends GoalCommon {
  readonly type: 'position';
  /** In the bone frame, m. Default: the bone's origin. */
  readonly point?: Vec3;
  /** World point, or a point of another bone. */
  readonly target: Vec3 | BonePoint;
  /** Distance that counts as reached, m. Default 1e-4. */
  readonly tolerance?: number;
}

/** A bone is to have an orientation: r = log(R_target^-1 R_bone), rad. */
export interface OrientationGoal extends GoalCommon {
  readonly type: 'orientation';
  /** Bone frame from goal frame. Default: identity. */
  readonly offset?: Quat;
  /** World orientation as a unit quaternion, or the orientation of another bone. */
  readonly target: Quat | BoneOrientation;
  /** Angle that counts as reached, rad. Default 1e-4. */
  readonly tolerance?: number;
}

/**
 * An axis of a bone is to point at a target (the notes, section 2): r = the angle from the axis to the direction of the
 * target, as a tangent vector of the unit sphere in the bone frame, rad. The target may be carried by the same figure
 * (*left calf points at right ankle*); both chains are then in the Jacobian.
 */
export interface PointsAtGoal extends GoalCommon {
  readonly type: 'points-at';
  /** In the bone frame; any length but zero. */
  readonly axis: Vec3;
  /** Where the line of sight starts, bone frame, m. Default: the bone's origin. */
  readonly origin?: Vec3;
  readonly target: Vec3 | BonePoint;
  /** Angle that counts as reached, rad. Default 1e-4. */
  readonly tolerance?: number;
}

export type Goal = PositionGoal | OrientationGoal | PointsAtGoal;

/** Whether a target is carried by a bone rather than fixed in the world. */
export function isCarried(
  target: Numbers | { readonly bone: string | number },
): target is { readonly bone: string | number } {
  return !('length' in target) && 'bone' in target;
}
