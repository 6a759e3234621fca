import type { LimitComponent } from '../../figure/limits/limit.js';
import { factorTree, solveLower, solveUpper } from '../../math/linear/sparse-ltl.js';
import { copyNumbers, largestDiagonal, norm } from '../../math/linear/vector.js';
import {
  type ActiveSet,
  projectOutNormals,
  projectOutSymmetric,
} from '../../math/optimization/active-limits.js';
import type { Derivatives } from './derivative-arrays.js';
import { differentiate } from './derivatives.js';
import type { MarkerProblem } from './marker-problem.js';

/** Damping relative to the largest curvature that is always added: it keeps unobserved directions unchanged. */
const MIN_DAMPING = 1e-12;
/** First damping tried where the Hessian is not positive definite, relative to the largest curvature. */
const INITIAL_DAMPING = 1e-6;
/** Damping of a second-order correction, relative to the largest curvature: only stiffer directions are corrected. */
const CORRECTION_DAMPING = 1e-4;
/** Largest number of factorizations in the choice of one damping. */
const MAX_FACTORIZATIONS = 12;
/** Largest number of limits that may block one step. */
const MAX_BLOCKING = 24;
/** Distance beyond a blocking limit from which a pose is projected onto it, rad or m. */
const PROJECTION_OFFSET = 1e-9;
/** Newton steps to the crossing of a limit. */
const MAX_CROSSING_STEPS = 20;

/** Workspace of a descent. */
export interface DescentWorkspace {
  readonly derivatives: Derivatives;
  readonly activeSet: ActiveSet<LimitComponent>;
  readonly trial: Float64Array;
  /** Damping of the last step; 0 for an undamped Newton step. */
  damping: number;
  /** Minimum damping, relative to the largest curvature. */
  floor: number;
  /** Stiffness of the projected Hessian along the normals of active limits. */
  normalStiffness: number;
  /** Gradient projected onto the tangent space of the active limits. */
  readonly projectedGradient: Float64Array;
  readonly factor: Float64Array;
  readonly direction: Float64Array;
  /** Derivatives at a trial pose, for its correction. */
  readonly trialDerivatives: Derivatives;
  /** The step before its correction. */
  readonly uncorrectedStep: Float64Array;
  /** Actual step in scaled coordinates. */
  readonly step: Float64Array;
  readonly scratch: Float64Array;
  /** 1 for a limit that blocks this step: the rest of the step is in its tangent space. */
  readonly blocking: Uint8Array;
}

/**
 * Minimizes the damped model g.s + s.(H + damping) s / 2 in the tangent space and within the limits by a primal active-set method: from
 * s = 0 towards the minimizer up to the first blocking limit, then in its tangent space. The model decreases from round to round. Writes the
 * trial pose and the actual step.
 *
 * @param solved - Whether `direction` is the undamped step already.
 * @returns the decrease of f predicted by the undamped model.
 */
export function newtonStep(
  problem: MarkerProblem,
  work: DescentWorkspace,
  pose: Float64Array,
  radius: number,
  solved: boolean,
): number {
  const { projectedGradient, direction, step, blocking } = work;
  const n = projectedGradient.length;
  blocking.fill(0);
  step.fill(0);
  chooseDamping(problem, work, radius, solved);
  for (let round = 0; ; round++) {
    const alpha = maxFeasibleStep(problem, work, pose);
    for (let k = 0; k < n; k++) step[k] += alpha * direction[k];
    if (alpha === 1 || round === MAX_BLOCKING) break;
    if (!solveDamped(problem, work, work.damping)) break;
    truncate(direction, radius);
  }
  writeTrial(problem, work, pose);
  // -(g.s + s.H s / 2) for the actual step.
  writeModelGradient(problem, work, 0);
  let decrease = 0;
  for (let k = 0; k < n; k++) decrease -= 0.5 * step[k] * (projectedGradient[k] + direction[k]);
  // A curved limit moves the pose off its tangent; the normal stiffness is not part of f.
  return decrease + 0.5 * work.normalStiffness * normalStepSquare(problem, work);
}

/** Sum of the squares of a step's components normal to the active limits. */
function normalStepSquare({ limits }: MarkerProblem, { activeSet, step }: DescentWorkspace): number {
  let sum = 0;
  for (let n = 0; n < limits.length; n++) {
    if (activeSet.active[n] === 0) continue;
    const { coordinate, size } = limits[n].limit;
    let normalComponent = 0;
    for (let k = coordinate; k < coordinate + size; k++) normalComponent += step[k] * activeSet.normals[k];
    sum += normalComponent * normalComponent;
  }
  return sum;
}

