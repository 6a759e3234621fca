import {
  type FieldsOf,
  requireFields,
  requireFinite,
  requireNotNegative,
  requireNumbers,
  requirePositive,
  requireSize,
  requireString,
} from '../../checks.js';
import { GoalError } from '../../errors.js';
import { jointTypes } from '../../figure/joints/joint-types.js';
import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import type { LimitComponent } from '../../figure/limits/limit.js';
import { limitShapes } from '../../figure/limits/shapes.js';
import { boneIndex, type Figure } from '../../figure/model/figure.js';
import { freeRotationVectors } from '../../figure/model/regularize.js';
import { createState, type FigureState } from '../../figure/model/state.js';
import type { Numbers } from '../../math/linear/types.js';
import type { ColumnLimit } from '../../math/optimization/active-limits.js';
import {
  type CompiledCoupling,
  checkedLoss,
  compileCouplings,
  coordinateIndex,
  extent,
  predecessorsOf,
  priorMask,
} from './compile-markers.js';
import type { LengthGroups } from './length-groups.js';
import { costOf } from './loss.js';
import type { CoordinateTask, Loss, Marker, MarkerTrackerOptions } from './types.js';

interface Task {
  readonly coordinate: number;
  target: number;
  /** Relative to the largest marker weight and the length scale squared. */
  readonly weight: number;
}

/**
 * Marker tracking as one bounded least-squares problem over all coordinates of the pose:
 *
 *   f(q) = 1/2 sum_m omega_m rho(|x_m(q) - p_m|^2) + 1/2 sum_k weight_k (q_k - target_k)^2 + 1/2 priorWeight sum_i (y_i - prior_i)^2
 *
 * p_m is where marker m was measured, x_m where the pose puts it; omega = weight x confidence / (largest weight x L^2), L the length
 * scale, so f is dimensionless. Steps are in scaled coordinates y = q / columnScale, in which a length scale and a radian are equal.
 */
export interface MarkerProblem {
  readonly figure: Figure;
  readonly state: FigureState;
  readonly names: readonly string[];
  /** Bone of each marker. */
  readonly bones: Int32Array;
  /** Position in the bone's frame, 3 numbers per marker, m. */
  readonly points: Float64Array;
  /** Relative to the largest. */
  readonly weights: Float64Array;
  readonly largestWeight: number;
  readonly lengthScale: number;
  readonly columnScale: Float64Array;
  /** 1 for a translation. */
  readonly translates: Uint8Array;
  /** 1 for an unknown coordinate: neither locked nor coupled to another. */
  readonly free: Uint8Array;
  /** Predecessor of each coordinate on its chain, -1 for none; with couplings, which connect chains, the previous coordinate. */
  readonly predecessors: Int32Array;
  /** Each column is a coordinate. */
  readonly limits: readonly ColumnLimit<LimitComponent>[];
  /** First coordinate of each free rotation vector without a limit. */
  readonly charts: Int32Array;
  readonly tasks: readonly Task[];
  readonly couplings: readonly CompiledCoupling[];
  /** Weight of the prior, relative to the largest marker weight and the length scale squared; for scaled coordinates. */
  priorWeight: number;
  /** The option's weight, in the same unit, and the noise it is meant for, m; undefined for a constant prior. */
  readonly fullPriorWeight: number;
  readonly noise: number | undefined;
  /** 1 for a coordinate with a prior: free ones except those of free joints and of rotation vectors without a limit. */
  readonly hasPrior: Uint8Array;
  readonly priorPose: Float64Array;
  loss: Loss;
  /** Length factors of bones, where they are fitted. */
  readonly lengths: LengthGroups;
  /** Measured positions, and omega: 0 for an unobserved marker. */
  readonly targets: Float64Array;
  readonly omega: Float64Array;
  /** World positions of the markers, and x - p, at the pose last evaluated. */
  readonly positions: Float64Array;
  readonly residual: Float64Array;
}

const MARKER: FieldsOf<Marker> = { name: true, bone: true, point: true, weight: true, estimated: true };
const TASK: FieldsOf<CoordinateTask> = { bone: true, coordinate: true, target: true, weight: true };

