import { requireRoom } from '../../checks.js';
import { FigureError } from '../../errors.js';
import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import { axisDerivativeWriters } from '../joints/axis-derivatives.js';
import { COORDINATE_SPACE, VELOCITY_SPACE } from '../joints/joint.js';
import { boneIndex, type Figure } from '../model/figure.js';
import { updateJointCoordinates } from '../model/mimic-joints.js';
import { checkPoseSize } from '../model/pose.js';
import type { FigureState } from '../model/state.js';

/**
 * Writes the motion subspace with respect to q' to `state.columnsQ` at the pose last given to `forwardKinematics`: 6 numbers a
 * coordinate, world axes, angular velocity of the bone (rad), then velocity of its origin (m), per unit of q'. Columns of mimic
 * joints are per unit of their own rate, which is `state.mimicDerivatives` times that of the source.
 *
 * @throws FigureError `wrong-size` for a pose of another length.
 */
export function updateMotionSubspaceQ(state: FigureState, pose: Numbers): void {
  const { groups, worldFromBone, columnsQ } = state;
  checkPoseSize(state.figure, pose);
  const q = state.hasMimicJoints ? updateJointCoordinates(state, pose) : pose;
  for (let g = 0; g < groups.length; g++) {
    const { type, batch } = groups[g];
    type.writeColumns(batch, q, worldFromBone, COORDINATE_SPACE, columnsQ);
  }
}

/**
 * Writes the motion subspace with respect to the joint velocity v to `state.columnsV`. Not for ball joints, whose columns are those
 * of R_world.
 */
export function updateMotionSubspaceV(state: FigureState, pose: Numbers): void {
  const { groups, worldFromBone, columnsV } = state;
  checkPoseSize(state.figure, pose);
  const q = state.hasMimicJoints ? updateJointCoordinates(state, pose) : pose;
  for (let g = 0; g < groups.length; g++) {
    const { type, batch } = groups[g];
    if (!type.bodyAngularVelocity) type.writeColumns(batch, q, worldFromBone, VELOCITY_SPACE, columnsV);
  }
}

/**
 * Writes `state.axisDerivatives` at the pose last given to `forwardKinematics`: da_i/dq_j at [9 i + 3 (j - i)], world axes, for
 * angles i <= j of one joint, a_i the angular component of column i of `columnsQ`. These are the derivatives of the Jacobians
 * within a joint; between joints, da_j/dq_i = a_i x a_j for an ancestor's angle i.
 */
export function updateAxisDerivatives(state: FigureState, pose: Numbers): void {
  const { groups, worldFromBone, axisDerivatives } = state;
  checkPoseSize(state.figure, pose);
  const q = state.hasMimicJoints ? updateJointCoordinates(state, pose) : pose;
  for (let g = 0; g < groups.length; g++) {
    const { name, batch } = groups[g];
    axisDerivativeWriters[name]?.(batch, q, worldFromBone, axisDerivatives);
  }
}

/**
 * The support of a bone: the coordinates that move it, ascending. Those of the bone and its ancestors, and of the sources of mimic
 * joints among them. All other columns of its Jacobians are zero.
 */
export function ancestorsOf(figure: Figure, bone: string | number): Int32Array {
  const support = new Uint8Array(figure.dof);
  markSupport(figure, boneIndex(figure, bone), support);
  return Int32Array.from(support.keys()).filter((i) => support[i] === 1);
}

/** Sets 1 for each coordinate that moves a bone. */
export function markSupport(
  { parents, coordinateStart, mimicJoints }: Figure,
  bone: number,
  support: Uint8Array,
): void {
  for (let b = bone; b >= 0; b = parents[b]) {
    support.fill(1, coordinateStart[b], coordinateStart[b + 1]);
    for (const mimic of mimicJoints) if (mimic.bone === b) support[mimic.coordinate] = 1;
  }
}

/**
 * Jacobian of a point fixed to `bone` with respect to q: 3 x dof, row by row, world axes, metres per unit of q'. Requires
 * `forwardKinematics` and `updateMotionSubspaceQ`. Writes only the columns of the bone's support: `out` must be zero elsewhere.
 *
 * @param bone - Name or index; an index saves the search for the name.
 * @param point - World position of the point, m. Not checked: what is not three finite numbers gives NaN.
 * @throws FigureError `unknown-name` for no bone of the figure, `wrong-size` for an `out` without room.
 */