/**
 * Second-order correction of a step: a further step from the trial pose, by the gradient there, damped so that only well-observed directions
 * move. That gradient is mostly the curvature that the model omits.
 *
 * @returns whether the correction is smaller than the step; the trial pose is then rewritten.
 */
export function correctStep(problem: MarkerProblem, work: DescentWorkspace, pose: Float64Array): boolean {
  const { trialDerivatives, direction, activeSet, step, uncorrectedStep, trial } = work;
  const n = direction.length;
  if (!factorDamped(problem, work, CORRECTION_DAMPING * largestCurvature(work))) return false;
  differentiate(problem, trial, false, false, trialDerivatives);
  for (let k = 0; k < n; k++) direction[k] = trialDerivatives.gradient[k];
  projectOutNormals(activeSet, direction);
  solveFactored(problem, work);
  if (!(norm(direction) < 0.7 * norm(step))) return false;
  copyNumbers(step, uncorrectedStep, n);
  for (let k = 0; k < n; k++) step[k] += direction[k];
  writeTrial(problem, work, pose);
  return true;
}

/** Restores the trial pose before its correction. */
export function undoCorrection(problem: MarkerProblem, work: DescentWorkspace, pose: Float64Array): void {
  copyNumbers(work.uncorrectedStep, work.step, work.step.length);
  writeTrial(problem, work, pose);
}

/**
 * Finds the smallest damping with a positive definite matrix and a step of about the radius or less, and leaves the step in `direction`:
 * Newton's method on 1/|d| = 1/radius, safeguarded by a bracket.
 */
function chooseDamping(
  problem: MarkerProblem,
  work: DescentWorkspace,
  radius: number,
  solved: boolean,
): void {
  const { direction } = work;
  const unit = largestCurvature(work);
  let low = 0;
  let high = Number.POSITIVE_INFINITY;
  const minimum = work.floor * unit;
  let damping = minimum;
  for (let n = 0; n < MAX_FACTORIZATIONS; n++) {
    let next: number;
    if ((n === 0 && solved && minimum === 0) || solveDamped(problem, work, damping)) {
      const length = norm(direction);
      const tooLong = length > 1.4 * radius;
      if (!tooLong && (damping === minimum || length > 0.6 * radius)) break;
      if (tooLong) low = damping;
      else high = damping;
      next = damping + ((length / radius - 1) * length * length) / inverseSquare(problem, work);
    } else {
      low = damping;
      next = Math.max(work.damping, INITIAL_DAMPING * unit);
    }
    if (!(next > low && next < high)) {
      next =
        high < Number.POSITIVE_INFINITY
          ? Math.sqrt(Math.max(low, 1e-3 * high) * high)
          : 10 * Math.max(low, INITIAL_DAMPING * unit);
    }
    // Last tries: the smallest damping known to serve, otherwise a safe one.
    damping = n < MAX_FACTORIZATIONS - 2 ? next : high < Number.POSITIVE_INFINITY ? high : 100 * unit;
  }
  work.damping = damping;
  truncate(direction, radius);
}

/** d.(H + damping)^-1 d for the current factor and direction. */
function inverseSquare(
  { predecessors }: MarkerProblem,
  { factor, direction, scratch }: DescentWorkspace,
): number {
  copyNumbers(direction, scratch, direction.length);
  solveUpper(factor, direction.length, predecessors, scratch);
  const length = norm(scratch);
  return length * length;
}

/** direction = -(H + damping)^-1 (g + (H + damping) s) in the tangent space of blocking limits; false if not positive definite. */
export function solveDamped(problem: MarkerProblem, work: DescentWorkspace, damping: number): boolean {
  if (!factorDamped(problem, work, damping)) return false;
  writeModelGradient(problem, work, damping + MIN_DAMPING * largestCurvature(work));
  solveFactored(problem, work);
  return true;
}

/** Factors H + damping in the tangent space of blocking limits; false if not positive definite. */
function factorDamped({ predecessors }: MarkerProblem, work: DescentWorkspace, damping: number): boolean {
  const { derivatives, factor, projectedGradient, activeSet, blocking } = work;
  const { hessian, size } = derivatives;
  const n = projectedGradient.length;
  const unit = largestCurvature(work);
  for (let k = 0; k < n; k++) {
    for (let l = k; l >= 0; l = predecessors[l]) factor[k * n + l] = hessian[k * size + l];
    factor[k * (n + 1)] += damping + MIN_DAMPING * unit;
  }
  projectOutSymmetric(activeSet, factor, n, unit, blocking);
  return factorTree(factor, n, predecessors);
}

