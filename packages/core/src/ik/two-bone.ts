import { type FieldsOf, requireFields, requireFinite, requireNumbers } from '../checks.js';
import { GoalError } from '../errors.js';
import { jointTypes } from '../figure/joints/joint-types.js';
import { forwardKinematics } from '../figure/kinematics/forward-kinematics.js';
import { limitShapes } from '../figure/limits/shapes.js';
import { boneIndex, type Figure } from '../figure/model/figure.js';
import { clampToLimits } from '../figure/model/pose.js';
import { createState, type FigureState } from '../figure/model/state.js';
import { poseBoneFromLocalTransform } from '../figure/pose-from-transforms.js';
import * as mat3 from '../math/geometry/mat3.js';
import * as quat from '../math/geometry/quat.js';
import {
  add,
  allFinite,
  cross,
  distance,
  norm,
  normalize,
  perpendicular,
  subtract,
} from '../math/geometry/vec3.js';
import type { Numbers, Vec3 } from '../math/linear/types.js';
import { matrixFromAxisAngle } from '../rotation/rotation-vector/axis-angle.js';
import { angleWithinLimits, intervalOf } from './closed-form/arm/angle-in-limits.js';
import { rotateToDistance, rotateTowards } from './closed-form/arm/subproblems.js';
import {
  blockingMimicJoint,
  type ClosedFormResult,
  type ClosedFormUnavailable,
  noClosedForm,
} from './closed-form-result.js';
import { positionGoal, positionHessians } from './goals/kinds/position.js';
import { requireTarget } from './goals/types/checks.js';
import { isCarried, type PositionGoal } from './goals/types/goal.js';
import { requireGoal } from './problem/option-checks.js';
import { createIkWith, newtonStage, solveIk } from './solve-ik.js';
import type { Ik } from './types.js';

/** A limb of two bones with a closed form for a position goal: upper arm and forearm, thigh and shin. */
export interface TwoBone {
  readonly family: 'two-bone';
  readonly figure: Figure;
  /** Bone with the ball joint at the shoulder or hip. */
  readonly upper: number;
  /** Its child, with the hinge or ball at the elbow or knee. */
  readonly lower: number;
  /** The end of the limb in the frame of the lower bone, m. */
  readonly end: Vec3;
  readonly target: Numbers;
  readonly state: FigureState;
  /** Gives the result, and solves where no solution is within the limits. */
  readonly ik: Ik;
}

/** The swivel: which of the circle of solutions about the line from the shoulder to the target is taken. */
export interface TwoBoneSwivel {
  /** World point that the elbow or knee points towards, m. Default: the least rotation of the upper bone from the start. */
  readonly pole?: Vec3;
  /** Additional rotation about the line from the shoulder to the target, rad, right-handed. Default 0. */
  readonly swivel?: number;
}

const SWIVEL: FieldsOf<TwoBoneSwivel> = { pole: true, swivel: true };

const NONE = (): number => 0;

/** Length relative to the limb's below which a vector has no direction. */
const MIN_LENGTH = 1e-12;
/** Violation of a limit that is rounding. */
const ROUNDING = 1e-12;

/**
 * Prepares the closed form of a position goal for two consecutive bones: a ball (or ball-and-socket) joint, then a hinge or
 * ball. The end of the limb is the goal's point on the lower bone, or the origin of a child bone (a hand or foot, whatever its
 * joint).
 *
 * @param position - Goal with a target in the world, which is read at each solve.
 * @returns the limb, or why it has no closed form (`family` undefined).
 * @throws FigureError, GoalError for a goal that is invalid on the figure, as `createIk`.
 */
