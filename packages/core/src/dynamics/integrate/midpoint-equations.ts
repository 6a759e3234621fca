import * as cholesky from '../../math/linear/cholesky.js';
import { placeAxes, placeBones } from '../kinematics/update-kinematics.js';
import type { Dynamics } from '../model/dynamics.js';
import { INERTIA } from '../model/inertia.js';
import { applyForces, isUsable } from './derivative.js';
import {
  type RootJoint,
  rootJoints,
  shiftMomentum,
  shiftPosition,
  shiftVelocity,
  writeRootBalance,
} from './floating-base.js';
import { createMomentumFlow, type MomentumFlow, writeMomentumFlow } from './momentum-rate.js';
import { turnBy } from './rotate-pose.js';
import type { IntegrationWork } from './types.js';

/** Scratch of the implicit midpoint; see `midpoint.ts`. */
export interface Midpoint {
  readonly roots: readonly RootJoint[];
  readonly flow: MomentumFlow;
  /** Factor of the mass matrix near the middle of the step: what a momentum left over asks of the velocity. */
  readonly factor: Float64Array;
  /** Where that was taken. */
  readonly predicted: Float64Array;
  readonly middlePose: Float64Array;
  readonly endPose: Float64Array;
  /** Mean velocity over the step, then the velocity after it; of a free root that of its centre of mass. */
  readonly velocity: Float64Array;
  /** The mean velocity, kept. */
  readonly mean: Float64Array;
  /** `velocity` with that of the root's origin. */
  readonly originNu: Float64Array;
  /** p at the velocity at hand; before and after the step; of a free root about its centre of mass. */
  readonly momentum: Float64Array;
  readonly before: Float64Array;
  readonly increment: Float64Array;
  readonly after: Float64Array;
  /** What doubles could not hold of p before, of its change, and of p after the step. */
  readonly low: Float64Array;
  readonly lowIncrement: Float64Array;
  readonly lowAfter: Float64Array;
  /** p after the last step of the call and what doubles could not hold of it: compensated summation over its steps. */
  readonly carried: Float64Array;
  readonly lowCarried: Float64Array;
  readonly rest: Float64Array;
  /** Diagonal of the mass matrix; zero at a root's coordinates: what happens at the others leaves the momentum of the whole alone. */
  readonly inner: Float64Array;
  readonly balance: EnergyBalance;
}

/** J, but for `push`: by how much of their own inertia times rate the joints change momentum in a step for the energy to be kept. */
export interface EnergyBalance {
  /** That of the call's start and all work since. */
  energy: number;
  /** Of the forces in this step. */
  work: number;
  /** Size of what the energy is a sum of. */
  size: number;
  push: number;
  /** Energy gained by a push of one. */
  slope: number;
}

export function createMidpoint(dynamics: Dynamics): Midpoint {
  const { dof } = dynamics.figure;
  const vector = (): Float64Array => new Float64Array(dof);
  const roots = rootJoints(dynamics);
  const inner = new Float64Array(dof).fill(1);
  for (const { position, rotation } of roots) inner.fill(0, position < 0 ? rotation : position, rotation + 3);
  return {
    roots,
    inner,
    balance: { energy: 0, work: 0, size: 0, push: 0, slope: 0 },
    mean: vector(),
    flow: createMomentumFlow(dynamics),
    factor: new Float64Array(dof * dof),
    predicted: vector(),
    middlePose: vector(),
    endPose: vector(),
    velocity: vector(),
    originNu: vector(),
    momentum: vector(),
    before: vector(),
    increment: vector(),
    lowIncrement: vector(),
    after: vector(),
    low: vector(),
    lowAfter: vector(),
    carried: vector(),
    lowCarried: vector(),
    rest: vector(),
  };
}

/** q_m, q_1, p(q_m, x) and p_1 of a mean velocity. */
export function tryMean(work: IntegrationWork, method: Midpoint, time: number, h: number): boolean {
  const { dynamics, applied, forces, nextPose: pose } = work;
  const { roots, flow, middlePose, endPose, originNu, velocity, inner, balance } = method;
  const { before, increment, lowIncrement, after, low, lowAfter } = method;
  move(work, method, pose, h);
  if (!isUsable(middlePose) || !isUsable(endPose)) return false;
  toOrigin(method, middlePose);
  if (!applyForces(work, time + 0.5 * h, middlePose, originNu)) return false;
  place(dynamics, middlePose);
  writeMomentum(dynamics, method, middlePose, forces === undefined ? undefined : applied.external);
  weighStep(work, method, h);
  work.report.evaluations++;
  for (let i = 0; i < after.length; i++) {
    increment[i] = h * (flow.flow[i] + applied.tau[i]);
    increment[i] += balance.push * inner[i] * velocity[i];
    lowIncrement[i] = low[i];
  }
  for (let k = 0; k < roots.length; k++) {
    writeRootBalance(
      roots[k],
      dynamics,
      flow,
      applied.tau,
      middlePose,
      endPose,
      velocity,
      h,
      before,
      increment,
      lowIncrement,
    );
  }
  for (let i = 0; i < after.length; i++) {
    // b + d and what the sum loses (Knuth); then what was lost before.
    const b = before[i];
    const d = increment[i];
    const sum = b + d;
    const part = sum - b;
    const lost = b - (sum - part) + (d - part) + lowIncrement[i];
    after[i] = sum + lost;
    lowAfter[i] = lost - (after[i] - sum);
  }
  return isUsable(after);
}

