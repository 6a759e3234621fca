import { GoalError } from '../errors.js';
import { basisBetween } from '../figure/basis.js';
import { forwardKinematics } from '../figure/forward-kinematics.js';
import { jointTypes } from '../figure/joints/joint-types.js';
import { clampToLimits } from '../figure/pose.js';
import { poseBoneFromLocalTransform } from '../figure/read-pose.js';
import type { FigureState } from '../figure/state.js';
import * as quat from '../math/quat.js';
import * as rigid from '../math/rigid.js';
import type { MutableNumbers, Vec3 } from '../math/types.js';
import * as vec3 from '../math/vec3.js';

/**
 * The points-at constraint of the notes, bone by bone and in closed form, both of its ways. For several goals at once, or
 * joints that share the work, use the `points-at` goal of `solveIk`.
 */

/**
 * The smallest rotation that takes one direction to another, as a unit quaternion. Accurate from parallel to
 * antiparallel; exactly opposite directions are joined by a half turn about a fixed axis across them.
 *
 * q = [a x b, 1 + a . b] / |...| = [a x b, |a + b|^2 / 2] / |a + b| for unit a, b. The cross product is taken of a and the shorter
 * of a + b and b - a, which are exact where it matters.
 *
 * @throws DomainError for a direction of length zero or not finite.
 */
export function pointsAtRotation<T extends MutableNumbers = number[]>(
  from: Vec3,
  to: Vec3,
  out: T = [0, 0, 0, 1] as MutableNumbers as T,
): T {
  const a = vec3.normalize(from);
  const b = vec3.normalize(to);
  const sum = vec3.add(a, b);
  const length = Math.sqrt(vec3.dot(sum, sum));
  if (length < 1e-15) {
    const across = vec3.perpendicular(a);
    return quat.set(across[0], across[1], across[2], 0, out);
  }
  const cross = vec3.cross(a, vec3.dot(a, b) >= 0 ? vec3.subtract(b, a) : sum);
  quat.set(cross[0] / length, cross[1] / length, cross[2] / length, length / 2, out);
  return quat.normalize(out, out);
}

/**
 * Option 1 of the notes (section 2.1), all in world coordinates: the bone's frame after the constraint,
 *   T_(origin to joint) R_constraint T_(joint to origin) [T R T R ...],
 * so that `axis` points from the joint at `target`. The pose is not changed, and no limit applies: the constraint
 * stands outside the chain.
 *
 * @param axis - In the bone frame, any length but zero.
 * @param target - World point, m, or a point carried by a bone of the figure.
 * @returns `worldFromBone`, 12 numbers. Needs `forwardKinematics` first.
 * @throws DomainError when the target is at the joint: there is no direction to point in.
 */
export function pointsAtInWorld(
  state: FigureState,
  bone: number,
  axis: Vec3,
  target: Vec3 | { readonly bone: number; readonly point?: Vec3 },
  out: MutableNumbers = new Float64Array(12),
): MutableNumbers {
  const chain = state.worldFromBone.subarray(12 * bone, 12 * bone + 12);
  const joint = rigid.toPosition(chain);
  const goal = isBone(target)
    ? rigid.transformPoint(
        state.worldFromBone.subarray(12 * target.bone, 12 * target.bone + 12),
        target.point ?? [0, 0, 0],
      )
    : target;
  const current = rigid.transformVector(chain, axis);
  const constraint = pointsAtRotation(current, vec3.subtract(goal, joint));
  const toOrigin = rigid.fromQuatPosition([0, 0, 0, 1], vec3.negate(joint));
  const turnAndBack = rigid.fromQuatPosition(constraint, joint);
  rigid.compose(turnAndBack, toOrigin, turnAndBack);
  return rigid.compose(turnAndBack, chain, out);
}

/**
 * Option 2 of the notes (section 2.2), all in object coordinates: the rotation R_constraint in the bone frame that makes
 * `axis` point from the joint at `target`; the bone's frame after it is [T R T R ...] R_constraint. A target on the figure
 * comes into the bone's frame through the lowest common ancestor, so what both chains share cancels.
 *
 * @returns Unit quaternion in the bone frame. Needs `forwardKinematics` first.
 * @throws DomainError when the target is at the joint.
 */
export function pointsAtInObject(
  state: FigureState,
  bone: number,
  axis: Vec3,
  target: Vec3 | { readonly bone: number; readonly point?: Vec3 },
): number[] {
  const local = isBone(target)
    ? rigid.transformPoint(basisBetween(state, bone, target.bone), target.point ?? [0, 0, 0])
    : rigid.inverseTransformPoint(state.worldFromBone.subarray(12 * bone, 12 * bone + 12), target);
  return pointsAtRotation(axis, local);
}

/** What {@link pointBoneAt} did. */
export interface PointsAtResult {
  /** Angle left between the axis and the target, rad. */
  readonly angle: number;
  /** Whether a limit of the joint held the bone back. */
  readonly limited: boolean;
}

/**
 * Option 2 put into the joint: turns one bone so that `axis` points at `target`, in its joint's own coordinates and held to
 * their limits. Where the joint cannot make the rotation (a hinge, a limit) it takes the nearest coordinates that it can.
 *
 * @param pose - As last given to `forwardKinematics`; the bone's coordinates are replaced.
 * @throws DomainError when the target is at the joint, GoalError `immovable-goal` for a bone without a joint that turns.
 */
export function pointBoneAt(
  state: FigureState,
  pose: Float64Array,
  bone: number,
  axis: Vec3,
  target: Vec3 | { readonly bone: number; readonly point?: Vec3 },
): PointsAtResult {
  const { figure } = state;
  if (!jointTypes[figure.bones[bone].joint.type].turns) {
    throw new GoalError(
      'immovable-goal',
      `the ${figure.bones[bone].joint.type} joint of '${figure.bones[bone].name}' cannot turn.`,
      {
        path: 'bone',
        remedy: 'Point a bone whose joint turns.',
      },
    );
  }
  const constraint = pointsAtInObject(state, bone, axis, target);
  const turn = rigid.fromQuatPosition(constraint, [0, 0, 0]);
  // [parent from bone] R_constraint: the joint reads its coordinates from it.
  const local = rigid.compose(state.parentFromBone.subarray(12 * bone, 12 * bone + 12), turn);
  const wanted = pose.slice();
  poseBoneFromLocalTransform(state, bone, local, wanted);
  const held = wanted.slice();
  const limited =
    clampToLimits(figure, held) &&
    held.some((x, i) => figure.boneOfCoordinate[i] === bone && x !== wanted[i]);
  const { coordinate, dof } = figure.bones[bone];
  for (let i = coordinate; i < coordinate + dof; i++) pose[i] = held[i];
  forwardKinematics(state, pose);
  const left = pointsAtInObject(state, bone, axis, target);
  return { angle: quat.angleBetween(left, [0, 0, 0, 1]), limited };
}

function isBone(target: Vec3 | { readonly bone: number }): target is { readonly bone: number } {
  return !('length' in target);
}
