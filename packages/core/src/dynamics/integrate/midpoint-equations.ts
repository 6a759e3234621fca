import * as cholesky from '../../math/linear/cholesky.js';
import { updateAxisDerivatives, updateKinematics } from '../kinematics/update-kinematics.js';
import type { Dynamics } from '../model/dynamics.js';
import { INERTIA_SIZE } from '../model/inertia.js';
import { applyForces, isInRange } from './derivative.js';
import {
  type FloatingBase,
  findFloatingBases,
  shiftMomentum,
  shiftPosition,
  shiftVelocity,
  writeFloatingBaseMomentum,
} from './floating-base.js';
import { createMomentumRate, type MomentumRate, writeMomentumRate } from './momentum-rate.js';
import { composeRotation } from './rotate-pose.js';
import type { IntegrationWork } from './types.js';

/** Workspace of the implicit midpoint rule; see `midpoint.ts`. */
export interface Midpoint {
  readonly bases: readonly FloatingBase[];
  readonly momentumRate: MomentumRate;
  /** Cholesky factor of the mass matrix near the middle of the step: the approximate Jacobian of the iteration. */
  readonly factor: Float64Array;
  /** The pose of `factor`. */
  readonly predicted: Float64Array;
  readonly middlePose: Float64Array;
  readonly endPose: Float64Array;
  /** Iterate: the mean velocity of the step, then the velocity at its end; of a free root at its centre of mass. */
  readonly centerVelocity: Float64Array;
  /** The mean velocity found. */
  readonly meanVelocity: Float64Array;
  /** `centerVelocity` with free roots at their origins. */
  readonly originVelocity: Float64Array;
  /** Momentum p at the iterate; before the step, its change, after the step; of a free root about its centre of mass. */
  readonly momentum: Float64Array;
  readonly before: Float64Array;
  readonly increment: Float64Array;
  readonly after: Float64Array;
  /** Low-order parts of `before`, `increment` and `after` (compensated summation). */
  readonly low: Float64Array;
  readonly lowIncrement: Float64Array;
  readonly lowAfter: Float64Array;
  /** p after the last step of the call and its low-order part. */
  readonly lastMomentum: Float64Array;
  readonly lowLast: Float64Array;
  readonly residual: Float64Array;
  /** Diagonal of the mass matrix, zero at the coordinates of floating bases, so that corrections leave the total momentum unchanged. */
  readonly jointInertia: Float64Array;
  readonly balance: EnergyBalance;
}

/** Energy balance of a step, J. */
export interface EnergyBalance {
  /** Energy at the start of the call plus the work since. */
  energy: number;
  /** Work of the applied forces in this step. */
  work: number;
  /** Scale of the energy: kinetic energy plus the magnitude of the potential energy. */
  scale: number;
  /** s of `midpoint.ts`: the joints' momenta change by s diag(M) x. No unit. */
  correction: number;
  /** Derivative of the energy with respect to `correction`. */
  energyPerCorrection: number;
}

export function createMidpoint(dynamics: Dynamics): Midpoint {
  const { dof } = dynamics.figure;
  const vector = (): Float64Array => new Float64Array(dof);
  const roots = findFloatingBases(dynamics);
  const inner = new Float64Array(dof).fill(1);
  for (const { position, rotation } of roots) inner.fill(0, position < 0 ? rotation : position, rotation + 3);
  return {
    bases: roots,
    jointInertia: inner,
    balance: { energy: 0, work: 0, scale: 0, correction: 0, energyPerCorrection: 0 },
    meanVelocity: vector(),
    momentumRate: createMomentumRate(dynamics),
    factor: new Float64Array(dof * dof),
    predicted: vector(),
    middlePose: vector(),
    endPose: vector(),
    centerVelocity: vector(),
    originVelocity: vector(),
    momentum: vector(),
    before: vector(),
    increment: vector(),
    lowIncrement: vector(),
    after: vector(),
    low: vector(),
    lowAfter: vector(),
    lastMomentum: vector(),
    lowLast: vector(),
    residual: vector(),
  };
}

