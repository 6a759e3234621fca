import { ARTICULATED } from '../../model/articulated-inertia.js';
import type { Actor } from '../state/actor.js';
import {
  addBoneHessian,
  addWrenches,
  applyHessian,
  evaluateContactPotentials,
  measureRelativeVelocity,
} from '../state/contact-potentials.js';
import { type Island, isCoupling } from '../state/island.js';
import {
  addJointHessian,
  addJointHessianProduct,
  addJointImpulse,
  evaluateJointPotential,
  measureJointVelocity,
} from '../state/joint-potentials.js';
import type { Simulation } from '../state/simulation.js';
import { factorTreeSystem } from '../tree/factor.js';
import { applyJacobianTranspose, writeBoneVelocities } from '../tree/jacobian.js';
import { setDiagonal } from '../tree/system.js';
import { solveConjugateGradient } from './conjugate-gradient.js';
import { solveWoodbury } from './woodbury-solve.js';

/** Iterations at most, and the part of all impulses that may be left over in the end. */
const MAX_ITERATIONS = 30;
const TOLERANCE = 3e-4;
/** Along a direction: the part of the slope that may be left, and looks at most. */
const SLOPE_TOLERANCE = 0.2;
const MAX_LINE_SEARCH = 12;

/**
 * Finds the velocities of an island at which all impulses balance, the least of a convex function (Castro and others 2022, *An unconstrained convex
 * formulation of compliant contact*):
 *
 *   1/2 (v - v_0)^T A (v - v_0) - push^T (v - v_0) + sum of the potentials of all terms,    A = M + damping and springs over a step,
 *
 * by Newton's method from `nextVelocity`, which leaves with them. The Hessian is a tree's plus what joins two bones.
 *
 * @param most - Iterations at most.
 * @returns iterations made; -1 where a system could not be factored or numbers ran away.
 */
export function solveVelocities(
  simulation: Simulation,
  island: Island,
  most: number = MAX_ITERATIONS,
): number {
  evaluatePotentials(simulation, island, 0);
  for (let iteration = 0; iteration <= most; iteration++) {
    const left = computeResidual(simulation, island);
    if (!Number.isFinite(left)) return -1;
    island.converged = left <= TOLERANCE * TOLERANCE;
    if (island.converged || iteration === most) return iteration;
    if (!factorHessian(simulation, island)) return -1;
    solveDirection(simulation, island);
    const part = lineSearch(simulation, island);
    takeStep(simulation, island, part);
  }
  return most;
}

/** Looks at the velocities in `nextVelocity`: bones, terms. */
export function measureVelocities(simulation: Simulation, island: Island): void {
  const { contactPotentials, boneVelocity } = simulation;
  for (const { work } of island.actors) {
    writeBoneVelocities(work.dynamics, work.nextVelocity, work.boneVelocity);
    const { jointPotentials: terms } = work;
    for (let t = 0; t < terms.count; t++) measureJointVelocity(terms, t, work.nextVelocity, terms.velocity);
  }
  for (let k = 0; k < island.potentialCount; k++) {
    measureRelativeVelocity(
      contactPotentials,
      island.potentials[k],
      boneVelocity,
      contactPotentials.relativeVelocity,
    );
  }
}

/** What the impulses of all terms, as last looked at, leave of `missing`, to `residual`. @returns how much, squared, as a part of all impulses. */
function computeResidual(
  { contactPotentials, boneWrench }: Simulation,
  { actors, potentials, potentialCount }: Island,
): number {
  for (const { work } of actors) work.boneWrench.fill(0);
  for (let k = 0; k < potentialCount; k++) {
    if (contactPotentials.isActive[potentials[k]] === 1)
      addWrenches(contactPotentials, potentials[k], contactPotentials.impulse, boneWrench);
  }
  let left = 0;
  let all = 0;
  for (const { work } of actors) {
    const { jointPotentials: terms, constraintImpulse, residual, requiredImpulse, effectiveInertia } = work;
    applyJacobianTranspose(work.dynamics, work.boneWrench, constraintImpulse);
    for (let t = 0; t < terms.count; t++) addJointImpulse(terms, t, constraintImpulse);
    for (let i = 0; i < requiredImpulse.length; i++) {
      const r = requiredImpulse[i] - constraintImpulse[i];
      residual[i] = r;
      left += (r * r) / effectiveInertia[i];
      all +=
        (requiredImpulse[i] * requiredImpulse[i] + constraintImpulse[i] * constraintImpulse[i]) /
        effectiveInertia[i];
    }
  }
  return all > 0 ? left / all : left;
}

