import { requirePositive } from '../../checks.js';
import { GoalError } from '../../errors.js';
import { checkPose } from '../../figure/model/pose.js';
import { singularValues } from '../../math/linear/svd.js';
import { projectOutNormals, updateActiveSet } from '../../math/optimization/active-limits.js';
import { differentiate } from './derivatives.js';
import { evaluate, type MarkerProblem } from './marker-problem.js';
import type { MarkerTracker } from './marker-tracker.js';
import { mimicUnsupported } from './mimic-joints.js';

/** A direction of the pose that the markers do not observe, or hardly. */
export interface UnobservableDirection {
  /** m per rad. */
  readonly singularValue: number;
  /** Entries of the unit vector over the coordinates, the largest first. */
  readonly coordinates: readonly {
    readonly bone: string;
    readonly coordinate: number;
    readonly share: number;
  }[];
}

/** Observability of the pose by the markers of a frame. */
export interface Observability {
  /**
   * Singular values of W^1/2 J over scaled coordinates (a length scale and a radian are equal), decreasing: displacement of the markers, root
   * sum of squares, per radian along each direction; m per rad. W: relative weights, confidences, tasks.
   */
  readonly singularValues: Float64Array;
  /** Row k is the direction of value k, a unit vector over scaled coordinates, `figure.dof` numbers. */
  readonly directions: Float64Array;
  /** Directions of smaller singular values are unobserved, m per rad. */
  readonly floor: number;
  /** Number of observed directions. */
  readonly observed: number;
  readonly unobserved: readonly UnobservableDirection[];
  /** Fraction of each coordinate in the observed directions, 0 to 1; for a coupled one that of its driver, for a locked one 0. */
  readonly observedFraction: Float64Array;
}

/** Smallest entry of a direction's unit vector that is listed. */
const MIN_COMPONENT = 0.1;

/**
 * The directions of the pose observed by the markers of the frame last solved, at a pose: those along which the markers move, to first order,
 * by at least `floor` per radian. Unobserved are the twist of a straight limb, the distribution of a rotation over two collinear bones, and
 * all joints beyond the last marker. Locked and coupled coordinates are in no direction; a driver's entry includes its coupled coordinates.
 *
 * @param floor - m per rad. Default 1e-3 length scales.
 * @throws GoalError for a floor that is not positive, FigureError for an invalid pose.
 */
export function computeObservability(
  tracker: MarkerTracker,
  pose: Float64Array,
  floor: number = 1e-3 * tracker.problem.lengthScale,
): Observability {
  requirePositive(floor, 'floor', GoalError, 'm per rad');
  if (tracker.expanded) throw mimicUnsupported('tracker.figure');
  const { figure, problem } = tracker;
  const jacobian = weightedJacobian(tracker, pose, false);
  const dof = figure.dof;
  const { values, directions } = singularValues(jacobian.values, jacobian.rows, dof);
  // Coordinates that are not free have zero columns and directions of their own, which are left out.
  const order = Array.from(values.keys()).filter((k) => !isLocked(problem, directions, k));
  const singular = Float64Array.from(order, (k) => values[k]);
  const freeDirections = new Float64Array(order.length * dof);
  order.forEach((k, row) => {
    freeDirections.set(directions.subarray(k * dof, (k + 1) * dof), row * dof);
  });
  const observed = singular.filter((value) => value >= floor).length;
  const fractions = new Float64Array(dof);
  for (let k = 0; k < observed; k++)
    for (let i = 0; i < dof; i++) fractions[i] += freeDirections[k * dof + i] ** 2;
  for (const { coordinate, driver } of problem.couplings) fractions[coordinate] = fractions[driver];
  const unseen = Array.from(singular.subarray(observed), (singularValue, k) => ({
    singularValue,
    coordinates: Array.from(
      freeDirections.subarray((observed + k) * dof, (observed + k + 1) * dof),
      (share, i) => ({
        share,
        i,
      }),
    )
      .filter(({ share }) => Math.abs(share) > MIN_COMPONENT)
      .sort((a, b) => Math.abs(b.share) - Math.abs(a.share))
      .map(({ share, i }) => {
        const bone = figure.bones[figure.boneOfCoordinate[i]];
        return { bone: bone.name, coordinate: i - bone.coordinate, share };
      }),
  }));
  return {
    singularValues: singular,
    directions: freeDirections,
    floor,
    observed,
    unobserved: unseen,
    observedFraction: fractions,
  };
}

/** Whether direction k is that of a locked or coupled coordinate. */
function isLocked({ figure: { dof }, free }: MarkerProblem, directions: Float64Array, k: number): boolean {
  let outside = 0;
  for (let i = 0; i < dof; i++) if (free[i] === 0) outside += directions[k * dof + i] ** 2;
  return outside > 0.5;
}

/** Uncertainty of the coordinates of a frame for known noise of the markers. */
export interface Uncertainty {
  /** Covariance of the coordinates, dof x dof, rad and m, over the observed directions only. */
  readonly covariance: Float64Array;
  /**
   * Square root of its diagonal; infinite for a coordinate with a component in an unobserved direction. A coupled coordinate varies with its
   * driver, by the derivative of its map; a locked one does not.
   */
  readonly standardDeviations: Float64Array;
}

/** Largest squared component of an observed coordinate in unobserved directions. */
const MAX_UNOBSERVED = 1e-8;