export function pointJacobianQ(
  state: FigureState,
  bone: string | number,
  point: Numbers,
  out: MutableNumbers,
): void {
  const start = boneIndex(state.figure, bone);
  if (!(out?.length >= 3 * state.figure.dof)) refuse(out, 3, state.figure);
  if (state.hasMimicJoints) clearSourceColumns(state, start, 0, out);
  for (let b = start; b >= 0; b = state.figure.parents[b])
    writeBoneColumns(state, state.columnsQ, b, point, out);
  if (state.hasMimicJoints) addMimicPointColumns(state, state.columnsQ, start, point, out);
}

/** {@link pointJacobianQ} with respect to the joint velocity v. Requires `updateMotionSubspaceV`. */
export function pointJacobianV(
  state: FigureState,
  bone: string | number,
  point: Numbers,
  out: MutableNumbers,
): void {
  const start = boneIndex(state.figure, bone);
  if (!(out?.length >= 3 * state.figure.dof)) refuse(out, 3, state.figure);
  const { figure, worldFromBone: world, bodyAngularVelocity } = state;
  const { parents, coordinateStart, dof } = figure;
  const x = point[0];
  const y = point[1];
  const z = point[2];
  if (state.hasMimicJoints) clearSourceColumns(state, start, 0, out);
  for (let b = start; b >= 0; b = parents[b]) {
    if (bodyAngularVelocity[b] === 0) {
      writeBoneColumns(state, state.columnsV, b, point, out);
      continue;
    }
    // Column k = (R_world e_k) x (point - origin of the bone).
    const o = 12 * b;
    const dx = x - world[o + 9];
    const dy = y - world[o + 10];
    const dz = z - world[o + 11];
    const first = coordinateStart[b];
    for (let k = 0; k < 3; k++) {
      const ax = world[o + k];
      const ay = world[o + 3 + k];
      const az = world[o + 6 + k];
      const i = first + k;
      out[i] = ay * dz - az * dy;
      out[dof + i] = az * dx - ax * dz;
      out[2 * dof + i] = ax * dy - ay * dx;
    }
  }
  if (state.hasMimicJoints) addMimicPointColumns(state, state.columnsV, start, point, out);
}

/**
 * Jacobian of a frame fixed to `bone` with its origin at the world position `point`, with respect to q: 6 x dof, row by row; rows
 * 0-2 velocity of the origin (m), rows 3-5 angular velocity (rad), world axes. Support columns only, as {@link pointJacobianQ}.
 */
export function frameJacobianQ(
  state: FigureState,
  bone: string | number,
  point: Numbers,
  out: MutableNumbers,
): void {
  const start = boneIndex(state.figure, bone);
  if (!(out?.length >= 6 * state.figure.dof)) refuse(out, 6, state.figure);
  const { figure, columnsQ } = state;
  pointJacobianQ(state, start, point, out);
  if (state.hasMimicJoints) clearSourceColumns(state, start, 3, out);
  for (let b = start; b >= 0; b = figure.parents[b]) writeAngularRows(figure, b, columnsQ, 6, 1, out);
  if (state.hasMimicJoints) addMimicAngularColumns(state, columnsQ, start, out);
}

/** {@link frameJacobianQ} with respect to the joint velocity v. Requires `updateMotionSubspaceV`. */
export function frameJacobianV(
  state: FigureState,
  bone: string | number,
  point: Numbers,
  out: MutableNumbers,
): void {
  const start = boneIndex(state.figure, bone);
  if (!(out?.length >= 6 * state.figure.dof)) refuse(out, 6, state.figure);
  const { figure, columnsV, worldFromBone, bodyAngularVelocity } = state;
  pointJacobianV(state, start, point, out);
  if (state.hasMimicJoints) clearSourceColumns(state, start, 3, out);
  for (let b = start; b >= 0; b = figure.parents[b]) {
    if (bodyAngularVelocity[b] === 0) writeAngularRows(figure, b, columnsV, 6, 1, out);
    else writeAngularRows(figure, b, worldFromBone, 1, 3, out);
  }
  if (state.hasMimicJoints) addMimicAngularColumns(state, columnsV, start, out);
}

/** @throws FigureError `wrong-size` for an `out` that is too short. */
function refuse(out: MutableNumbers, rows: number, { dof }: Figure): void {
  requireRoom(out, rows * dof, 'out', FigureError);
}

