/**
 * Residuals that are functions of points in an observer's frame.
 *
 * In the frame (R, o) of an observer, a bone or the world, a point P has coordinates p = R^T (P - o). r(p) depends on the relative
 * motion w_i: t_i if coordinate i moves the point's bone, -x_i if it moves the observer, x_i the velocity of P as a point of the
 * observer. For the second derivative,
 *
 *   w_ij = t_ij - x_ij - a_i x w_j - a_j x w_i     (the last two for the observer's rotation a)
 *
 * With the force F = df/dP and the stiffness M = d2f/dP2, both in world axes, f_ij = w_i.M w_j + F.w_ij is, i before j,
 *
 *   x_i.(M x_j + F x a_j) on the observer's chain,   t_i.M t_j + a_i.(t_j x F) on the point's,
 *   -x_i.M t_j - a_i.(t_j x F) between them (i on the observer's).
 */
import { lowestCommonAncestorIn } from '../../../figure/basis.js';
import type { FigureState } from '../../../figure/model/state.js';
import * as mat3 from '../../../math/geometry/mat3.js';
import type { MutableNumbers, Numbers } from '../../../math/linear/types.js';
import type { ColumnMap, JacobianTarget } from '../types/goal-type.js';
import { addMappedPointRows } from './point-jacobian.js';
import {
  addChainStiffness,
  addCrossStiffness,
  COUPLE_BY_TRANSLATION,
  FORCE_BY_ROTATION,
  FORCE_BY_TRANSLATION,
  writeBlock,
  writeCrossBlock,
} from './tree-hessian.js';

const stiffness = /* @__PURE__ */ new Float64Array(36);
const wrench = /* @__PURE__ */ new Float64Array(6);

/** p = R^T (P - o) for a bone, P itself for the world (-1). */
export function toObserverFrame(
  { worldFromBone: m }: FigureState,
  observer: number,
  point: Numbers,
  out: MutableNumbers,
): void {
  if (observer < 0) {
    out[0] = point[0];
    out[1] = point[1];
    out[2] = point[2];
    return;
  }
  const w = 12 * observer;
  const x = point[0] - m[w + 9];
  const y = point[1] - m[w + 10];
  const z = point[2] - m[w + 11];
  out[0] = m[w] * x + m[w + 3] * y + m[w + 6] * z;
  out[1] = m[w + 1] * x + m[w + 4] * y + m[w + 7] * z;
  out[2] = m[w + 2] * x + m[w + 5] * y + m[w + 8] * z;
}

/** Rotates `rows` row vectors of three by the matrix R at m[w ...], row by row, in place: v -> v R^T. */
export function rotateRows(m: Float64Array, w: number, vectors: MutableNumbers, rows: number): void {
  for (let o = 0; o < 3 * rows; o += 3) {
    const x = vectors[o];
    const y = vectors[o + 1];
    const z = vectors[o + 2];
    vectors[o] = m[w] * x + m[w + 1] * y + m[w + 2] * z;
    vectors[o + 1] = m[w + 3] * x + m[w + 4] * y + m[w + 5] * z;
    vectors[o + 2] = m[w + 6] * x + m[w + 7] * y + m[w + 8] * z;
  }
}

/** Rotates `rows` row vectors of three from the observer's axes to the world's, in place. */
export function rotateRowsToWorld(
  { worldFromBone }: FigureState,
  observer: number,
  vectors: MutableNumbers,
  rows: number,
): void {
  if (observer >= 0) rotateRows(worldFromBone, 12 * observer, vectors, rows);
}

/** Multiplies a 3x3 matrix by the matrix R at m[w ...], in place: A -> R A R^T. */
export function rotateMatrix(m: Float64Array, w: number, a: MutableNumbers): void {
  rotateRows(m, w, a, 3);
  mat3.transpose(a, a);
  rotateRows(m, w, a, 3);
  mat3.transpose(a, a);
}

/** The force of rows with the gradient `gradient`, rows x 3: factor times its transpose times y, y at y[o ...]. */
export function writeForce(
  gradient: Numbers,
  rows: number,
  y: Numbers,
  o: number,
  factor: number,
  out: Float64Array,
): void {
  for (let k = 0; k < 3; k++) {
    let sum = 0;
    for (let r = 0; r < rows; r++) sum += y[o + r] * gradient[3 * r + k];
    out[k] = factor * sum;
  }
}

/**
 * Adds the rows of a residual with the derivative `response` by the relative motion of a world point, rows x 3 in world axes.
 *
 * @param bone - The bone that carries the point, -1 for the world.
 * @param observer - The observer's bone, -1 for the world.
 */
export function addObservedPointRows(
  state: FigureState,
  bone: number,
  observer: number,
  point: Numbers,
  response: Numbers,
  rows: number,
  scale: number,
  firstRow: number,
  out: JacobianTarget,
): void {
  const top = lowestCommonAncestorIn(state.figure.parents, bone, observer);
  addMappedPointRows(state, bone, point, response, rows, scale, firstRow, out, top);
  addMappedPointRows(state, observer, point, response, rows, -scale, firstRow, out, top);
}

/**
 * Adds the second derivative of f with respect to the relative motion of one world point.
 *
 * @param force - m = df/dP, world axes.
 * @param curvature - M = d2f/dP2, 3x3, world axes.
 */
export function addObservedPointHessian(
  state: FigureState,
  columns: ColumnMap,
  bone: number,
  observer: number,
  point: Numbers,
  force: Numbers,
  curvature: Numbers,
  out: Float64Array,
): void {
  const top = lowestCommonAncestorIn(state.figure.parents, bone, observer);
  if (observer >= 0) {
    stiffness.fill(0);
    writeBlock(stiffness, FORCE_BY_TRANSLATION, curvature, 1);
    writeCrossBlock(stiffness, FORCE_BY_ROTATION, force, 1);
    for (let k = 0; k < 3; k++) wrench[k] = -force[k];
    addChainStiffness(state, columns, observer, top, point, stiffness, wrench, out);
  }
  if (bone < 0) return;
  stiffness.fill(0);
  writeBlock(stiffness, FORCE_BY_TRANSLATION, curvature, 1);
  writeCrossBlock(stiffness, COUPLE_BY_TRANSLATION, force, -1);
  for (let k = 0; k < 3; k++) wrench[k] = force[k];
  addChainStiffness(state, columns, bone, top, point, stiffness, wrench, out);
  if (observer < 0) return;
  writeBlock(stiffness, FORCE_BY_TRANSLATION, curvature, -1);
  writeCrossBlock(stiffness, COUPLE_BY_TRANSLATION, force, 1);
  addCrossStiffness(state, columns, observer, point, bone, point, top, stiffness, out);
}
