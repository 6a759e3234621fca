import { DomainError } from '../../errors.js';
import * as cholesky from '../../math/linear/cholesky.js';
import { writeMassMatrix } from '../crba/mass-matrix.js';
import { updateKinematics } from '../kinematics/update-kinematics.js';
import type { Dynamics } from '../model/dynamics.js';
import { isInRange } from './derivative.js';
import { shiftVelocity } from './floating-base.js';
import {
  correctVelocity,
  createMidpoint,
  evaluateMean,
  type Midpoint,
  totalEnergy,
  updateMidpointKinematics,
  updateOriginVelocity,
  writeMomentum,
} from './midpoint-equations.js';
import { integrateConstantVelocity } from './rotate-pose.js';
import type { Advance, IntegrationWork, StepStatus } from './types.js';

/** Substeps of Suzuki's fourth-order composition (1990), as fractions of the step: symmetric, none longer than two thirds. */
const OUTER = /* @__PURE__ */ (() => 1 / (4 - 4 ** (1 / 3)))();
const COMPOSITION = [OUTER, OUTER, 1 - 4 * OUTER, OUTER, OUTER] as const;
/** Fixed-point iterations of a step before it is halved, and the maximum number of halvings. */
const MAX_ITERATIONS = 60;
const MAX_HALVINGS = 6;
/** The iteration has converged where its relative change is below this and no longer decreases. */
const CONVERGED = 1e-10;
/** Energy correction of a step: maximum iterations, relative tolerance, and largest relative change of the joints' momenta. */
const MAX_CORRECTIONS = 6;
const ENERGY_ROUNDING = 4e-16;
const MAX_CORRECTION = 1e-3;
/** Relative energy error beyond which the iteration has found another solution of the equations. */
const MAX_ENERGY_ERROR = 1e-3;

/**
 * Implicit midpoint rule on the rotation group, over momenta p = M(q) v. With x the mean velocity of the step, q_1 is q_0 displaced by h x (at
 * rotation vectors r: exp(r_1) = exp(r_0) cay(h x)), q_m is half way between, and
 *
 *   p_1 - p_0 = h p'(q_m, x),   (p_0 + p_1)/2 = M(q_m) x
 *
 * The momentum balance of a floating base is written in rest axes, R_1 p_1 - R_0 p_0 = h T - h v x p, which conserves the momentum of the whole
 * figure. For one free body this is the midpoint rule of Austin, Krishnaprasad and Wang (1993): p_1 = cay(h x)^T p_0, and the energy changes
 * by x . (p_1 - p_0) = 0; both are conserved to rounding.
 *
 * With joints the energy of the plain rule oscillates, and with ball joints it drifts, since the Poisson bracket of the group is not
 * canonical. So each step also changes the momenta of the joints, not of a floating base, by s diag(M) x, with the s for which E_1 - E_0
 * equals the work of the applied forces; s is of the order of the method's error (as in Gonzalez 1996). Time-reversible.
 */
export function implicitMidpoint(dynamics: Dynamics, order: 2 | 4): Advance {
  const method = createMidpoint(dynamics);
  const substeps = order === 2 ? [1] : COMPOSITION;
  return (work, time, h, n) => {
    work.nextPose.set(work.pose);
    work.nextVelocity.set(work.velocity);
    let at = time;
    for (let k = 0; k < substeps.length; k++) {
      const status = stepWithHalving(work, method, at, substeps[k] * h, n + k > 0, 0);
      if (status !== 'done') return status;
      at += substeps[k] * h;
    }
    return 'done';
  };
}

/** One step; where its iteration does not converge, two of half the length, with the same conservation properties. */
function stepWithHalving(
  work: IntegrationWork,
  method: Midpoint,
  time: number,
  h: number,
  continues: boolean,
  depth: number,
): StepStatus {
  const status = advanceStep(work, method, time, h, continues);
  if (status === 'done' || depth === MAX_HALVINGS) return status;
  work.report.rejected++;
  method.balance.correction = 0;
  const first = stepWithHalving(work, method, time, 0.5 * h, continues, depth + 1);
  if (first !== 'done') return first;
  return stepWithHalving(work, method, time + 0.5 * h, 0.5 * h, true, depth + 1);
}

