import { type FieldsOf, requireFields, requireSize } from '../checks.js';
import { FigureError } from '../errors.js';
import * as quat from '../math/geometry/quat.js';
import type { MutableNumbers, Numbers } from '../math/linear/types.js';
import { unset3 } from '../math/linear/unset.js';
import { regularize } from '../rotation/rotation-vector/charts.js';
import { coordinateReaders } from './joints/coordinate-readers.js';
import type { LimitComponent } from './limits/limit.js';
import { limitShapes } from './limits/shapes.js';
import { type Bone, boneIndex } from './model/figure.js';
import { checkPose } from './model/pose.js';
import type { FigureState } from './model/state.js';

/** Options of {@link poseFromLocalTransforms}. */
export interface PoseFromTransformsOptions {
  /** Clamp the coordinates to their limits. Default false: the transforms are reproduced, allowed or not. */
  readonly clamp?: boolean;
}

const TWO_PI = 2 * Math.PI;
/** Violation of a limit (rad) that counts as rounding: the angle is not wrapped. */
const ROUNDING = 1e-9;

const FIELDS: FieldsOf<PoseFromTransformsOptions> = { clamp: true };

const joint = /* @__PURE__ */ new Float64Array(12);
const rest = /* @__PURE__ */ new Float64Array(9);
const vector = /* @__PURE__ */ unset3();
const projected = /* @__PURE__ */ unset3();
const before = /* @__PURE__ */ new Float64Array(6);
const best = /* @__PURE__ */ new Float64Array(6);

/**
 * Computes a pose from the local transforms of the bones, as an animation or a scene graph stores them: the inverse of
 * `forwardKinematics`, joint by joint. Exact where the joint can reproduce the transform; otherwise a hinge takes the nearest
 * rotation about its axis, a swing the direction of the limb without the twist, and a translation that the joint does not have
 * is ignored.
 *
 * Of equivalent coordinates (multiples of 2 pi, the two sets of Euler angles) it prefers those within the limits, then those
 * nearest to the pose given: a sequence read into one pose, frame by frame, stays continuous.
 *
 * @param parentFromBone - 12 numbers a bone, rotation row by row then position (m), as in `state.parentFromBone`.
 * @param pose - Length `figure.dof`. Input: the previous pose; zeros give the shortest rotations. Output: the result.
 * @throws FigureError `wrong-size`, `not-finite`.
 */
export function poseFromLocalTransforms<T extends MutableNumbers>(
  state: FigureState,
  parentFromBone: Numbers,
  pose: T,
  options: PoseFromTransformsOptions = {},
): T {
  const { figure, groupOfBone } = state;
  const { bones } = figure;
  requireFields(options, FIELDS, 'options', FigureError);
  checkPose(figure, pose);
  checkTransforms(bones, parentFromBone);
  for (let b = 0; b < bones.length; b++) {
    if (groupOfBone[b] >= 0) readBone(state, b, parentFromBone, 12 * b, pose, options);
  }
  return pose;
}

/**
 * {@link poseFromLocalTransforms} for one bone, by name or index: its coordinates in the pose from its local transform, 12 numbers.
 *
 * @throws FigureError `unknown-name`, `wrong-size`, `not-finite`.
 */
export function poseBoneFromLocalTransform<T extends MutableNumbers>(
  state: FigureState,
  bone: string | number,
  parentFromBone: Numbers,
  pose: T,
  options: PoseFromTransformsOptions = {},
): T {
  requireFields(options, FIELDS, 'options', FigureError);
  const b = boneIndex(state.figure, bone);
  checkPose(state.figure, pose);
  checkTransforms([state.figure.bones[b]], parentFromBone);
  if (state.groupOfBone[b] >= 0) readBone(state, b, parentFromBone, 0, pose, options);
  return pose;
}

/** Writes the coordinates of bone b from its local transform at parentFromBone[o]. */
function readBone(
  state: FigureState,
  b: number,
  parentFromBone: Numbers,
  o: number,
  pose: MutableNumbers,
  options: PoseFromTransformsOptions,
): void {
  writeJointTransform(state.figure.bones[b], parentFromBone, o);
  readJoint(state, b, joint, pose);
  if (!options.clamp) return;
  for (const { kind, parameters, coordinate, size } of state.limitsOfBone[b]) {
    limitShapes[kind].project(parameters, pose, coordinate, size);
  }
}

/**
 * Writes the coordinates of bone b (not fixed) from its joint transform J, 12 numbers: those nearest to the pose given, within the
 * limits where a multiple of 2 pi or the second set of Euler angles allows it. They are not clamped.
 */
