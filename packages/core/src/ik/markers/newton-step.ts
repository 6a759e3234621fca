import { factorTree, solveLower, solveUpper } from '../../math/linear/sparse-ltl.js';
import { copyNumbers } from '../../math/linear/vector.js';
import { type Faces, projectLimit, projectOut } from './active-face.js';
import type { Derivatives } from './derivative-arrays.js';
import { differentiate } from './derivatives.js';
import type { MarkerProblem } from './marker-problem.js';

/** Damping that is always there, against the largest curvature: it holds what the markers do not see where it is. */
const LEAST_DAMPING = 1e-12;
/** First damping tried where the Hessian is not positive definite, against the largest curvature. */
const FIRST_DAMPING = 1e-6;
/** Damping of a correction, against the largest curvature: what is stiffer is corrected, what is softer stays. */
const CORRECTION_DAMPING = 1e-4;
/** Factorizations at most in the choice of one damping. */
const MOST_FACTORS = 12;
/** Rounds of deciding which limits a step runs into. */
const CLIP_ROUNDS = 24;
/** How far beyond a limit that is met a pose is put before it is projected, rad or m. */
const BEYOND = 1e-9;
/** Steps of Newton's method to where a way crosses a limit. */
const MOST_CROSSINGS = 20;

/** What a descent writes, made once for a problem. */
export interface DescentWork {
  readonly derivatives: Derivatives;
  readonly faces: Faces;
  readonly trial: Float64Array;
  /** Damping of the last step; 0 for one of Newton's own. */
  damping: number;
  /** The least damping to use, against the largest curvature. */
  floor: number;
  /** Stiffness that the Hessian on the face has across the active limits. */
  pin: number;
  /** Gradient on the face of the active limits. */
  readonly face: Float64Array;
  readonly factor: Float64Array;
  readonly direction: Float64Array;
  /** Derivatives at a trial pose, for its correction. */
  readonly beyond: Derivatives;
  /** The step before it was corrected. */
  readonly straight: Float64Array;
  /** Step in scaled coordinates, as really made. */
  readonly step: Float64Array;
  readonly small: Float64Array;
  /** 1 for a limit that is met in this step: the rest of it goes along the limit. */
  readonly met: Uint8Array;
}

/**
 * Minimizes the damped model g.s + s.(H + damping) s / 2 over the face and within the limits, as far as a primal active-set
 * method goes: from s = 0 towards the minimizer until the first limit is met, and on along it. So
 * the model falls from round to round. Writes the trial pose and the change really made.
 *
 * @param solved - Whether `direction` has the undamped step already.
 * @returns the fall of f that the undamped model predicts for it.
 */
export function newtonStep(
  problem: MarkerProblem,
  work: DescentWork,
  pose: Float64Array,
  radius: number,
  solved: boolean,
): number {
  const { face, direction, step, met } = work;
  const n = face.length;
  met.fill(0);
  step.fill(0);
  chooseDamping(problem, work, radius, solved);
  for (let round = 0; ; round++) {
    const reach = freeLength(problem, work, pose);
    for (let k = 0; k < n; k++) step[k] += reach * direction[k];
    if (reach === 1 || round === CLIP_ROUNDS) break;
    if (!solveDamped(problem, work, work.damping)) break;
    cut(direction, radius);
  }
  writeTrial(problem, work, pose);
  // -(g.s + s.H s / 2) with the change really made.
  writeModelGradient(problem, work, 0);
  let fall = 0;
  for (let k = 0; k < n; k++) fall -= 0.5 * step[k] * (face[k] + direction[k]);
  // A curved limit takes the pose off its tangent; the stiffness there is no part of f.
  return fall + 0.5 * work.pin * outOfFace(problem, work);
}

/** Sum of the squares of a step's parts out of the active limits. */
function outOfFace({ limits }: MarkerProblem, { faces, step }: DescentWork): number {
  let sum = 0;
  for (let n = 0; n < limits.length; n++) {
    if (faces.active[n] === 0) continue;
    const { coordinate, size } = limits[n].part;
    let along = 0;
    for (let k = coordinate; k < coordinate + size; k++) along += step[k] * faces.normals[k];
    sum += along * along;
  }
  return sum;
}

/**
 * Bends a step: one more from the trial pose, for the gradient there, damped so that only what the markers see well moves. What the model
 * leaves out, the bending of their places, is most of that gradient.
 *
 * @returns whether a correction smaller than the step was found and the trial pose rewritten.
 */
