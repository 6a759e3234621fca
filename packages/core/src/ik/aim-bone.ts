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
import { type Aim, aloneJoint, angleUnder, project, rotationAt } from './closed-form/aim/aim.js';
import { isLimited, multipliersAt, turnJoint } from './closed-form/aim/aim-joint.js';
import { NO_DIRECTION } from './closed-form/aim/best-angle.js';
import { type BonePoint, isCarried } from './goals/types/goal.js';
import { requireDirection, requireOptions, requireTriple } from './problem/option-checks.js';
import type { ActiveLimit } from './problem/status.js';

/** What {@link aimBoneAt} did. */
export interface AimBoneResult {
  /** Angle left between the axis and the target, rad: the least that the joint allows. */
  readonly angle: number;
  /** Whether the joint without its limits would come nearer. */
  readonly limited: boolean;
  /**
   * The limits that push back, as in `IkResult`: f = 1/2 angle^2. Empty where the target is met; and where `limited` holds
   * without one, the limits keep the joint from a place further round, not from a step.
   */
  readonly activeLimits: readonly ActiveLimit[];
}

/** Settings of {@link aimBoneAt}. */
export interface AimBoneOptions {
  /**
   * What to do with the roll about the axis that aims: an axis of the bone (bone frame) is to be as near to a direction (world;
   * default +Y) as the aim and the limits allow. It never costs the aim anything. Default: the bone rolls as little as can be.
   */
  readonly up?: { readonly axis: Vec3; readonly direction?: Vec3 };
}

/**
 * Option 2 of the notes put into the joint: turns one bone so that `axis` points at `target`, in its joint's own coordinates
 * and within their limits. The angle left is the least that the joint allows, over all its allowed coordinates: by closed
 * forms, and for a curved swing limit by a search of its edge that provably misses no place (`one-bone/boundary.ts`).
 *
 * Where several places are as good (to 1e-12 rad), it takes the one that turns the bone least; a twist or last Euler angle about
 * the very axis that aims stays as it is. Where the bone is wins ties: a second call changes no bit, and a target can be followed
 * without drift. With `up`, the place that brings the up axis nearest.
 *
 * Only this joint turns; what slides in it stays. Coordinates of it outside their limits are first moved to the nearest allowed.
 *
 * @param pose - As last given to `forwardKinematics`; the bone's coordinates are replaced, and `state` follows.
 * @param bone - Name or index.
 * @param axis - In the bone frame, any length but zero.
 * @param target - World point, m, or a point carried by another bone.
 * @throws DomainError when the target is at the joint. GoalError `immovable-goal` for a bone whose joint does not turn by itself, and
 * for a target that the bone itself carries; `unsupported` for a joint that others follow below its bone or the target; `wrong-size`, `not-finite`, `not-unit` naming `axis`, `target` or `up`. FigureError for an
 * unknown bone or a bad pose. The pose is then as it was.
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
  requireOptions(options, ['up']);
  checkPose(figure, pose);
  const b = boneIndex(figure, bone);
  const { name, joint, coordinate } = figure.bones[b];
  if (!jointTypes[joint.type].rotates) throw immovable(`the ${joint.type} joint of '${name}' cannot turn.`);
  if (state.groupOfBone[b] < 0) throw immovable(`the joint of '${name}' follows another.`);
  requireDirection(axis, 'axis');
  checkTarget(figure, b, target);
  const alone = aloneJoint(state, b);
  const now: number[] = [];
  for (let i = 0; i < alone.dof; i++) now.push(pose[coordinate + i]);
  project(alone.parts, now);
  const start = rigid.copy(rotationAt(alone, now));
  const d = vec3.normalize(axis);
  const aim: Aim = {
    type: alone.type,
    batch: alone.batch,
    dof: alone.dof,
    parts: alone.parts,
    axis: d,
    target: vec3.normalize(lineOfSight(state, b, target, rigid.toPosition(start))),
    up: upOf(state, b, options.up),
    idle: idleAxis(joint, d),
    now,
    rotationNow: start,
  };
  const q = turnJoint(aim, joint);
  const angle = angleUnder(aim, rotationAt(aim, q));
  const multipliers = multipliersAt(aim, q);
  const activeLimits = aim.parts.flatMap(({ role, coordinate: i }, n): ActiveLimit[] =>
    multipliers[n] > 0 ? [{ bone: name, role, coordinate: coordinate + i, multiplier: multipliers[n] }] : [],
  );
  pose.set(q, coordinate);
  forwardKinematics(state, pose);
  return { angle, limited: isLimited(aim, joint, angle), activeLimits };
}

/** The axis that the last coordinate turns about, if d lies along it. */
function idleAxis(joint: JointData, d: Vec3): Vec3 | undefined {
  const last =
    joint.type === 'hinge' || joint.type === 'ball-and-socket'
      ? joint.axis
      : joint.type === 'euler'
        ? [0, 1, 2].map((k) => ('XYZ'[k] === joint.order[2] ? 1 : 0))
        : undefined;
  return last !== undefined && vec3.norm(vec3.cross(d, last)) <= NO_DIRECTION ? last : undefined;
}

