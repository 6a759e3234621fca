/**
 * Second derivatives of goals over the tree, by analogy with statics.
 *
 * A goal's term of the objective depends on the motion of its bone: on the velocity x_i of a point P that the bone carries and on
 * its angular velocity a_i, for each coordinate i: x_i = l_i + a_i x (P - o_i), (a_i, l_i) its column of `columnsQ` and o_i the
 * origin of its bone. The first derivative is the work of a wrench, force F at P and couple n: f_i = F.x_i + n.a_i. For the second, a joint moves all joints after it:
 * x_ij = a_i x x_j and da_j/dq_i = a_i x a_j for i before j. So the second derivative is one bilinear form, the 6x6 stiffness K of the
 * goal (geometric stiffness included; it is not symmetric), for i before j:
 *
 *   f_ij = (x_i, a_i)^T K (x_j, a_j)
 *
 * and within one joint, for i <= j, the axes depend on each other and add (x_ij = a_i x x_j + da_i/dq_j x (P - o)):
 *
 *   + da_i/dq_j . ((P - o) x F + n)
 *
 * Common ancestors of a bone and the bone that carries its target do not change f, so each chain ends below the lowest common
 * ancestor.
 */
import type { FigureState } from '../../../figure/model/state.js';
import type { Numbers } from '../../../math/linear/types.js';
import type { ColumnMap, JacobianTarget } from '../types/goal-type.js';

/** The wrench per unit of coordinate j: K (x_j, a_j), a force z at the point, then a couple w. */
const response = /* @__PURE__ */ new Float64Array(6);

/**
 * Adds f_ij for all pairs of coordinates of `bone` and its ancestors below `end` to the lower triangle of `out`.
 *
 * @param point - P, world axes, m.
 * @param stiffness - K, 36 numbers row by row: force rows, couple rows; against x_j, then a_j.
 * @param wrench - The first derivative: force m at P, then couple n.
 */
export function addChainStiffness(
  state: FigureState,
  columns: ColumnMap,
  bone: number,
  end: number,
  point: Numbers,
  stiffness: Numbers,
  wrench: Numbers,
  out: Float64Array,
): void {
  const { parents } = state.figure;
  for (let b = bone; b !== end; b = parents[b])
    addJointStiffness(state, columns, b, end, point, stiffness, wrench, out);
}

/** Adds f_ij for the coordinates j of one bone of the chain, and i up to j of it and its ancestors below `end`. */
export function addJointStiffness(
  state: FigureState,
  columns: ColumnMap,
  bone: number,
  end: number,
  point: Numbers,
  stiffness: Numbers,
  wrench: Numbers,
  out: Float64Array,
): void {
  const { worldFromBone: world, axisDerivatives, columnStart, columnEnd } = state;
  const { width, columnOf, columnScale } = columns;
  const first = columnStart[bone];
  const last = columnEnd[bone];
  const o = 12 * bone + 9;
  const dx = point[0] - world[o];
  const dy = point[1] - world[o + 1];
  const dz = point[2] - world[o + 2];
  // (P - o) x m + n
  const tx = dy * wrench[2] - dz * wrench[1] + wrench[3];
  const ty = dz * wrench[0] - dx * wrench[2] + wrench[4];
  const tz = dx * wrench[1] - dy * wrench[0] + wrench[5];
  for (let j = first; j < last; j++) {
    const column = columnOf[j];
    if (column < 0) continue;
    writeResponse(state, bone, j, point, stiffness, columnScale, column);
    const row = column * width;
    const scale = columnScale[column];
    // Translations come first and have constant axes; at most three angles follow.
    for (let i = Math.max(first, j - 2); i <= j; i++) {
      const k = columnOf[i];
      if (k < 0) continue;
      const d = 9 * i + 3 * (j - i);
      out[row + k] +=
        scale *
        columnScale[k] *
        (axisDerivatives[d] * tx + axisDerivatives[d + 1] * ty + axisDerivatives[d + 2] * tz);
    }
    addHessianTerms(state, columns, bone, end, j, point, column, out);
  }
}

/** Adds J^T J of `rows` rows to the lower triangle of `out`. */
export function addNormal(
  { values, width }: JacobianTarget,
  firstRow: number,
  rows: number,
  out: Float64Array,
): void {
  for (let j = 0; j < width; j++) {
    for (let i = 0; i <= j; i++) {
      let sum = 0;
      for (let r = firstRow; r < firstRow + rows; r++) sum += values[r * width + i] * values[r * width + j];
      out[j * width + i] += sum;
    }
  }
}

/**
 * Adds f_ij for each coordinate i that moves `bone` and j that moves `other`, both below `end`, where no bone is on both
 * chains: K from the motion of `otherPoint` with `other` to the wrench at `point` on `bone`.
 */
