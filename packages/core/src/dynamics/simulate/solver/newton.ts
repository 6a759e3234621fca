import { factorTreeSystem } from '../../aba/factor.js';
import { applyJacobianTranspose, writeBoneVelocities } from '../../kinematics/jacobian.js';
import { ARTICULATED_SIZE } from '../../model/articulated-inertia.js';
import { setDiagonal } from '../../model/tree-system.js';
import {
  addBoneHessian,
  addWrenches,
  applyHessian,
  measureRelativeVelocity,
} from '../constraints/contact-jacobian.js';
import { evaluateContactPotentials } from '../constraints/evaluate-contacts.js';
import {
  addJointHessian,
  addJointHessianProduct,
  addJointImpulse,
  evaluateJointPotential,
  measureJointVelocity,
} from '../constraints/joint-potentials.js';
import type { Actor } from '../state/actor.js';
import { type Island, isCoupling } from '../state/island.js';
import type { Simulation } from '../state/simulation.js';
import { solveConjugateGradient } from './conjugate-gradient.js';
import { solveWoodbury } from './woodbury-solve.js';

/** Maximum number of iterations, and tolerance of the residual relative to all impulses. */
const MAX_ITERATIONS = 30;
const TOLERANCE = 3e-4;
/** Error of an actor's velocity that is within the tolerance, whatever its impulses, m/s. */
const VELOCITY_TOLERANCE = 3e-3;
/** Line search: tolerance of the slope relative to that at 0, and maximum number of evaluations. */
const SLOPE_TOLERANCE = 0.2;
const MAX_LINE_SEARCH = 12;

/**
 * Newton's method for the velocities of an island at which all impulses balance, the minimum of a convex function (Castro and others 2022,
 * *An unconstrained convex formulation of compliant contact*):
 *
 *   f(v) = 1/2 (v - v0)^T A (v - v0) - p^T (v - v0) + sum of potentials(J v),   A = M + implicit damping and springs, p = `freeImpulse`
 *
 * Each iteration:
 *
 *   residual      r = grad f = A (v - v0) - p - J^T gamma(J v)
 *   direction     H d = -r,   H = A + J^T K J: a kinematic tree, plus the potentials that couple two bones
 *   line search   alpha with |grad f(v + alpha d) . d| <= 0.2 |r . d|
 *   step          v <- v + alpha d
 *
 * Starts from `nextVelocity` and writes the solution there.
 *
 * @returns the number of iterations; -1 for a singular system, NaN or Infinity.
 */
export function solveVelocities(
  simulation: Simulation,
  island: Island,
  maxIterations: number = MAX_ITERATIONS,
): number {
  evaluatePotentials(simulation, island, 0);
  for (let iteration = 0; iteration <= maxIterations; iteration++) {
    const error = computeResidual(simulation, island);
    if (!Number.isFinite(error)) return -1;
    island.converged = error <= TOLERANCE * TOLERANCE;
    if (island.converged || iteration === maxIterations) return iteration;
    if (!factorHessian(simulation, island)) return -1;
    solveDirection(simulation, island);
    const alpha = lineSearch(simulation, island);
    takeStep(simulation, island, alpha);
  }
  return maxIterations;
}

/** Starts from v = v0: A (v - v0) - p = -p, and u = J v of the potentials. */
export function initializeVelocities(simulation: Simulation, island: Island): void {
  const { contactPotentials, boneVelocity } = simulation;
  for (const { work, velocity } of island.actors) {
    const { nextVelocity, requiredImpulse } = work.solver;
    const { freeImpulse } = work.system;
    const { potentials } = work.joints;
    nextVelocity.set(velocity);
    for (let i = 0; i < freeImpulse.length; i++) requiredImpulse[i] = -freeImpulse[i];
    writeBoneVelocities(work.dynamics, velocity, work.boneVelocity);
    for (let t = 0; t < potentials.count; t++)
      measureJointVelocity(potentials, t, velocity, potentials.velocity);
  }
  for (let k = 0; k < island.potentialCount; k++) {
    measureRelativeVelocity(
      contactPotentials,
      island.potentialIndices[k],
      boneVelocity,
      contactPotentials.relativeVelocity,
    );
  }
}

