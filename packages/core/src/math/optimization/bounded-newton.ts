import * as ldl from '../linear/ldl.js';
import { largestDiagonal } from '../linear/vector.js';
import {
  type ActiveSet,
  projectOutNormals,
  projectStep,
  reduceGradient,
  reduceHessian,
  stepLength,
} from './active-limits.js';
import { GOOD_GAIN, MIN_GAIN } from './gain-ratio.js';

/** Damping grows by this factor after a rejected step, and shrinks by its square after a good one. */
const DAMPING_FACTOR = 10;
/** Damping relative to the largest curvature at which a step is given up. */
const MAX_DAMPING = 1e12;
/** Rounds of projection onto the limits that a step reaches. */
const MAX_PROJECTION_ROUNDS = 8;

/** A smooth function f of a point within limits. Derivatives are by column of the active set, in scaled coordinates. */
export interface Objective {
  /** f at a feasible point. */
  evaluate(x: Float64Array): number;
  /** The gradient at the point last evaluated. */
  writeGradient(x: Float64Array, out: Float64Array): void;
  /** The Hessian there, its lower triangle at least; called right after `writeGradient`. */
  writeHessian(x: Float64Array, out: Float64Array): void;
}

export interface NewtonSettings {
  /** Largest change of an angle in one step. */
  readonly maxStep: number;
  /** Damping relative to the largest curvature: what is always added, because curvature below it is rounding, and the first value tried. */
  readonly minDamping: number;
  readonly initialDamping: number;
}

/** State and arrays of Newton's method for one objective. */
export interface BoundedNewton {
  readonly objective: Objective;
  readonly activeSet: ActiveSet;
  readonly settings: NewtonSettings;
  /** 1 for a column that is a translation: its steps may be of any length. */
  readonly translates: Uint8Array;
  /** f at the point last accepted. */
  value: number;
  /** Damping that the next step begins with, relative to the largest curvature. */
  damping: number;
  gradientNorm: number;
  /**
   * Largest curvature of f itself along a coordinate, the scale of damping and rounding. The curvature of the limits is left out: in a very
   * narrow limit it is 1e8 times that of f, and such a damping would stop every other coordinate.
   */
  largestCurvature: number;
  /** Whether the reduced Hessian of the last step is not positive definite. */
  indefinite: boolean;
  readonly gradient: Float64Array;
  /** Gradient projected onto the tangent space of the active limits, and its norm. */
  readonly reducedGradient: Float64Array;
  /** Hessian of the Lagrangian, projected likewise: lower triangle. */
  readonly hessian: Float64Array;
  readonly factor: Float64Array;
  readonly direction: Float64Array;
  readonly step: Float64Array;
  /** 1 for a column whose step is fixed by a limit. */
  readonly fixed: Uint8Array;
  readonly trial: Float64Array;
}

/** @param size - Number of coordinates of a point. */
export function createBoundedNewton(
  objective: Objective,
  activeSet: ActiveSet,
  size: number,
  settings: NewtonSettings,
  translates?: Uint8Array,
): BoundedNewton {
  const columns = activeSet.columnScale.length;
  return {
    objective,
    activeSet,
    settings,
    translates: translates ?? new Uint8Array(columns),
    value: Number.POSITIVE_INFINITY,
    damping: 0,
    gradientNorm: Number.POSITIVE_INFINITY,
    largestCurvature: 0,
    indefinite: false,
    gradient: new Float64Array(columns),
    reducedGradient: new Float64Array(columns),
    hessian: new Float64Array(columns * columns),
    factor: new Float64Array(columns * columns),
    direction: new Float64Array(columns),
    step: new Float64Array(columns),
    fixed: new Uint8Array(columns),
    trial: new Float64Array(size),
  };
}

/** Updates gradient and active set at the point last evaluated. @returns the norm of the reduced gradient. */
export function updateGradient(newton: BoundedNewton, x: Float64Array): number {
  const { objective, activeSet, gradient, reducedGradient } = newton;
  objective.writeGradient(x, gradient);
  newton.gradientNorm = reduceGradient(activeSet, x, gradient, reducedGradient);
  return newton.gradientNorm;
}

/** Updates the reduced Hessian, right after {@link updateGradient} at the same point. Along the normals of active limits it is zero. */
export function updateHessian(newton: BoundedNewton, x: Float64Array): void {
  const { objective, activeSet, hessian, gradient } = newton;
  const width = gradient.length;
  objective.writeHessian(x, hessian);
  newton.largestCurvature = largestDiagonal(hessian, width);
  reduceHessian(activeSet, x, hessian, width, 0);
}