/** Column i = l_i + a_i x (point - origin of the bone), for the coordinates of one bone; l_i is zero without translations. */
function writeBoneColumns(
  { figure, worldFromBone: world, hasTranslation }: FigureState,
  columns: Float64Array,
  b: number,
  point: Numbers,
  out: MutableNumbers,
): void {
  const { coordinateStart, dof } = figure;
  const o = 12 * b + 9;
  const dx = point[0] - world[o];
  const dy = point[1] - world[o + 1];
  const dz = point[2] - world[o + 2];
  const first = coordinateStart[b];
  const end = coordinateStart[b + 1];
  for (let i = first; i < end; i++) {
    const c = 6 * i;
    const ax = columns[c];
    const ay = columns[c + 1];
    const az = columns[c + 2];
    out[i] = ay * dz - az * dy;
    out[dof + i] = az * dx - ax * dz;
    out[2 * dof + i] = ax * dy - ay * dx;
  }
  if (hasTranslation[b] === 0) return;
  for (let i = first; i < end; i++) {
    out[i] += columns[6 * i + 3];
    out[dof + i] += columns[6 * i + 4];
    out[2 * dof + i] += columns[6 * i + 5];
  }
}

/**
 * Rows 3-5 for the coordinates of one bone: the angular components of their columns.
 *
 * @param from - `columnsQ` or `columnsV` (columnStride 6, rowStride 1), or `worldFromBone` for R_world (1 and 3).
 */
function writeAngularRows(
  { coordinateStart, dof }: Figure,
  b: number,
  from: Float64Array,
  columnStride: number,
  rowStride: number,
  out: MutableNumbers,
): void {
  const first = coordinateStart[b];
  const start = columnStride === 6 ? 6 * first : 12 * b;
  for (let i = first; i < coordinateStart[b + 1]; i++) {
    const o = start + columnStride * (i - first);
    out[3 * dof + i] = from[o];
    out[4 * dof + i] = from[o + rowStride];
    out[5 * dof + i] = from[o + 2 * rowStride];
  }
}

/**
 * Zeros three rows from `firstRow` in the columns of the sources of the chain's mimic joints: a source may be on another chain,
 * where nothing else writes its column.
 */
function clearSourceColumns(
  { figure, mimicOfBone }: FigureState,
  bone: number,
  firstRow: number,
  out: MutableNumbers,
): void {
  const { parents, mimicJoints, dof } = figure;
  for (let b = bone; b >= 0; b = parents[b]) {
    if (mimicOfBone[b] < 0) continue;
    const i = mimicJoints[mimicOfBone[b]].coordinate;
    for (let row = firstRow; row < firstRow + 3; row++) out[row * dof + i] = 0;
  }
}

/**
 * Adds phi' (l + a x (point - origin)) of the chain's mimic joints to the columns of their sources.
 */
function addMimicPointColumns(
  { figure, mimicOfBone, mimicDerivatives, worldFromBone: world }: FigureState,
  columns: Float64Array,
  bone: number,
  point: Numbers,
  out: MutableNumbers,
): void {
  const { parents, mimicJoints, dof } = figure;
  for (let b = bone; b >= 0; b = parents[b]) {
    const k = mimicOfBone[b];
    if (k < 0) continue;
    const i = mimicJoints[k].coordinate;
    const c = 6 * (dof + k);
    const o = 12 * b + 9;
    const dx = point[0] - world[o];
    const dy = point[1] - world[o + 1];
    const dz = point[2] - world[o + 2];
    out[i] += mimicDerivatives[k] * (columns[c + 3] + columns[c + 1] * dz - columns[c + 2] * dy);
    out[dof + i] += mimicDerivatives[k] * (columns[c + 4] + columns[c + 2] * dx - columns[c] * dz);
    out[2 * dof + i] += mimicDerivatives[k] * (columns[c + 5] + columns[c] * dy - columns[c + 1] * dx);
  }
}

/** Adds phi' a of the chain's mimic joints to rows 3-5 of the columns of their sources. */
function addMimicAngularColumns(
  { figure, mimicOfBone, mimicDerivatives }: FigureState,
  columns: Float64Array,
  bone: number,
  out: MutableNumbers,
): void {
  const { parents, mimicJoints, dof } = figure;
  for (let b = bone; b >= 0; b = parents[b]) {
    const k = mimicOfBone[b];
    if (k < 0) continue;
    for (let n = 0; n < 3; n++) {
      out[(3 + n) * dof + mimicJoints[k].coordinate] += mimicDerivatives[k] * columns[6 * (dof + k) + n];
    }
  }
}
