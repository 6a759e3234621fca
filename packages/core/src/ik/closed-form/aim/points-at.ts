import { requireNumbers } from '../../../checks.js';
import { GoalError } from '../../../errors.js';
import { basisBetween } from '../../../figure/basis.js';
import { boneIndex } from '../../../figure/model/figure.js';
import type { FigureState } from '../../../figure/model/state.js';
import * as quat from '../../../math/geometry/quat.js';
import * as rigid from '../../../math/geometry/rigid-transform.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { MutableNumbers, Vec3 } from '../../../math/linear/types.js';
import { type BonePoint, isCarried } from '../../goals/types/goal.js';

/**
 * The points-at constraint of the lecture notes on constraints in a scene graph, section 2: both options, in closed form for one
 * bone. For several goals, or several joints, use the `points-at` goal of `solveIk`.
 */

/**
 * The smallest rotation from one direction to another, as a unit quaternion. Accurate from parallel to antiparallel; for exactly
 * opposite directions a rotation by pi about a fixed normal axis.
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
 * Option 1 of the lecture notes on constraints in a scene graph (section 2.1), in world coordinates: the bone's frame after the
 * constraint,
 *   T_(origin to joint) R_constraint T_(joint to origin) [T R T R ...],
 * so that `axis` points from the joint at `target`. The pose is not changed, and no limit applies: the constraint
 * stands outside the chain.
 *
 * @param axis - In the bone frame, any length but zero.
 * @param target - World point, m, or a point carried by a bone of the figure.
 * @returns `worldFromBone`, 12 numbers. Needs `forwardKinematics` first.
 * @throws FigureError for an unknown bone, GoalError for an axis or a target that is not finite, DomainError when the target is at
 * the joint and has no direction.
 */
export function pointsAtInWorld(
  state: FigureState,
  bone: string | number,
  axis: Vec3,
  target: Vec3 | BonePoint,
  out: MutableNumbers = new Float64Array(12),
): MutableNumbers {
  requireSight(axis, target);
  const b = boneIndex(state.figure, bone);
  const chain = state.worldFromBone.subarray(12 * b, 12 * b + 12);
  const joint = rigid.toPosition(chain);
  const goal = isCarried(target)
    ? rigid.transformPoint(frameOf(state, target), target.point ?? ORIGIN)
    : target;
  const current = rigid.transformVector(chain, axis);
  const constraint = pointsAtRotation(current, vec3.subtract(goal, joint));
  const toOrigin = rigid.fromQuatPosition([0, 0, 0, 1], vec3.negate(joint));
  const aboutJoint = rigid.fromQuatPosition(constraint, joint);
  rigid.compose(aboutJoint, toOrigin, aboutJoint);
  return rigid.compose(aboutJoint, chain, out);
}

/**
 * Option 2 of the lecture notes on constraints in a scene graph (section 2.2), in object coordinates: the rotation R_constraint in
 * the bone frame that makes `axis` point from the joint at `target`; the bone's frame after it is [T R T R ...] R_constraint. A
 * target on the figure is transformed into the bone's frame through the lowest common ancestor, so the common chain cancels.
 *
 * @returns Unit quaternion in the bone frame. Needs `forwardKinematics` first.
 * @throws FigureError for an unknown bone, GoalError for an axis or a target that is not finite, DomainError when the target is at
 * the joint.
 */
export function pointsAtInObject(
  state: FigureState,
  bone: string | number,
  axis: Vec3,
  target: Vec3 | BonePoint,
): number[] {
  requireSight(axis, target);
  const b = boneIndex(state.figure, bone);
  const local = isCarried(target)
    ? rigid.transformPoint(basisBetween(state, b, targetBone(state, target)), target.point ?? ORIGIN)
    : rigid.inverseTransformPoint(state.worldFromBone.subarray(12 * b, 12 * b + 12), target);
  return pointsAtRotation(axis, local);
}

const ORIGIN: Vec3 = [0, 0, 0];

function targetBone(state: FigureState, target: BonePoint): number {
  return boneIndex(state.figure, target.bone, 'target.bone');
}

function frameOf(state: FigureState, target: BonePoint): Float64Array {
  const o = 12 * targetBone(state, target);
  return state.worldFromBone.subarray(o, o + 12);
}

/** @throws GoalError for an axis or a target that is not three finite numbers. */
function requireSight(axis: Vec3, target: Vec3 | BonePoint): void {
  requireNumbers(axis, 3, 'axis', GoalError);
  if (typeof target === 'object' && target !== null && isCarried(target)) {
    if (target.point !== undefined) requireNumbers(target.point, 3, 'target.point', GoalError);
  } else requireNumbers(target, 3, 'target', GoalError);
}
