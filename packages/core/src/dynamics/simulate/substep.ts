import { findContacts } from '../collide/find-contacts.js';
import { placeAxes } from '../kinematics/update-kinematics.js';
import { writeJointForces } from '../rnea/inverse-dynamics.js';
import { fillPairTerms, keepPairImpulses, rescaleHeld } from './constraints/build-contact-potentials.js';
import { fillJointTerms } from './constraints/build-joint-potentials.js';
import { bendPairs } from './constraints/curvature-correction.js';
import { raiseHeld } from './constraints/multiplier-update.js';
import { giveOut } from './inputs/external-forces.js';
import { solveOneByOne } from './solver/block-coordinate-descent.js';
import { measureVelocities, solveVelocities } from './solver/newton.js';
import type { Actor } from './state/actor.js';
import { CONTACT } from './state/contact-potentials.js';
import { fillIsland, findIslands, type Island, isLarge } from './state/island.js';
import { OVERLAP } from './state/overlap.js';
import type { Simulation } from './state/simulation.js';
import { wakeGroups, wakeTouched } from './state/sleep.js';
import { outrun, reachOut } from './state/speculative-margin.js';
import { accept, foresee, gatherOuter } from './substeps/commit-step.js';
import { partsFor } from './substeps/substep-count.js';

/** Solves of one part of a step at most. */
const MOST_SOLVES = 4;
/** Solves of a large island at most, and parts of its step, or of one that is deep in something. */
const MOST_SOLVES_LARGE = 2;
const MOST_PARTS_LARGE = 2;
/** Parts of a step at most. */
const MOST_PARTS = 64;

/**
 * Moves those actors on that are `moving`, by h seconds. What turns too far in that time for its contacts and limits to be foreseen is moved on in
 * shorter parts, together with all that it touches.
 *
 * @param parts - Of how many of a step this is one.
 * @returns false where numbers ran away; some may have moved on then.
 */
export function advance(simulation: Simulation, h: number, parts: number): boolean {
  const { actors, pairTerms, figureOfBody, island, gravity, report } = simulation;
  report.parts = Math.max(report.parts, parts);
  findAllContacts(simulation, h, parts === 1);
  rescaleHeld(simulation, h);
  for (const actor of actors) if (actor.work.moving) prepare(actor, h);
  fillPairTerms(simulation, h);
  findIslands(actors, pairTerms, figureOfBody);
  let most = 1;
  for (const { index, work } of actors) {
    if (!work.moving || work.island !== index) continue;
    fillIsland(island, index, actors, pairTerms, figureOfBody);
    if (!solveIsland(simulation, island, h)) return false;
    const cut = partsOf(simulation, island, h);
    if (Number.isNaN(cut)) return false;
    const mostParts = mostPartsOf(simulation, island);
    const wanted = Math.max(1, Math.min(cut, Math.floor(mostParts / parts)));
    for (const each of island.actors) each.work.parts = wanted;
    most = Math.max(most, wanted);
  }
  gatherOuter(simulation);
  keepPairImpulses(simulation, h);
  for (const actor of actors) {
    const { work } = actor;
    if (!work.moving || work.parts > 1) continue;
    accept(actor, h, gravity);
    work.moving = false;
  }
  for (let n = 2; n <= most; n *= 2) if (!advanceIn(simulation, h, parts, n)) return false;
  return true;
}

/** Parts that an island's step may be cut into. */
function mostPartsOf({ pairTerms: { kind, source }, contacts }: Simulation, island: Island): number {
  if (isLarge(island)) return MOST_PARTS_LARGE;
  for (let k = 0; k < island.pairCount; k++) {
    const t = island.pairs[k];
    if (kind[t] === CONTACT && contacts.gap[source[t]] < -OVERLAP) return MOST_PARTS_LARGE;
  }
  return MOST_PARTS;
}

/** Moves on, in n parts, those who need as many. */
function advanceIn(simulation: Simulation, h: number, parts: number, n: number): boolean {
  const { actors } = simulation;
  const members = actors.filter(({ work }) => work.moving && work.parts === n);
  const others = actors.filter(({ work }) => work.moving && work.parts !== n);
  if (members.length === 0) return true;
  for (const { work } of others) work.moving = false;
  const wanted = others.map(({ work }) => work.parts);
  for (let k = 0; k < n; k++) {
    for (const { work } of members) work.moving = true;
    if (!advance(simulation, h / n, parts * n)) return false;
  }
  others.forEach(({ work }, k) => {
    work.moving = true;
    work.parts = wanted[k];
  });
  return true;
}

/** @param wakes - Whether sleepers may wake. */
function findAllContacts(simulation: Simulation, h: number, wakes: boolean): void {
  const { actors, collider, contacts, frames, gravity, report, reaches } = simulation;
  const falls = h * h * Math.hypot(gravity[0], gravity[1], gravity[2]);
  do {
    for (const actor of actors) {
      const { index, work, asleep } = actor;
      if (wakes) work.moving = !asleep;
      collider.asleep[index] = work.moving ? 0 : 1;
      work.among.fill(0);
      work.own.fill(0);
      if (!work.moving) continue;
      if (giveOut(actor, h)) report.warnings.add('too-fast');
      reachOut(actor, h, falls);
    }
    findContacts(collider, frames, reaches, contacts);
  } while (wakes && wakeTouched(simulation) && wakeGroups(simulation));
  if (!wakes) return;
  report.contacts = contacts.count;
  report.dropped = contacts.dropped;
  report.depth = 0;
  for (let c = 0; c < contacts.count; c++) report.depth = Math.max(report.depth, -contacts.gap[c]);
}

/** All that acts on an actor by itself. */
function prepare(actor: Actor, h: number): void {
  const { work, nu, pose } = actor;
  const { dynamics, push, given, nextNu, missing, jointTerms, groups } = work;
  placeAxes(dynamics, pose);
  writeJointForces(dynamics, nu, undefined, undefined, push);
  for (let k = 0; k < 6 && work.floats; k++) work.bias[k] = push[k];
  for (let i = 0; i < push.length; i++) push[i] = given[i] - h * push[i];
  fillJointTerms(actor, jointTerms, groups, h);
  nextNu.set(nu);
  for (let i = 0; i < push.length; i++) missing[i] = -push[i];
}

/** Solves, and again with what was found held, until nothing gives way. */
function solveIsland(simulation: Simulation, island: Island, h: number): boolean {
  const { report } = simulation;
  const large = isLarge(island);
  const mostSolves = large ? MOST_SOLVES_LARGE : MOST_SOLVES;
  bendPairs(simulation, island, h, true);
  measureVelocities(simulation, island);
  let iterations = 0;
  let solves = 1;
  for (; ; solves++) {
    const made = large ? solveOneByOne(simulation, island) : solveVelocities(simulation, island);
    if (made < 0) return false;
    iterations += made;
    const again = raiseHeld(simulation, island, h, solves);
    if (solves === mostSolves || !again) break;
  }
  if (!island.settled) report.warnings.add('not-settled');
  report.iterations = Math.max(report.iterations, iterations);
  report.solves = Math.max(report.solves, solves);
  return true;
}

/** How many parts an island's step has to be cut into, NaN where numbers are none. */
function partsOf(simulation: Simulation, island: Island, h: number): number {
  let clamped = 0;
  let farther = false;
  for (const actor of island.actors) {
    const moved = foresee(simulation, actor, h);
    if (Number.isNaN(moved)) return moved;
    clamped = Math.max(clamped, moved);
    if (outrun(actor, h)) farther = true;
  }
  return Math.max(farther ? 2 : 1, partsFor(simulation, island, h, clamped));
}
