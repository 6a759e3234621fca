/**
 * Curvature along the last step. The matrix of a step, J^T W J, lacks the sum of w_i times the second derivatives of row i, w = r for costs
 * and lambda for constraints: steps overshoot where that sum is positive, and go to and fro. Its product with the last step s is
 *
 *   y = (J(x + s) - J(x))^T w,
 *
 * and where y.s > 0 the rank-one matrix y y^T / (y.s) has the same product: a structured secant update (Dennis, Gay, Welsch, *An adaptive
 * nonlinear least-squares algorithm*, ACM TOMS 7, 1981), positive semidefinite, and of one pair only, since w changes from step to step.
 */
import { type Envelope, solveEnvelope } from '../../math/linear/envelope-cholesky.js';
import { dot } from '../../math/linear/vector.js';
import type { System } from '../system/system.js';
import type { JacobianRows } from '../transcription/jacobian-rows.js';
import { addRowGradient, type Multipliers } from './lagrangian.js';

export interface Curvature {
  /** s and y of the last step, and 1 / (y.s); 0 for no curvature. */
  readonly step: Float64Array;
  readonly product: Float64Array;
  weight: number;
  /** Whether y lacks the rows at the end of the step. */
  isOpen: boolean;
  /** H^-1 y of the matrix factored last, and (y.s + y.H^-1 y)^-1. */
  readonly solved: Float64Array;
  scale: number;
}

/** Smallest cosine of the angle between y and s: below, y.s is rounding. */
const MIN_COSINE = 1e-8;

export function createCurvature(size: number): Curvature {
  const vector = (): Float64Array => new Float64Array(size);
  return { step: vector(), product: vector(), weight: 0, isOpen: false, solved: vector(), scale: 0 };
}

/** After a step: y = -J(x)^T w. @param residual - At its end. */
export function beginSecant(
  { kinds }: System,
  rows: JacobianRows,
  residual: Float64Array,
  { lambda }: Multipliers,
  curvature: Curvature,
): void {
  curvature.product.fill(0);
  curvature.isOpen = true;
  addWeightedRows(kinds, rows, residual, lambda, -1, curvature.product);
}

/** At the next linearization: y += J(x + s)^T w, with the same w. */
export function finishSecant(
  { kinds }: System,
  rows: JacobianRows,
  { lambda }: Multipliers,
  curvature: Curvature,
): void {
  if (!curvature.isOpen) return;
  curvature.isOpen = false;
  const { step, product } = curvature;
  addWeightedRows(kinds, rows, rows.residual, lambda, 1, product);
  const slope = dot(product, step);
  const lengths = Math.sqrt(dot(product, product) * dot(step, step));
  curvature.weight = slope > MIN_COSINE * lengths ? 1 / slope : 0;
}

function addWeightedRows(
  kinds: System['kinds'],
  rows: JacobianRows,
  residual: Float64Array,
  lambda: Float64Array,
  sign: 1 | -1,
  out: Float64Array,
): void {
  for (let i = 0; i < kinds.length; i++) {
    const weight = kinds[i] === 'cost' ? residual[i] : lambda[i];
    if (weight !== 0) addRowGradient(rows, i, sign * weight, out);
  }
}

/** 1/2 p^T B p, B = y y^T / (y.s). */
export function curvatureEnergy({ product, weight }: Curvature, p: Float64Array): number {
  return weight === 0 ? 0 : 0.5 * weight * dot(product, p) ** 2;
}

/** out += B p. */
export function addCurvature({ product, weight }: Curvature, p: Float64Array, out: Float64Array): void {
  if (weight === 0) return;
  const factor = weight * dot(product, p);
  for (let i = 0; i < p.length; i++) out[i] += factor * product[i];
}

/** Prepares {@link solveCurved} after a factorization. */
export function factorCurvature(curvature: Curvature, factor: Envelope): void {
  const { product, solved, weight } = curvature;
  if (weight === 0) return;
  solved.set(product);
  solveEnvelope(factor, solved);
  curvature.scale = 1 / (1 / weight + dot(product, solved));
}

/** Solves (H + B) x = v in place, H the factored matrix (Sherman and Morrison). */
export function solveCurved(curvature: Curvature, factor: Envelope, v: Float64Array): void {
  solveEnvelope(factor, v);
  const { product, solved, weight, scale } = curvature;
  if (weight === 0) return;
  const along = scale * dot(product, v);
  for (let i = 0; i < v.length; i++) v[i] -= along * solved[i];
}
