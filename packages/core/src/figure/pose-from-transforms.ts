import { FigureError } from '../errors.js';
import * as quat from '../math/geometry/quat.js';
import type { MutableNumbers, Numbers } from '../math/linear/types.js';
import { regularize } from '../rotation/rotation-vector/charts.js';
import type { LimitPart } from './limits/limit.js';
import { limitShapes } from './limits/shapes.js';
import type { Bone } from './model/figure.js';
import { checkPose } from './model/pose.js';
import type { FigureState } from './model/state.js';

/** How {@link poseFromLocalTransforms} treats limits. */
export interface ReadPoseOptions {
  /**
   * True moves coordinates that lie outside their limits to the nearest allowed ones. Default false: what was given is
   * reproduced, allowed or not.
   */
  readonly clamp?: boolean;
}

const TWO_PI = 2 * Math.PI;
/** Outside a limit by less than this (rad) is put down to rounding: no reason to take another turn. */
const ROUNDING = 1e-9;

const joint = /* @__PURE__ */ new Float64Array(12);
const rest = /* @__PURE__ */ new Float64Array(9);
const vector: number[] = [0, 0, 0];
const projected: number[] = [0, 0, 0];
const before = /* @__PURE__ */ new Float64Array(6);
const best = /* @__PURE__ */ new Float64Array(6);

/**
 * The inverse of `forwardKinematics`, joint by joint: reads a pose from the local transforms of the bones, as an
 * animation or a scene graph holds them. Each joint takes the coordinates that come nearest: exact where the joint can make
 * the transform; else a hinge takes the nearest turn about its axis, a swing points the limb the same way and leaves
 * the twist out, and an offset that the joint cannot make is left out.
 *
 * Of the coordinates that make the same transform (whole turns, the two sets of Euler angles) it takes some within the
 * limits where there are any, and of these the ones nearest to the pose given: a sequence read into one pose, frame by
 * frame, stays continuous.
 *
 * @param parentFromBone - 12 numbers a bone, rotation row by row then position (m), as in `state.parentFromBone`.
 * @param pose - Length `figure.dof`. Read as the pose before, written as the answer. Zeros give the shortest rotations.
 * @throws FigureError `wrong-size`, `not-finite`.
 */
export function poseFromLocalTransforms<T extends MutableNumbers>(
  state: FigureState,
  parentFromBone: Numbers,
  pose: T,
  options: ReadPoseOptions = {},
): T {
  const { figure, groupOfBone } = state;
  const { bones } = figure;
  checkPose(figure, pose);
  checkTransforms(bones, parentFromBone);
  for (let b = 0; b < bones.length; b++) {
    if (groupOfBone[b] >= 0) readBone(state, b, parentFromBone, 12 * b, pose, options);
  }
  return pose;
}

/**
 * {@link poseFromLocalTransforms} for one bone: its coordinates in the pose from its local transform, 12 numbers.
 *
 * @throws FigureError `wrong-size`, `not-finite`.
 */
export function poseBoneFromLocalTransform<T extends MutableNumbers>(
  state: FigureState,
  bone: number,
  parentFromBone: Numbers,
  pose: T,
  options: ReadPoseOptions = {},
): T {
  checkPose(state.figure, pose);
  checkTransforms([state.figure.bones[bone]], parentFromBone);
  if (state.groupOfBone[bone] >= 0) readBone(state, bone, parentFromBone, 0, pose, options);
  return pose;
}

/** The coordinates of bone b from the local transform at parentFromBone[o]. */
function readBone(
  state: FigureState,
  b: number,
  parentFromBone: Numbers,
  o: number,
  pose: MutableNumbers,
  options: ReadPoseOptions,
): void {
  writeJointTransform(state.figure.bones[b], parentFromBone, o);
  readJoint(state, b, joint, pose);
  if (!options.clamp) return;
  for (const { kind, parameters, coordinate, size } of state.limitsOfBone[b]) {
    limitShapes[kind].project(parameters, pose, coordinate, size);
  }
}

