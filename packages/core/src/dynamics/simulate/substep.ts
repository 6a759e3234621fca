import { findContacts } from '../collide/find-contacts.js';
import { placeAxes } from '../kinematics/update-kinematics.js';
import { writeJointForces } from '../rnea/inverse-dynamics.js';
import {
  buildContactPotentials,
  cachePairImpulses,
  rescaleImpulses,
} from './constraints/build-contact-potentials.js';
import { buildJointPotentials } from './constraints/build-joint-potentials.js';
import { updateCurvature } from './constraints/curvature-correction.js';
import { updateMultipliers } from './constraints/multiplier-update.js';
import { applyForces } from './inputs/external-forces.js';
import { solveBlockDescent } from './solver/block-coordinate-descent.js';
import { measureVelocities, solveVelocities } from './solver/newton.js';
import type { Actor } from './state/actor.js';
import { CONTACT, OVERLAP } from './state/contact-potentials.js';
import { fillIsland, findIslands, type Island, isLarge } from './state/island.js';
import type { Simulation } from './state/simulation.js';
import { wakeSleepGroups, wakeTouched } from './state/sleep.js';
import { exceedsMargin, writeMargins } from './state/speculative-margin.js';
import { collectPairImpulses, commit, predict } from './substeps/commit-step.js';
import { substepsFor } from './substeps/substep-count.js';

/** Solves of one part of a step at most. */
const MAX_OUTER_ITERATIONS = 4;
/** Solves of a large island at most, and parts of its step, or of one that is deep in something. */
const MAX_OUTER_ITERATIONS_LARGE = 2;
const MAX_SUBSTEPS_LARGE = 2;
/** Parts of a step at most. */
const MAX_SUBSTEPS = 64;

/**
 * Moves those actors on that are `moving`, by h seconds. What turns too far in that time for its contacts and limits to be foreseen is moved on in
 * shorter parts, together with all that it touches.
 *
 * @param parts - Of how many of a step this is one.
 * @returns false where numbers ran away; some may have moved on then.
 */
export function takeSubstep(simulation: Simulation, h: number, parts: number): boolean {
  const { actors, contactPotentials, figureOfBody, island, gravity, report } = simulation;
  report.substeps = Math.max(report.substeps, parts);
  detectContacts(simulation, h, parts === 1);
  rescaleImpulses(simulation, h);
  for (const actor of actors) if (actor.work.active) buildActorSystem(actor, h);
  buildContactPotentials(simulation, h);
  findIslands(actors, contactPotentials, figureOfBody);
  let most = 1;
  for (const { index, work } of actors) {
    if (!work.active || work.island !== index) continue;
    fillIsland(island, index, actors, contactPotentials, figureOfBody);
    if (!solveIsland(simulation, island, h)) return false;
    const cut = requiredSubsteps(simulation, island, h);
    if (Number.isNaN(cut)) return false;
    const mostParts = maxSubsteps(simulation, island);
    const wanted = Math.max(1, Math.min(cut, Math.floor(mostParts / parts)));
    for (const each of island.actors) each.work.substeps = wanted;
    most = Math.max(most, wanted);
  }
  collectPairImpulses(simulation);
  cachePairImpulses(simulation, h);
  for (const actor of actors) {
    const { work } = actor;
    if (!work.active || work.substeps > 1) continue;
    commit(actor, h, gravity);
    work.active = false;
  }
  for (let n = 2; n <= most; n *= 2) if (!takeSubsteps(simulation, h, parts, n)) return false;
  return true;
}

/** Parts that an island's step may be cut into. */
function maxSubsteps({ contactPotentials: { kind, source }, contacts }: Simulation, island: Island): number {
  if (isLarge(island)) return MAX_SUBSTEPS_LARGE;
  for (let k = 0; k < island.potentialCount; k++) {
    const t = island.potentials[k];
    if (kind[t] === CONTACT && contacts.gap[source[t]] < -OVERLAP) return MAX_SUBSTEPS_LARGE;
  }
  return MAX_SUBSTEPS;
}

