import { ARTICULATED } from '../../model/articulated-inertia.js';
import type { Actor } from '../state/actor.js';
import { hardenBone, hardenPair, measurePair, pushBones, pushPairs } from '../state/contact-potentials.js';
import { couples, type Island } from '../state/island.js';
import {
  addJointImage,
  addJointImpulse,
  hardenJoint,
  measureJoint,
  pushJoint,
} from '../state/joint-potentials.js';
import type { Simulation } from '../state/simulation.js';
import { factorTreeSystem } from '../tree/factor.js';
import { gatherWrenches, writeBoneVelocities } from '../tree/jacobian.js';
import { setDiagonal } from '../tree/system.js';
import { solveCoupled } from './conjugate-gradient.js';
import { solveDirectly } from './woodbury-solve.js';

/** Iterations at most, and the part of all impulses that may be left over in the end. */
const MOST_ITERATIONS = 30;
const SOLVED = 3e-4;
/** Along a direction: the part of the slope that may be left, and looks at most. */
const FLAT = 0.2;
const MOST_LOOKS = 12;

/**
 * Finds the velocities of an island at which all impulses balance, the least of a convex function (Castro and others 2022, *An unconstrained convex
 * formulation of compliant contact*):
 *
 *   1/2 (v - v_0)^T A (v - v_0) - push^T (v - v_0) + sum of the potentials of all terms,    A = M + damping and springs over a step,
 *
 * by Newton's method from `nextNu`, which leaves with them. The Hessian is a tree's plus what joins two bones.
 *
 * @param most - Iterations at most.
 * @returns iterations made; -1 where a system could not be factored or numbers ran away.
 */
export function solveVelocities(
  simulation: Simulation,
  island: Island,
  most: number = MOST_ITERATIONS,
): number {
  pushAlong(simulation, island, 0);
  for (let iteration = 0; iteration <= most; iteration++) {
    const left = weighResidual(simulation, island);
    if (!Number.isFinite(left)) return -1;
    island.settled = left <= SOLVED * SOLVED;
    if (island.settled || iteration === most) return iteration;
    if (!factorHessian(simulation, island)) return -1;
    solveDirection(simulation, island);
    const part = lookAlong(simulation, island);
    advance(simulation, island, part);
  }
  return most;
}

/** Looks at the velocities in `nextNu`: bones, terms. */
export function measureVelocities(simulation: Simulation, island: Island): void {
  const { pairTerms, boneVelocity } = simulation;
  for (const { work } of island.actors) {
    writeBoneVelocities(work.dynamics, work.nextNu, work.boneVelocity);
    const { jointTerms: terms } = work;
    for (let t = 0; t < terms.count; t++) measureJoint(terms, t, work.nextNu, terms.velocity);
  }
  for (let k = 0; k < island.pairCount; k++) {
    measurePair(pairTerms, island.pairs[k], boneVelocity, pairTerms.velocity);
  }
}

/** What the impulses of all terms, as last looked at, leave of `missing`, to `residual`. @returns how much, squared, as a part of all impulses. */
function weighResidual({ pairTerms, boneWrench }: Simulation, { actors, pairs, pairCount }: Island): number {
  for (const { work } of actors) work.boneWrench.fill(0);
  for (let k = 0; k < pairCount; k++) {
    if (pairTerms.acts[pairs[k]] === 1) pushBones(pairTerms, pairs[k], pairTerms.impulse, boneWrench);
  }
  let left = 0;
  let all = 0;
  for (const { work } of actors) {
    const { jointTerms: terms, constraint, residual, missing, inertia } = work;
    gatherWrenches(work.dynamics, work.boneWrench, constraint);
    for (let t = 0; t < terms.count; t++) addJointImpulse(terms, t, constraint);
    for (let i = 0; i < missing.length; i++) {
      const r = missing[i] - constraint[i];
      residual[i] = r;
      left += (r * r) / inertia[i];
      all += (missing[i] * missing[i] + constraint[i] * constraint[i]) / inertia[i];
    }
  }
  return all > 0 ? left / all : left;
}

