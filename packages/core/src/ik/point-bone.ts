import { GoalError } from '../errors.js';
import { boneIndex } from '../figure/figure.js';
import { forwardKinematics } from '../figure/forward-kinematics.js';
import { jointTypes } from '../figure/joints/joint-types.js';
import { limitShapes } from '../figure/limits/shapes.js';
import { checkPose } from '../figure/pose.js';
import { poseBoneFromLocalTransform } from '../figure/read-pose.js';
import type { FigureState } from '../figure/state.js';
import { seededRandom } from '../math/random.js';
import * as rigid from '../math/rigid.js';
import type { Vec3 } from '../math/types.js';
import { checkTargets } from './check-goals.js';
import type { BonePoint, PointsAtGoal } from './goal.js';
import { levenbergMarquardt } from './levenberg-marquardt.js';
import { pointsAtInObject } from './points-at.js';
import { createProblem, evaluate, type Problem } from './problem.js';
import { resultOf } from './result.js';
import { samplePose } from './sample.js';
import { secondOrderDescent } from './second-order.js';
import { createWorkspace, type Workspace } from './workspace.js';

/** What {@link pointBoneAt} did. */
export interface PointsAtResult {
  /** Angle left between the axis and the target, rad. */
  readonly angle: number;
  /** Whether a limit of the joint keeps it from being smaller. */
  readonly limited: boolean;
}

/** An angle that counts as none: rounding. */
const EXACT = 1e-12;
/** Angles nearer to each other than this are as good: the pose stays near where it was. */
const TIE = 1e-9;
/** Starts drawn within the limits where the target cannot be met. */
const DRAWS = 12;
/** Steps of one joint of at most three coordinates; five to ten are the rule. */
const STEPS = 200;

/**
 * Option 2 of the notes put into the joint: turns one bone so that `axis` points at `target`, in its joint's own coordinates
 * and within their limits. Where the target can be met the turn is the smallest one that the joint reads from R_constraint;
 * where it cannot (a hinge, a limit) the angle left is brought to its least by the solver's own descent on this joint alone,
 * from the pose, from the clamped closed form and from seeded draws within the limits. That is a search: an Euler joint with an
 * open coordinate may miss the best (seen: by 0.63 rad) and settle elsewhere when called again.
 *
 * @param pose - As last given to `forwardKinematics`; the bone's coordinates are replaced, and `state` follows.
 * @param bone - Name or index.
 * @param target - World point, m, or a point carried by another bone.
 * @throws DomainError when the target is at the joint; GoalError for a bone without a joint that turns it against the target, a
 * bad axis or target; FigureError for an unknown bone or a bad pose. The pose is then as it was.
 */
export function pointBoneAt(
  state: FigureState,
  pose: Float64Array,
  bone: string | number,
  axis: Vec3,
  target: Vec3 | BonePoint,
): PointsAtResult {
  const { figure } = state;
  checkPose(figure, pose);
  const b = boneIndex(figure, bone);
  const { name, joint } = figure.bones[b];
  if (!jointTypes[joint.type].turns) {
    throw new GoalError('immovable-goal', `the ${joint.type} joint of '${name}' cannot turn.`, {
      path: 'bone',
      remedy: 'Point a bone whose joint turns.',
    });
  }
  const goal: PointsAtGoal = { type: 'points-at', bone: b, axis, target, tolerance: EXACT };
  const others = figure.bones.flatMap(({ index }) => (index === b ? [] : [index]));
  const problem = createProblem(figure, [goal], others);
  checkTargets(problem.goals);
  const work = createWorkspace(problem);

  const here = heldToLimits(problem, pose.slice());
  evaluate(problem, here);
  const closed = heldToLimits(problem, closedForm(problem, here, b, axis, target));
  let chosen = descend(problem, work, here.slice());
  const random = seededRandom(1);
  for (let n = 0; n <= DRAWS && chosen.angle > EXACT; n++) {
    const start = n === 0 ? closed : new Float64Array(pose.length);
    if (n > 0) samplePose(problem, here, random, start);
    const other = descend(problem, work, start);
    if (other.angle < chosen.angle - TIE) chosen = other;
  }
  const { coordinate, dof } = figure.bones[b];
  for (let i = coordinate; i < coordinate + dof; i++) pose[i] = chosen.pose[i];
  forwardKinematics(state, pose);
  return { angle: chosen.angle, limited: chosen.limited };
}

/** The coordinates that the joint reads from [parent from bone] R_constraint. */
function closedForm(
  { state }: Problem,
  pose: Float64Array,
  bone: number,
  axis: Vec3,
  target: Vec3 | BonePoint,
): Float64Array {
  const turn = rigid.fromQuatPosition(pointsAtInObject(state, bone, axis, target), [0, 0, 0]);
  const local = rigid.compose(state.parentFromBone.subarray(12 * bone, 12 * bone + 12), turn);
  return poseBoneFromLocalTransform(state, bone, local, pose.slice());
}

/** Moves the joint's own coordinates to the nearest allowed, in place. */
function heldToLimits({ parts }: Problem, pose: Float64Array): Float64Array {
  for (const { part } of parts) {
    limitShapes[part.kind].project(part.parameters, pose, part.coordinate, part.size);
  }
  return pose;
}

/** The least angle from a start, and what keeps it. */
function descend(
  problem: Problem,
  work: Workspace,
  pose: Float64Array,
): PointsAtResult & { readonly pose: Float64Array } {
  const first = levenbergMarquardt(problem, work, pose, STEPS);
  if (first.outcome !== 'converged') {
    // An escape from a crest is a descent of its own.
    for (let n = 0; n < 4 && secondOrderDescent(problem, work, pose, STEPS).outcome === 'escaped'; n++) {
      levenbergMarquardt(problem, work, pose, STEPS);
    }
  }
  const effort = { iterations: 0, restarts: 0, stopped: false };
  const { activeLimits } = resultOf(problem, work, pose, evaluate(problem, pose), effort);
  return { pose, angle: problem.norms[0], limited: activeLimits.length > 0 };
}