/** Evaluates q_m, q_1, p(q_m, x) and p_1 at the mean velocity x. False where a number is out of range. */
export function evaluateMean(work: IntegrationWork, method: Midpoint, time: number, h: number): boolean {
  const { dynamics, applied, forces, nextPose: pose } = work;
  const { bases, momentumRate, middlePose, endPose, originVelocity, centerVelocity, jointInertia, balance } =
    method;
  const { before, increment, lowIncrement, after, low, lowAfter } = method;
  updatePoses(work, method, pose, h);
  if (!isInRange(middlePose) || !isInRange(endPose)) return false;
  updateOriginVelocity(method, middlePose);
  if (!applyForces(work, time + 0.5 * h, middlePose, originVelocity)) return false;
  updateMidpointKinematics(dynamics, middlePose);
  writeMomentum(dynamics, method, middlePose, forces === undefined ? undefined : applied.external);
  writeAppliedWork(work, method, h);
  work.report.evaluations++;
  for (let i = 0; i < after.length; i++) {
    increment[i] = h * (momentumRate.rate[i] + applied.tau[i]);
    increment[i] += balance.correction * jointInertia[i] * centerVelocity[i];
    lowIncrement[i] = low[i];
  }
  for (let k = 0; k < bases.length; k++) {
    writeFloatingBaseMomentum(
      bases[k],
      dynamics,
      momentumRate,
      applied.tau,
      middlePose,
      endPose,
      centerVelocity,
      h,
      before,
      increment,
      lowIncrement,
    );
  }
  for (let i = 0; i < after.length; i++) {
    // TwoSum (Knuth) of b + d, plus the earlier low-order parts.
    const b = before[i];
    const d = increment[i];
    const sum = b + d;
    const rounded = sum - b;
    const error = b - (sum - rounded) + (d - rounded) + lowIncrement[i];
    after[i] = sum + error;
    lowAfter[i] = error - (after[i] - sum);
  }
  return isInRange(after);
}

/** q_0 displaced by h x, to `endPose`, and half way, to `middlePose`. */
export function updatePoses(
  { rotations }: IntegrationWork,
  method: Midpoint,
  pose: Float64Array,
  h: number,
): void {
  const { bases, centerVelocity: x, middlePose, endPose } = method;
  const half = 0.5 * h;
  for (let i = 0; i < pose.length; i++) {
    middlePose[i] = pose[i] + half * x[i];
    endPose[i] = pose[i] + h * x[i];
  }
  for (let k = 0; k < bases.length; k++) {
    shiftPosition(bases[k], pose, 1, middlePose);
    shiftPosition(bases[k], pose, 1, endPose);
  }
  for (let k = 0; k < rotations.length; k++) {
    const i = rotations[k];
    // cay(h x) is the quaternion (h x/2, 1) normalized; half its angle is the normalized sum with the identity.
    const a = half * x[i];
    const b = half * x[i + 1];
    const c = half * x[i + 2];
    composeRotation(pose, i, a, b, c, 1, endPose);
    composeRotation(pose, i, a, b, c, 1 + Math.sqrt(1 + a * a + b * b + c * c), middlePose);
  }
  for (let k = 0; k < bases.length; k++) {
    shiftPosition(bases[k], middlePose, -1, middlePose);
    shiftPosition(bases[k], endPose, -1, endPose);
  }
}

export function updateMidpointKinematics(dynamics: Dynamics, pose: Float64Array): void {
  updateKinematics(dynamics, pose);
  updateAxisDerivatives(dynamics, pose);
}

/** Writes `centerVelocity` with free roots at their origins to `originVelocity`. */
export function updateOriginVelocity(
  { bases, centerVelocity, originVelocity }: Midpoint,
  pose: Float64Array,
): void {
  originVelocity.set(centerVelocity);
  for (let k = 0; k < bases.length; k++) shiftVelocity(bases[k], pose, -1, originVelocity);
}

