/**
 * The convex, piecewise quadratic model of a step,
 *
 *   m(p) = L(r + J p) + 1/2 p^T B p + damping/2 |p|^2,   x + p in the convex sets,
 *
 * B the curvature along the last step, and its minimum for one active set.
 */
import { createEnvelope, type Envelope, factorEnvelope } from '../../math/linear/envelope-cholesky.js';
import type { System } from '../system/system.js';
import type { JacobianRows } from '../transcription/jacobian-rows.js';
import type { ActiveSet } from './active-set.js';
import { type Curvature, createCurvature, factorCurvature, solveCurved } from './curvature.js';
import { createGramMatrix, type GramMatrix } from './gram-matrix.js';
import {
  addInequalityGradients,
  addInequalityGram,
  linearizeIntervals,
  linearizeRows,
} from './inequality-constraints.js';
import { addQuadraticRows, addRowGradient, type Multipliers } from './lagrangian.js';
import { addSetConstraints } from './set-constraint-model.js';
import { detectActiveSets } from './set-constraints.js';

/** The point where the model is made. Declared here for its readers; `augmented-lagrangian.ts` alone creates and writes it. */
export interface Iterate {
  /** x. */
  readonly unknowns: Float64Array;
  /** lambda and rho. */
  readonly multipliers: Multipliers;
  /** r and J. */
  readonly rows: JacobianRows;
  /** Whether `rows` belong to `unknowns`, and the model to these rows and multipliers. */
  isLinearized: boolean;
  isAssembled: boolean;
  /** Whether the step to `unknowns` was shortened: bounds that the whole step would have reached are active at the next one, as a rule. */
  isShortened: boolean;
  /** The sum of squared cost rows, the largest violation, and L. */
  cost: number;
  violation: number;
  merit: number;
  /** Levenberg damping added to the model's diagonal. */
  damping: number;
  /** Trust radius of the time scaling, relative. */
  timeTrustRadius: number;
}

/** The linear system of a step. Written by whichever factored last, `solveModel` or `followCentralPath`: a correction solves it again. */
export interface FactoredSystem {
  readonly matrix: GramMatrix;
  /** Weight of each inequality in the matrix; in the gradient its row has the coefficient gradientOffset + weight y. */
  readonly weight: Float64Array;
  readonly gradientOffset: Float64Array;
  /** Number of factorizations so far. */
  count: number;
}

export interface QuadraticModel {
  /** What the Gauss-Newton matrix lacks, along the last step. */
  readonly curvature: Curvature;
  /** Gradient and Gauss-Newton matrix of costs and equalities, the mean of its diagonal, and the contribution of the costs. */
  readonly quadraticGradient: Float64Array;
  readonly quadratic: GramMatrix;
  diagonalMean: number;
  costDiagonalMean: number;
  /** The same with damping and active set constraints. */
  readonly dampedGradient: Float64Array;
  readonly damped: Envelope;
  /** The same with active inequalities. */
  readonly gradient: Float64Array;
  readonly factored: FactoredSystem;
  /** Diagonal with all inequalities active, and coefficients of the inequalities in `gradient`: scratch. */
  readonly diagonal: Float64Array;
  readonly coefficient: Float64Array;
}

/** What a step is computed from: the parts of a solver that all files here read. */
export interface Subproblem {
  readonly system: System;
  readonly iterate: Iterate;
  readonly model: QuadraticModel;
  readonly activeSet: ActiveSet;
}

/** @param inequalities - Number of one-sided penalties. */
export function createQuadraticModel({ size, first }: System, inequalities: number): QuadraticModel {
  return {
    curvature: createCurvature(size),
    quadraticGradient: new Float64Array(size),
    quadratic: createGramMatrix(first),
    diagonalMean: 1,
    costDiagonalMean: 0,
    dampedGradient: new Float64Array(size),
    damped: createEnvelope(first),
    gradient: new Float64Array(size),
    factored: {
      matrix: createGramMatrix(first),
      weight: new Float64Array(inequalities),
      gradientOffset: new Float64Array(inequalities),
      count: 0,
    },
    diagonal: new Float64Array(size),
    coefficient: new Float64Array(inequalities),
  };
}