/**
 * One step of Newton's method in the tangent space of the active limits, x' = P(x + d), (H + damping) d = -g with reduced Hessian and
 * gradient: takes the smallest damping, from the last one on, whose matrix is positive definite and whose step lowers f (More 1983). The
 * accepted point is left in `trial`, evaluated, and its f in `value`.
 *
 * @param rounding - Change of f within rounding: there a step must halve the reduced gradient.
 * @returns false where there is no such step.
 */
export function takeStep(newton: BoundedNewton, x: Float64Array, rounding: number): boolean {
  const { objective, trial, settings, gradientNorm } = newton;
  newton.indefinite = false;
  let { damping } = newton;
  while (damping <= MAX_DAMPING) {
    const predictedDecrease = solveStep(newton, x, (damping + settings.minDamping) * newton.largestCurvature);
    if (predictedDecrease > 0) {
      const next = objective.evaluate(trial);
      const gainRatio = (newton.value - next) / predictedDecrease;
      if (gainRatio > MIN_GAIN) {
        newton.value = next;
        if (gainRatio > GOOD_GAIN) damping /= DAMPING_FACTOR ** 2;
        newton.damping = damping < settings.initialDamping ? 0 : damping;
        return true;
      }
      if (Math.abs(next - newton.value) <= rounding) {
        if (updateGradient(newton, trial) < 0.5 * gradientNorm) {
          newton.value = objective.evaluate(trial);
          newton.damping = 0;
          return true;
        }
        objective.evaluate(x);
        updateGradient(newton, x);
        // Far within rounding a shorter step would change neither f nor the gradient more.
        if (predictedDecrease <= 1e-3 * rounding) break;
      }
    } else newton.indefinite = true;
    damping = Math.max(settings.initialDamping, DAMPING_FACTOR * damping);
  }
  if (newton.damping === 0) return false;
  // Near the minimum the damping of earlier steps can prevent convergence.
  newton.damping = 0;
  return takeStep(newton, x, rounding);
}

/**
 * Solves (H + damping) d = -g in the tangent space, in each round with the columns of reached limits fixed, and writes the trial
 * point. Returns the decrease of f that the quadratic model predicts, or 0 where H + damping is not positive definite.
 */
function solveStep(newton: BoundedNewton, x: Float64Array, damping: number): number {
  const { activeSet, hessian, factor, reducedGradient, direction, step, fixed, trial } = newton;
  const width = reducedGradient.length;
  for (let k = 0; k < width; k++) fixed[k] = step[k] = 0;
  for (let round = 0; round <= MAX_PROJECTION_ROUNDS; round++) {
    for (let k = 0; k < width; k++) {
      const row = k * width;
      for (let l = 0; l <= k; l++) factor[row + l] = hessian[row + l];
      factor[row + k] += damping;
      direction[k] = -reducedGradient[k];
    }
    if (round > 0) eliminateFixed(newton);
    if (!ldl.solve(factor, width, direction)) return 0;
    // Along the normals H is zero and the damping tiny, so a rounding error of -g there has grown and would leave the limit.
    projectOutNormals(activeSet, direction);
    const alpha = stepLength(direction, newton.translates, newton.settings.maxStep);
    for (let k = 0; k < width; k++) if (fixed[k] === 0) step[k] = alpha * direction[k];
    if (projectStep(activeSet, x, step, trial, fixed) === 0) break;
  }
  // -(g.d + d.H d / 2) with the projected step.
  let decrease = 0;
  for (let k = 0; k < width; k++) {
    const row = k * width;
    let curvature = 0.5 * hessian[row + k] * step[k];
    for (let l = 0; l < k; l++) curvature += hessian[row + l] * step[l];
    decrease -= step[k] * (reducedGradient[k] + curvature);
  }
  return decrease;
}

/** Eliminates the fixed columns from the system and moves their step to the right-hand side. */
function eliminateFixed({ hessian, factor, fixed, step, direction }: BoundedNewton): void {
  const width = direction.length;
  for (let k = 0; k < width; k++) {
    if (fixed[k] === 0) continue;
    for (let l = 0; l < width; l++) {
      if (fixed[l] === 0) direction[l] -= hessian[l > k ? l * width + k : k * width + l] * step[k];
    }
    for (let l = 0; l < k; l++) factor[k * width + l] = 0;
    for (let l = k + 1; l < width; l++) factor[l * width + k] = 0;
    factor[k * width + k] = 1;
    direction[k] = 0;
  }
}