export function createTwoBone(figure: Figure, position: PositionGoal): TwoBone | ClosedFormUnavailable {
  requireGoal(position, 'position', 'position');
  requireTarget(position.target, 'position.target', 3);
  if (position.point !== undefined) requireNumbers(position.point, 3, 'position.point', GoalError);
  const { bones, parents } = figure;
  const bone = boneIndex(figure, position.bone, 'position.bone');
  if (isCarried(position.target)) return noClosedForm('the target is carried by a bone');
  if (position.mask !== undefined) return noClosedForm('a mask leaves an axis free');
  const { point } = position;
  const isOrigin = point === undefined || norm(point) === 0;
  if (isOrigin && jointTypes[bones[bone].joint.type].translations > 0) {
    return noClosedForm(`joint '${bones[bone].name}' slides`);
  }
  const lower = isOrigin ? parents[bone] : bone;
  const upper = lower < 0 ? -1 : parents[lower];
  if (upper < 0) return noClosedForm(`'${bones[bone].name}' is not the end of two bones`);
  const mimicReason = blockingMimicJoint(figure, [upper, lower]);
  if (mimicReason !== undefined) return noClosedForm(mimicReason);
  const end = isOrigin ? bones[bone].rest.position : Array.from(point as Vec3);
  const [shoulder, knee] = [bones[upper], bones[lower]];
  if ((shoulder.joint.type !== 'ball' && shoulder.joint.type !== 'ball-and-socket') || shoulder.dof !== 3) {
    return noClosedForm(`joint '${shoulder.name}' is no ball`);
  }
  const isKnee =
    (knee.joint.type === 'hinge' && knee.dof === 1) || (knee.joint.type === 'ball' && knee.dof === 3);
  if (!isKnee) return noClosedForm(`joint '${knee.name}' is neither hinge nor ball`);
  if (norm(knee.rest.position) === 0 || norm(end) === 0) return noClosedForm('a bone has no length');
  const others = bones.filter(({ index, dof }) => dof > 0 && index !== upper && index !== lower);
  return {
    family: 'two-bone',
    figure,
    upper,
    lower,
    end,
    target: position.target as Numbers,
    state: createState(figure),
    ik: createIkWith(figure, [position], {
      goalTypes: { position: positionGoal },
      stages: { newton: newtonStage([positionHessians]) },
      locked: others.map(({ index }) => index),
      restarts: 0,
    }),
  };
}

/**
 * Solves a limb in closed form: the knee by the law of cosines, then the shoulder. Of the two knee angles those within the limits
 * give the `solutions`, and the one with the least rotation of both joints is taken. Where there is none (too far, too near, a
 * limit), `solveIk` solves from the start and gives the status.
 *
 * @param pose - Length `figure.dof`; read as the start and for all other joints, written as the solution.
 * @throws FigureError, GoalError as `solveIk`; GoalError for a pole that is not a point or a swivel that is not a number.
 */
export function solveTwoBone(
  limb: TwoBone,
  pose: Float64Array,
  options: TwoBoneSwivel = {},
): ClosedFormResult {
  requireFields(options, SWIVEL, 'options', GoalError);
  const { pole, swivel } = options;
  if (pole !== undefined) requireNumbers(pole, 3, 'options.pole', GoalError);
  if (swivel !== undefined) requireFinite(swivel, 'options.swivel', GoalError);
  const { figure, upper, lower } = limb;
  const none = { solutions: [], forbidden: 0 };
  if (!isUsable(limb, pose)) return { ...solveIk(limb.ik, pose), ...none };
  clampToLimits(figure, pose);
  const coordinates = [...coordinatesOf(figure, upper), ...coordinatesOf(figure, lower)];
  const candidates = kneeSolutions(limb, pose).flatMap((knee) => shoulderSolutions(limb, knee, options));
  const allowed = candidates.filter((candidate) => fitsLimits(limb, candidate));
  allowed.sort((a, b) => changeBetween(limb, pose, a) - changeBetween(limb, pose, b));
  const solutions = allowed.map((candidate) => coordinates.map((i) => candidate[i]));
  if (solutions.length > 0) {
    coordinates.forEach((i, k) => {
      pose[i] = solutions[0][k];
    });
  }
  return { ...solveIk(limb.ik, pose), solutions, forbidden: candidates.length - solutions.length };
}

/** The rotation of the two joints between poses: the sum of their squared angles, rad^2. */
function changeBetween({ figure, state, upper, lower }: TwoBone, a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (const bone of [upper, lower]) {
    const i = figure.coordinateStart[bone];
    // The angle of the relative rotation, not the difference of rotation vectors. A hinge counts multiples of 2 pi.
    const angle =
      figure.bones[bone].dof === 1
        ? a[i] - b[i]
        : quat.angleBetween(rotationOf(state, bone, a), rotationOf(state, bone, b));
    sum += angle * angle;
  }
  return sum;
}

function rotationOf(state: FigureState, bone: number, pose: Float64Array): number[] {
  forwardKinematics(state, pose);
  return quat.fromMatrix(state.parentFromBone.subarray(12 * bone, 12 * bone + 9));
}

/** A pose with a knee angle that puts the end at the target's distance from the shoulder. */
interface KneeSolution {
  readonly pose: Float64Array;
  /** End of the limb relative to the shoulder, frame of the upper bone, m. */
  readonly end: readonly number[];
}

/**
 * With b the knee's position and w the end relative to it, in the frame of the upper bone: |b + w| = distance determines the angle
 * between them. A hinge rotates w about its axis; a ball about b x w, the least rotation.
 */