/** The up wish in the frame that the joint starts from. */
function upOf(state: FigureState, bone: number, up: AimBoneOptions['up']): Aim['up'] {
  if (up === undefined) return undefined;
  requireOptions(up, ['axis', 'direction'], 'up');
  const { axis, direction = [0, 1, 0] } = up;
  requireDirection(axis, 'up.axis');
  requireDirection(direction, 'up.direction');
  const { parent, rest } = state.figure.bones[bone];
  const inParent =
    parent < 0
      ? direction
      : rigid.inverseTransformVector(state.worldFromBone.subarray(12 * parent, 12 * parent + 12), direction);
  const seen = rigid.inverseTransformVector(rigid.fromQuatPosition(rest.rotation, [0, 0, 0]), inParent);
  return { axis: vec3.normalize(axis), direction: vec3.normalize(seen) };
}

/**
 * From the joint to the target in the frame that the joint starts from, the parent's and then rest: nothing that the joint
 * does turns it there.
 *
 * @param slide - How far the joint has moved the bone's origin in that frame.
 * @throws DomainError `out-of-range`: nearer than rounding, or not a number.
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
  const seen = rigid.inverseTransformPoint(rigid.fromQuatPosition(rest.rotation, rest.position), inParent);
  vec3.subtract(seen, slide, seen);
  const distance = vec3.norm(seen);
  if (distance > rounding && distance < Number.POSITIVE_INFINITY) return seen;
  throw new DomainError(
    'out-of-range',
    distance <= rounding ? 'is at the joint.' : 'is too far for double precision.',
    { path: 'target', remedy: 'Give a point to which there is a direction.' },
  );
}

function immovable(what: string): GoalError {
  return new GoalError('immovable-goal', what, { path: 'bone', remedy: 'Point a bone whose joint turns.' });
}

function checkTarget(figure: Figure, bone: number, target: Vec3 | BonePoint): void {
  const { parents } = figure;
  const carried = typeof target === 'object' && target !== null && isCarried(target);
  const carrier = carried ? boneIndex(figure, target.bone, 'target.bone') : -1;
  for (const { source, bone: follower } of figure.mimicJoints) {
    if (source !== bone) continue;
    // The closed forms hold while everything but this joint stands still.
    const moves = (b: number): boolean => b >= 0 && lowestCommonAncestorIn(parents, b, follower) === follower;
    if (!moves(bone) && !moves(carrier)) continue;
    throw new GoalError('unsupported', `the joint of '${figure.bones[follower].name}' follows it.`, {
      path: 'bone',
      remedy: 'Use a points-at goal of solveIk.',
    });
  }
  if (!carried) {
    requireTriple(target as Vec3, 'target');
    return;
  }
  if (target.point !== undefined) requireTriple(target.point, 'target.point');
  if (lowestCommonAncestorIn(parents, bone, carrier) === bone) {
    throw immovable(`'${figure.bones[bone].name}' carries the target with it.`);
  }
}
