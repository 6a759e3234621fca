import type { MutableNumbers, Numbers } from '../math/types.js';
import type { Figure } from './figure.js';
import { COORDINATE_SPACE, type ColumnSpace, VELOCITY_SPACE } from './joints/joint.js';
import type { FigureState } from './state.js';

/**
 * Fills `state.columnsQ`: how each coordinate moves its bone at the pose last given to `forwardKinematics`, 6 numbers a
 * coordinate, world axes: angular velocity (rad), then velocity of the bone's origin (m), per unit of q'.
 */
export function updateColumnsQ(state: FigureState, pose: Numbers): void {
  writeColumns(state, pose, COORDINATE_SPACE, state.columnsQ);
}

/** The same against the joint velocity nu, to `state.columnsNu`. */
export function updateColumnsNu(state: FigureState, pose: Numbers): void {
  writeColumns(state, pose, VELOCITY_SPACE, state.columnsNu);
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

function writeColumns(state: FigureState, pose: Numbers, space: ColumnSpace, out: Float64Array): void {
  const { groups, worldFromBone } = state;
  for (let g = 0; g < groups.length; g++) {
    const { type, batch } = groups[g];
    type.writeColumns(batch, pose, worldFromBone, space, out);
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
  writePointJacobian(
    state.figure,
    state.worldFromBone,
    state.columnsQ,
    bone,
    point[0],
    point[1],
    point[2],
    out,
  );
}

/** The same against the joint velocity nu. Needs `updateColumnsNu` first. */
export function pointJacobianNu(state: FigureState, bone: number, point: Numbers, out: MutableNumbers): void {
  writePointJacobian(
    state.figure,
    state.worldFromBone,
    state.columnsNu,
    bone,
    point[0],
    point[1],
    point[2],
    out,
  );
}

/**
 * Jacobian of a frame carried by `bone` with its origin at the world point `point`, against q: 6 x dof, row by row;
 * rows 0-2 velocity of the point (m), rows 3-5 angular velocity (rad), world axes. Support columns only, as above.
 */
export function frameJacobianQ(state: FigureState, bone: number, point: Numbers, out: MutableNumbers): void {
  pointJacobianQ(state, bone, point, out);
  writeAngularRows(state.figure, state.columnsQ, bone, out);
}

/** The same against the joint velocity nu. */
export function frameJacobianNu(state: FigureState, bone: number, point: Numbers, out: MutableNumbers): void {
  pointJacobianNu(state, bone, point, out);
  writeAngularRows(state.figure, state.columnsNu, bone, out);
}

/** Column i = l_i + a_i x (point - origin of the bone that owns i), up the ancestors. */
function writePointJacobian(
  figure: Figure,
  world: Float64Array,
  columns: Float64Array,
  bone: number,
  x: number,
  y: number,
  z: number,
  out: MutableNumbers,
): void {
  const { parents, coordinateStart, dof } = figure;
  for (let b = bone; b >= 0; b = parents[b]) {
    const o = 12 * b + 9;
    const dx = x - world[o];
    const dy = y - world[o + 1];
    const dz = z - world[o + 2];
    const end = coordinateStart[b + 1];
    for (let i = coordinateStart[b]; i < end; i++) {
      const c = 6 * i;
      const ax = columns[c];
      const ay = columns[c + 1];
      const az = columns[c + 2];
      out[i] = columns[c + 3] + ay * dz - az * dy;
      out[dof + i] = columns[c + 4] + az * dx - ax * dz;
      out[2 * dof + i] = columns[c + 5] + ax * dy - ay * dx;
    }
  }
}

function writeAngularRows(figure: Figure, columns: Float64Array, bone: number, out: MutableNumbers): void {
  const { parents, coordinateStart, dof } = figure;
  for (let b = bone; b >= 0; b = parents[b]) {
    for (let i = coordinateStart[b]; i < coordinateStart[b + 1]; i++) {
      out[3 * dof + i] = columns[6 * i];
      out[4 * dof + i] = columns[6 * i + 1];
      out[5 * dof + i] = columns[6 * i + 2];
    }
  }
}