/** All of the Hessian but what joins two bones. */
function factorHessian(simulation: Simulation, island: Island): boolean {
  const { actors, potentials, potentialCount } = island;
  const { contactPotentials: terms, actors: all, figureOfBody, boneOfBody } = simulation;
  for (const { work } of actors) {
    const { tree, implicitDiagonal, jointPotentials } = work;
    tree.boneHessian.fill(0);
    setDiagonal(tree, implicitDiagonal);
    for (let t = 0; t < jointPotentials.count; t++) addJointHessian(jointPotentials, t, tree.jointHessian);
  }
  island.coupled = false;
  for (let k = 0; k < potentialCount; k++) {
    const t = potentials[k];
    if (terms.isActive[t] === 0) continue;
    if (isCoupling(island, terms, t, figureOfBody)) {
      island.coupled = true;
      continue;
    }
    const a = terms.bodyA[t];
    const b = terms.bodyB[t];
    // Of one figure among others, the end that is its own.
    const ours = !island.isBlock || all[figureOfBody[a]] === actors[0];
    const body = ours ? a : b;
    const { boneHessian } = all[figureOfBody[body]].work.tree;
    addBoneHessian(terms, t, ours ? terms.armA : terms.armB, boneHessian, ARTICULATED * boneOfBody[body]);
  }
  for (const { work } of actors) if (!factorTreeSystem(work.tree)) return false;
  return true;
}

/** The direction of Newton's method, what moves along it, and A times it. */
function solveDirection(simulation: Simulation, island: Island): void {
  const { actors, potentials, potentialCount } = island;
  const { contactPotentials, boneDirection, boneWrench } = simulation;
  if (!solveWoodbury(simulation, island)) {
    solveConjugateGradient(simulation, island);
    for (const { work } of actors) writeBoneVelocities(work.dynamics, work.direction, work.boneDirection);
  }
  for (const { work } of actors) work.boneWrench.fill(0);
  for (let k = 0; k < potentialCount; k++) {
    const t = potentials[k];
    measureRelativeVelocity(contactPotentials, t, boneDirection, contactPotentials.velocityChange);
    if (contactPotentials.isActive[t] === 0) continue;
    applyHessian(contactPotentials, t, contactPotentials.velocityChange, contactPotentials.scratch);
    addWrenches(contactPotentials, t, contactPotentials.scratch, boneWrench);
  }
  for (const { work } of actors) {
    const {
      jointPotentials: terms,
      direction,
      directionMomentum,
      residual,
      linearResidual,
      constraintImpulse,
    } = work;
    applyJacobianTranspose(work.dynamics, work.boneWrench, constraintImpulse);
    for (let t = 0; t < terms.count; t++) {
      measureJointVelocity(terms, t, direction, terms.velocityChange);
      addJointHessianProduct(terms, t, constraintImpulse);
    }
    for (let i = 0; i < residual.length; i++)
      directionMomentum[i] = -residual[i] - linearResidual[i] - constraintImpulse[i];
  }
}

/** How far to go along the direction; impulses are left as they are there. */
function lineSearch(simulation: Simulation, island: Island): number {
  let atStart = 0;
  let missing = 0;
  let grows = 0;
  for (const { work } of island.actors) {
    for (let i = 0; i < work.direction.length; i++) {
      const d = work.direction[i];
      atStart += d * work.residual[i];
      missing += d * work.requiredImpulse[i];
      grows += d * work.directionMomentum[i];
    }
  }
  const flat = SLOPE_TOLERANCE * Math.abs(atStart);
  let high = 1;
  let atHigh = missing + grows - evaluatePotentials(simulation, island, 1);
  if (atHigh <= flat) return 1;
  // False position (Illinois).
  let low = 0;
  let atLow = atStart;
  let part = 1;
  for (let look = 0; look < MAX_LINE_SEARCH; look++) {
    part = low + ((high - low) * atLow) / (atLow - atHigh);
    const slope = missing + part * grows - evaluatePotentials(simulation, island, part);
    if (Math.abs(slope) <= flat) break;
    if (slope > 0) {
      high = part;
      atHigh = slope;
      atLow *= 0.5;
    } else {
      low = part;
      atLow = slope;
      atHigh *= 0.5;
    }
  }
  return part;
}

/** Impulses of all terms, and K, at a part of the direction. @returns what they do along it. */
function evaluatePotentials(
  { contactPotentials }: Simulation,
  { actors, potentials, potentialCount }: Island,
  part: number,
): number {
  let sum = evaluateContactPotentials(contactPotentials, potentials, potentialCount, part);
  for (const { work } of actors) {
    const { jointPotentials: terms } = work;
    for (let t = 0; t < terms.count; t++) sum += evaluateJointPotential(terms, t, part);
  }
  return sum;
}

function takeStep(
  { contactPotentials }: Simulation,
  { actors, potentials, potentialCount }: Island,
  part: number,
): void {
  for (let k = 0; k < potentialCount; k++) {
    const end = 3 * potentials[k] + 3;
    for (let o = end - 3; o < end; o++)
      contactPotentials.relativeVelocity[o] += part * contactPotentials.velocityChange[o];
  }
  for (const { work } of actors) takeActorStep(work, part);
}

function takeActorStep(
  { nextVelocity, direction, requiredImpulse, directionMomentum, jointPotentials: terms }: Actor['work'],
  part: number,
): void {
  for (let i = 0; i < nextVelocity.length; i++) {
    nextVelocity[i] += part * direction[i];
    requiredImpulse[i] += part * directionMomentum[i];
  }
  for (let o = 0; o < 3 * terms.count; o++) terms.velocity[o] += part * terms.velocityChange[o];
}
