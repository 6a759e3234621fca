import { requireFields, requireNumbers } from '../checks.js';
import { DomainError, GoalError } from '../errors.js';
import { basisBetween, lowestCommonAncestorIn } from '../figure/basis.js';
import type { JointData } from '../figure/data/types.js';
import { jointTypes } from '../figure/joints/joint-types.js';
import { forwardKinematics } from '../figure/kinematics/forward-kinematics.js';
import { boneIndex, type Figure } from '../figure/model/figure.js';
import { checkPose } from '../figure/model/pose.js';
import type { FigureState } from '../figure/model/state.js';
import * as rigid from '../math/geometry/rigid-transform.js';
import * as vec3 from '../math/geometry/vec3.js';
import type { Vec3 } from '../math/linear/types.js';
import { type Aim, aimAngle, isolateJoint, projectOntoLimits, rotationAt } from './closed-form/aim/aim.js';
import { aimJoint, isLimited, multipliersAt } from './closed-form/aim/aim-joint.js';
import { MIN_LENGTH } from './closed-form/aim/best-angle.js';
import { type BonePoint, isCarried } from './goals/types/goal.js';
import { requireDirection } from './problem/option-checks.js';
import type { ActiveLimit } from './problem/status.js';

/** The result of {@link aimBoneAt}. */
export interface AimBoneResult {
  /** Remaining angle between the axis and the target, rad: the least within the joint's limits. */
  readonly angle: number;
  /** Whether the angle would be smaller without the limits. */
  readonly limited: boolean;
  /**
   * The limits with a positive multiplier, as in `IkResult`, for f = 1/2 angle^2. Empty where the target is met. `limited` with no
   * active limit means that the limits exclude a better pose elsewhere, not a small step.
   */
  readonly activeLimits: readonly ActiveLimit[];
}

/** Settings of {@link aimBoneAt}. */
export interface AimBoneOptions {
  /**
   * Resolves the roll about the aimed axis: an axis of the bone (bone frame) comes as near to a direction (world; default `figure.up`) as the
   * aim and the limits allow, without any loss for the aim. Default: the least roll.
   */
  readonly up?: { readonly axis: Vec3; readonly direction?: Vec3 };
}

/**
 * Rotates one bone so that `axis` points at `target`, in its joint's coordinates and within their limits: option 2 of the lecture
 * notes on constraints in a scene graph, section 2.2. The remaining angle is the global minimum over the allowed coordinates: by
 * closed forms, and for a curved swing limit by a certified search of its boundary (`closed-form/aim/limit-boundary-search.ts`).
 *
 * Among equal minima (to 1e-12 rad) it takes the one with the least rotation of the bone; a twist or last Euler angle about the
 * aimed axis itself is kept. The current coordinates win ties: a second call changes no bit, and a target is followed without
 * drift. With `up`, it takes the minimum whose up axis comes nearest to the direction.
 *
 * Only this joint rotates, without its translations. Its coordinates are first projected onto their limits.
 *
 * @param pose - As last given to `forwardKinematics`; the bone's coordinates are replaced, and `state` follows.
 * @param bone - Name or index.
 * @param axis - In the bone frame, any length but zero.
 * @param target - World point, m, or a point carried by another bone.
 * @throws DomainError when the target is at the joint. GoalError `immovable-goal` for a bone whose joint does not rotate or is a
 * mimic joint, and for a target that the bone itself carries; `unsupported` for the source of a mimic joint that moves the bone or
 * the target; `wrong-size`, `not-finite`, `not-unit` naming `axis`, `target` or `up`. FigureError for an unknown bone or a bad pose.
 * The pose is then unchanged.
 */
export function aimBoneAt(
  state: FigureState,
  pose: Float64Array,
  bone: string | number,
  axis: Vec3,
  target: Vec3 | BonePoint,
  options: AimBoneOptions = {},
): AimBoneResult {
  const { figure } = state;
  requireFields(options, { up: true }, 'options', GoalError);
  checkPose(figure, pose);
  const b = boneIndex(figure, bone);
  const { name, joint, coordinate } = figure.bones[b];
  if (!jointTypes[joint.type].rotates) throw immovable(`the ${joint.type} joint of '${name}' cannot rotate.`);
  if (state.groupOfBone[b] < 0) throw immovable(`the joint of '${name}' follows another.`);
  requireDirection(axis, 'axis');
  checkTarget(figure, b, target);
  const isolated = isolateJoint(state, b);
  const current: number[] = [];
  for (let i = 0; i < isolated.dof; i++) current.push(pose[coordinate + i]);
  projectOntoLimits(isolated.limits, current);
  const start = rigid.copy(rotationAt(isolated, current));
  const d = vec3.normalize(axis);
  const aim: Aim = {
    type: isolated.type,
    batch: isolated.batch,
    dof: isolated.dof,
    limits: isolated.limits,
    axis: d,
    target: vec3.normalize(lineOfSight(state, b, target, rigid.toPosition(start))),
    up: upOf(state, b, options.up),
    ineffectiveAxis: idleAxis(joint, d),
    current,
    currentRotation: start,
  };
  const q = aimJoint(aim, joint);
  const angle = aimAngle(aim, rotationAt(aim, q));
  const multipliers = multipliersAt(aim, q);
  const activeLimits = aim.limits.flatMap(({ role, coordinate: i }, n): ActiveLimit[] =>
    multipliers[n] > 0 ? [{ bone: name, role, coordinate: coordinate + i, multiplier: multipliers[n] }] : [],
  );
  pose.set(q, coordinate);
  forwardKinematics(state, pose);
  return { angle, limited: isLimited(aim, joint, angle), activeLimits };
}