/** Assembles g = J^T W r and H = J^T W J of costs and equalities: once for each linearization and set of multipliers. */
export function assembleModel({ system: { kinds }, iterate, model }: Subproblem): void {
  const { rows, multipliers } = iterate;
  const { quadratic, quadraticGradient } = model;
  quadraticGradient.fill(0);
  quadratic.values.fill(0);
  addQuadraticRows(kinds, rows, multipliers, quadraticGradient, quadratic);
  const { n, base, values } = quadratic;
  let trace = 0;
  for (let i = 0; i < n; i++) trace += values[base[i] + i];
  let costTrace = 0;
  for (let i = 0; i < kinds.length; i++) {
    if (kinds[i] !== 'cost') continue;
    for (let p = rows.start[i]; p < rows.start[i + 1]; p++) costTrace += rows.values[p] * rows.values[p];
  }
  model.diagonalMean = trace > 0 ? trace / n : 1;
  model.costDiagonalMean = costTrace / n;
}

/** Initial active sets at p = 0: set constraints and inequalities. */
export function linearizeConstraints({ iterate, model, activeSet }: Subproblem): void {
  const { rows, multipliers, unknowns, timeTrustRadius, isShortened } = iterate;
  const { quadratic, quadraticGradient, gradient, diagonal } = model;
  const { sets, setConstraints, inequalities } = activeSet;
  linearizeRows(inequalities, rows, multipliers);
  gradient.set(quadraticGradient);
  for (let c = 0; c < inequalities.rows.length; c++) {
    if (inequalities.active[c] === 1)
      addRowGradient(rows, inequalities.rows[c], inequalities.penalty[c] * inequalities.offset[c], gradient);
  }
  if (inequalities.intervals.length > 0) {
    const { n, base, values } = quadratic;
    for (let i = 0; i < n; i++) diagonal[i] = values[base[i] + i];
    for (const row of inequalities.rows) {
      for (let p = rows.start[row]; p < rows.start[row + 1]; p++)
        diagonal[rows.columns[p]] += multipliers.rho[row] * rows.values[p] * rows.values[p];
    }
    linearizeIntervals(inequalities, unknowns, gradient, diagonal, timeTrustRadius);
  }
  detectActiveSets(sets, unknowns, gradient, quadratic, timeTrustRadius, isShortened, setConstraints);
}

/**
 * Factors the model with the active constraints and writes its minimum, -(H + damping)^-1 g, to `step`.
 *
 * @returns false where the factorization fails.
 */
export function solveModel({ iterate, model, activeSet }: Subproblem, step: Float64Array): boolean {
  const { rows, unknowns, damping } = iterate;
  const { quadratic, quadraticGradient, damped, dampedGradient, gradient, factored, coefficient } = model;
  const { sets, setConstraints, inequalities } = activeSet;
  const { matrix, weight, gradientOffset } = factored;
  damped.values.set(quadratic.values);
  dampedGradient.set(quadraticGradient);
  addSetConstraints(sets, setConstraints, unknowns, dampedGradient, damped);
  for (let i = 0; i < damped.n; i++) damped.values[damped.base[i] + i] += damping;
  matrix.values.set(damped.values);
  gradient.set(dampedGradient);
  for (let c = 0; c < inequalities.active.length; c++) {
    gradientOffset[c] = 0;
    weight[c] = inequalities.active[c] * inequalities.penalty[c];
    coefficient[c] = weight[c] * inequalities.offset[c];
  }
  addInequalityGradients(inequalities, rows, coefficient, gradient);
  addInequalityGram(inequalities, rows, weight, matrix);
  factored.count++;
  if (!factorEnvelope(matrix, matrix)) return false;
  factorCurvature(model.curvature, matrix);
  for (let i = 0; i < step.length; i++) step[i] = -gradient[i];
  solveCurved(model.curvature, matrix, step);
  return step.every(Number.isFinite);
}