export function correctStep(problem: MarkerProblem, work: DescentWork, pose: Float64Array): boolean {
  const { beyond, direction, faces, step, straight, trial } = work;
  const { limits } = problem;
  const n = direction.length;
  if (!factorDamped(problem, work, CORRECTION_DAMPING * largestCurvature(work.derivatives))) return false;
  differentiate(problem, trial, false, false, beyond);
  for (let k = 0; k < n; k++) direction[k] = beyond.gradient[k];
  for (let k = 0; k < limits.length; k++) {
    if (faces.active[k] === 1) projectOut(limits[k], faces, direction);
  }
  solveFactored(problem, work);
  if (!(lengthOf(direction) < 0.7 * lengthOf(step))) return false;
  copyNumbers(step, straight, n);
  for (let k = 0; k < n; k++) step[k] += direction[k];
  writeTrial(problem, work, pose);
  return true;
}

/** Back to the trial pose before its correction. */
export function undoCorrection(problem: MarkerProblem, work: DescentWork, pose: Float64Array): void {
  copyNumbers(work.straight, work.step, work.step.length);
  writeTrial(problem, work, pose);
}

/**
 * Finds the least damping whose step is well defined and not longer than about the radius, and leaves the step in `direction`:
 * Newton's method on 1/|d| = 1/radius, held between a damping that is too small and one that is too large.
 */
function chooseDamping(problem: MarkerProblem, work: DescentWork, radius: number, solved: boolean): void {
  const { direction } = work;
  const unit = largestCurvature(work.derivatives);
  let low = 0;
  let high = Number.POSITIVE_INFINITY;
  const least = work.floor * unit;
  let damping = least;
  for (let n = 0; n < MOST_FACTORS; n++) {
    let next: number;
    if ((n === 0 && solved && least === 0) || solveDamped(problem, work, damping)) {
      const length = lengthOf(direction);
      const tooLong = length > 1.4 * radius;
      if (!tooLong && (damping === least || length > 0.6 * radius)) break;
      if (tooLong) low = damping;
      else high = damping;
      next = damping + ((length / radius - 1) * length * length) / inverseSquare(problem, work);
    } else {
      low = damping;
      next = Math.max(work.damping, FIRST_DAMPING * unit);
    }
    if (!(next > low && next < high)) {
      next =
        high < Number.POSITIVE_INFINITY
          ? Math.sqrt(Math.max(low, 1e-3 * high) * high)
          : 10 * Math.max(low, FIRST_DAMPING * unit);
    }
    // Out of tries: the smallest that is known to serve, and else one that surely does.
    damping = n < MOST_FACTORS - 2 ? next : high < Number.POSITIVE_INFINITY ? high : 100 * unit;
  }
  work.damping = damping;
  cut(direction, radius);
}

/** d.(H + damping)^-1 d for the factor and direction at hand. */
function inverseSquare({ before }: MarkerProblem, { factor, direction, small }: DescentWork): number {
  copyNumbers(direction, small, direction.length);
  solveUpper(factor, direction.length, before, small);
  const length = lengthOf(small);
  return length * length;
}

/** direction = -(H + damping)^-1 (g + (H + damping) s) along the limits met; false where that is not positive definite. */
export function solveDamped(problem: MarkerProblem, work: DescentWork, damping: number): boolean {
  if (!factorDamped(problem, work, damping)) return false;
  writeModelGradient(problem, work, damping + LEAST_DAMPING * largestCurvature(work.derivatives));
  solveFactored(problem, work);
  return true;
}

/** Factors H + damping along the limits met; false where it is not positive definite. */
function factorDamped({ limits, before }: MarkerProblem, work: DescentWork, damping: number): boolean {
  const { derivatives, factor, face, faces, met } = work;
  const { hessian, size } = derivatives;
  const n = face.length;
  const unit = largestCurvature(derivatives);
  for (let k = 0; k < n; k++) {
    for (let l = k; l >= 0; l = before[l]) factor[k * n + l] = hessian[k * size + l];
    factor[k * (n + 1)] += damping + LEAST_DAMPING * unit;
  }
  for (let k = 0; k < limits.length; k++) if (met[k] === 1) projectLimit(limits[k], faces, factor, n, unit);
  return factorTree(factor, n, before);
}