/** q_0 moved by h x to `endPose`, and half the way to `middlePose`. */
export function move({ rotations }: IntegrationWork, method: Midpoint, pose: Float64Array, h: number): void {
  const { roots, velocity: x, middlePose, endPose } = method;
  const half = 0.5 * h;
  for (let i = 0; i < pose.length; i++) {
    middlePose[i] = pose[i] + half * x[i];
    endPose[i] = pose[i] + h * x[i];
  }
  for (let k = 0; k < roots.length; k++) {
    shiftPosition(roots[k], pose, 1, middlePose);
    shiftPosition(roots[k], pose, 1, endPose);
  }
  for (let k = 0; k < rotations.length; k++) {
    const i = rotations[k];
    // cay(h x) is the rotation of the quaternion (h x/2, 1); half of its angle that of the sum with the identity.
    const a = half * x[i];
    const b = half * x[i + 1];
    const c = half * x[i + 2];
    turnBy(pose, i, a, b, c, 1, endPose);
    turnBy(pose, i, a, b, c, 1 + Math.sqrt(1 + a * a + b * b + c * c), middlePose);
  }
  for (let k = 0; k < roots.length; k++) {
    shiftPosition(roots[k], middlePose, -1, middlePose);
    shiftPosition(roots[k], endPose, -1, endPose);
  }
}

export function place(dynamics: Dynamics, pose: Float64Array): void {
  placeBones(dynamics, pose);
  placeAxes(dynamics, pose);
}

/** `velocity` with that of the root's origin, to `originNu`. */
export function toOrigin({ roots, velocity, originNu }: Midpoint, pose: Float64Array): void {
  originNu.set(velocity);
  for (let k = 0; k < roots.length; k++) shiftVelocity(roots[k], pose, -1, originNu);
}

/** p of `originNu` at the pose last placed, rotors included, to `momentum`; the flow beside it. */
export function writeMomentum(
  dynamics: Dynamics,
  method: Midpoint,
  pose: Float64Array,
  external: Float64Array | undefined,
): void {
  const { roots, flow, originNu, momentum } = method;
  const { armature } = dynamics;
  writeMomentumFlow(dynamics, originNu, external, flow);
  for (let i = 0; i < momentum.length; i++) momentum[i] = flow.momentum[i] + armature[i] * originNu[i];
  for (let k = 0; k < roots.length; k++) shiftMomentum(roots[k], pose, 1, momentum);
}

/** Changes `velocity` by what its momentum falls short of the one wanted; returns how large the change was against it. */
export function correct(method: Midpoint, wanted: Float64Array): number {
  const { roots, factor, predicted, momentum, rest, velocity } = method;
  for (let i = 0; i < rest.length; i++) rest[i] = wanted[i] - momentum[i];
  for (let k = 0; k < roots.length; k++) shiftMomentum(roots[k], predicted, -1, rest);
  cholesky.solve(factor, rest.length, rest);
  for (let k = 0; k < roots.length; k++) shiftVelocity(roots[k], predicted, 1, rest);
  let change = 0;
  let size = 0;
  for (let i = 0; i < rest.length; i++) {
    velocity[i] += rest[i];
    // Not Math.max: NaN must come through.
    if (!(Math.abs(rest[i]) <= change)) change = Math.abs(rest[i]);
    size = Math.max(size, Math.abs(velocity[i]));
  }
  return change === 0 ? 0 : change / size;
}

/** Kinetic and potential energy, J, of `originNu` at the pose last placed, its momentum just written; its size to `balance`. */
export function energyAt(dynamics: Dynamics, { flow, originNu, balance }: Midpoint): number {
  const { figure, gravity: g, inertias, moments, state, armature } = dynamics;
  let kinetic = 0;
  for (let i = 0; i < originNu.length; i++) {
    kinetic += 0.5 * originNu[i] * (flow.momentum[i] + armature[i] * originNu[i]);
  }
  let potential = 0;
  for (let b = 0; b < figure.parents.length; b++) {
    const mass = inertias[INERTIA * b];
    for (let k = 0; k < 3; k++) {
      potential -= g[k] * (mass * state.worldFromBone[12 * b + 9 + k] + moments[3 * b + k]);
    }
  }
  balance.size = kinetic + Math.abs(potential);
  return kinetic + potential;
}

/** What the applied forces do in a step, J, and what a push changes energy by: at the middle, its flow just written. */
export function weighStep({ dynamics, applied, forces }: IntegrationWork, method: Midpoint, h: number): void {
  const { inner, originNu, velocity, balance } = method;
  const { angularVelocity: w, velocity: v } = dynamics;
  let power = 0;
  let slope = 0;
  for (let i = 0; i < originNu.length; i++) {
    power += originNu[i] * applied.tau[i];
    slope += inner[i] * velocity[i] * velocity[i];
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
  balance.slope = slope;
}