/** direction = -(factored matrix)^-1 direction, in the tangent space of blocking limits. */
function solveFactored(
  { predecessors }: MarkerProblem,
  { factor, direction, activeSet, blocking }: DescentWorkspace,
): void {
  const n = direction.length;
  projectOutNormals(activeSet, direction, 1, 0, blocking);
  for (let k = 0; k < n; k++) direction[k] = -direction[k];
  solveUpper(factor, n, predecessors, direction);
  solveLower(factor, n, predecessors, direction);
}

/** Scales a vector longer than 1.5 radii down to the radius. */
function truncate(x: Float64Array, radius: number): void {
  const length = norm(x);
  if (length <= 1.5 * radius) return;
  for (let k = 0; k < x.length; k++) x[k] *= radius / length;
}

/** direction = g + (H + shift) s */
function writeModelGradient(
  { predecessors }: MarkerProblem,
  { derivatives, projectedGradient, direction, step }: DescentWorkspace,
  shift: number,
): void {
  const { hessian, size } = derivatives;
  const n = projectedGradient.length;
  for (let k = 0; k < n; k++) direction[k] = projectedGradient[k] + shift * step[k];
  for (let k = 0; k < n; k++) {
    const x = step[k];
    const o = k * size;
    let sum = hessian[o + k] * x;
    for (let l = predecessors[k]; l >= 0; l = predecessors[l]) {
      const h = hessian[o + l];
      sum += h * step[l];
      direction[l] += h * x;
    }
    direction[k] += sum;
  }
}

/** Largest alpha <= 1 for which pose + step + alpha direction satisfies the inactive limits; marks the blocking limit if alpha < 1. */
function maxFeasibleStep(
  { limits, columnScale }: MarkerProblem,
  work: DescentWorkspace,
  pose: Float64Array,
): number {
  const { step, direction, blocking, activeSet, trial, scratch } = work;
  let alpha = 1;
  let blockingIndex = -1;
  for (let n = 0; n < limits.length; n++) {
    const { limit, shape } = limits[n];
    const { coordinate: i, size, parameters } = limit;
    if (activeSet.active[n] === 1 || blocking[n] === 1) continue;
    let length = alpha;
    // g is convex along the direction, so Newton's method converges to its root from outside.
    for (let k = 0; k < MAX_CROSSING_STEPS; k++) {
      for (let c = i; c < i + size; c++)
        trial[c] = pose[c] + columnScale[c] * (step[c] + length * direction[c]);
      const value = shape.value(parameters, trial, i, size);
      if (!(value > 0)) break;
      shape.gradient(parameters, trial, i, size, scratch, 0);
      let derivative = 0;
      for (let c = 0; c < size; c++) derivative += scratch[c] * columnScale[i + c] * direction[i + c];
      const next = derivative > 0 ? length - value / derivative : 0;
      if (!(next < length)) break;
      length = Math.max(0, next);
    }
    if (length >= alpha) continue;
    alpha = length;
    blockingIndex = n;
  }
  if (blockingIndex < 0) return 1;
  blocking[blockingIndex] = 1;
  const { limit, shape } = limits[blockingIndex];
  const { coordinate: i, size, parameters } = limit;
  for (let c = i; c < i + size; c++) trial[c] = pose[c] + columnScale[c] * (step[c] + alpha * direction[c]);
  shape.gradient(parameters, trial, i, size, activeSet.normals, i);
  let square = 0;
  for (let c = i; c < i + size; c++) square += activeSet.normals[c] * activeSet.normals[c];
  for (let c = i; c < i + size; c++) activeSet.normals[c] /= Math.sqrt(square);
  return alpha;
}

/** Writes the trial pose, the projection of pose + step onto the limits, and `step` as the actual step. */
function writeTrial(
  { limits, columnScale }: MarkerProblem,
  work: DescentWorkspace,
  pose: Float64Array,
): void {
  const { trial, step, blocking, activeSet } = work;
  for (let k = 0; k < pose.length; k++) trial[k] = pose[k] + columnScale[k] * step[k];
  for (let n = 0; n < limits.length; n++) {
    const { limit, shape } = limits[n];
    const { coordinate: start, size } = limit;
    if (blocking[n] === 1) {
      // Rounding may leave it slightly inside: projects it onto the limit from outside.
      for (let k = start; k < start + size; k++) trial[k] += PROJECTION_OFFSET * activeSet.normals[k];
    }
    if (!shape.project(limit.parameters, trial, start, size)) continue;
    for (let k = start; k < start + size; k++) step[k] = (trial[k] - pose[k]) / columnScale[k];
  }
}

function largestCurvature({ derivatives: { hessian, size } }: DescentWorkspace): number {
  return largestDiagonal(hessian, size);
}
