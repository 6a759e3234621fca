/**
 * Residuals that are functions of three vectors, from the first of four points to the others, each carried by a bone or fixed in the
 * world; in world axes.
 */
import type { FigureState } from '../../../figure/model/state.js';
import type { Numbers } from '../../../math/linear/types.js';
import type { ColumnMap, JacobianTarget } from '../types/goal-type.js';
import { addMappedPointRows } from './point-jacobian.js';
import { addChainStiffness, COUPLE_BY_TRANSLATION, writeCrossBlock } from './tree-hessian.js';

const response = /* @__PURE__ */ new Float64Array(9);
const force = /* @__PURE__ */ new Float64Array(6);
const stiffness = /* @__PURE__ */ new Float64Array(36);
const UNIT = /* @__PURE__ */ Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1);
/** Jacobian of the three vectors, 9 x columns; grown to the widest problem. */
let jacobian = /* @__PURE__ */ new Float64Array(0);

/**
 * Adds the rows of a residual with the derivative `gradient`, rows x 9, by the three vectors.
 *
 * @param carriers - The bone of each point, -1 for the world.
 * @param positions - The points in the world, 12 numbers, m.
 */
export function addRelativePointsRows(
  state: FigureState,
  carriers: readonly number[],
  positions: Float64Array,
  gradient: Numbers,
  rows: number,
  scale: number,
  firstRow: number,
  out: JacobianTarget,
): void {
  for (let n = 0; n < 3; n++) {
    for (let r = 0; r < rows; r++) {
      for (let k = 0; k < 3; k++) response[3 * r + k] = gradient[9 * r + 3 * n + k];
    }
    const position = positions.subarray(3 * n + 3, 3 * n + 6);
    addMappedPointRows(state, carriers[n + 1], position, response, rows, scale, firstRow, out);
    addMappedPointRows(state, carriers[0], positions, response, rows, -scale, firstRow, out);
  }
}

/**
 * Adds the second derivative of f: W^T M W, W the Jacobian of the three vectors and M = `curvature` (9 x 9), and the geometric
 * stiffness of the forces at the points.
 *
 * @param forces - df by the three vectors, 9 numbers.
 */
export function addRelativePointsHessian(
  state: FigureState,
  carriers: readonly number[],
  positions: Float64Array,
  forces: Float64Array,
  curvature: Float64Array,
  columns: ColumnMap,
  out: Float64Array,
): void {
  const { width } = columns;
  if (jacobian.length < 9 * width) jacobian = new Float64Array(9 * width);
  jacobian.fill(0);
  const rows: JacobianTarget = { ...columns, values: jacobian };
  for (let n = 0; n < 3; n++) {
    const position = positions.subarray(3 * n + 3, 3 * n + 6);
    addMappedPointRows(state, carriers[n + 1], position, UNIT, 3, 1, 3 * n, rows);
    addMappedPointRows(state, carriers[0], positions, UNIT, 3, -1, 3 * n, rows);
  }
  for (let j = 0; j < width; j++) {
    for (let a = 0; a < 9; a++) {
      let sum = 0;
      for (let b = 0; b < 9; b++) sum += curvature[9 * a + b] * jacobian[b * width + j];
      scratch[a] = sum;
    }
    for (let i = 0; i <= j; i++) {
      let sum = 0;
      for (let a = 0; a < 9; a++) sum += jacobian[a * width + i] * scratch[a];
      out[j * width + i] += sum;
    }
  }
  for (let n = 0; n < 4; n++) {
    if (carriers[n] < 0) continue;
    for (let k = 0; k < 3; k++) {
      force[k] = n > 0 ? forces[3 * n - 3 + k] : -(forces[k] + forces[3 + k] + forces[6 + k]);
    }
    stiffness.fill(0);
    writeCrossBlock(stiffness, COUPLE_BY_TRANSLATION, force, -1);
    addChainStiffness(
      state,
      columns,
      carriers[n],
      -1,
      positions.subarray(3 * n, 3 * n + 3),
      stiffness,
      force,
      out,
    );
  }
}

const scratch = /* @__PURE__ */ new Float64Array(9);
