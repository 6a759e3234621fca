import { symmetricEigen } from './symmetric-eigen.js';

/** Measured points: y = q / scale are the coordinates, all of one unit. */
export interface MeasuredProblem {
  /** Residuals of the measured numbers that are there, each times the root of its weight, m. The same numbers at every y. */
  readonly residual: (y: Float64Array) => Float64Array;
  /** Directions along which the residuals change by less, m per unit, are not observed. */
  readonly floor: number;
}

/** Error of an estimate relative to the exact solutions. */
export interface AnswerError {
  /** Directions observed at the known pose. */
  readonly observed: number;
  /** Largest part of estimate - truth along an observed direction at the truth: straight, as if the answers made a flat. */
  readonly straight: number;
  /** How far the estimate is along the unobserved directions there. */
  readonly drift: number;
  /** Distance of the estimate from the nearest answer that the walk from the truth came to, in all directions. */
  readonly distance: number;
  /** Root sum of squares of the residuals there, m: what makes it an answer. */
  readonly residual: number;
  /** The same of the estimate. */
  readonly estimateResidual: number;
}

/** Longest step along the answers. */
const STRIDE = 0.2;
const MAX_STEPS = 40;
const MAX_CORRECTIONS = 60;
/** A step smaller than this ends a search. */
const SMALL = 1e-11;

/**
 * How far an estimate is from the exact answers. Where the data do not observe a direction, the poses that meet them make a curved
 * surface through the truth, and no estimate can know where on it the truth lies; along a curve the difference to the truth has
 * parts in observed directions too, of the order of the square of the way. So the truth is walked along the surface towards the
 * estimate: a stride along the unobserved directions, then Gauss and Newton's steps in the observed ones back to the surface, both anew at
 * each place, until the estimate lies in no unobserved direction any more. What is left is the error that the data do not excuse.
 */
export function answerError(
  problem: MeasuredProblem,
  truth: Float64Array,
  estimate: Float64Array,
): AnswerError {
  const y = truth.slice();
  const at = splitAt(problem, y);
  const difference = (): Float64Array => estimate.map((x, i) => x - y[i]);
  const first = difference();
  const straight = Math.max(0, ...at.seen.map(({ vector }) => Math.abs(dot(vector, first))));
  const drift = Math.hypot(...at.unseen.map((vector) => dot(vector, first)));
  let here = at;
  for (let step = 0; step < MAX_STEPS; step++) {
    const d = difference();
    const along = here.unseen.map((vector) => dot(vector, d));
    const length = Math.hypot(...along);
    if (length <= SMALL) break;
    const share = Math.min(1, STRIDE / length);
    here.unseen.forEach((vector, k) => {
      addTo(y, vector, share * along[k]);
    });
    here = backToAnswers(problem, y);
  }
  return {
    observed: at.seen.length,
    straight,
    drift,
    distance: Math.hypot(...difference()),
    residual: here.residual,
    estimateResidual: Math.hypot(...problem.residual(estimate)),
  };
}

interface Split {
  /** Observed directions: unit vector, singular value squared, and what the residuals ask for along it. */
  readonly seen: readonly {
    readonly vector: Float64Array;
    readonly square: number;
    readonly slope: number;
  }[];
  readonly unseen: readonly Float64Array[];
  readonly residual: number;
  readonly jacobian: Float64Array;
  readonly rows: number;
}

/** Step of central differences: their error is some 1e-10, which slows the corrections and does not change where they end. */
const DIFFERENCE = 1e-5;

/** Central differences of the residuals, row by row. */
function jacobianOf({ residual }: MeasuredProblem, y: Float64Array, rows: number): Float64Array {
  const out = new Float64Array(rows * y.length);
  const moved = y.slice();
  for (let i = 0; i < y.length; i++) {
    moved[i] = y[i] + DIFFERENCE;
    const plus = residual(moved).slice();
    moved[i] = y[i] - DIFFERENCE;
    const minus = residual(moved);
    moved[i] = y[i];
    for (let r = 0; r < rows; r++) out[r * y.length + i] = (plus[r] - minus[r]) / (2 * DIFFERENCE);
  }
  return out;
}