export function readJoint(
  { figure, groups, groupOfBone, batchIndex, limitsOfBone }: FigureState,
  b: number,
  transform: Numbers,
  pose: MutableNumbers,
): void {
  const { name, batch } = groups[groupOfBone[b]];
  const reader = coordinateReaders[name as keyof typeof coordinateReaders];
  const { coordinate: i, dof } = figure.bones[b];
  const limits = limitsOfBone[b];
  if (reader.branches === 1) {
    reader.read(batch, batchIndex[b], transform, 0, pose);
    for (const limit of limits) if (isPeriodic(limit)) wrapIntoLimit(limit, pose);
    return;
  }
  for (let n = 0; n < dof; n++) before[n] = pose[i + n];
  let smallestViolation = Number.POSITIVE_INFINITY;
  let smallestChange = Number.POSITIVE_INFINITY;
  for (let branch = 0; branch < reader.branches; branch++) {
    for (let n = 0; n < dof; n++) pose[i + n] = before[n];
    reader.read(batch, batchIndex[b], transform, branch, pose);
    let violation = 0;
    for (const limit of limits) violation += wrapIntoLimit(limit, pose);
    let change = 0;
    for (let n = 0; n < dof; n++) change += (pose[i + n] - before[n]) ** 2;
    if (violation > smallestViolation || (violation === smallestViolation && change >= smallestChange))
      continue;
    smallestViolation = violation;
    smallestChange = change;
    for (let n = 0; n < dof; n++) best[n] = pose[i + n];
  }
  for (let n = 0; n < dof; n++) pose[i + n] = best[n];
}

/** T(q) = rest^-1 parentFromBone of a bone, its local transform at parentFromBone[o], to `joint`. */
function writeJointTransform(bone: Bone, parentFromBone: Numbers, o: number): void {
  const [px, py, pz] = bone.rest.position;
  quat.toMatrix(bone.rest.rotation, rest);
  const x = parentFromBone[o + 9] - px;
  const y = parentFromBone[o + 10] - py;
  const z = parentFromBone[o + 11] - pz;
  for (let row = 0; row < 3; row++) {
    // Row of R_rest^T.
    const a = rest[row];
    const b = rest[row + 3];
    const c = rest[row + 6];
    for (let n = 0; n < 3; n++) {
      joint[3 * row + n] =
        a * parentFromBone[o + n] + b * parentFromBone[o + n + 3] + c * parentFromBone[o + n + 6];
    }
    joint[9 + row] = a * x + b * y + c * z;
  }
}

/** Whether there are equivalent coordinates on both sides of a limit. */
function isPeriodic({ kind, role, size }: LimitComponent): boolean {
  return (kind === 'interval' && (role === 'angle' || role === 'twist')) || (role === 'angle' && size === 3);
}

/**
 * Adds multiples of 2 pi to the coordinates of a violated limit where that satisfies it or reduces the violation.
 *
 * @returns the remaining violation, rad or m.
 */
function wrapIntoLimit(
  { kind, role, parameters, coordinate: i, size }: LimitComponent,
  q: MutableNumbers,
): number {
  for (let n = 0; n < size; n++) projected[n] = q[i + n];
  limitShapes[kind].project(parameters, projected, 0, size);
  const violation = distance(q, i, size);
  if (violation <= ROUNDING) return 0;
  if (kind === 'interval' && (role === 'angle' || role === 'twist')) {
    // The equivalent angles on either side of the violated bound.
    const difference = q[i] - projected[0];
    const inner = q[i] - Math.sign(difference) * TWO_PI * Math.ceil(Math.abs(difference) / TWO_PI);
    const innerViolation = Math.max(parameters[0] - inner, inner - parameters[1], 0);
    const outer = inner + Math.sign(difference) * TWO_PI;
    const outerViolation = Math.abs(outer - projected[0]);
    q[i] = innerViolation <= outerViolation ? inner : outer;
    return Math.min(innerViolation, outerViolation);
  }
  if (role === 'angle' && size === 3) {
    for (let n = 0; n < 3; n++) vector[n] = q[i + n];
    regularize(vector, vector);
    for (let n = 0; n < 3; n++) q[i + n] = vector[n];
    return Math.max(Math.hypot(vector[0], vector[1], vector[2]) - parameters[0], 0);
  }
  return violation;
}

/** Distance of q[i..] to `projected`. */
function distance(q: Numbers, i: number, size: number): number {
  let sum = 0;
  for (let n = 0; n < size; n++) sum += (q[i + n] - projected[n]) ** 2;
  return Math.sqrt(sum);
}

function checkTransforms(bones: readonly Bone[], parentFromBone: Numbers): void {
  requireSize(
    parentFromBone,
    12 * bones.length,
    'parentFromBone',
    FigureError,
    'Give 12 numbers for each bone.',
  );
  for (let k = 0; k < parentFromBone.length; k++) {
    if (Number.isFinite(parentFromBone[k])) continue;
    throw new FigureError(
      'not-finite',
      `is ${parentFromBone[k]} (bone '${bones[Math.floor(k / 12)].name}').`,
      {
        path: `parentFromBone[${k}]`,
        remedy: 'Give finite rigid transforms.',
      },
    );
  }
}