/**
 * The coordinates of bone b, which is not fixed, from its joint transform J, 12 numbers: nearest to those in the pose, within
 * the limits where a whole turn or the other set of angles brings them there, and not moved otherwise.
 */
export function readJoint(
  { figure, groups, groupOfBone, placeInBatch, limitsOfBone }: FigureState,
  b: number,
  transform: Numbers,
  pose: MutableNumbers,
): void {
  const { type, batch } = groups[groupOfBone[b]];
  const { coordinate: i, dof } = figure.bones[b];
  const parts = limitsOfBone[b];
  for (let n = 0; n < dof; n++) before[n] = pose[i + n];
  let least = Number.POSITIVE_INFINITY;
  let shortest = Number.POSITIVE_INFINITY;
  for (let branch = 0; branch < type.branches; branch++) {
    for (let n = 0; n < dof; n++) pose[i + n] = before[n];
    type.readCoordinates(batch, placeInBatch[b], transform, branch, pose);
    let excess = 0;
    for (const part of parts) excess += turnIntoLimit(part, pose);
    let change = 0;
    for (let n = 0; n < dof; n++) change += (pose[i + n] - before[n]) ** 2;
    if (excess > least || (excess === least && change >= shortest)) continue;
    least = excess;
    shortest = change;
    for (let n = 0; n < dof; n++) best[n] = pose[i + n];
  }
  for (let n = 0; n < dof; n++) pose[i + n] = best[n];
}

/** J(q) = rest^-1 parentFromBone of a bone, its local transform at parentFromBone[o], to `joint`. */
function writeJointTransform(bone: Bone, parentFromBone: Numbers, o: number): void {
  const [px, py, pz] = bone.rest.position;
  quat.toMatrix(bone.rest.rotation, rest);
  const x = parentFromBone[o + 9] - px;
  const y = parentFromBone[o + 10] - py;
  const z = parentFromBone[o + 11] - pz;
  for (let row = 0; row < 3; row++) {
    // Row of R_rest^T: column of R_rest.
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

/**
 * Takes whole turns off coordinates that are outside a limit where that brings them inside, or nearer.
 *
 * @returns how far outside they are left, rad or m.
 */
function turnIntoLimit(
  { kind, role, parameters, coordinate: i, size }: LimitPart,
  q: MutableNumbers,
): number {
  for (let n = 0; n < size; n++) projected[n] = q[i + n];
  limitShapes[kind].project(parameters, projected, 0, size);
  const excess = distance(q, i, size);
  if (excess <= ROUNDING) return 0;
  if (kind === 'interval' && (role === 'angle' || role === 'twist')) {
    // Of all angles a turn apart, the last before the side it is over and the first behind that.
    const over = q[i] - projected[0];
    const inner = q[i] - Math.sign(over) * TWO_PI * Math.ceil(Math.abs(over) / TWO_PI);
    const innerExcess = Math.max(parameters[0] - inner, inner - parameters[1], 0);
    const outer = inner + Math.sign(over) * TWO_PI;
    const outerExcess = Math.abs(outer - projected[0]);
    q[i] = innerExcess <= outerExcess ? inner : outer;
    return Math.min(innerExcess, outerExcess);
  }
  if (role === 'angle' && size === 3) {
    for (let n = 0; n < 3; n++) vector[n] = q[i + n];
    regularize(vector, vector);
    for (let n = 0; n < 3; n++) q[i + n] = vector[n];
    return Math.max(Math.hypot(vector[0], vector[1], vector[2]) - parameters[0], 0);
  }
  return excess;
}

/** Distance of q[i..] to `projected`. */
function distance(q: Numbers, i: number, size: number): number {
  let sum = 0;
  for (let n = 0; n < size; n++) sum += (q[i + n] - projected[n]) ** 2;
  return Math.sqrt(sum);
}

function checkTransforms(bones: readonly Bone[], parentFromBone: Numbers): void {
  if (parentFromBone.length !== 12 * bones.length) {
    throw new FigureError(
      'wrong-size',
      `has ${parentFromBone.length} numbers where ${12 * bones.length} belong.`,
      { path: 'parentFromBone', remedy: 'Give 12 numbers for each bone.' },
    );
  }
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