/** All of the Hessian but what joins two bones. */
function factorHessian(simulation: Simulation, island: Island): boolean {
  const { actors, pairs, pairCount } = island;
  const { pairTerms: terms, actors: all, figureOfBody, boneOfBody } = simulation;
  for (const { work } of actors) {
    const { tree, diagonal, jointTerms } = work;
    tree.boneTerms.fill(0);
    setDiagonal(tree, diagonal);
    for (let t = 0; t < jointTerms.count; t++) hardenJoint(jointTerms, t, tree.jointTerms);
  }
  island.coupled = false;
  for (let k = 0; k < pairCount; k++) {
    const t = pairs[k];
    if (terms.acts[t] === 0) continue;
    if (couples(island, terms, t, figureOfBody)) {
      island.coupled = true;
      continue;
    }
    const a = terms.bodyA[t];
    const b = terms.bodyB[t];
    // Of one figure among others, the end that is its own.
    const ours = !island.alone || all[figureOfBody[a]] === actors[0];
    const body = ours ? a : b;
    const { boneTerms } = all[figureOfBody[body]].work.tree;
    hardenBone(terms, t, ours ? terms.armA : terms.armB, boneTerms, ARTICULATED * boneOfBody[body]);
  }
  for (const { work } of actors) if (!factorTreeSystem(work.tree)) return false;
  return true;
}

/** The direction of Newton's method, what moves along it, and A times it. */
function solveDirection(simulation: Simulation, island: Island): void {
  const { actors, pairs, pairCount } = island;
  const { pairTerms, boneDirection, boneWrench } = simulation;
  if (!solveDirectly(simulation, island)) {
    solveCoupled(simulation, island);
    for (const { work } of actors) writeBoneVelocities(work.dynamics, work.direction, work.boneDirection);
  }
  for (const { work } of actors) work.boneWrench.fill(0);
  for (let k = 0; k < pairCount; k++) {
    const t = pairs[k];
    measurePair(pairTerms, t, boneDirection, pairTerms.change);
    if (pairTerms.acts[t] === 0) continue;
    hardenPair(pairTerms, t, pairTerms.change, pairTerms.image);
    pushBones(pairTerms, t, pairTerms.image, boneWrench);
  }
  for (const { work } of actors) {
    const { jointTerms: terms, direction, directionImpulse, residual, leftOver, constraint } = work;
    gatherWrenches(work.dynamics, work.boneWrench, constraint);
    for (let t = 0; t < terms.count; t++) {
      measureJoint(terms, t, direction, terms.change);
      addJointImage(terms, t, constraint);
    }
    for (let i = 0; i < residual.length; i++)
      directionImpulse[i] = -residual[i] - leftOver[i] - constraint[i];
  }
}

/** How far to go along the direction; impulses are left as they are there. */
function lookAlong(simulation: Simulation, island: Island): number {
  let atStart = 0;
  let missing = 0;
  let grows = 0;
  for (const { work } of island.actors) {
    for (let i = 0; i < work.direction.length; i++) {
      const d = work.direction[i];
      atStart += d * work.residual[i];
      missing += d * work.missing[i];
      grows += d * work.directionImpulse[i];
    }
  }
  const flat = FLAT * Math.abs(atStart);
  let high = 1;
  let atHigh = missing + grows - pushAlong(simulation, island, 1);
  if (atHigh <= flat) return 1;
  // False position (Illinois).
  let low = 0;
  let atLow = atStart;
  let part = 1;
  for (let look = 0; look < MOST_LOOKS; look++) {
    part = low + ((high - low) * atLow) / (atLow - atHigh);
    const slope = missing + part * grows - pushAlong(simulation, island, part);
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
function pushAlong({ pairTerms }: Simulation, { actors, pairs, pairCount }: Island, part: number): number {
  let sum = pushPairs(pairTerms, pairs, pairCount, part);
  for (const { work } of actors) {
    const { jointTerms: terms } = work;
    for (let t = 0; t < terms.count; t++) sum += pushJoint(terms, t, part);
  }
  return sum;
}

function advance({ pairTerms }: Simulation, { actors, pairs, pairCount }: Island, part: number): void {
  for (let k = 0; k < pairCount; k++) {
    const end = 3 * pairs[k] + 3;
    for (let o = end - 3; o < end; o++) pairTerms.velocity[o] += part * pairTerms.change[o];
  }
  for (const { work } of actors) advanceActor(work, part);
}

function advanceActor(
  { nextNu, direction, missing, directionImpulse, jointTerms: terms }: Actor['work'],
  part: number,
): void {
  for (let i = 0; i < nextNu.length; i++) {
    nextNu[i] += part * direction[i];
    missing[i] += part * directionImpulse[i];
  }
  for (let o = 0; o < 3 * terms.count; o++) terms.velocity[o] += part * terms.change[o];
}