/** One step of (nextPose, nextVelocity), in place. `continues`: after an earlier step of the call, whose momentum and energy carry over. */
function advanceStep(
  work: IntegrationWork,
  method: Midpoint,
  time: number,
  h: number,
  continues: boolean,
): StepStatus {
  const { dynamics, nextPose: pose, nextVelocity: velocity, rotations } = work;
  const {
    bases,
    factor,
    centerVelocity,
    originVelocity,
    momentum,
    before,
    predicted,
    endPose,
    balance,
    jointInertia,
  } = method;
  const { after, low, lowAfter, lastMomentum, lowLast } = method;
  if (!isInRange(pose) || !isInRange(velocity)) return 'not-finite';
  centerVelocity.set(velocity);
  for (let k = 0; k < bases.length; k++) shiftVelocity(bases[k], pose, 1, centerVelocity);
  updateMidpointKinematics(dynamics, pose);
  originVelocity.set(velocity);
  writeMomentum(dynamics, method, pose, undefined);
  before.set(momentum);
  // The part of the last step's momentum that is lost in rounding v, and in a change of chart.
  for (let i = 0; i < velocity.length; i++)
    low[i] = continues ? lowLast[i] + (lastMomentum[i] - before[i]) : 0;
  if (!continues) {
    balance.energy = totalEnergy(dynamics, method);
    balance.correction = 0;
  }
  integrateConstantVelocity(rotations, pose, velocity, 0.5 * h, predicted);
  if (!isInRange(predicted)) return 'not-finite';
  updateKinematics(dynamics, predicted);
  writeMassMatrix(dynamics, factor);
  for (let i = 0; i < jointInertia.length; i++)
    if (jointInertia[i] > 0) jointInertia[i] = factor[i * jointInertia.length + i];
  if (!cholesky.factor(factor, pose.length)) throw singularMassMatrix(dynamics);
  let last = Number.POSITIVE_INFINITY;
  for (let n = 0; ; n++) {
    const meanStatus = solveMean(work, method, time, h);
    if (meanStatus !== 'done') return meanStatus;
    const endStatus = solveEnd(work, method);
    if (endStatus !== 'done') return endStatus;
    const excess = totalEnergy(dynamics, method) - balance.energy - balance.work;
    if (!(Math.abs(excess) > ENERGY_ROUNDING * balance.scale && Math.abs(excess) < 0.5 * last)) break;
    const correction = balance.correction - excess / balance.energyPerCorrection;
    if (n >= MAX_CORRECTIONS || !(Math.abs(correction) <= MAX_CORRECTION)) {
      // Joints at rest have no energy to correct. A large error belongs to another solution of the equations.
      if (balance.energyPerCorrection > 0 && Math.abs(excess) > MAX_ENERGY_ERROR * balance.scale)
        return 'not-converged';
      break;
    }
    balance.correction = correction;
    last = Math.abs(excess);
    centerVelocity.set(method.meanVelocity);
  }
  balance.energy += balance.work;
  velocity.set(originVelocity);
  pose.set(endPose);
  lastMomentum.set(after);
  lowLast.set(lowAfter);
  return 'done';
}

/** Solves for the mean velocity x by fixed-point iteration, and with it q_1 and p_1. */
function solveMean(work: IntegrationWork, method: Midpoint, time: number, h: number): StepStatus {
  const { before, after, residual } = method;
  let last = Number.POSITIVE_INFINITY;
  for (let n = 0; n < MAX_ITERATIONS; n++) {
    if (!evaluateMean(work, method, time, h)) return 'not-finite';
    for (let i = 0; i < residual.length; i++) residual[i] = 0.5 * (before[i] + after[i]);
    const change = correctVelocity(method, residual);
    if (!(change < Number.POSITIVE_INFINITY)) return 'not-finite';
    if (change === 0 || (change <= CONVERGED && change >= 0.5 * last)) {
      return evaluateMean(work, method, time, h) ? 'done' : 'not-finite';
    }
    last = change;
  }
  return 'not-converged';
}

/** Solves M(q_1) v_1 = p_1 by iteration from 2 x - v_0; to `centerVelocity`. The kinematics stay at q_1. */
function solveEnd(work: IntegrationWork, method: Midpoint): StepStatus {
  const { dynamics, nextPose: pose, nextVelocity: velocity } = work;
  const { bases, centerVelocity, meanVelocity, originVelocity, after, endPose } = method;
  meanVelocity.set(centerVelocity);
  originVelocity.set(velocity);
  for (let k = 0; k < bases.length; k++) shiftVelocity(bases[k], pose, 1, originVelocity);
  for (let i = 0; i < velocity.length; i++) centerVelocity[i] = 2 * meanVelocity[i] - originVelocity[i];
  updateMidpointKinematics(dynamics, endPose);
  let last = Number.POSITIVE_INFINITY;
  for (let n = 0; n < MAX_ITERATIONS; n++) {
    updateOriginVelocity(method, endPose);
    writeMomentum(dynamics, method, endPose, undefined);
    if (last === 0) return 'done';
    const change = correctVelocity(method, after);
    if (!(change < Number.POSITIVE_INFINITY)) return 'not-finite';
    last = change <= CONVERGED && change >= 0.5 * last ? 0 : change;
  }
  return 'not-converged';
}

function singularMassMatrix({ figure }: Dynamics): DomainError {
  return new DomainError('singular', 'has a mass matrix that is singular.', {
    path: `figure ${figure.name}`,
    remedy:
      'Give mass and inertia to every leaf bone, or keep Euler angles and swings away from their poles.',
  });
}
