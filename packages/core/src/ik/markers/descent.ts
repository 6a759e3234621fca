import { copyNumbers } from '../../math/linear/vector.js';
import { findFaces, projectHessian, projectVector } from './active-face.js';
import { differentiate } from './derivatives.js';
import { evaluate, type MarkerProblem } from './marker-problem.js';
import {
  correctStep,
  type DescentWork,
  largestCurvature,
  lengthOf,
  newtonStep,
  solveDamped,
  undoCorrection,
} from './newton-step.js';

/** Face gradient that is as good as zero: rounding of the sums of f. */
const FLAT = 1e-15;
/** Face gradient below which a pose is stationary: DESIGN.md asks for 1e-8. */
const STATIONARY = 1e-9;
/**
 * A step of Newton's method that changes no angle by more, rad, is the last: what it leaves is about its square. Weak
 * directions, which rounding damps, are left with some 1e-3 of it.
 */
const LAST_STEP = 1e-8;
/** Largest length of a step, and the first one tried: rad and length scales together. */
const LARGEST_RADIUS = 2;
const FIRST_RADIUS = 1;
/**
 * As long as a step leaves less than this part of f, the residuals are on their way out and Gauss-Newton's model is the better one:
 * their second derivatives would count residuals that are gone in the end.
 */
const FALLING = 0.5;
/** A step that gains less of its promise than this is bent after the valley that it left. */
const BENT = 0.25;
/** Damping that keeps to what the markers see well, against the largest curvature. */
const FLOOR_DAMPING = 1e-5;
/** Steps in a row of which f shows nothing before that is used. */
const MOST_FLAT = 6;
/** A radius below which no step is looked for. */
const LEAST_RADIUS = 1e-13;
/** Changes of f smaller than this part of f, or than this, do not show in it. */
const UNSEEN = 1e-12;
const UNSEEN_AT_ALL = 1e-30;

export interface Descent {
  readonly outcome: 'stationary' | 'stalled' | 'iteration-limit';
  readonly objective: number;
  readonly iterations: number;
}

/**
 * Newton's method with a trust region (More & Sorensen 1983) on the face of the active limits, in place on an allowed pose.
 * Every accepted pose is allowed and f never rises (but for rounding at the end). It begins with Gauss-Newton's Hessian and keeps to
 * it while f falls fast: then the residuals vanish, what the markers do not see is left alone, and directions that they hardly see
 * are not thrown across a fold. After that the Hessian is exact: markers leave residuals, and where they hardly see a direction the
 * bending of the others decides. Where it is not positive definite its Gauss-Newton part stands in, as long as that predicts well:
 * far from the answer it takes the longer steps. A step that gains little is corrected to second order: a direction that the
 * markers hardly see makes a long, curved valley, and its floor is followed so.
 */