/** direction = -(factored matrix)^-1 direction, along the limits met. */
function solveFactored(
  { limits, before }: MarkerProblem,
  { factor, direction, faces, met }: DescentWork,
): void {
  const n = direction.length;
  for (let k = 0; k < limits.length; k++) if (met[k] === 1) projectOut(limits[k], faces, direction);
  for (let k = 0; k < n; k++) direction[k] = -direction[k];
  solveUpper(factor, n, before, direction);
  solveLower(factor, n, before, direction);
}

/** Shortens a vector that is longer than half as much again as the radius. */
function cut(x: Float64Array, radius: number): void {
  const length = lengthOf(x);
  if (length <= 1.5 * radius) return;
  for (let k = 0; k < x.length; k++) x[k] *= radius / length;
}

export function lengthOf(x: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < x.length; k++) sum += x[k] * x[k];
  return Math.sqrt(sum);
}

/** direction = g + (H + added) s */
function writeModelGradient(
  { before }: MarkerProblem,
  { derivatives, face, direction, step }: DescentWork,
  added: number,
): void {
  const { hessian, size } = derivatives;
  const n = face.length;
  for (let k = 0; k < n; k++) direction[k] = face[k] + added * step[k];
  for (let k = 0; k < n; k++) {
    const x = step[k];
    const o = k * size;
    let sum = hessian[o + k] * x;
    for (let l = before[k]; l >= 0; l = before[l]) {
      const h = hessian[o + l];
      sum += h * step[l];
      direction[l] += h * x;
    }
    direction[k] += sum;
  }
}

/** How much of a direction, from pose + step, stays within the limits that are not active: 1, or the first of them is met. */
function freeLength({ limits, columnScale }: MarkerProblem, work: DescentWork, pose: Float64Array): number {
  const { step, direction, met, faces, trial, small } = work;
  let reach = 1;
  let first = -1;
  for (let n = 0; n < limits.length; n++) {
    const { part, shape } = limits[n];
    const { coordinate: i, size, parameters } = part;
    if (faces.active[n] === 1 || met[n] === 1) continue;
    let length = reach;
    // g is convex along the way, so Newton's method comes down to its root from beyond it.
    for (let k = 0; k < MOST_CROSSINGS; k++) {
      for (let c = i; c < i + size; c++)
        trial[c] = pose[c] + columnScale[c] * (step[c] + length * direction[c]);
      const value = shape.value(parameters, trial, i, size);
      if (!(value > 0)) break;
      shape.gradient(parameters, trial, i, size, small, 0);
      let slope = 0;
      for (let c = 0; c < size; c++) slope += small[c] * columnScale[i + c] * direction[i + c];
      const next = slope > 0 ? length - value / slope : 0;
      if (!(next < length)) break;
      length = Math.max(0, next);
    }
    if (length >= reach) continue;
    reach = length;
    first = n;
  }
  if (first < 0) return 1;
  met[first] = 1;
  const { part, shape } = limits[first];
  const { coordinate: i, size, parameters } = part;
  for (let c = i; c < i + size; c++) trial[c] = pose[c] + columnScale[c] * (step[c] + reach * direction[c]);
  shape.gradient(parameters, trial, i, size, faces.normals, i);
  let square = 0;
  for (let c = i; c < i + size; c++) square += faces.normals[c] * faces.normals[c];
  for (let c = i; c < i + size; c++) faces.normals[c] /= Math.sqrt(square);
  return reach;
}

/** Writes the trial pose, the allowed one nearest to pose + step, and `step` as the change really made. */
function writeTrial({ limits, columnScale }: MarkerProblem, work: DescentWork, pose: Float64Array): void {
  const { trial, step, met, faces } = work;
  for (let k = 0; k < pose.length; k++) trial[k] = pose[k] + columnScale[k] * step[k];
  for (let n = 0; n < limits.length; n++) {
    const { part, shape } = limits[n];
    const { coordinate: first, size } = part;
    if (met[n] === 1) {
      // Rounding may have left it a hair inside: from beyond, it is projected onto the limit.
      for (let k = first; k < first + size; k++) trial[k] += BEYOND * faces.normals[k];
    }
    if (!shape.project(part.parameters, trial, first, size)) continue;
    for (let k = first; k < first + size; k++) step[k] = (trial[k] - pose[k]) / columnScale[k];
  }
}

export function largestCurvature({ hessian, size }: Derivatives): number {
  let largest = 0;
  for (let k = 0; k < size; k++) largest = Math.max(largest, Math.abs(hessian[k * (size + 1)]));
  return largest;
}
