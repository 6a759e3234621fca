import type { MutableNumbers, Numbers } from '../math/types.js';
import type { Figure } from './figure.js';
import { COORDINATE_SPACE, VELOCITY_SPACE } from './joints/joint.js';
import type { FigureState } from './state.js';

/**
 * Fills `state.columnsQ`: how each coordinate moves its bone at the pose last given to `forwardKinematics`, 6 numbers a
 * coordinate, world axes: angular velocity (rad), then velocity of the bone's origin (m), per unit of q'.
 */
export function updateColumnsQ(state: FigureState, pose: Numbers): void {
  const { groups, worldFromBone, columnsQ } = state;
  for (let g = 0; g < groups.length; g++) {
    const { type, batch } = groups[g];
    type.writeColumns(batch, pose, worldFromBone, COORDINATE_SPACE, columnsQ);
  }
}

/**
 * The same against the joint velocity nu, to `state.columnsNu`. A ball needs none: its columns are those of R_world.
 */
export function updateColumnsNu(state: FigureState, pose: Numbers): void {
  const { groups, worldFromBone, columnsNu } = state;
  for (let g = 0; g < groups.length; g++) {
    const { type, batch } = groups[g];
    if (!type.bodyTurn) type.writeColumns(batch, pose, worldFromBone, VELOCITY_SPACE, columnsNu);
  }
}

/**
 * Fills `state.axisDerivatives` at the pose last given to `forwardKinematics`: da_i/dq_j at [9 i + 3 (j - i)], world
 * axes, for any two angles i <= j of one joint, a_i being the angular part of column i of `columnsQ`. It says how the
 * Jacobians change within a joint; from joint to joint they turn with the ancestor, da_j/dq_i = a_i x a_j.
 */
export function updateAxisDerivatives(state: FigureState, pose: Numbers): void {
  const { groups, worldFromBone, axisDerivatives } = state;
  for (let g = 0; g < groups.length; g++) {
    const { type, batch } = groups[g];
    type.writeAxisDerivatives(batch, pose, worldFromBone, axisDerivatives);
  }
}

/**
 * Coordinates that move a bone, ascending: those of the bone and of its ancestors. The only columns of its Jacobians
 * that are not zero.
 */
export function supportOf(figure: Figure, bone: number): Int32Array {
  const coordinates: number[] = [];
  for (let b = bone; b >= 0; b = figure.parents[b]) {
    for (let i = figure.coordinateStart[b + 1] - 1; i >= figure.coordinateStart[b]; i--) coordinates.push(i);
  }
  return Int32Array.from(coordinates.reverse());
}

/**
 * Jacobian of a world point carried by `bone` against q: 3 x dof, row by row, world axes, metres per unit of q'.
 * Writes the columns of the bone's support only: give an `out` that is zero elsewhere (it stays valid for the same bone).
 *
 * @param point - The point in world axes, m. Needs `forwardKinematics` and `updateColumnsQ` first.
 */
export function pointJacobianQ(state: FigureState, bone: number, point: Numbers, out: MutableNumbers): void {
  for (let b = bone; b >= 0; b = state.figure.parents[b])
    writeBoneColumns(state, state.columnsQ, b, point, out);
}

/** The same against the joint velocity nu. Needs `updateColumnsNu` first. */
export function pointJacobianNu(state: FigureState, bone: number, point: Numbers, out: MutableNumbers): void {
  const { figure, worldFromBone: world, bodyTurn } = state;
  const { parents, coordinateStart, dof } = figure;
  const x = point[0];
  const y = point[1];
  const z = point[2];
  for (let b = bone; b >= 0; b = parents[b]) {
    if (bodyTurn[b] === 0) {
      writeBoneColumns(state, state.columnsNu, b, point, out);
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
}

/**
 * Jacobian of a frame carried by `bone` with its origin at the world point `point`, against q: 6 x dof, row by row;
 * rows 0-2 velocity of the point (m), rows 3-5 angular velocity (rad), world axes. Support columns only, as above.
 */
export function frameJacobianQ(state: FigureState, bone: number, point: Numbers, out: MutableNumbers): void {
  const { figure, columnsQ } = state;
  pointJacobianQ(state, bone, point, out);
  for (let b = bone; b >= 0; b = figure.parents[b]) writeAngularRows(figure, b, columnsQ, 6, 1, out);
}

/** The same against the joint velocity nu. */
export function frameJacobianNu(state: FigureState, bone: number, point: Numbers, out: MutableNumbers): void {
  const { figure, columnsNu, worldFromBone, bodyTurn } = state;
  pointJacobianNu(state, bone, point, out);
  for (let b = bone; b >= 0; b = figure.parents[b]) {
    if (bodyTurn[b] === 0) writeAngularRows(figure, b, columnsNu, 6, 1, out);
    else writeAngularRows(figure, b, worldFromBone, 1, 3, out);
  }
}

/** Column i = l_i + a_i x (point - origin of the bone), for the coordinates of one bone; l_i is zero where nothing slides. */
function writeBoneColumns(
  { figure, worldFromBone: world, slides }: FigureState,
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
  if (slides[b] === 0) return;
  for (let i = first; i < end; i++) {
    out[i] += columns[6 * i + 3];
    out[dof + i] += columns[6 * i + 4];
    out[2 * dof + i] += columns[6 * i + 5];
  }
}

/**
 * Rows 3-5 for the coordinates of one bone: their angular columns. In `columns` these are 6 numbers apart for each
 * coordinate, `across` 1; in `worldFromBone` they are the columns of R_world, 1 apart, `across` 3.
 */
function writeAngularRows(
  { coordinateStart, dof }: Figure,
  b: number,
  from: Float64Array,
  apart: number,
  across: number,
  out: MutableNumbers,
): void {
  const first = coordinateStart[b];
  const start = apart === 6 ? 6 * first : 12 * b;
  for (let i = first; i < coordinateStart[b + 1]; i++) {
    const o = start + apart * (i - first);
    out[3 * dof + i] = from[o];
    out[4 * dof + i] = from[o + across];
    out[5 * dof + i] = from[o + 2 * across];
  }
}
