/** State of the motion at one time: coordinates, pose, velocities, contact forces. */
import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import { updateMotionSubspaceQ, updateMotionSubspaceV } from '../../figure/kinematics/jacobians.js';
import { createState, type FigureState } from '../../figure/model/state.js';
import type { Parameterization } from './parameterization.js';
import type { ReferenceState } from './reference.js';
import { createRotationBlock, type RotationBlock, writeRotationBlock } from './rotation-chain-rule.js';
import type { TimeScalingRow } from './time-scaling.js';

/** Basis values of one contact's force spline at a time. */
export interface ForceBasisRow {
  /** Index of the contact in the problem. */
  readonly contact: number;
  /** Its first nonzero control point. */
  readonly first: number;
  /** One for each nonzero control point. */
  readonly values: Float64Array;
}

/** A sample time with everything that does not depend on the unknowns. */
export interface CollocationPoint {
  /** Nominal time, s. */
  readonly time: number;
  /** First nonzero control point. */
  readonly first: number;
  /** Basis values and their first, second and third derivatives. */
  readonly basis: Float64Array;
  readonly timeScaling: TimeScalingRow;
  readonly reference: ReferenceState;
  readonly forces: readonly ForceBasisRow[];
}

/** State at one time, written by {@link evaluateStateSample}. All coordinate arrays have `figure.dof` entries. */
export interface StateSample {
  readonly parameterization: Parameterization;
  collocation: CollocationPoint;
  /** Number of evaluations so far: cached quantities compare it to know whether they are current. */
  stamp: number;
  /** Real time, s; time scaling s = dt/du, and ds/du. */
  time: number;
  timeScale: number;
  timeScaleRate: number;
  /** Spline coordinates x and their derivatives with respect to nominal time. */
  readonly x: readonly Float64Array[];
  /** Pose; displaced rotations as principal rotation vectors. */
  readonly pose: Float64Array;
  /** Joint velocity and acceleration with respect to nominal time. */
  readonly nominalVelocity: Float64Array;
  readonly nominalAcceleration: Float64Array;
  /** Joint velocity v and acceleration v' in real time. */
  readonly velocity: Float64Array;
  readonly acceleration: Float64Array;
  /** One for each rotation vector, with respect to nominal time. */
  readonly rotations: readonly RotationBlock[];
  /** Forces at the contact points, N, world axes; zero for contacts that are not active. */
  readonly forces: Float64Array;
  readonly state: FigureState;
  /** Value of `stamp` when each part of `state` was updated. */
  kinematicsStamp: number;
  columnsQStamp: number;
  columnsVStamp: number;
}

export function createStateSample(parameterization: Parameterization, forcePoints: number): StateSample {
  const { dof } = parameterization.figure;
  const zeros = (): Float64Array => new Float64Array(dof);
  return {
    parameterization,
    collocation: undefined as unknown as CollocationPoint,
    stamp: 0,
    time: 0,
    timeScale: 1,
    timeScaleRate: 0,
    x: [zeros(), zeros(), zeros(), zeros()],
    pose: zeros(),
    nominalVelocity: zeros(),
    nominalAcceleration: zeros(),
    velocity: zeros(),
    acceleration: zeros(),
    rotations: parameterization.rotations.map(() => createRotationBlock()),
    forces: new Float64Array(3 * forcePoints),
    state: createState(parameterization.figure),
    kinematicsStamp: -1,
    columnsQStamp: -1,
    columnsVStamp: -1,
  };
}

/** Indices of the unknowns. */
export interface UnknownIndices {
  readonly motion: Int32Array;
  /** For each contact its first point among all, its number of points, and the indices of its forces: 3 per point and control point. */
  readonly contacts: readonly { readonly point: number; readonly points: number; readonly ids: Int32Array }[];
  readonly timeScaling: Int32Array;
  /** Newtons per unit of the force unknowns. */
  readonly forceScale: number;
}

/** Evaluates the state at a collocation point. */
export function evaluateStateSample(
  sample: StateSample,
  collocation: CollocationPoint,
  indices: UnknownIndices,
  unknowns: Float64Array,
): void {
  const { parameterization } = sample;
  sample.collocation = collocation;
  sample.stamp++;
  writeTime(sample, indices, unknowns);
  writeSpline(sample, indices.motion, unknowns);
  writePose(sample);
  const { timeScale: s, timeScaleRate } = sample;
  const { nominalVelocity, nominalAcceleration, velocity, acceleration } = sample;
  const rate = 1 / s;
  const square = rate * rate;
  const cross = -timeScaleRate * square * rate;
  for (let i = 0; i < parameterization.figure.dof; i++) {
    velocity[i] = rate * nominalVelocity[i];
    acceleration[i] = square * nominalAcceleration[i] + cross * nominalVelocity[i];
  }
  writeForces(sample, indices, unknowns);
}