/** @throws GoalError, FigureError for invalid markers or options. */
export function createMarkerProblem(
  figure: Figure,
  markers: readonly Marker[],
  options: MarkerTrackerOptions,
  lengths: LengthGroups,
): MarkerProblem {
  if (!Array.isArray(markers) || markers.length === 0) {
    throw new GoalError('wrong-size', 'names no marker.', { path: 'markers', remedy: 'Give at least one.' });
  }
  const count = markers.length;
  const bones = new Int32Array(count);
  const points = new Float64Array(3 * count);
  const given = new Float64Array(count);
  const indexOfName = new Map<string, number>();
  markers.forEach((marker, m) => {
    const path = `markers[${m}]`;
    requireString(marker?.name, `${path}.name`, GoalError);
    const before = indexOfName.get(marker.name);
    if (before !== undefined) {
      throw new GoalError('duplicate-name', `'${marker.name}' is also the name of markers[${before}].`, {
        path: `${path}.name`,
        remedy: 'Name each marker once.',
      });
    }
    indexOfName.set(marker.name, m);
    bones[m] = boneIndex(figure, marker.bone, `${path}.bone`);
    const { point = [0, 0, 0], weight = 1 } = marker;
    requireFields(marker, MARKER, path, GoalError);
    requireNumbers(point, 3, `${path}.point`, GoalError);
    requireNotNegative(weight, `${path}.weight`, GoalError);
    points.set(point, 3 * m);
    given[m] = weight;
  });
  const largestWeight = Math.max(...given);
  if (!(largestWeight > 0)) {
    throw new GoalError('out-of-range', 'are all zero.', {
      path: 'markers[].weight',
      remedy: 'Give one marker a weight above zero.',
    });
  }
  const state = createState(figure);
  const lengthScale = extent(figure, state, bones, points);
  const translates = new Uint8Array(figure.dof);
  for (const bone of figure.bones) {
    const { translations } = jointTypes[bone.joint.type];
    translates.fill(1, bone.coordinate, bone.coordinate + translations);
  }
  const free = new Uint8Array(figure.dof).fill(1);
  (options.locked ?? []).forEach((name, n) => {
    const bone = boneIndex(figure, name, `options.locked[${n}]`);
    free.fill(0, figure.coordinateStart[bone], figure.coordinateStart[bone + 1]);
  });
  const couplings = compileCouplings(figure, options.couplings ?? [], free);
  const limits = figure.limitComponents
    .filter((limit) => free[limit.coordinate] === 1)
    .map((limit) => ({ limit, shape: limitShapes[limit.kind], column: limit.coordinate }));
  const columnScale = Float64Array.from(translates, (is) => (is === 1 ? lengthScale : 1));
  const unit = largestWeight * lengthScale * lengthScale;
  const { prior = 0, noise } = options;
  requireNotNegative(prior, 'options.prior', GoalError);
  if (noise !== undefined) requirePositive(noise, 'options.noise', GoalError, 'm');
  const priorWeight = prior / unit;
  return {
    figure,
    state,
    names: markers.map(({ name }) => name),
    bones,
    points,
    weights: given.map((weight) => weight / largestWeight),
    largestWeight,
    lengthScale,
    columnScale,
    translates,
    free,
    predecessors:
      couplings.length > 0 ? Int32Array.from(free, (_, i) => i - 1) : predecessorsOf(figure, bones),
    limits,
    charts: freeRotationVectors(figure).filter((i) => free[i] === 1),
    tasks: (options.tasks ?? []).map((task, n) => {
      const path = `options.tasks[${n}]`;
      requireFields(task, TASK, path, GoalError);
      const { target = 0, weight } = task;
      requireFinite(target, `${path}.target`, GoalError);
      requireNotNegative(weight, `${path}.weight`, GoalError);
      return { coordinate: coordinateIndex(figure, task, path), target, weight: weight / unit };
    }),
    couplings,
    priorWeight,
    fullPriorWeight: priorWeight,
    noise,
    hasPrior: priorMask(figure, free),
    priorPose: new Float64Array(figure.dof),
    loss: checkedLoss(options.loss ?? { type: 'squared' }),
    lengths,
    targets: new Float64Array(3 * count),
    omega: new Float64Array(count),
    positions: new Float64Array(3 * count),
    residual: new Float64Array(3 * count),
  };
}

/**
 * Reads the measured positions and confidences of a frame.
 *
 * @returns the number of observed markers.
 * @throws GoalError for arrays of the wrong size, a negative or infinite confidence, an infinite position.
 */
