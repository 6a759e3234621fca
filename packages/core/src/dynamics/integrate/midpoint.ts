import { DomainError } from '../../errors.js';
import * as cholesky from '../../math/linear/cholesky.js';
import { writeMassMatrix } from '../crba/mass-matrix.js';
import { placeBones } from '../kinematics/update-kinematics.js';
import type { Dynamics } from '../model/dynamics.js';
import { isUsable } from './derivative.js';
import { shiftVelocity } from './floating-base.js';
import {
  correct,
  createMidpoint,
  energyAt,
  type Midpoint,
  place,
  toOrigin,
  tryMean,
  writeMomentum,
} from './midpoint-equations.js';
import { moveConstantly } from './rotate-pose.js';
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

/**
 * Implicit midpoint on the group, over momenta p = M(q) nu. With x the mean velocity over the step, q_1 is q_0 moved by h x (at rotation
 * vectors exp(v_1) = exp(v_0) cay(h x)), q_m stands half way between, and
 *
 *   p_1 - p_0 = h p'(q_m, x),   (p_0 + p_1)/2 = M(q_m) x
 *
 * A root writes its balance in the axes of rest, R_1 p_1 - R_0 p_0 = h T - h v x p: so the momentum of the whole figure is kept. For one
 * free body this is the midpoint rule of Austin, Krishnaprasad and Wang (1993): p_1 = cay(h x)^T p_0, and the energy changes by
 * x . (p_1 - p_0) = 0: both are kept to rounding.
 *
 * With joints the rule alone lets the energy wander, and on balls drift: the group's bracket is not canonical. So each step changes the
 * momenta of the joints, no root's, by s diag(M) x as well, with the s for which E_1 - E_0 is the work of the applied forces; s is of the
 * size of the method's own error (in the manner of Gonzalez 1996). Symmetric: run backwards it retraces its way.
 */
export function implicitMidpoint(dynamics: Dynamics, order: 2 | 4): Advance {
  const method = createMidpoint(dynamics);
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
  method.balance.push = 0;
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

function singular({ figure }: Dynamics): DomainError {
  return new DomainError('singular', 'has a mass matrix that is singular.', {
    path: `figure ${figure.name}`,
    remedy: 'Give mass and inertia to what moves, or keep Euler angles and swings away from their poles.',
  });
}
