import { DomainError } from '../../errors.js';
import { clampToLimits } from '../../figure/pose.js';
import { findContacts } from '../collide/find-contacts.js';
import { changeCharts, moveConstantly } from '../integrate/turn.js';
import type { AppliedForces } from '../integrate/types.js';
import { writeJointForces } from '../inverse-dynamics.js';
import { placeAxes } from '../place.js';
import type { Actor } from './actor.js';
import { holdEnergy, placeActor, weighAgain } from './actor-energy.js';
import { factorTreeSystem } from './factor-tree.js';
import { fillJointTerms, keepJointImpulses } from './fill-joint-terms.js';
import { fillPairTerms, keepPairImpulses, rescaleHeld } from './fill-pair-terms.js';
import { foreseeMomentum, keepMomentum } from './floating.js';
import { fillIsland, findIslands, type Island } from './island.js';
import { measureVelocities, solveVelocities } from './newton.js';
import { CONTACT, pushBones } from './pair-terms.js';
import { raiseHeld } from './raise-held.js';
import type { SimulationReport } from './report.js';
import type { Simulation } from './simulation.js';
import { settle, wakeActor, wakeConnected, wakeGroups, wakeTouched } from './sleep.js';
import { solveTreeSystem } from './solve-tree.js';
import { requireWritten, takeOver } from './take-over.js';
import { gatherWrenches, writeBoneVelocities } from './tree-motion.js';
import { setDiagonal } from './tree-system.js';
import { dropImpulses, rememberSleep, undoStep } from './undo.js';

/** Longest step, s: beyond, limits and contacts are guesses. */
const LONGEST_STEP = 0.05;
/** Fastest that a bone may move, m/s. */
const MOST_SPEED = 2000;
/** Solves of one step at most. */
const MOST_SOLVES = 4;
/** Looked ahead beyond the distance that bones cover in a step, m. */
const MARGIN = 0.01;
/** Depth worth a warning, m. */
const OVERLAP = 0.01;

/** Writes what acts on an actor during a step, besides gravity; see `AppliedForces`. `out` comes zeroed. */
export type ActorForces = (actor: Actor, out: AppliedForces) => void;

/**
 * Moves a simulation on by one step: velocities first, at which everything balances at the end of the step - gravity, what you apply, springs,
 * dampers, motors, dry friction, limits, contacts and connections - then poses by the new velocities (semi-implicit Euler). Limits are those of the
 * figures and hold at the end of each step. No figure gains energy but by what acts on it from outside.
 *
 * The step is of first order: for accuracy in smooth motion see `stepIntegrator`.
 *
 * @param dt - s, above zero and at most 0.05; 1/120 is usual.
 * @returns `simulation.report`
 * @throws DomainError `out-of-range` for another step; `not-finite` for poses, velocities, motors and connections written from outside that are no
 *   numbers; what `forces` throws. All is then what it was.
 */
export function stepSimulation(simulation: Simulation, dt: number, forces?: ActorForces): SimulationReport {
  if (!(dt > 0 && dt <= LONGEST_STEP)) {
    throw new DomainError('out-of-range', `is ${dt} s.`, {
      path: 'dt',
      remedy: `Give a step above 0 and at most ${LONGEST_STEP} s; cut longer times into steps.`,
    });
  }
  const { report } = simulation;
  requireWritten(simulation);
  report.warnings.clear();
  rememberSleep(simulation);
  let done = false;
  try {
    done = attempt(simulation, dt, forces);
  } catch (error) {
    undoStep(simulation);
    throw error;
  }
  if (done) {
    finish(simulation, dt);
    return report;
  }
  undoStep(simulation);
  dropImpulses(simulation);
  report.status = 'not-finite';
  return report;
}

/** All of a step but to make what it finds the state. @returns false where it came to numbers that are none. */
function attempt(simulation: Simulation, dt: number, forces: ActorForces | undefined): boolean {
  const { actors } = simulation;
  for (const actor of actors) takeOver(simulation, actor);
  wakeConnected(simulation);
  for (const actor of actors) gather(actor, dt, forces);
  wakeGroups(simulation);
  findAllContacts(simulation, dt);
  rescaleHeld(simulation, dt);
  for (const actor of actors) if (!actor.asleep) prepare(actor, dt);
  fillPairTerms(simulation, dt);
  return solveAll(simulation) && move(simulation, dt);
}