export function setTargets(problem: MarkerProblem, positions: Numbers, confidences?: Numbers): number {
  const { targets, omega, weights, lengthScale, names } = problem;
  const count = names.length;
  requireSize(
    positions,
    3 * count,
    'positions',
    GoalError,
    'Give three numbers for each marker, NaN where it is missing.',
  );
  if (confidences !== undefined) {
    requireSize(confidences, count, 'confidences', GoalError, 'Give one number for each marker.');
  }
  let observed = 0;
  for (let m = 0; m < count; m++) {
    const confidence = confidences === undefined ? 1 : confidences[m];
    if (!(confidence >= 0 && confidence < Number.POSITIVE_INFINITY)) {
      throw new GoalError('out-of-range', `is ${confidence} ('${names[m]}').`, {
        path: `confidences[${m}]`,
        remedy: 'Give a finite number, zero (unobserved) or more.',
      });
    }
    let missing = confidence === 0 || weights[m] === 0;
    for (let k = 0; k < 3; k++) {
      const x = positions[3 * m + k];
      targets[3 * m + k] = x;
      // JSON writes NaN as null.
      if (Number.isNaN(x) || x === null) missing = true;
      else if (!(Math.abs(x) <= MAX_DISTANCE)) throw tooFar(x, 3 * m + k, names[m]);
    }
    omega[m] = missing ? 0 : (weights[m] * confidence) / (lengthScale * lengthScale);
    if (!missing) observed++;
  }
  return observed;
}

/** Larger distances overflow when squared in length scales. */
const MAX_DISTANCE = 1e100;

function tooFar(x: number, k: number, name: string): GoalError {
  return new GoalError('out-of-range', `is ${x} ('${name}').`, {
    path: `positions[${k}]`,
    remedy: 'Give metres, or NaN where the marker is missing.',
  });
}

function notFinite(n: number, driver: number): GoalError {
  return new GoalError('not-finite', `does not return three finite numbers at ${driver}.`, {
    path: `options.couplings[${n}].map`,
    remedy: 'Return [value, derivative, curvature] for every value that the limits of the driver allow.',
  });
}

/**
 * Evaluates f at a pose: sets coupled coordinates, runs forward kinematics and updates the markers.
 *
 * @param pose - Its coupled coordinates are written.
 * @throws GoalError for a coupling whose map returns no finite numbers there; the pose is then unchanged.
 */
export function evaluate(problem: MarkerProblem, pose: Float64Array): number {
  const { state, bones, points, targets, omega, positions, residual, tasks, couplings, loss } = problem;
  const { priorWeight, hasPrior, priorPose, columnScale } = problem;
  const factors = problem.lengths.factorOfBone;
  for (let n = 0; n < couplings.length; n++) {
    const coupling = couplings[n];
    const mapped: unknown = coupling.map(pose[coupling.driver]);
    const [value, derivative, curvature] = (Array.isArray(mapped) ? mapped : []) as readonly number[];
    if (!Number.isFinite(value + derivative + curvature)) throw notFinite(n, pose[coupling.driver]);
    pose[coupling.coordinate] = value;
    coupling.derivative = derivative;
    coupling.curvature = curvature;
  }
  forwardKinematics(state, pose);
  const world = state.worldFromBone;
  let sum = 0;
  for (let m = 0; m < bones.length; m++) {
    if (omega[m] === 0) continue;
    const b = bones[m];
    const o = 12 * b;
    const p = 3 * m;
    const factor = factors[b];
    const x = factor * points[p];
    const y = factor * points[p + 1];
    const z = factor * points[p + 2];
    const px = world[o + 9] + world[o] * x + world[o + 1] * y + world[o + 2] * z;
    const py = world[o + 10] + world[o + 3] * x + world[o + 4] * y + world[o + 5] * z;
    const pz = world[o + 11] + world[o + 6] * x + world[o + 7] * y + world[o + 8] * z;
    const rx = px - targets[p];
    const ry = py - targets[p + 1];
    const rz = pz - targets[p + 2];
    positions[p] = px;
    positions[p + 1] = py;
    positions[p + 2] = pz;
    residual[p] = rx;
    residual[p + 1] = ry;
    residual[p + 2] = rz;
    sum += omega[m] * costOf(loss, rx * rx + ry * ry + rz * rz);
  }
  for (let n = 0; n < tasks.length; n++) {
    const { coordinate, target, weight } = tasks[n];
    const d = pose[coordinate] - target;
    sum += weight * d * d;
  }
  if (priorWeight > 0) {
    for (let i = 0; i < pose.length; i++) {
      if (hasPrior[i] === 0) continue;
      const d = (pose[i] - priorPose[i]) / columnScale[i];
      sum += priorWeight * d * d;
    }
  }
  return 0.5 * sum;
}
