import { findContacts } from '../collide/find-contacts.js';
import { updateAxisDerivatives } from '../kinematics/update-kinematics.js';
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

/** Outer iterations of a substep, at most. */
const MAX_OUTER_ITERATIONS = 4;
/** The same of a large island; substeps of a large island, or of one with deep overlap, at most. */
const MAX_OUTER_ITERATIONS_LARGE = 2;
const MAX_SUBSTEPS_LARGE = 2;
/** Substeps at most. */
const MAX_SUBSTEPS = 64;

/**
 * Advances the `active` actors by h seconds. Islands that rotate too far for their contacts and limits to be predicted take shorter substeps.
 *
 * @param substeps - Number of substeps of this length in the step.
 * @returns false for NaN or Infinity; some actors may have moved then.
 */
export function takeSubstep(simulation: Simulation, h: number, substeps: number): boolean {
  const { actors, contactPotentials, figureOfBody, island, gravity, report } = simulation;
  report.substeps = Math.max(report.substeps, substeps);
  detectContacts(simulation, h, substeps === 1);
  rescaleImpulses(simulation, h);
  for (const actor of actors) if (actor.work.substep.active) buildActorSystem(actor, h);
  buildContactPotentials(simulation, h);
  findIslands(actors, contactPotentials, figureOfBody);
  let largest = 1;
  for (const { index, work } of actors) {
    if (!work.substep.active || work.island.representative !== index) continue;
    fillIsland(island, index, actors, contactPotentials, figureOfBody);
    if (!solveIsland(simulation, island, h)) return false;
    const required = requiredSubsteps(simulation, island, h);
    if (Number.isNaN(required)) return false;
    const limit = maxSubsteps(simulation, island);
    const count = Math.max(1, Math.min(required, Math.floor(limit / substeps)));
    for (const each of island.actors) each.work.substep.count = count;
    largest = Math.max(largest, count);
  }
  collectPairImpulses(simulation);
  cachePairImpulses(simulation, h);
  for (const actor of actors) {
    const { work } = actor;
    if (!work.substep.active || work.substep.count > 1) continue;
    commit(actor, h, gravity);
    work.substep.active = false;
  }
  for (let n = 2; n <= largest; n *= 2) if (!takeSubsteps(simulation, h, substeps, n)) return false;
  return true;
}

/** Largest number of substeps of an island. */
function maxSubsteps({ contactPotentials: { kind, source }, contacts }: Simulation, island: Island): number {
  if (isLarge(island)) return MAX_SUBSTEPS_LARGE;
  for (let k = 0; k < island.potentialCount; k++) {
    const t = island.potentialIndices[k];
    if (kind[t] === CONTACT && contacts.separation[source[t]] < -OVERLAP) return MAX_SUBSTEPS_LARGE;
  }
  return MAX_SUBSTEPS;
}

/** Advances the actors that need n substeps. */
function takeSubsteps(simulation: Simulation, h: number, substeps: number, n: number): boolean {
  const { actors } = simulation;
  const members = actors.filter(({ work }) => work.substep.active && work.substep.count === n);
  const others = actors.filter(({ work }) => work.substep.active && work.substep.count !== n);
  if (members.length === 0) return true;
  for (const { work } of others) work.substep.active = false;
  const counts = others.map(({ work }) => work.substep.count);
  for (let k = 0; k < n; k++) {
    for (const { work } of members) work.substep.active = true;
    if (!takeSubstep(simulation, h / n, substeps * n)) return false;
  }
  others.forEach(({ work }, k) => {
    work.substep.active = true;
    work.substep.count = counts[k];
  });
  return true;
}

/** Detects contacts within the speculative margins. @param wakes - Whether sleeping actors may wake. */
function detectContacts(simulation: Simulation, h: number, wakes: boolean): void {
  const { actors, collider, contacts, frames, gravity, report, margins } = simulation;
  const freeFall = h * h * Math.hypot(gravity[0], gravity[1], gravity[2]);
  do {
    for (const actor of actors) {
      const { index, work, asleep } = actor;
      if (wakes) work.substep.active = !asleep;
      collider.asleep[index] = work.substep.active ? 0 : 1;
      work.margins.margin.fill(0);
      work.margins.ownMargin.fill(0);
      if (!work.substep.active) continue;
      if (applyForces(actor, h)) report.warnings.add('too-fast');
      writeMargins(actor, h, freeFall);
    }
    findContacts(collider, frames, margins, contacts);
  } while (wakes && wakeTouched(simulation) && wakeSleepGroups(simulation));
  if (!wakes) return;
  report.contacts = contacts.count;
  report.dropped = contacts.dropped;
  report.depth = 0;
  for (let c = 0; c < contacts.count; c++) report.depth = Math.max(report.depth, -contacts.separation[c]);
}

/** Builds free impulse, implicit diagonal and joint potentials of an actor. */
function buildActorSystem(actor: Actor, h: number): void {
  const { work, velocity, pose } = actor;
  const { dynamics, motorGroups } = work;
  const { freeImpulse } = work.system;
  const { externalImpulse } = work.forces;
  const { nextVelocity, requiredImpulse } = work.solver;
  const { potentials: jointPotentials } = work.joints;
  updateAxisDerivatives(dynamics, pose);
  writeJointForces(dynamics, velocity, undefined, undefined, freeImpulse);
  for (let k = 0; k < 6 && work.isFloating; k++) work.system.rootBias[k] = freeImpulse[k];
  for (let i = 0; i < freeImpulse.length; i++) freeImpulse[i] = externalImpulse[i] - h * freeImpulse[i];
  buildJointPotentials(actor, jointPotentials, motorGroups, h);
  nextVelocity.set(velocity);
  for (let i = 0; i < freeImpulse.length; i++) requiredImpulse[i] = -freeImpulse[i];
}

/** Method of multipliers: solves and updates the multipliers until no constraint drifts. */
function solveIsland(simulation: Simulation, island: Island, h: number): boolean {
  const { report } = simulation;
  const large = isLarge(island);
  const maxOuterIterations = large ? MAX_OUTER_ITERATIONS_LARGE : MAX_OUTER_ITERATIONS;
  updateCurvature(simulation, island, h, true);
  measureVelocities(simulation, island);
  let iterations = 0;
  let outerIterations = 1;
  for (; ; outerIterations++) {
    const count = large ? solveBlockDescent(simulation, island) : solveVelocities(simulation, island);
    if (count < 0) return false;
    iterations += count;
    const isChanging = updateMultipliers(simulation, island, h, outerIterations);
    if (outerIterations === maxOuterIterations || !isChanging) break;
  }
  if (!island.converged) report.warnings.add('not-converged');
  report.iterations = Math.max(report.iterations, iterations);
  report.outerIterations = Math.max(report.outerIterations, outerIterations);
  return true;
}

/** Number of substeps that an island needs; NaN for NaN or Infinity in the state. */
function requiredSubsteps(simulation: Simulation, island: Island, h: number): number {
  let clamped = 0;
  let isBeyondMargin = false;
  for (const actor of island.actors) {
    const change = predict(simulation, actor, h);
    if (Number.isNaN(change)) return change;
    clamped = Math.max(clamped, change);
    if (exceedsMargin(actor, h)) isBeyondMargin = true;
  }
  return Math.max(isBeyondMargin ? 2 : 1, substepsFor(simulation, island, h, clamped));
}
