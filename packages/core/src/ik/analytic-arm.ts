import { requireFields, requireNumbers } from '../checks.js';
import { GoalError } from '../errors.js';
import { jointTypes } from '../figure/joints/joint-types.js';
import { forwardKinematics } from '../figure/kinematics/forward-kinematics.js';
import { boneIndex, type Figure } from '../figure/model/figure.js';
import { clampToLimits } from '../figure/model/pose.js';
import { createState, type FigureState } from '../figure/model/state.js';
import * as quat from '../math/geometry/quat.js';
import * as rigid from '../math/geometry/rigid-transform.js';
import { allFinite, distance } from '../math/geometry/vec3.js';
import type { Mat3x4, Numbers, Quat, Vec3 } from '../math/linear/types.js';
import { angleWithinLimits, intervalOf, wrapAngle } from './closed-form/arm/angle-in-limits.js';
import { type ArmFamily, branchesOf, familyOf } from './closed-form/arm/arm-kinds.js';
import {
  type Branch,
  bestOnSolutionCurve,
  createRedundantAngles,
  type RedundantAngles,
} from './closed-form/arm/redundant-angles.js';
import { errorAt, type Line, polish, type SixHinges } from './closed-form/arm/screws.js';
import {
  blockingMimicJoint,
  type ClosedFormResult,
  type ClosedFormUnavailable,
  noClosedForm,
} from './closed-form-result.js';
import { orientationGoal, orientationHessians } from './goals/kinds/orientation.js';
import { positionGoal, positionHessians } from './goals/kinds/position.js';
import { requireTarget } from './goals/types/checks.js';
import { isCarried, type OrientationGoal, type PositionGoal } from './goals/types/goal.js';
import { requireGoal, requireQuat } from './problem/option-checks.js';
import { createIkWith, newtonStage, solveIk } from './solve-ik.js';
import type { Ik } from './types.js';

/** Options of {@link createAnalyticArm}. */
export interface AnalyticArmOptions {
  /** Bone that the arm is mounted on: its joint and those above are not moved. Default: the world. */
  readonly base?: string | number;
}

/** An arm of six hinges with a closed form. */
export interface AnalyticArm {
  readonly family: ArmFamily;
  readonly figure: Figure;
  /** Bones of the six hinges and their coordinates, base first. */
  readonly bones: readonly number[];
  readonly coordinates: readonly number[];
  readonly hinges: SixHinges;
  /** Parent of the first hinge's bone, -1 for the world. */
  readonly base: number;
  readonly targets: { readonly position: Numbers; readonly orientation: Quat };
  readonly state: FigureState;
  /** Gives the result, and solves where no solution is within the limits. */
  readonly ik: Ik;
}

/** Largest error (rad, lengths relative to the arm's size) of a solution. */
const MAX_ERROR = 1e-9;
/** Branches with errors between these are polished. */
const MIN_POLISHED_ERROR = 1e-14;
const MAX_POLISHED_ERROR = 1e-5;
const MAX_POLISHES = 3;
/** Angular distance below which two branches are the same, rad. */
const SAME_ANGLE = 1e-7;

/**
 * Prepares the closed form of a pose goal for an arm of six hinges whose geometry has one: three axes that meet in a wrist
 * with a parallel elbow or a meeting shoulder, or three parallel axes (see {@link ArmFamily}). The geometry must be
 * exact: axes that miss each other by more than 1e-9 of the arm's size (m) or 1e-9 rad have no closed form.
 *
 * @param position - Goal of the arm's tip, with a target in the world, which is read at each solve.
 * @param orientation - Goal of the same bone, likewise.
 * @returns the arm, or why it has no closed form (`family` undefined).
 * @throws FigureError, GoalError for goals that are invalid on the figure, as `createIk`.
 */