function writeTime(sample: StateSample, indices: UnknownIndices, unknowns: Float64Array): void {
  const { collocation } = sample;
  const { timeScaling } = indices;
  const { values, derivatives } = collocation.timeScaling;
  sample.time = realTime(collocation, indices, unknowns);
  if (timeScaling.length === 0) return;
  sample.timeScale = 0;
  sample.timeScaleRate = 0;
  for (let m = 0; m < timeScaling.length; m++) {
    const value = unknowns[timeScaling[m]];
    sample.timeScale += values[m] * value;
    sample.timeScaleRate += derivatives[m] * value;
  }
}

/** Real time of a collocation point, s. */
export function realTime(
  { time, timeScaling: { integrals } }: CollocationPoint,
  { timeScaling }: UnknownIndices,
  unknowns: Float64Array,
): number {
  if (timeScaling.length === 0) return time;
  let sum = 0;
  for (let m = 0; m < timeScaling.length; m++) sum += integrals[m] * unknowns[timeScaling[m]];
  return sum;
}

function writeSpline(
  { parameterization, collocation, x }: StateSample,
  indices: Int32Array,
  unknowns: Float64Array,
): void {
  const { free, basis } = parameterization;
  const width = basis.degree + 1;
  const row = collocation.basis;
  for (let c = 0; c < free.length; c++) {
    let x0 = 0;
    let x1 = 0;
    let x2 = 0;
    let x3 = 0;
    for (let j = 0; j < width; j++) {
      const value = unknowns[indices[(collocation.first + j) * free.length + c]];
      x0 += row[j] * value;
      x1 += row[width + j] * value;
      x2 += row[2 * width + j] * value;
      x3 += row[3 * width + j] * value;
    }
    const i = free[c];
    x[0][i] = x0;
    x[1][i] = x1;
    x[2][i] = x2;
    x[3][i] = x3;
  }
}

/** Writes pose, and joint velocity and acceleration with respect to nominal time. */
function writePose(sample: StateSample): void {
  const { parameterization, x, pose, nominalVelocity, nominalAcceleration, collocation, rotations } = sample;
  const { reference } = collocation;
  const { additive, figure } = parameterization;
  for (let i = 0; i < figure.dof; i++) {
    const add = additive[i];
    pose[i] = x[0][i] + (add === 1 ? reference.pose[i] : 0);
    nominalVelocity[i] = x[1][i] + (add === 1 ? reference.rates[i] : 0);
    nominalAcceleration[i] = x[2][i] + (add === 1 ? reference.secondRates[i] : 0);
  }
  for (let b = 0; b < rotations.length; b++) {
    const { coordinate, displaced } = parameterization.rotations[b];
    const block = rotations[b];
    const referenceRotation = displaced === undefined ? undefined : reference.rotations[b];
    writeRotationBlock(x[0], x[1], x[2], coordinate, referenceRotation, block, displaced);
    for (let k = 0; k < 3; k++) {
      pose[coordinate + k] = block.vector[k];
      nominalVelocity[coordinate + k] = block.angularVelocity[k];
      nominalAcceleration[coordinate + k] = block.angularAcceleration[k];
    }
  }
}

function writeForces(
  { collocation, forces }: StateSample,
  indices: UnknownIndices,
  unknowns: Float64Array,
): void {
  forces.fill(0);
  for (const { contact, first, values } of collocation.forces) {
    const { point, points, ids } = indices.contacts[contact];
    const size = 3 * points;
    for (let k = 0; k < size; k++) {
      let sum = 0;
      for (let j = 0; j < values.length; j++) sum += values[j] * unknowns[ids[(first + j) * size + k]];
      forces[3 * point + k] = indices.forceScale * sum;
    }
  }
}

/** Runs forward kinematics once per evaluation. */
export function withKinematics(sample: StateSample): FigureState {
  if (sample.kinematicsStamp !== sample.stamp) forwardKinematics(sample.state, sample.pose);
  sample.kinematicsStamp = sample.stamp;
  return sample.state;
}

/** The same with the motion subspace with respect to q'. */
export function withMotionSubspaceQ(sample: StateSample): FigureState {
  const state = withKinematics(sample);
  if (sample.columnsQStamp !== sample.stamp) updateMotionSubspaceQ(state, sample.pose);
  sample.columnsQStamp = sample.stamp;
  return state;
}

/** The same with the motion subspace with respect to v. */
export function withMotionSubspaceV(sample: StateSample): FigureState {
  const state = withKinematics(sample);
  if (sample.columnsVStamp !== sample.stamp) updateMotionSubspaceV(state, sample.pose);
  sample.columnsVStamp = sample.stamp;
  return state;
}