/**
 * Writes the residual r = A (v - v0) - p - J^T gamma: `requiredImpulse` less `constraintImpulse`.
 *
 * @returns |r|^2 relative to all impulses, in the norm of the effective inertia: sum of r_i^2 / I_i; or that of an actor relative to its own, where that is larger.
 */
function computeResidual(
  { contactPotentials, boneWrench }: Simulation,
  { actors, potentialIndices, potentialCount }: Island,
): number {
  for (const { work } of actors) work.boneWrench.fill(0);
  for (let k = 0; k < potentialCount; k++) {
    if (contactPotentials.isActive[potentialIndices[k]] === 1)
      addWrenches(contactPotentials, potentialIndices[k], contactPotentials.impulse, boneWrench);
  }
  let residualSquare = 0;
  let impulseSquare = 0;
  let worst = 0;
  for (const { work } of actors) {
    const { effectiveInertia } = work;
    const residualBefore = residualSquare;
    const impulseBefore = impulseSquare;
    const { potentials } = work.joints;
    const { constraintImpulse, residual, requiredImpulse } = work.solver;
    applyJacobianTranspose(work.dynamics, work.boneWrench, constraintImpulse);
    for (let t = 0; t < potentials.count; t++) addJointImpulse(potentials, t, constraintImpulse);
    for (let i = 0; i < requiredImpulse.length; i++) {
      const r = requiredImpulse[i] - constraintImpulse[i];
      residual[i] = r;
      residualSquare += (r * r) / effectiveInertia[i];
      impulseSquare +=
        (requiredImpulse[i] * requiredImpulse[i] + constraintImpulse[i] * constraintImpulse[i]) /
        effectiveInertia[i];
    }
    if (actors.length === 1) continue;
    // Beside heavy actors the residual of a light one is small, and yet its velocity wrong.
    const velocityScale = (VELOCITY_TOLERANCE / TOLERANCE) ** 2 * work.mass;
    const own = residualSquare - residualBefore;
    worst = Math.max(worst, own / Math.max(impulseSquare - impulseBefore, velocityScale));
  }
  return Math.max(worst, impulseSquare > 0 ? residualSquare / impulseSquare : residualSquare);
}

/** Builds and factors H without the potentials that couple two bones: bone blocks K of contacts with the world, joint blocks of limits and drives. */
function factorHessian(simulation: Simulation, island: Island): boolean {
  const { actors, potentialIndices, potentialCount } = island;
  const { contactPotentials: potentials, actors: all, figureOfBody, boneOfBody } = simulation;
  for (const { work, figure } of actors) {
    const { tree } = work;
    const { implicitDiagonal } = work.system;
    const { potentials: jointPotentials } = work.joints;
    tree.boneHessian.fill(0);
    if (work.system.hasGeometricStiffness) addGeometricStiffness(work);
    setDiagonal(tree.jointHessian, figure, implicitDiagonal);
    for (let t = 0; t < jointPotentials.count; t++) addJointHessian(jointPotentials, t, tree.jointHessian);
  }
  island.coupled = false;
  for (let k = 0; k < potentialCount; k++) {
    const t = potentialIndices[k];
    if (potentials.isActive[t] === 0) continue;
    if (isCoupling(island, potentials, t, figureOfBody)) {
      island.coupled = true;
      continue;
    }
    const a = potentials.bodyA[t];
    const b = potentials.bodyB[t];
    // In block coordinate descent, the end on the block's own figure.
    const ours = !island.isBlock || all[figureOfBody[a]] === actors[0];
    const body = ours ? a : b;
    const { boneHessian } = all[figureOfBody[body]].work.tree;
    addBoneHessian(
      potentials,
      t,
      ours ? potentials.armA : potentials.armB,
      boneHessian,
      ARTICULATED_SIZE * boneOfBody[body],
    );
  }
  for (const { work } of actors) if (factorTreeSystem(work.dynamics) >= 0) return false;
  return true;
}

function addGeometricStiffness({ tree, system: { geometricStiffness } }: Actor['work']): void {
  for (let b = 0; 6 * b < geometricStiffness.length; b++) {
    for (let k = 0; k < 6; k++) tree.boneHessian[ARTICULATED_SIZE * b + k] += geometricStiffness[6 * b + k];
  }
}

/**
 * Solves H d = -r, by Woodbury's formula, or conjugate gradients for many couplings of bones. Writes the changes J d of the potentials' velocities,
 * and A d.
 */