export function createAnalyticArm(
  figure: Figure,
  position: PositionGoal,
  orientation: OrientationGoal,
  options: AnalyticArmOptions = {},
): AnalyticArm | ClosedFormUnavailable {
  requireFields(options, { base: true }, 'options', GoalError);
  requireGoal(position, 'position', 'position');
  requireGoal(orientation, 'orientation', 'orientation');
  requireTarget(position.target, 'position.target', 3);
  requireTarget(orientation.target, 'orientation.target', 4);
  if (position.point !== undefined) requireNumbers(position.point, 3, 'position.point', GoalError);
  requireQuat(orientation.offset, 'orientation.offset');
  const { base } = options;
  const tip = boneIndex(figure, position.bone, 'position.bone');
  if (boneIndex(figure, orientation.bone, 'orientation.bone') !== tip) {
    return noClosedForm('the two goals are on different bones');
  }
  if (isCarried(position.target) || isCarried(orientation.target)) {
    return noClosedForm('a target is carried by a bone');
  }
  if (position.mask !== undefined || orientation.mask !== undefined) {
    return noClosedForm('a mask leaves an axis free');
  }
  const stop = base === undefined ? -1 : boneIndex(figure, base, 'base');
  const arm = movingBones(figure, tip, stop);
  const mimicReason = blockingMimicJoint(figure, arm);
  if (mimicReason !== undefined) return noClosedForm(mimicReason);
  if (arm.length !== 6) return noClosedForm(`the arm has ${arm.length} joints that move, not six`);
  const other = arm.find((b) => figure.bones[b].joint.type !== 'hinge' || figure.bones[b].dof !== 1);
  if (other !== undefined) {
    return noClosedForm(`joint '${figure.bones[other].name}' is no hinge of its own`);
  }
  const state = createState(figure);
  const hinges = sixHinges(state, arm, tip, position, orientation);
  const found = familyOf(hinges);
  if ('reason' in found) return noClosedForm(found.reason);
  const locked = figure.bones.filter(({ index, dof }) => dof > 0 && !arm.includes(index));
  return {
    family: found.family,
    figure,
    bones: arm,
    coordinates: arm.map((b) => figure.coordinateStart[b]),
    hinges,
    base: figure.parents[arm[0]],
    targets: { position: position.target as Numbers, orientation: orientation.target as Quat },
    state,
    ik: createIkWith(figure, [position, orientation], {
      goalTypes: { position: positionGoal, orientation: orientationGoal },
      stages: { newton: newtonStage([positionHessians, orientationHessians]) },
      locked: locked.map(({ index }) => index),
      restarts: 0,
    }),
  };
}

/**
 * Solves an arm in closed form: the pose becomes the solution nearest to the start (least sum of squared differences), and
 * the result lists them all. Where none is within the limits, `solveIk` solves from the start and gives the status.
 *
 * @param pose - Length `figure.dof`; read as the start and for the joints outside the arm, written as the solution.
 * @throws FigureError, GoalError as `solveIk`.
 */
export function solveAnalyticArm(arm: AnalyticArm, pose: Float64Array): ClosedFormResult {
  const { coordinates } = arm;
  if (!isUsable(arm, pose)) return { ...solveIk(arm.ik, pose), solutions: [], forbidden: 0 };
  clampToLimits(arm.figure, pose);
  const start = coordinates.map((i) => pose[i]);
  const { solutions, forbidden } = solutionsOf(arm, pose, start);
  if (solutions.length > 0) {
    coordinates.forEach((i, k) => {
      pose[i] = solutions[0][k];
    });
  }
  return { ...solveIk(arm.ik, pose), solutions, forbidden };
}

/** Whether pose and targets are valid; otherwise `solveIk` throws the error. */
function isUsable({ figure, targets: { position, orientation } }: AnalyticArm, pose: Float64Array): boolean {
  if (!(pose instanceof Float64Array) || pose.length !== figure.dof || !pose.every(Number.isFinite))
    return false;
  return (
    allFinite(position) && quat.norm(orientation) > 0 && quat.norm(orientation) < Number.POSITIVE_INFINITY
  );
}