/** Impulses from outside, to `given`; a step that is given some looks farther ahead. */
function gather(actor: Actor, h: number, forces: ActorForces | undefined): void {
  const { work, figure } = actor;
  const { applied, impulses, boneWrench, given } = work;
  given.fill(0);
  work.reach = h * work.speed + MARGIN;
  if (forces === undefined && !work.impulsive) return;
  applied.tau.fill(0);
  applied.external.fill(0);
  forces?.(actor, applied);
  for (let b = 0; b < figure.parents.length; b++) {
    for (let k = 0; k < 3; k++) {
      const i = 6 * b + k;
      boneWrench[i] = h * applied.external[i + 3] + impulses[i + 3];
      boneWrench[i + 3] = h * applied.external[i] + impulses[i];
    }
  }
  gatherWrenches(work.dynamics, boneWrench, given);
  let any = false;
  for (let i = 0; i < given.length; i++) {
    given[i] += h * applied.tau[i];
    if (given[i] !== 0) any = true;
  }
  if (!any) return;
  if (actor.asleep) wakeActor(actor);
  lookFarther(actor, h);
}

/** Adds to the reach what the given impulses alone would move within the step. */
function lookFarther({ work }: Actor, h: number): void {
  const { tree, dynamics, direction, boneDirection } = work;
  tree.boneTerms.fill(0);
  setDiagonal(tree, dynamics.armature);
  if (!factorTreeSystem(tree)) return;
  solveTreeSystem(tree, work.given, direction);
  writeBoneVelocities(dynamics, direction, boneDirection);
  let fast = 0;
  for (let o = 0; o < boneDirection.length; o += 6) {
    const turn = Math.hypot(boneDirection[o], boneDirection[o + 1], boneDirection[o + 2]);
    const slide = Math.hypot(boneDirection[o + 3], boneDirection[o + 4], boneDirection[o + 5]);
    fast = Math.max(fast, slide + 0.5 * turn);
  }
  // Nothing gets faster than that; numbers that are none are found out later.
  if (fast > 0) work.reach += h * Math.min(fast, MOST_SPEED);
}