function solveDirection(simulation: Simulation, island: Island): void {
  const { actors, potentialIndices, potentialCount } = island;
  const { contactPotentials, boneDirection, boneWrench } = simulation;
  if (!solveWoodbury(simulation, island)) {
    solveConjugateGradient(simulation, island);
    for (const { work } of actors)
      writeBoneVelocities(work.dynamics, work.solver.direction, work.boneDirection);
  }
  for (const { work } of actors) work.boneWrench.fill(0);
  for (let k = 0; k < potentialCount; k++) {
    const t = potentialIndices[k];
    measureRelativeVelocity(contactPotentials, t, boneDirection, contactPotentials.velocityChange);
    if (contactPotentials.isActive[t] === 0) continue;
    applyHessian(contactPotentials, t, contactPotentials.velocityChange, contactPotentials.scratch);
    addWrenches(contactPotentials, t, contactPotentials.scratch, boneWrench);
  }
  for (const { work } of actors) {
    const { potentials } = work.joints;
    const { direction, directionMomentum, residual, constraintImpulse } = work.solver;
    const { linearResidual } = work.linearSolver;
    applyJacobianTranspose(work.dynamics, work.boneWrench, constraintImpulse);
    for (let t = 0; t < potentials.count; t++) {
      measureJointVelocity(potentials, t, direction, potentials.velocityChange);
      addJointHessianProduct(potentials, t, constraintImpulse);
    }
    // A d = H d - J^T K J d, and H d = -residual - linearResidual.
    for (let i = 0; i < residual.length; i++)
      directionMomentum[i] = -residual[i] - linearResidual[i] - constraintImpulse[i];
  }
}

/**
 * Line search for a zero of the slope of f along d, by false position in the Illinois variant:
 *
 *   phi'(alpha) = d . (A (v - v0) - p) + alpha d . A d - (J d) . gamma(J v + alpha J d)
 *
 * phi is convex and phi'(0) = r . d < 0. The full step is taken where phi'(1) is not above the tolerance.
 *
 * @returns alpha, at which the impulses are evaluated.
 */
function lineSearch(simulation: Simulation, island: Island): number {
  let initialSlope = 0;
  let linear = 0;
  let curvature = 0;
  for (const { work } of island.actors) {
    const { direction, residual, requiredImpulse, directionMomentum } = work.solver;
    for (let i = 0; i < direction.length; i++) {
      const d = direction[i];
      initialSlope += d * residual[i];
      linear += d * requiredImpulse[i];
      curvature += d * directionMomentum[i];
    }
  }
  const tolerance = SLOPE_TOLERANCE * Math.abs(initialSlope);
  let high = 1;
  let slopeAtHigh = linear + curvature - evaluatePotentials(simulation, island, 1);
  if (slopeAtHigh <= tolerance) return 1;
  // The end that stays has its slope halved, or false position would move the other one only.
  let low = 0;
  let slopeAtLow = initialSlope;
  let alpha = 1;
  for (let evaluation = 0; evaluation < MAX_LINE_SEARCH; evaluation++) {
    alpha = low + ((high - low) * slopeAtLow) / (slopeAtLow - slopeAtHigh);
    const slopeAtAlpha = linear + alpha * curvature - evaluatePotentials(simulation, island, alpha);
    if (Math.abs(slopeAtAlpha) <= tolerance) break;
    if (slopeAtAlpha > 0) {
      high = alpha;
      slopeAtHigh = slopeAtAlpha;
      slopeAtLow *= 0.5;
    } else {
      low = alpha;
      slopeAtLow = slopeAtAlpha;
      slopeAtHigh *= 0.5;
    }
  }
  return alpha;
}

/** Evaluates impulse and K of all potentials at J v + alpha J d. @returns (J d) . gamma. */
function evaluatePotentials(
  { contactPotentials }: Simulation,
  { actors, potentialIndices, potentialCount }: Island,
  alpha: number,
): number {
  let sum = evaluateContactPotentials(contactPotentials, potentialIndices, potentialCount, alpha);
  for (const { work } of actors) {
    const { potentials } = work.joints;
    for (let t = 0; t < potentials.count; t++) sum += evaluateJointPotential(potentials, t, alpha);
  }
  return sum;
}