export function addCrossStiffness(
  state: FigureState,
  columns: ColumnMap,
  bone: number,
  point: Numbers,
  other: number,
  otherPoint: Numbers,
  end: number,
  stiffness: Numbers,
  out: Float64Array,
): void {
  const { columnStart, columnEnd } = state;
  const { parents } = state.figure;
  const { columnOf, columnScale } = columns;
  for (let b = other; b !== end; b = parents[b]) {
    for (let j = columnStart[b]; j < columnEnd[b]; j++) {
      const column = columnOf[j];
      if (column < 0) continue;
      writeResponse(state, b, j, otherPoint, stiffness, columnScale, column);
      addHessianTerms(state, columns, bone, end, columnEnd[bone], point, column, out);
    }
  }
}

/** response = K (x_j, a_j) for one scaled unit of coordinate j of bone b. */
function writeResponse(
  { worldFromBone: world, columnsQ }: FigureState,
  b: number,
  j: number,
  point: Numbers,
  stiffness: Numbers,
  columnScale: Float64Array,
  column: number,
): void {
  const c = 6 * j;
  const o = 12 * b + 9;
  const scale = columnScale[column];
  const dx = point[0] - world[o];
  const dy = point[1] - world[o + 1];
  const dz = point[2] - world[o + 2];
  const ax = scale * columnsQ[c];
  const ay = scale * columnsQ[c + 1];
  const az = scale * columnsQ[c + 2];
  const x = scale * columnsQ[c + 3] + ay * dz - az * dy;
  const y = scale * columnsQ[c + 4] + az * dx - ax * dz;
  const z = scale * columnsQ[c + 5] + ax * dy - ay * dx;
  for (let r = 0; r < 6; r++) {
    const k = 6 * r;
    response[r] =
      stiffness[k] * x +
      stiffness[k + 1] * y +
      stiffness[k + 2] * z +
      stiffness[k + 3] * ax +
      stiffness[k + 4] * ay +
      stiffness[k + 5] * az;
  }
}

/**
 * Adds the work of the response against each coordinate i <= last of `bone`, and all of its ancestors below `end`, to row or
 * column `column` of the lower triangle: x_i.z + a_i.w = l_i.z + a_i.((P - o_i) x z + w).
 */
function addHessianTerms(
  { figure, worldFromBone: world, columnsQ, columnStart, columnEnd }: FigureState,
  { width, columnOf, columnScale }: ColumnMap,
  bone: number,
  end: number,
  last: number,
  point: Numbers,
  column: number,
  out: Float64Array,
): void {
  const { parents } = figure;
  const row = column * width;
  const px = point[0];
  const py = point[1];
  const pz = point[2];
  const zx = response[0];
  const zy = response[1];
  const zz = response[2];
  const wx = response[3];
  const wy = response[4];
  const wz = response[5];
  for (let b = bone; b !== end; b = parents[b]) {
    const first = columnStart[b];
    const stop = b === bone ? Math.min(columnEnd[b], last + 1) : columnEnd[b];
    const o = 12 * b + 9;
    const dx = px - world[o];
    const dy = py - world[o + 1];
    const dz = pz - world[o + 2];
    const tx = dy * zz - dz * zy + wx;
    const ty = dz * zx - dx * zz + wy;
    const tz = dx * zy - dy * zx + wz;
    for (let i = first; i < stop; i++) {
      const k = columnOf[i];
      if (k < 0) continue;
      const c = 6 * i;
      const work =
        columnsQ[c] * tx +
        columnsQ[c + 1] * ty +
        columnsQ[c + 2] * tz +
        columnsQ[c + 3] * zx +
        columnsQ[c + 4] * zy +
        columnsQ[c + 5] * zz;
      out[k <= column ? row + k : k * width + column] += columnScale[k] * work;
    }
  }
}

/** The 3x3 block of K at offset `at` (one of the four below) = [v] times `sign`, the cross product with v. */
export function writeCrossBlock(stiffness: Float64Array, at: number, v: Numbers, sign: 1 | -1): void {
  stiffness[at + 1] = -sign * v[2];
  stiffness[at + 2] = sign * v[1];
  stiffness[at + 6] = sign * v[2];
  stiffness[at + 8] = -sign * v[0];
  stiffness[at + 12] = -sign * v[1];
  stiffness[at + 13] = sign * v[0];
}

/** The 3x3 block of K at `at` = the matrix m, row by row, times `sign`. */
export function writeBlock(stiffness: Float64Array, at: number, m: Numbers, sign: 1 | -1): void {
  for (let k = 0; k < 3; k++) {
    stiffness[at + k] = sign * m[k];
    stiffness[at + 6 + k] = sign * m[3 + k];
    stiffness[at + 12 + k] = sign * m[6 + k];
  }
}

/** The 3x3 block of K at `at` = the transpose of the matrix m, row by row. */
export function writeTransposedBlock(stiffness: Float64Array, at: number, m: Numbers): void {
  for (let k = 0; k < 3; k++) {
    stiffness[at + k] = m[3 * k];
    stiffness[at + 6 + k] = m[3 * k + 1];
    stiffness[at + 12 + k] = m[3 * k + 2];
  }
}

/** Offsets of the blocks of K: force or couple by translation of the point or rotation. */
export const FORCE_BY_TRANSLATION = 0;
export const FORCE_BY_ROTATION = 3;
export const COUPLE_BY_TRANSLATION = 18;
export const COUPLE_BY_ROTATION = 21;
