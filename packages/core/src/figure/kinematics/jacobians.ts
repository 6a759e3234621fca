import type { MutableNumbers, Numbers } from '../../math/linear/types.js';
import { COORDINATE_SPACE, VELOCITY_SPACE } from '../joints/joint.js';
import type { Figure } from '../model/figure.js';
import { jointCoordinates } from '../model/mimic-joints.js';
import type { FigureState } from '../model/state.js';

/**
 * Fills `state.columnsQ`: how each coordinate moves its bone at the pose last given to `forwardKinematics`, 6 numbers a
 * coordinate, world axes: angular velocity (rad), then velocity of the bone's origin (m), per unit of q'. Of a joint that
 * follows another: per unit of its own coordinate, which is `state.slopes` times the leader's rate.
 */
export function updateMotionSubspaceQ(state: FigureState, pose: Numbers): void {
  const { groups, worldFromBone, columnsQ } = state;
  const q = state.coupled ? jointCoordinates(state, pose) : pose;
  for (let g = 0; g < groups.length; g++) {
    const { type, batch } = groups[g];
    type.writeColumns(batch, q, worldFromBone, COORDINATE_SPACE, columnsQ);
  }
}

/**
 * The same against the joint velocity nu, to `state.columnsNu`. A ball needs none: its columns are those of R_world.
 */
export function updateMotionSubspaceV(state: FigureState, pose: Numbers): void {
  const { groups, worldFromBone, columnsNu } = state;
  const q = state.coupled ? jointCoordinates(state, pose) : pose;
  for (let g = 0; g < groups.length; g++) {
    const { type, batch } = groups[g];
    if (!type.bodyTurn) type.writeColumns(batch, q, worldFromBone, VELOCITY_SPACE, columnsNu);
  }
}

/**
 * Fills `state.axisDerivatives` at the pose last given to `forwardKinematics`: da_i/dq_j at [9 i + 3 (j - i)], world
 * axes, for any two angles i <= j of one joint, a_i being the angular part of column i of `columnsQ`. It says how the
 * Jacobians change within a joint; from joint to joint they turn with the ancestor, da_j/dq_i = a_i x a_j.
 */
export function updateAxisDerivatives(state: FigureState, pose: Numbers): void {
  const { groups, worldFromBone, axisDerivatives } = state;
  const q = state.coupled ? jointCoordinates(state, pose) : pose;
  for (let g = 0; g < groups.length; g++) {
    const { type, batch } = groups[g];
    type.writeAxisDerivatives(batch, q, worldFromBone, axisDerivatives);
  }
}

/**
 * Coordinates that move a bone, ascending: those of the bone and of its ancestors, and those that these follow. The only
 * columns of its Jacobians that are not zero.
 */
export function ancestorsOf(figure: Figure, bone: number): Int32Array {
  const coordinates = new Set<number>();
  for (let b = bone; b >= 0; b = figure.parents[b]) {
    for (let i = figure.coordinateStart[b]; i < figure.coordinateStart[b + 1]; i++) coordinates.add(i);
    for (const coupling of figure.mimicJoints) if (coupling.bone === b) coordinates.add(coupling.coordinate);
  }
  return Int32Array.from(coordinates).sort();
}

/**
 * Jacobian of a world point carried by `bone` against q: 3 x dof, row by row, world axes, metres per unit of q'.
 * Writes the columns of the bone's support only: give an `out` that is zero elsewhere (it stays valid for the same bone).
 *
 * @param point - The point in world axes, m. Needs `forwardKinematics` and `updateMotionSubspaceQ` first.
 */
export function pointJacobianQ(state: FigureState, bone: number, point: Numbers, out: MutableNumbers): void {
  if (state.coupled) clearLeaders(state, bone, 0, out);
  for (let b = bone; b >= 0; b = state.figure.parents[b])
    writeBoneColumns(state, state.columnsQ, b, point, out);
  if (state.coupled) addCoupledPoint(state, state.columnsQ, bone, point, out);
}

/** The same against the joint velocity nu. Needs `updateMotionSubspaceV` first. */
export function pointJacobianV(state: FigureState, bone: number, point: Numbers, out: MutableNumbers): void {
  const { figure, worldFromBone: world, bodyTurn } = state;
  const { parents, coordinateStart, dof } = figure;
  const x = point[0];
  const y = point[1];
  const z = point[2];
  if (state.coupled) clearLeaders(state, bone, 0, out);
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
  if (state.coupled) addCoupledPoint(state, state.columnsNu, bone, point, out);
}

/**
 * Jacobian of a frame carried by `bone` with its origin at the world point `point`, against q: 6 x dof, row by row;
 * rows 0-2 velocity of the point (m), rows 3-5 angular velocity (rad), world axes. Support columns only, as above.
 */
export function frameJacobianQ(state: FigureState, bone: number, point: Numbers, out: MutableNumbers): void {
  const { figure, columnsQ } = state;
  pointJacobianQ(state, bone, point, out);
  if (state.coupled) clearLeaders(state, bone, 3, out);
  for (let b = bone; b >= 0; b = figure.parents[b]) writeAngularRows(figure, b, columnsQ, 6, 1, out);
  if (state.coupled) addCoupledTurns(state, columnsQ, bone, out);
}

/** The same against the joint velocity nu. */
export function frameJacobianV(state: FigureState, bone: number, point: Numbers, out: MutableNumbers): void {
  const { figure, columnsNu, worldFromBone, bodyTurn } = state;
  pointJacobianV(state, bone, point, out);
  if (state.coupled) clearLeaders(state, bone, 3, out);
  for (let b = bone; b >= 0; b = figure.parents[b]) {
    if (bodyTurn[b] === 0) writeAngularRows(figure, b, columnsNu, 6, 1, out);
    else writeAngularRows(figure, b, worldFromBone, 1, 3, out);
  }
  if (state.coupled) addCoupledTurns(state, columnsNu, bone, out);
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

/**
 * Zeros three rows from `firstRow` in the columns of all coordinates that joints of the chain follow: the leader may stand on
 * another chain, where nothing else writes its column.
 */
function clearLeaders(
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
 * Adds to the leaders' columns the velocity of the point by the joints of the chain that follow: phi' (l + a x (point -
 * origin)).
 */
function addCoupledPoint(
  { figure, mimicOfBone, slopes, worldFromBone: world }: FigureState,
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
    out[i] += slopes[k] * (columns[c + 3] + columns[c + 1] * dz - columns[c + 2] * dy);
    out[dof + i] += slopes[k] * (columns[c + 4] + columns[c + 2] * dx - columns[c] * dz);
    out[2 * dof + i] += slopes[k] * (columns[c + 5] + columns[c] * dy - columns[c + 1] * dx);
  }
}

/** Adds to rows 3-5 of the leaders' columns how the joints of the chain that follow turn. */
function addCoupledTurns(
  { figure, mimicOfBone, slopes }: FigureState,
  columns: Float64Array,
  bone: number,
  out: MutableNumbers,
): void {
  const { parents, mimicJoints, dof } = figure;
  for (let b = bone; b >= 0; b = parents[b]) {
    const k = mimicOfBone[b];
    if (k < 0) continue;
    for (let n = 0; n < 3; n++) {
      out[(3 + n) * dof + mimicJoints[k].coordinate] += slopes[k] * columns[6 * (dof + k) + n];
    }
  }
}
