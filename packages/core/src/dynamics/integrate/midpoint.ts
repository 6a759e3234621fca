import { DomainError } from '../../errors.js';
import * as cholesky from '../../math/cholesky.js';
import type { Dynamics } from '../dynamics.js';
import { INERTIA } from '../inertia.js';
import { writeMassMatrix } from '../mass-matrix.js';
import { placeAxes, placeBones } from '../place.js';
import { createMomentumFlow, type MomentumFlow, writeMomentumFlow } from './momentum-flow.js';
import {
  type RootJoint,
  rootJoints,
  shiftMomentum,
  shiftPosition,
  shiftVelocity,
  writeRootBalance,
} from './root-joint.js';
import { applyForces, isUsable } from './slope.js';
import { moveConstantly, turnBy } from './turn.js';
import type { Advance, IntegrationWork, StepStatus } from './types.js';

/** Steps of Suzuki's fourth-order composition (1990), in units of the whole: symmetric, none longer than two thirds of it. */
const OUTER = /* @__PURE__ */ (() => 1 / (4 - 4 ** (1 / 3)))();
const COMPOSITION = [OUTER, OUTER, 1 - 4 * OUTER, OUTER, OUTER] as const;
/** Fixed-point iterations after which a step counts as too long, and how often it is halved then. */
const ITERATIONS = 60;
const HALVINGS = 6;
/** Relative size of a change below which the iteration ends where it no longer shrinks. */
const SETTLED = 1e-10;
/** How often a step's energy is corrected, what of it is left, relative, and the largest change of the joints' momenta for it. */
const CORRECTIONS = 6;
const ENERGY_ROUNDING = 4e-16;
const LARGEST_PUSH = 1e-3;
const FAR = 1e-3;