export function descend(
  problem: MarkerProblem,
  work: DescentWork,
  pose: Float64Array,
  maxIterations: number,
): Descent {
  let f = evaluate(problem, pose);
  let radius = FIRST_RADIUS;
  let last = Number.POSITIVE_INFINITY;
  let falling = true;
  let mayBeSimple = true;
  let flat = 0;
  work.damping = 0;
  work.floor = 0;
  for (let iterations = 1; ; ) {
    const slope = prepare(problem, work, pose, !falling);
    // On a floor so flat that f shows nothing, a long step along it leaves a slope across it: from here on only that is mended.
    if (flat >= MOST_FLAT && slope > STATIONARY) work.floor = FLOOR_DAMPING;
    if (slope <= FLAT || ((last <= LAST_STEP || work.floor > 0) && slope <= STATIONARY)) {
      return { outcome: 'stationary', objective: f, iterations };
    }
    work.met.fill(0);
    work.step.fill(0);
    let solved = solveDamped(problem, work, 0);
    const simple = !falling && !solved && mayBeSimple;
    if (simple) prepare(problem, work, pose, false);
    let accepted = false;
    while (radius > LEAST_RADIUS && iterations < maxIterations) {
      const fall = newtonStep(problem, work, pose, radius, solved);
      solved = false;
      const length = lengthOf(work.step);
      let next = evaluate(problem, work.trial);
      iterations++;
      // A step bent by limits may fall where the model rises.
      const size = Math.abs(fall);
      let gain = (f - next) / Math.max(size, Number.MIN_VALUE);
      // Where f no longer shows a fall so small, the step is taken on the word of the model.
      const unseen = size <= UNSEEN * f || size < UNSEEN_AT_ALL;
      accepted = unseen ? next <= f * (1 + UNSEEN) || next < 1e-28 : next < f && gain > 1e-3;
      if (!unseen && gain < BENT && iterations < maxIterations && correctStep(problem, work, pose)) {
        const corrected = evaluate(problem, work.trial);
        iterations++;
        if (corrected < f && (f - corrected) / size > Math.max(gain, BENT)) {
          next = corrected;
          gain = (f - next) / size;
          accepted = true;
        } else if (accepted) {
          undoCorrection(problem, work, pose);
          evaluate(problem, work.trial);
        }
      }
      if (simple && gain < 0.5) mayBeSimple = false;
      if (!accepted || (gain < 0.25 && !unseen)) radius = 0.3 * length;
      else if (gain > 0.75 && length > 0.6 * radius) radius = Math.min(LARGEST_RADIUS, 2.5 * radius);
      if (!accepted) continue;
      if (!(next < FALLING * f)) falling = false;
      f = next;
      flat = unseen ? flat + 1 : 0;
      last = work.damping === 0 && !falling ? length : Number.POSITIVE_INFINITY;
      copyNumbers(work.trial, pose, pose.length);
      regularizeCharts(problem, pose);
      break;
    }
    if (accepted) continue;
    evaluate(problem, pose);
    if (falling && iterations < maxIterations) {
      falling = false;
      radius = FIRST_RADIUS;
      continue;
    }
    const outcome =
      slope <= STATIONARY ? 'stationary' : iterations >= maxIterations ? 'iteration-limit' : 'stalled';
    return { outcome, objective: f, iterations };
  }
}

/** Derivatives, active limits, and both on the face. Returns the length of the gradient there. */
function prepare(problem: MarkerProblem, work: DescentWork, pose: Float64Array, exact: boolean): number {
  const { derivatives, faces, face } = work;
  const { gradient, hessian, size } = derivatives;
  differentiate(problem, pose, exact, false, derivatives);
  findFaces(problem, faces, pose, gradient);
  copyNumbers(gradient, face, face.length);
  projectVector(problem, faces, face);
  work.pin = largestCurvature(derivatives);
  projectHessian(problem, faces, pose, hessian, size, work.pin);
  let sum = 0;
  for (let k = 0; k < face.length; k++) sum += face[k] * face[k];
  return Math.sqrt(sum);
}

/** Brings the unlimited rotation vectors of an accepted pose back within pi (the paper's section 3.2.2). */
function regularizeCharts({ charts }: MarkerProblem, pose: Float64Array): void {
  for (let n = 0; n < charts.length; n++) {
    const i = charts[n];
    const t = pose[i] * pose[i] + pose[i + 1] * pose[i + 1] + pose[i + 2] * pose[i + 2];
    if (t <= Math.PI * Math.PI) continue;
    const theta = Math.sqrt(t);
    const factor = 1 - (2 * Math.PI * Math.round(theta / (2 * Math.PI))) / theta;
    for (let k = 0; k < 3; k++) pose[i + k] *= factor;
  }
}

/** |P(q - grad f) - q| at the pose last evaluated, translations in length scales; also brings derivatives and faces there. */
export function stationarityOf(problem: MarkerProblem, work: DescentWork, pose: Float64Array): number {
  const { derivatives, faces, trial } = work;
  const { gradient } = derivatives;
  const { columnScale, limits } = problem;
  differentiate(problem, pose, true, false, derivatives);
  findFaces(problem, faces, pose, gradient);
  for (let k = 0; k < pose.length; k++) trial[k] = pose[k] - gradient[k] * columnScale[k];
  for (const { part, shape } of limits) shape.project(part.parameters, trial, part.coordinate, part.size);
  let sum = 0;
  for (let k = 0; k < pose.length; k++) sum += ((trial[k] - pose[k]) / columnScale[k]) ** 2;
  return Math.sqrt(sum);
}