/** The directions at a pose: eigenvectors of J^T J. */
function splitAt(problem: MeasuredProblem, y: Float64Array): Split {
  const size = y.length;
  const { floor } = problem;
  // The array handed back may be one and the same each time.
  const values = problem.residual(y).slice();
  const jacobian = jacobianOf(problem, y, values.length);
  const normal = new Float64Array(size * size);
  const gradient = new Float64Array(size);
  for (let r = 0; r < values.length; r++) {
    for (let i = 0; i < size; i++) {
      const x = jacobian[r * size + i];
      if (x === 0) continue;
      gradient[i] += x * values[r];
      for (let k = 0; k < size; k++) normal[i * size + k] += x * jacobian[r * size + k];
    }
  }
  const eigen = symmetricEigen(normal, size);
  const all = eigen.vectors.map((vector, k) => ({
    vector,
    square: eigen.values[k],
    slope: dot(vector, gradient),
  }));
  return {
    jacobian,
    rows: values.length,
    seen: all.filter(({ square }) => square >= floor * floor),
    unseen: all.filter(({ square }) => !(square >= floor * floor)).map(({ vector }) => vector),
    residual: Math.hypot(...values),
  };
}

/**
 * Gauss and Newton's steps in the observed directions, in place; with the Jacobian of the start as long as they get shorter by half.
 *
 * @returns the directions where it ends.
 */
function backToAnswers(problem: MeasuredProblem, y: Float64Array): Split {
  let at = splitAt(problem, y);
  let last = Number.POSITIVE_INFINITY;
  for (let n = 0; n < MAX_CORRECTIONS; n++) {
    let square = 0;
    for (const { vector, slope, square: curvature } of at.seen) {
      addTo(y, vector, -slope / curvature);
      square += (slope / curvature) ** 2;
    }
    const length = Math.sqrt(square);
    if (length <= SMALL) break;
    at = length > 0.5 * last ? splitAt(problem, y) : withSlopes(problem, at, y);
    last = length;
  }
  return splitAt(problem, y);
}

/** The same directions with what the residuals at another pose ask for. */
function withSlopes(problem: MeasuredProblem, at: Split, y: Float64Array): Split {
  const values = problem.residual(y);
  const gradient = new Float64Array(y.length);
  for (let r = 0; r < at.rows; r++) {
    for (let i = 0; i < y.length; i++) gradient[i] += at.jacobian[r * y.length + i] * values[r];
  }
  return { ...at, seen: at.seen.map((each) => ({ ...each, slope: dot(each.vector, gradient) })) };
}

/**
 * Errors of an estimate in units of the noise, one for each observed direction at the truth, the best observed first: what the residuals
 * change by along the direction's image u = J v / |J v|. To first order that is |J v| (v . error) / noise, whose variance no unbiased
 * estimate has under 1 (Cramer-Rao); unlike the error along v it does not depend on how the pose is written in coordinates, and a
 * way along hardly observed directions, which bends, does not show in the well observed ones.
 */
export function noiseRatios(
  problem: MeasuredProblem,
  truth: Float64Array,
  estimate: Float64Array,
  noise: number,
): number[] {
  const { seen, jacobian, rows } = splitAt(problem, truth);
  const before = problem.residual(truth).slice();
  const change = problem.residual(estimate).map((x, r) => x - before[r]);
  return seen.map(({ vector, square }) => {
    let sum = 0;
    for (let r = 0; r < rows; r++) {
      sum += change[r] * dot(jacobian.subarray(r * truth.length, (r + 1) * truth.length), vector);
    }
    return sum / (Math.sqrt(square) * noise);
  });
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

function addTo(y: Float64Array, vector: Float64Array, factor: number): void {
  for (let i = 0; i < y.length; i++) y[i] += factor * vector[i];
}