function kneeSolutions(
  { figure, state, upper, lower, end, target }: TwoBone,
  start: Float64Array,
): KneeSolution[] {
  forwardKinematics(state, start);
  const { worldFromBone: world, parentFromBone } = state;
  const targetDistance = distance(target, world.subarray(12 * upper + 9, 12 * upper + 12));
  const knee = figure.bones[lower];
  const b = knee.rest.position;
  const shoulder = [-b[0], -b[1], -b[2]];
  const solve = (w: Vec3, axis: Vec3, free: number): { readonly angle: number; readonly end: number[] }[] =>
    rotateToDistance(axis, w, shoulder, targetDistance, () => free).map((angle) => ({
      angle,
      end: add(b, mat3.multiplyVector(matrixFromAxisAngle(axis, angle), w)),
    }));
  if (knee.joint.type === 'hinge') {
    const rest = quat.toMatrix(knee.rest.rotation);
    const axis = mat3.multiplyVector(rest, knee.joint.axis);
    const i = figure.coordinateStart[lower];
    return solve(mat3.multiplyVector(rest, end), axis, start[i]).map(({ angle, end: solved }) => {
      const pose = Float64Array.from(start);
      pose[i] = angleWithinLimits(intervalOf(knee.limit), angle, start[i]) ?? angle;
      return { pose, end: solved };
    });
  }
  const local = Array.from(parentFromBone.subarray(12 * lower, 12 * lower + 12));
  const w = mat3.multiplyVector(local, end);
  const normal = cross(b, w);
  const isStraight = norm(normal) <= MIN_LENGTH * norm(b) * norm(w);
  const axis = isStraight ? perpendicular(b) : normalize(normal);
  return solve(w, axis, 0).map(({ angle, end: solved }) => {
    const rotated = mat3.multiply(matrixFromAxisAngle(axis, angle), local);
    const pose = poseBoneFromLocalTransform(state, lower, [...rotated, ...b], Float64Array.from(start));
    return { pose, end: solved };
  });
}

/** The shoulder rotated so that the end points at the target; none where shoulder and target coincide. */
function shoulderSolutions(
  { figure, state, upper, lower, target }: TwoBone,
  { pose, end }: KneeSolution,
  options: TwoBoneSwivel,
): Float64Array[] {
  const { worldFromBone: world } = state;
  const o = 12 * upper;
  const origin = world.slice(o + 9, o + 12);
  const to = subtract(target, origin);
  if (!(norm(to) > MIN_LENGTH * norm(end)) || !(norm(end) > 0)) return [];
  const line = normalize(to);
  const old = Array.from(world.subarray(o, o + 9));
  // The least rotation of the end onto the line, then a rotation about the line.
  const current = normalize(mat3.multiplyVector(old, end));
  const normal = cross(current, line);
  const axis = norm(normal) > MIN_LENGTH ? normalize(normal) : perpendicular(line);
  let rotated = mat3.multiply(matrixFromAxisAngle(axis, rotateTowards(axis, current, line, NONE)), old);
  let angle = options.swivel ?? 0;
  if (options.pole !== undefined) {
    const knee = mat3.multiplyVector(rotated, figure.bones[lower].rest.position);
    angle += rotateTowards(line, knee, subtract(options.pole, origin), NONE);
  }
  if (angle !== 0) rotated = mat3.multiply(matrixFromAxisAngle(line, angle), rotated);
  const parent = figure.parents[upper];
  const local =
    parent < 0
      ? rotated
      : mat3.multiply(mat3.transpose(world.subarray(12 * parent, 12 * parent + 9)), rotated);
  const { position } = figure.bones[upper].rest;
  return [poseBoneFromLocalTransform(state, upper, [...local, ...position], Float64Array.from(pose))];
}

/** Whether the two joints are within their limits; a violation by rounding is projected back. */
function fitsLimits({ state, upper, lower }: TwoBone, pose: Float64Array): boolean {
  return [...state.limitsOfBone[upper], ...state.limitsOfBone[lower]].every((limit) => {
    const { kind, parameters, coordinate, size } = limit;
    const before = pose.slice(coordinate, coordinate + size);
    if (!limitShapes[kind].project(parameters, pose, coordinate, size)) return true;
    return before.every((x, k) => Math.abs(x - pose[coordinate + k]) <= ROUNDING);
  });
}

function coordinatesOf({ coordinateStart }: Figure, bone: number): number[] {
  const first = coordinateStart[bone];
  return Array.from({ length: coordinateStart[bone + 1] - first }, (_, k) => first + k);
}

/** Whether pose and target are valid; otherwise `solveIk` throws the error. */
function isUsable({ figure, target }: TwoBone, pose: Float64Array): boolean {
  return (
    pose instanceof Float64Array &&
    pose.length === figure.dof &&
    pose.every(Number.isFinite) &&
    target.length === 3 &&
    allFinite(target)
  );
}