interface Midpoint {
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
interface EnergyBalance {
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

/**
 * Implicit midpoint on the group, over momenta p = M(q) nu. With x the mean velocity over the step, q_1 is q_0 moved by h x (at rotation
 * vectors exp(v_1) = exp(v_0) cay(h x)), q_m stands half way between, and
 *
 *   p_1 - p_0 = h p'(q_m, x),   (p_0 + p_1)/2 = M(q_m) x
 *
 * A root writes its balance in the axes of rest, R_1 p_1 - R_0 p_0 = h T - h v x p: so the momentum of the whole figure is kept. For one
 * free body this is the midpoint rule of Austin, Krishnaprasad and Wang (1993): p_1 = cay(h x)^T p_0, and the energy changes by
 * x . (p_1 - p_0) = 0: both are kept to rounding. Symmetric: run backwards it retraces its way.
 */
export function implicitMidpoint(dynamics: Dynamics, order: 2 | 4): Advance {
  const { dof } = dynamics.figure;
  const vector = (): Float64Array => new Float64Array(dof);
  const roots = rootJoints(dynamics);
  const inner = new Float64Array(dof).fill(1);
  for (const { position, rotation } of roots) inner.fill(0, position < 0 ? rotation : position, rotation + 3);
  const method: Midpoint = {
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
  const parts = order === 2 ? [1] : COMPOSITION;
  return (work, time, h, n) => {
    work.nextPose.set(work.pose);
    work.nextNu.set(work.nu);
    let at = time;
    for (let k = 0; k < parts.length; k++) {
      const status = stepOrHalves(work, method, at, parts[k] * h, n + k > 0, 0);
      if (status !== 'done') return status;
      at += parts[k] * h;
    }
    return 'done';
  };
}

/** One step; where its equations cannot be solved by iteration, two of half the length, which have as much of everything kept. */
function stepOrHalves(
  work: IntegrationWork,
  method: Midpoint,
  time: number,
  h: number,
  follows: boolean,
  depth: number,
): StepStatus {
  const whole = step(work, method, time, h, follows);
  if (whole === 'done' || depth === HALVINGS) return whole;
  work.report.rejected++;
  const first = stepOrHalves(work, method, time, 0.5 * h, follows, depth + 1);
  if (first !== 'done') return first;
  return stepOrHalves(work, method, time + 0.5 * h, 0.5 * h, true, depth + 1);
}

/** One step of (nextPose, nextNu), in place. `follows`: on the last one of the call, whose momentum and energy are gone on with. */
function step(
  work: IntegrationWork,
  method: Midpoint,
  time: number,
  h: number,
  follows: boolean,
): StepStatus {
  const { dynamics, nextPose: pose, nextNu: nu, rotations } = work;
  const { roots, factor, velocity, originNu, momentum, before, predicted, endPose, balance, inner } = method;
  const { after, low, lowAfter, carried, lowCarried } = method;
  if (!isUsable(pose) || !isUsable(nu)) return 'not-finite';
  velocity.set(nu);
  for (let k = 0; k < roots.length; k++) shiftVelocity(roots[k], pose, 1, velocity);
  place(dynamics, pose);
  originNu.set(nu);
  writeMomentum(dynamics, method, pose, undefined);
  before.set(momentum);
  // What the last step's momentum had that its numbers nu, in this chart, do not hold.
  for (let i = 0; i < nu.length; i++) low[i] = follows ? lowCarried[i] + (carried[i] - before[i]) : 0;
  if (!follows) {
    balance.energy = energyAt(dynamics, method);
    balance.push = 0;
  }
  moveConstantly(rotations, pose, nu, 0.5 * h, predicted);
  if (!isUsable(predicted)) return 'not-finite';
  placeBones(dynamics, predicted);
  writeMassMatrix(dynamics, factor);
  for (let i = 0; i < inner.length; i++) if (inner[i] > 0) inner[i] = factor[i * inner.length + i];
  if (!cholesky.factor(factor, pose.length)) throw singular(dynamics);
  let last = Number.POSITIVE_INFINITY;
  for (let n = 0; ; n++) {
    const solved = solveMean(work, method, time, h);
    if (solved !== 'done') return solved;
    const ended = solveEnd(work, method);
    if (ended !== 'done') return ended;
    const excess = energyAt(dynamics, method) - balance.energy - balance.work;
    if (!(Math.abs(excess) > ENERGY_ROUNDING * balance.size && Math.abs(excess) < 0.5 * last)) break;
    const push = balance.push - excess / balance.slope;
    if (n >= CORRECTIONS || !(Math.abs(push) <= LARGEST_PUSH)) {
      // Joints that stand still can give no energy, nor do they lose any; what is far off is another solution of the equations.
      if (balance.slope > 0 && Math.abs(excess) > FAR * balance.size) return 'not-converged';
      break;
    }
    balance.push = push;
    last = Math.abs(excess);
    velocity.set(method.mean);
  }
  balance.energy += balance.work;
  nu.set(originNu);
  pose.set(endPose);
  carried.set(after);
  lowCarried.set(lowAfter);
  return 'done';
}

/** Finds the mean velocity x, and with it q_1 and p_1. */
function solveMean(work: IntegrationWork, method: Midpoint, time: number, h: number): StepStatus {
  const { before, after, rest } = method;
  let last = Number.POSITIVE_INFINITY;
  for (let n = 0; n < ITERATIONS; n++) {
    if (!tryMean(work, method, time, h)) return 'not-finite';
    for (let i = 0; i < rest.length; i++) rest[i] = 0.5 * (before[i] + after[i]);
    const change = correct(method, rest);
    if (!(change < Number.POSITIVE_INFINITY)) return 'not-finite';
    if (change === 0 || (change <= SETTLED && change >= 0.5 * last)) {
      return tryMean(work, method, time, h) ? 'done' : 'not-finite';
    }
    last = change;
  }
  return 'not-converged';
}

/** nu_1 with M(q_1) nu_1 = p_1: 2 x - nu_0 but for what the mass matrix changed on the way. To `velocity`; at q_1 the bones stay. */
function solveEnd(work: IntegrationWork, method: Midpoint): StepStatus {
  const { dynamics, nextPose: pose, nextNu: nu } = work;
  const { roots, velocity, mean, originNu, after, endPose } = method;
  mean.set(velocity);
  originNu.set(nu);
  for (let k = 0; k < roots.length; k++) shiftVelocity(roots[k], pose, 1, originNu);
  for (let i = 0; i < nu.length; i++) velocity[i] = 2 * mean[i] - originNu[i];
  place(dynamics, endPose);
  let last = Number.POSITIVE_INFINITY;
  for (let n = 0; n < ITERATIONS; n++) {
    toOrigin(method, endPose);
    writeMomentum(dynamics, method, endPose, undefined);
    if (last === 0) return 'done';
    const change = correct(method, after);
    if (!(change < Number.POSITIVE_INFINITY)) return 'not-finite';
    last = change <= SETTLED && change >= 0.5 * last ? 0 : change;
  }
  return 'not-converged';
}

/** Kinetic and potential energy, J, of `originNu` at the pose last placed, its momentum just written; its size to `balance`. */
function energyAt(dynamics: Dynamics, { flow, originNu, balance }: Midpoint): number {
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
function weighStep({ dynamics, applied, forces }: IntegrationWork, method: Midpoint, h: number): void {
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

/** q_m, q_1, p(q_m, x) and p_1 of a mean velocity. */
function tryMean(work: IntegrationWork, method: Midpoint, time: number, h: number): boolean {
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
function move({ rotations }: IntegrationWork, method: Midpoint, pose: Float64Array, h: number): void {
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

function place(dynamics: Dynamics, pose: Float64Array): void {
  placeBones(dynamics, pose);
  placeAxes(dynamics, pose);
}

/** `velocity` with that of the root's origin, to `originNu`. */
function toOrigin({ roots, velocity, originNu }: Midpoint, pose: Float64Array): void {
  originNu.set(velocity);
  for (let k = 0; k < roots.length; k++) shiftVelocity(roots[k], pose, -1, originNu);
}

/** p of `originNu` at the pose last placed, rotors included, to `momentum`; the flow beside it. */
function writeMomentum(
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
function correct(method: Midpoint, wanted: Float64Array): number {
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

function singular({ figure }: Dynamics): DomainError {
  return new DomainError('singular', 'has a mass matrix that is singular.', {
    path: `figure ${figure.name}`,
    remedy: 'Give mass and inertia to what moves, or keep Euler angles and swings away from their poles.',
  });
}