/** Moves on, in n parts, those who need as many. */
function takeSubsteps(simulation: Simulation, h: number, parts: number, n: number): boolean {
  const { actors } = simulation;
  const members = actors.filter(({ work }) => work.active && work.substeps === n);
  const others = actors.filter(({ work }) => work.active && work.substeps !== n);
  if (members.length === 0) return true;
  for (const { work } of others) work.active = false;
  const wanted = others.map(({ work }) => work.substeps);
  for (let k = 0; k < n; k++) {
    for (const { work } of members) work.active = true;
    if (!takeSubstep(simulation, h / n, parts * n)) return false;
  }
  others.forEach(({ work }, k) => {
    work.active = true;
    work.substeps = wanted[k];
  });
  return true;
}

/** @param wakes - Whether sleepers may wake. */
function detectContacts(simulation: Simulation, h: number, wakes: boolean): void {
  const { actors, collider, contacts, frames, gravity, report, margins } = simulation;
  const falls = h * h * Math.hypot(gravity[0], gravity[1], gravity[2]);
  do {
    for (const actor of actors) {
      const { index, work, asleep } = actor;
      if (wakes) work.active = !asleep;
      collider.asleep[index] = work.active ? 0 : 1;
      work.margin.fill(0);
      work.ownMargin.fill(0);
      if (!work.active) continue;
      if (applyForces(actor, h)) report.warnings.add('too-fast');
      writeMargins(actor, h, falls);
    }
    findContacts(collider, frames, margins, contacts);
  } while (wakes && wakeTouched(simulation) && wakeSleepGroups(simulation));
  if (!wakes) return;
  report.contacts = contacts.count;
  report.dropped = contacts.dropped;
  report.depth = 0;
  for (let c = 0; c < contacts.count; c++) report.depth = Math.max(report.depth, -contacts.gap[c]);
}

/** All that acts on an actor by itself. */
function buildActorSystem(actor: Actor, h: number): void {
  const { work, velocity, pose } = actor;
  const {
    dynamics,
    freeImpulse,
    externalImpulse,
    nextVelocity,
    requiredImpulse,
    jointPotentials,
    motorGroups,
  } = work;
  placeAxes(dynamics, pose);
  writeJointForces(dynamics, velocity, undefined, undefined, freeImpulse);
  for (let k = 0; k < 6 && work.isFloating; k++) work.rootBias[k] = freeImpulse[k];
  for (let i = 0; i < freeImpulse.length; i++) freeImpulse[i] = externalImpulse[i] - h * freeImpulse[i];
  buildJointPotentials(actor, jointPotentials, motorGroups, h);
  nextVelocity.set(velocity);
  for (let i = 0; i < freeImpulse.length; i++) requiredImpulse[i] = -freeImpulse[i];
}

/** Solves, and again with what was found held, until nothing gives way. */
function solveIsland(simulation: Simulation, island: Island, h: number): boolean {
  const { report } = simulation;
  const large = isLarge(island);
  const mostSolves = large ? MAX_OUTER_ITERATIONS_LARGE : MAX_OUTER_ITERATIONS;
  updateCurvature(simulation, island, h, true);
  measureVelocities(simulation, island);
  let iterations = 0;
  let solves = 1;
  for (; ; solves++) {
    const made = large ? solveBlockDescent(simulation, island) : solveVelocities(simulation, island);
    if (made < 0) return false;
    iterations += made;
    const again = updateMultipliers(simulation, island, h, solves);
    if (solves === mostSolves || !again) break;
  }
  if (!island.converged) report.warnings.add('not-settled');
  report.iterations = Math.max(report.iterations, iterations);
  report.outerIterations = Math.max(report.outerIterations, solves);
  return true;
}

/** How many parts an island's step has to be cut into, NaN where numbers are none. */
function requiredSubsteps(simulation: Simulation, island: Island, h: number): number {
  let clamped = 0;
  let farther = false;
  for (const actor of island.actors) {
    const moved = predict(simulation, actor, h);
    if (Number.isNaN(moved)) return moved;
    clamped = Math.max(clamped, moved);
    if (exceedsMargin(actor, h)) farther = true;
  }
  return Math.max(farther ? 2 : 1, substepsFor(simulation, island, h, clamped));
}