function findAllContacts(simulation: Simulation, h: number): void {
  const { actors, collider, contacts, frames, report, gravity } = simulation;
  const falls = h * h * Math.hypot(gravity[0], gravity[1], gravity[2]);
  do {
    let reach = 0;
    for (const { index, asleep, work } of actors) {
      collider.asleep[index] = asleep ? 1 : 0;
      if (!asleep) reach = Math.max(reach, work.reach + falls);
    }
    findContacts(collider, frames, reach, contacts);
  } while (wakeTouched(simulation) && wakeGroups(simulation));
  report.contacts = contacts.count;
  report.dropped = contacts.dropped;
  report.depth = 0;
  for (let c = 0; c < contacts.count; c++) report.depth = Math.max(report.depth, -contacts.gap[c]);
  if (contacts.dropped > 0) report.warnings.add('no-room');
  if (report.depth > OVERLAP) report.warnings.add('overlap');
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

function solveAll(simulation: Simulation): boolean {
  const { actors, pairTerms, figureOfBody, island, report } = simulation;
  report.iterations = 0;
  report.solves = 0;
  findIslands(actors, pairTerms, figureOfBody);
  for (const { index, asleep, work } of actors) {
    if (asleep || work.island !== index) continue;
    fillIsland(island, index, actors, pairTerms, figureOfBody);
    if (!solveIsland(simulation, island)) return false;
  }
  return true;
}

/** Solves, and again with what was found held, until nothing gives way. */
function solveIsland(simulation: Simulation, island: Island): boolean {
  const { report } = simulation;
  measureVelocities(simulation, island);
  let iterations = 0;
  let solves = 1;
  for (; ; solves++) {
    const made = solveVelocities(simulation, island);
    if (made < 0) return false;
    iterations += made;
    if (solves === MOST_SOLVES || !raiseHeld(simulation, island)) break;
  }
  report.iterations = Math.max(report.iterations, iterations);
  report.solves = Math.max(report.solves, solves);
  return true;
}

/** Poses by the new velocities, to `nextPose`. @returns false where numbers are none. */
function move({ actors, report, gravity }: Simulation, h: number): boolean {
  for (const actor of actors) {
    const { asleep, figure, pose, work } = actor;
    if (asleep) continue;
    const { nextNu, nextPose, rotations, charts, dynamics, boneDirection } = work;
    writeBoneVelocities(dynamics, nextNu, boneDirection);
    let fast = 0;
    for (let o = 0; o < boneDirection.length; o += 6) {
      fast += 0 * boneDirection[o];
      fast = Math.max(fast, Math.hypot(boneDirection[o + 3], boneDirection[o + 4], boneDirection[o + 5]));
    }
    if (!Number.isFinite(fast)) return false;
    if (fast > MOST_SPEED) {
      report.warnings.add('too-fast');
      for (let i = 0; i < nextNu.length; i++) nextNu[i] *= MOST_SPEED / fast;
      writeBoneVelocities(dynamics, nextNu, boneDirection);
    }
    if (work.floats) foreseeMomentum(actor, boneDirection, h, gravity);
    moveConstantly(rotations, pose, nextNu, h, nextPose);
    clampToLimits(figure, nextPose);
    changeCharts(charts, nextPose);
    let sum = 0;
    for (let i = 0; i < nextPose.length; i++) sum += 0 * (nextPose[i] + nextNu[i]);
    if (sum !== 0) return false;
  }
  return true;
}

/** Makes what was found the state: nothing can fail any more. */
function finish(simulation: Simulation, h: number): void {
  const { actors, report, gravity } = simulation;
  keepPairImpulses(simulation, h);
  report.status = 'done';
  report.kinetic = 0;
  report.potential = 0;
  gatherOuter(simulation);
  for (const actor of actors) {
    const { work, pose, nu } = actor;
    if (!actor.asleep) {
      keepJointImpulses(actor, work.jointTerms);
      const most = work.kinetic + work.potential + workDone(actor);
      pose.set(work.nextPose);
      nu.set(work.nextNu);
      placeActor(actor, gravity);
      if (work.floats) {
        keepMomentum(actor);
        weighAgain(actor, gravity);
      }
      holdEnergy(actor, most, gravity);
      work.impulses.fill(0);
      work.impulsive = false;
    }
  }
  settle(simulation, h);
  report.asleep = 0;
  for (const { asleep, pose, nu, work } of actors) {
    if (asleep) report.asleep++;
    work.leftPose.set(pose);
    work.leftNu.set(nu);
    report.kinetic += work.kinetic;
    report.potential += work.potential;
  }
  simulation.time += h;
}

/** Pair impulses that may do work on an actor - of other actors and of connections, which others may move -, on the bones that they act on. */
function gatherOuter({ pairTerms: terms, actors, figureOfBody, boneWrench }: Simulation): void {
  for (const { work } of actors) {
    work.boneWrench.fill(0);
    work.helped = false;
  }
  for (let t = 0; t < terms.count; t++) {
    const a = actors[figureOfBody[terms.bodyA[t]]];
    const b = terms.bodyB[t] < 0 ? undefined : actors[figureOfBody[terms.bodyB[t]]];
    if (terms.kind[t] === CONTACT ? b === undefined || b === a : b === a) continue;
    pushBones(terms, t, terms.impulse, boneWrench);
    a.work.helped = true;
    if (b !== undefined) b.work.helped = true;
  }
}

/**
 * Work that an actor's surroundings do on it in the step, J, at the most: impulses times the mean of the velocities before and after. Infinite where
 * springs and motors pull, which keep no account.
 */
function workDone({ nu, work }: Actor): number {
  const { given, nextNu, constraint, helped, sprung, motored, dynamics, boneWrench } = work;
  if (sprung || motored) return Number.POSITIVE_INFINITY;
  if (helped) gatherWrenches(dynamics, boneWrench, constraint);
  let sum = 0;
  for (let i = 0; i < nu.length; i++) {
    sum += 0.5 * (given[i] + (helped ? constraint[i] : 0)) * (nu[i] + nextNu[i]);
  }
  return sum;
}
