import { worldPoint } from '../../../figure/kinematics/points.js';
import type { FigureState } from '../../../figure/model/state.js';
import type { MutableNumbers, Numbers, Vec3 } from '../../../math/linear/types.js';
import type { BonePoint } from '../types/goal.js';
import type { JacobianTarget } from '../types/goal-type.js';

/** World position of a target: fixed, or carried by a bone. */
export function targetPoint(
  state: FigureState,
  targetBone: number,
  target: Vec3 | BonePoint,
  out: MutableNumbers,
): void {
  if (targetBone >= 0) {
    worldPoint(state, targetBone, (target as BonePoint).point, out);
    return;
  }
  const fixed = target as Numbers;
  out[0] = fixed[0];
  out[1] = fixed[1];
  out[2] = fixed[2];
}

/**
 * Adds `scale` times the Jacobian of the world point (x, y, z) carried by `bone` to three rows of the problem:
 * column i is l_i + a_i x (point - origin of its bone), up the ancestors.
 */
export function addPointRows(
  state: FigureState,
  bone: number,
  point: Numbers,
  scale: number,
  firstRow: number,
  out: JacobianTarget,
): void {
  const { figure, worldFromBone: world, columnsQ: columns, columnStart, columnEnd } = state;
  const { parents } = figure;
  const { values, width, columnOf, columnScale } = out;
  const row0 = firstRow * width;
  const row1 = row0 + width;
  const row2 = row1 + width;
  const x = point[0];
  const y = point[1];
  const z = point[2];
  for (let b = bone; b >= 0; b = parents[b]) {
    const o = 12 * b + 9;
    const dx = x - world[o];
    const dy = y - world[o + 1];
    const dz = z - world[o + 2];
    const end = columnEnd[b];
    for (let i = columnStart[b]; i < end; i++) {
      const column = columnOf[i];
      if (column < 0) continue;
      const s = scale * columnScale[column];
      const c = 6 * i;
      const ax = columns[c];
      const ay = columns[c + 1];
      const az = columns[c + 2];
      values[row0 + column] += s * (columns[c + 3] + ay * dz - az * dy);
      values[row1 + column] += s * (columns[c + 4] + az * dx - ax * dz);
      values[row2 + column] += s * (columns[c + 5] + ax * dy - ay * dx);
    }
  }
}

/**
 * Adds `scale` M J_point to `rows` rows, J_point being the Jacobian of the world point carried by `bone` and M a
 * `rows` x 3 matrix row by row: for a residual with the rate M v, v the point's velocity. Ancestors from `top` on are left out:
 * the common ancestors of point and observer, which do not change the residual.
 */
export function addMappedPointRows(
  state: FigureState,
  bone: number,
  point: Numbers,
  m: Numbers,
  rows: number,
  scale: number,
  firstRow: number,
  out: JacobianTarget,
  top = -1,
): void {
  const { figure, worldFromBone: world, columnsQ: columns, columnStart, columnEnd } = state;
  const { parents } = figure;
  const { values, width, columnOf, columnScale } = out;
  for (let b = bone; b !== top; b = parents[b]) {
    const o = 12 * b + 9;
    const dx = point[0] - world[o];
    const dy = point[1] - world[o + 1];
    const dz = point[2] - world[o + 2];
    const end = columnEnd[b];
    for (let i = columnStart[b]; i < end; i++) {
      const column = columnOf[i];
      if (column < 0) continue;
      const s = scale * columnScale[column];
      const c = 6 * i;
      const vx = columns[c + 3] + columns[c + 1] * dz - columns[c + 2] * dy;
      const vy = columns[c + 4] + columns[c + 2] * dx - columns[c] * dz;
      const vz = columns[c + 5] + columns[c] * dy - columns[c + 1] * dx;
      for (let r = 0; r < rows; r++) {
        values[(firstRow + r) * width + column] +=
          s * (m[3 * r] * vx + m[3 * r + 1] * vy + m[3 * r + 2] * vz);
      }
    }
  }
}

/**
 * Adds `scale` M a_i to `rows` rows for every coordinate that rotates `bone`, M a `rows` x 3 matrix row by row: for a residual with
 * the rate M w, w the bone's angular velocity in world axes. Ancestors from `top` on are left out.
 */
export function addRotationRows(
  state: FigureState,
  bone: number,
  m: Numbers,
  rows: number,
  scale: number,
  firstRow: number,
  out: JacobianTarget,
  top = -1,
): void {
  const { figure, columnsQ: columns, columnStart, columnEnd } = state;
  const { parents } = figure;
  const { values, width, columnOf, columnScale } = out;
  for (let b = bone; b !== top; b = parents[b]) {
    const end = columnEnd[b];
    for (let i = columnStart[b]; i < end; i++) {
      const column = columnOf[i];
      if (column < 0) continue;
      const s = scale * columnScale[column];
      const ax = columns[6 * i];
      const ay = columns[6 * i + 1];
      const az = columns[6 * i + 2];
      for (let r = 0; r < rows; r++) {
        values[(firstRow + r) * width + column] +=
          s * (m[3 * r] * ax + m[3 * r + 1] * ay + m[3 * r + 2] * az);
      }
    }
  }
}