function takeStep(
  { contactPotentials }: Simulation,
  { actors, potentialIndices, potentialCount }: Island,
  alpha: number,
): void {
  for (let k = 0; k < potentialCount; k++) {
    const end = 3 * potentialIndices[k] + 3;
    for (let o = end - 3; o < end; o++)
      contactPotentials.relativeVelocity[o] += alpha * contactPotentials.velocityChange[o];
  }
  for (const { work } of actors) takeActorStep(work, alpha);
}

function takeActorStep(
  {
    solver: { nextVelocity, direction, requiredImpulse, directionMomentum },
    joints: { potentials },
  }: Actor['work'],
  alpha: number,
): void {
  for (let i = 0; i < nextVelocity.length; i++) {
    nextVelocity[i] += alpha * direction[i];
    requiredImpulse[i] += alpha * directionMomentum[i];
  }
  for (let o = 0; o < 3 * potentials.count; o++)
    potentials.velocity[o] += alpha * potentials.velocityChange[o];
}

/** Maximum number of sweeps over the actors of an island. */
const MAX_SWEEPS = 2;
/** Maximum number of Newton iterations on the whole island after the sweeps. */
const MAX_JOINT_ITERATIONS = 5;

/**
 * Solves a large island in bounded time: block coordinate descent over its actors (Tseng 2001), each with the velocities of the others fixed, then a few Newton
 * iterations on all, which propagate loads through a pile. All decrease the same convex function; the remaining residual is reduced in the next steps.
 *
 * @returns the number of iterations; -1 as `solveVelocities`.
 */
export function solveBlockDescent(simulation: Simulation, island: Island): number {
  const { block } = simulation;
  const { actors } = island;
  listPotentials(simulation, island);
  block.isBlock = true;
  // Only the block moves along its direction.
  for (const { work } of actors) work.boneDirection.fill(0);
  let iterations = 0;
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    let maxCount = 0;
    for (let k = 0; k < actors.length; k++) {
      selectBlock(simulation, island, k);
      const count = solveVelocities(simulation, block);
      if (count < 0) return -1;
      actors[k].work.boneDirection.fill(0);
      maxCount = Math.max(maxCount, count);
    }
    iterations += maxCount;
    if (maxCount === 0) break;
  }
  const count = solveVelocities(simulation, island, MAX_JOINT_ITERATIONS);
  return count < 0 ? -1 : iterations + count;
}

/** Lists the potentials of each actor of an island in `blockPotentials`, from `blockStart` of its position in the island. */
function listPotentials(
  { contactPotentials, figureOfBody, actors: all, blockStart, blockPotentials }: Simulation,
  island: Island,
): void {
  const { actors, potentialIndices, potentialCount } = island;
  const { bodyA, bodyB } = contactPotentials;
  blockStart.fill(0, 0, actors.length + 1);
  for (let k = 0; k < actors.length; k++) actors[k].work.island.position = k;
  const indexOf = (body: number): number => (body < 0 ? -1 : all[figureOfBody[body]].work.island.position);
  for (let k = 0; k < potentialCount; k++) {
    const a = indexOf(bodyA[potentialIndices[k]]);
    const b = indexOf(bodyB[potentialIndices[k]]);
    blockStart[a + 1]++;
    if (b >= 0 && b !== a) blockStart[b + 1]++;
  }
  for (let k = 0; k < actors.length; k++) blockStart[k + 1] += blockStart[k];
  // Shifted by one, so that filling restores the starts.
  for (let k = actors.length; k > 0; k--) blockStart[k] = blockStart[k - 1];
  blockStart[0] = 0;
  for (let k = 0; k < potentialCount; k++) {
    const a = indexOf(bodyA[potentialIndices[k]]);
    const b = indexOf(bodyB[potentialIndices[k]]);
    blockPotentials[blockStart[a + 1]++] = potentialIndices[k];
    if (b >= 0 && b !== a) blockPotentials[blockStart[b + 1]++] = potentialIndices[k];
  }
}

/** Makes `block` the k-th actor of an island with its potentials. */
function selectBlock(
  { block, blockStart, blockPotentials }: Simulation,
  { actors }: Island,
  k: number,
): void {
  block.actors.length = 0;
  block.actors.push(actors[k]);
  block.potentialCount = 0;
  for (let n = blockStart[k]; n < blockStart[k + 1]; n++)
    block.potentialIndices[block.potentialCount++] = blockPotentials[n];
}