function solutionsOf(
  arm: AnalyticArm,
  pose: Float64Array,
  start: readonly number[],
): Pick<ClosedFormResult, 'solutions' | 'forbidden'> {
  const { figure, state, base, bones, targets } = arm;
  forwardKinematics(state, pose);
  const world = rigid.fromQuatPosition(quat.normalize(targets.orientation), targets.position);
  const target = base < 0 ? world : rigid.compose(rigid.inverse(frameOf(state, base)), world);
  const intervals = bones.map((b) => intervalOf(figure.bones[b].limit));
  const free = createRedundantAngles(start, intervals);
  const branches = exactBranches(arm, target, free);
  const allowedOf = (angles: readonly number[]): number[][] => {
    const allowed = angles.map((angle, k) => angleWithinLimits(intervals[k], angle, start[k]));
    return allowed.includes(undefined) ? [] : [allowed as number[]];
  };
  const solutions = branches.flatMap(({ angles }) => allowedOf(angles));
  // Where a redundant angle's start value gives no allowed solution, another one on the curve of solutions may.
  if (solutions.length < branches.length || branches.length === 0) {
    Array.from(free.used).forEach((taken, k) => {
      if (taken === 0) return;
      for (const [name, angle] of bestOnSolutionCurve(free, k, () =>
        branchesOf(arm.hinges, arm.family, target, free),
      )) {
        free.angles[k] = angle;
        const branch = exactBranches(arm, target, free).find((one) => one.name === name);
        for (const allowed of branch === undefined ? [] : allowedOf(branch.angles)) {
          if (solutions.every((other) => !same(allowed, other))) solutions.push(allowed);
        }
        free.angles[k] = start[k];
      }
    });
  }
  const change = (angles: readonly number[]): number =>
    angles.reduce((sum, angle, k) => sum + (angle - start[k]) ** 2, 0);
  solutions.sort((a, b) => change(a) - change(b));
  return { solutions, forbidden: Math.max(0, branches.length - solutions.length) };
}

/** The branches that meet the target, polished, without duplicates. */
function exactBranches({ hinges, family }: AnalyticArm, target: Mat3x4, free: RedundantAngles): Branch[] {
  const branches: Branch[] = [];
  for (const branch of branchesOf(hinges, family, target, free)) {
    const { angles } = branch;
    let error = errorAt(hinges, angles, target);
    for (let n = 0; n < MAX_POLISHES && error > MIN_POLISHED_ERROR && error <= MAX_POLISHED_ERROR; n++) {
      polish(hinges, target, angles);
      error = errorAt(hinges, angles, target);
    }
    if (error <= MAX_ERROR && branches.every((other) => !same(angles, other.angles))) branches.push(branch);
  }
  return branches;
}

/** Whether two branches have the same angles modulo 2 pi. */
function same(a: readonly number[], b: readonly number[]): boolean {
  return a.every((angle, k) => Math.abs(wrapAngle(angle - b[k])) < SAME_ANGLE);
}

/** The bones from below `stop` to `tip` whose joints move, root first. */
function movingBones({ bones, parents }: Figure, tip: number, stop: number): number[] {
  const moving: number[] = [];
  for (let b = tip; b >= 0 && b !== stop; b = parents[b]) {
    if (jointTypes[bones[b].joint.type].dof > 0) moving.unshift(b);
  }
  return moving;
}

/** The arm's lines and tip with its hinges at zero, in the frame of its base. */
function sixHinges(
  state: FigureState,
  arm: readonly number[],
  tip: number,
  { point }: PositionGoal,
  { offset }: OrientationGoal,
): SixHinges {
  const { figure } = state;
  // All at zero, even outside the limits, onto which createPose would project.
  forwardKinematics(state, new Float64Array(figure.dof));
  const base = figure.parents[arm[0]];
  const baseFromWorld = base < 0 ? rigid.identity() : rigid.inverse(frameOf(state, base));
  const frame = (bone: number): number[] => rigid.compose(baseFromWorld, frameOf(state, bone));
  const lines = arm.map((bone): Line => {
    const at = frame(bone);
    const { joint } = figure.bones[bone];
    const axis: Vec3 = joint.type === 'hinge' ? joint.axis : [0, 0, 1];
    return { direction: rigid.transformVector(at, axis), point: at.slice(9) };
  });
  const goalFrame = rigid.fromQuatPosition(
    offset === undefined ? [0, 0, 0, 1] : quat.normalize(offset),
    point ?? [0, 0, 0],
  );
  const tipFrame = rigid.compose(frame(tip), goalFrame);
  const points = [...lines.map((line) => line.point), tipFrame.slice(9)];
  const size = points.reduce((sum, p, k) => (k === 0 ? 0 : sum + distance(p, points[k - 1])), 0);
  return { lines, tip: tipFrame, size: size > 0 ? size : 1 };
}

function frameOf({ worldFromBone }: FigureState, bone: number): number[] {
  return Array.from(worldFromBone.subarray(12 * bone, 12 * bone + 12));
}