/** Writes p of `originVelocity`, rotors included, to `momentum`, and its rate to `momentumRate`, at the pose of the last kinematics update. */
export function writeMomentum(
  dynamics: Dynamics,
  method: Midpoint,
  pose: Float64Array,
  external: Float64Array | undefined,
): void {
  const { bases, momentumRate, originVelocity, momentum } = method;
  const { armature } = dynamics;
  writeMomentumRate(dynamics, originVelocity, external, momentumRate);
  for (let i = 0; i < momentum.length; i++)
    momentum[i] = momentumRate.momentum[i] + armature[i] * originVelocity[i];
  for (let k = 0; k < bases.length; k++) shiftMomentum(bases[k], pose, 1, momentum);
}

/** One fixed-point step: corrects `centerVelocity` by M^-1 (target - momentum). @returns the relative size of the correction. */
export function correctVelocity(method: Midpoint, target: Float64Array): number {
  const { bases, factor, predicted, momentum, residual, centerVelocity } = method;
  for (let i = 0; i < residual.length; i++) residual[i] = target[i] - momentum[i];
  for (let k = 0; k < bases.length; k++) shiftMomentum(bases[k], predicted, -1, residual);
  cholesky.solve(factor, residual.length, residual);
  for (let k = 0; k < bases.length; k++) shiftVelocity(bases[k], predicted, 1, residual);
  let change = 0;
  let norm = 0;
  for (let i = 0; i < residual.length; i++) {
    centerVelocity[i] += residual[i];
    // Not Math.max: NaN must propagate.
    if (!(Math.abs(residual[i]) <= change)) change = Math.abs(residual[i]);
    norm = Math.max(norm, Math.abs(centerVelocity[i]));
  }
  return change === 0 ? 0 : change / norm;
}

/** Kinetic plus potential energy at `originVelocity`, J, after {@link writeMomentum}; its scale to `balance`. */
export function totalEnergy(dynamics: Dynamics, { momentumRate, originVelocity, balance }: Midpoint): number {
  const { figure, gravity: g, inertias, firstMoments, state, armature } = dynamics;
  let kinetic = 0;
  for (let i = 0; i < originVelocity.length; i++) {
    kinetic += 0.5 * originVelocity[i] * (momentumRate.momentum[i] + armature[i] * originVelocity[i]);
  }
  let potential = 0;
  for (let b = 0; b < figure.parents.length; b++) {
    const mass = inertias[INERTIA_SIZE * b];
    for (let k = 0; k < 3; k++) {
      potential -= g[k] * (mass * state.worldFromBone[12 * b + 9 + k] + firstMoments[3 * b + k]);
    }
  }
  balance.scale = kinetic + Math.abs(potential);
  return kinetic + potential;
}

/**
 * Writes the work of the applied forces in a step, J, and the derivative of the energy with respect to `correction`; after
 * {@link writeMomentum} at the midpoint.
 */
export function writeAppliedWork(
  { dynamics, applied, forces }: IntegrationWork,
  method: Midpoint,
  h: number,
): void {
  const { jointInertia, originVelocity, centerVelocity, balance } = method;
  const { angularVelocity: w, velocity: v } = dynamics;
  let power = 0;
  let energyPerCorrection = 0;
  for (let i = 0; i < originVelocity.length; i++) {
    power += originVelocity[i] * applied.tau[i];
    energyPerCorrection += jointInertia[i] * centerVelocity[i] * centerVelocity[i];
  }
  if (forces !== undefined) {
    const { external } = applied;
    for (let b = 0; b < dynamics.figure.parents.length; b++) {
      for (let k = 0; k < 3; k++) {
        power += external[6 * b + k] * v[3 * b + k] + external[6 * b + 3 + k] * w[3 * b + k];
      }
    }
  }
  balance.work = h * power;
  balance.energyPerCorrection = energyPerCorrection;
}