/** The axis of the last coordinate, if d lies along it. */
function idleAxis(joint: JointData, d: Vec3): Vec3 | undefined {
  const last =
    joint.type === 'hinge' || joint.type === 'ball-and-socket'
      ? joint.axis
      : joint.type === 'euler'
        ? [0, 1, 2].map((k) => ('XYZ'[k] === joint.order[2] ? 1 : 0))
        : undefined;
  return last !== undefined && vec3.norm(vec3.cross(d, last)) <= MIN_LENGTH ? last : undefined;
}

/** The up axis and direction in the joint's base frame. */
function upOf(state: FigureState, bone: number, up: AimBoneOptions['up']): Aim['up'] {
  if (up === undefined) return undefined;
  requireFields(up, { axis: true, direction: true }, 'up', GoalError);
  const { axis, direction = state.figure.up } = up;
  requireDirection(axis, 'up.axis');
  requireDirection(direction, 'up.direction');
  const { parent, rest } = state.figure.bones[bone];
  const inParent =
    parent < 0
      ? direction
      : rigid.inverseTransformVector(state.worldFromBone.subarray(12 * parent, 12 * parent + 12), direction);
  const local = rigid.inverseTransformVector(rigid.fromQuatPosition(rest.rotation, [0, 0, 0]), inParent);
  return { axis: vec3.normalize(axis), direction: vec3.normalize(local) };
}

/**
 * The vector from the joint to the target in the joint's base frame (the parent's, then rest), in which it does not depend on the
 * joint's rotation.
 *
 * @param slide - Translation of the joint in that frame.
 * @throws DomainError `out-of-range`: at the joint to rounding, or not finite.
 */
function lineOfSight(state: FigureState, bone: number, target: Vec3 | BonePoint, slide: Vec3): number[] {
  const { parent, rest } = state.figure.bones[bone];
  let inParent: Vec3;
  let size = vec3.norm(rest.position) + vec3.norm(slide);
  if (isCarried(target)) {
    const carrier = boneIndex(state.figure, target.bone, 'target.bone');
    inParent = rigid.transformPoint(basisBetween(state, parent, carrier), target.point ?? [0, 0, 0]);
  } else if (parent < 0) {
    inParent = target;
  } else {
    const worldFromParent = state.worldFromBone.subarray(12 * parent, 12 * parent + 12);
    inParent = rigid.inverseTransformPoint(worldFromParent, target);
    size += vec3.norm(target);
  }
  const rounding = 4 * Number.EPSILON * (size + vec3.norm(inParent));
  const local = rigid.inverseTransformPoint(rigid.fromQuatPosition(rest.rotation, rest.position), inParent);
  vec3.subtract(local, slide, local);
  const distance = vec3.norm(local);
  if (distance > rounding && distance < Number.POSITIVE_INFINITY) return local;
  throw new DomainError(
    'out-of-range',
    distance <= rounding ? 'is at the joint.' : 'is too far for double precision.',
    { path: 'target', remedy: 'Give a point to which there is a direction.' },
  );
}

function immovable(what: string): GoalError {
  return new GoalError('immovable-goal', what, { path: 'bone', remedy: 'Aim a bone whose joint rotates.' });
}

function checkTarget(figure: Figure, bone: number, target: Vec3 | BonePoint): void {
  const { parents } = figure;
  const carried = typeof target === 'object' && target !== null && isCarried(target);
  const carrier = carried ? boneIndex(figure, target.bone, 'target.bone') : -1;
  for (const { source, bone: mimicBone } of figure.mimicJoints) {
    if (source !== bone) continue;
    // The closed forms are valid only if no other joint moves the bone or the target.
    const moves = (b: number): boolean =>
      b >= 0 && lowestCommonAncestorIn(parents, b, mimicBone) === mimicBone;
    if (!moves(bone) && !moves(carrier)) continue;
    throw new GoalError('unsupported', `the joint of '${figure.bones[mimicBone].name}' mimics it.`, {
      path: 'bone',
      remedy: 'Use a points-at goal of solveIk.',
    });
  }
  if (!carried) {
    requireNumbers(target, 3, 'target', GoalError);
    return;
  }
  if (target.point !== undefined) requireNumbers(target.point, 3, 'target.point', GoalError);
  if (lowestCommonAncestorIn(parents, bone, carrier) === bone) {
    throw immovable(`'${figure.bones[bone].name}' carries the target with it.`);
  }
}