/**
 * The Cramer-Rao bound of the frame last solved, at a pose: no unbiased estimate of the coordinates has less variance than
 * sigma^2 (J^T W J)^-1, for markers with independent normal errors of variance sigma^2 / weight along each axis; least squares attains it
 * where f is nearly quadratic. Restricted to the tangent space of active limits and to observed directions. Weights of tasks count as prior
 * precision.
 *
 * @param sigma - Standard deviation of one coordinate of a marker of weight 1, m.
 * @param floor - As in {@link computeObservability}.
 * @throws GoalError for a sigma that is not positive.
 */
export function computeUncertainty(
  tracker: MarkerTracker,
  pose: Float64Array,
  sigma: number,
  floor: number = 1e-3 * tracker.problem.lengthScale,
): Uncertainty {
  requirePositive(sigma, 'sigma', GoalError, 'm');
  if (tracker.expanded) throw mimicUnsupported('tracker.figure');
  const { problem, figure } = tracker;
  const { columnScale, largestWeight } = problem;
  const dof = figure.dof;
  const jacobian = weightedJacobian(tracker, pose, true);
  const { values, directions } = singularValues(jacobian.values, jacobian.rows, dof);
  const covariance = new Float64Array(dof * dof);
  const outside = Float64Array.from(jacobian.freedom);
  for (let k = 0; k < dof; k++) {
    if (values[k] < floor) continue;
    const gain = (sigma * sigma) / (largestWeight * values[k] * values[k]);
    const v = directions.subarray(k * dof, (k + 1) * dof);
    for (let i = 0; i < dof; i++) {
      outside[i] -= v[i] * v[i];
      for (let j = 0; j < dof; j++)
        covariance[i * dof + j] += gain * v[i] * v[j] * columnScale[i] * columnScale[j];
    }
  }
  // q_c = map(q_d) varies by its derivative: scales rows and columns of the driver.
  for (const { coordinate: c, driver: d, derivative } of problem.couplings) {
    for (let j = 0; j < dof; j++) covariance[c * dof + j] = derivative * covariance[d * dof + j];
    for (let j = 0; j < dof; j++) covariance[j * dof + c] = derivative * covariance[j * dof + d];
    outside[c] = derivative === 0 ? 0 : outside[d];
  }
  return {
    covariance,
    standardDeviations: Float64Array.from(outside, (unobserved, i) =>
      unobserved > MAX_UNOBSERVED ? Number.POSITIVE_INFINITY : Math.sqrt(covariance[i * dof + i]),
    ),
  };
}

/**
 * Rows of sqrt(weight / largest weight) J, m per scaled unit, for the observed markers and the tasks.
 *
 * @param onFace - Whether to project onto the tangent space of active limits.
 */
function weightedJacobian(
  { problem, workspace, figure }: MarkerTracker,
  pose: Float64Array,
  inTangentSpace: boolean,
): { readonly values: Float64Array; readonly rows: number; readonly freedom: Float64Array } {
  checkPose(figure, pose);
  const at = pose.slice();
  evaluate(problem, at);
  differentiate(problem, at, false, false, workspace.derivatives);
  updateActiveSet(workspace.activeSet, at, workspace.derivatives.gradient);
  const { bones, omega, positions, state, tasks, couplings, free, lengthScale, columnScale } = problem;
  const { columns } = workspace.derivatives;
  const { dof, parents, coordinateStart } = figure;
  const world = state.worldFromBone;
  const rows = 3 * bones.length + tasks.length;
  const values = new Float64Array(rows * dof);
  for (let m = 0; m < bones.length; m++) {
    if (omega[m] === 0) continue;
    const weight = lengthScale * Math.sqrt(omega[m]);
    const [x, y, z] = [0, 1, 2].map((k) => positions[3 * m + k] - world[9 + k]);
    for (let b = bones[m]; b >= 0; b = parents[b]) {
      for (let i = coordinateStart[b]; i < coordinateStart[b + 1]; i++) {
        const c = 6 * i;
        const o = 3 * m * dof + i;
        values[o] = weight * (columns[c] + columns[c + 4] * z - columns[c + 5] * y);
        values[o + dof] = weight * (columns[c + 1] + columns[c + 5] * x - columns[c + 3] * z);
        values[o + 2 * dof] = weight * (columns[c + 2] + columns[c + 3] * y - columns[c + 4] * x);
      }
    }
  }
  tasks.forEach(({ coordinate, weight }, n) => {
    values[(3 * bones.length + n) * dof + coordinate] =
      lengthScale * Math.sqrt(weight) * columnScale[coordinate];
  });
  const freedom = Float64Array.from(free);
  for (let r = 0; r < rows; r++) {
    const row = values.subarray(r * dof, (r + 1) * dof);
    for (const { coordinate, driver, derivative } of couplings) {
      row[driver] += ((derivative * columnScale[driver]) / columnScale[coordinate]) * row[coordinate];
    }
    for (let i = 0; i < dof; i++) if (free[i] === 0) row[i] = 0;
    if (inTangentSpace) projectOutNormals(workspace.activeSet, row);
  }
  if (inTangentSpace) {
    problem.limits.forEach(({ limit }, n) => {
      if (workspace.activeSet.active[n] === 0) return;
      for (let i = limit.coordinate; i < limit.coordinate + limit.size; i++) {
        freedom[i] -= workspace.activeSet.normals[i] ** 2;
      }
    });
  }
  return { values, rows, freedom };
}
