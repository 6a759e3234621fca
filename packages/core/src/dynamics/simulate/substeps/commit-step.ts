/** Makes what was found for an actor its state. */
import { clampToLimits } from '../../../figure/model/pose.js';
import { changeCharts, moveConstantly } from '../../integrate/rotate-pose.js';
import { keepJointImpulses } from '../constraints/build-joint-potentials.js';
import { MOST_SPEED } from '../inputs/external-forces.js';
import type { Actor } from '../state/actor.js';
import { CONTACT, pushBones } from '../state/contact-potentials.js';
import { holdEnergy, placeActor, weighAgain } from '../state/energy.js';
import { OVERLAP } from '../state/overlap.js';
import { foreseeMomentum, keepMomentum } from '../state/root-momentum.js';
import type { Simulation } from '../state/simulation.js';
import { gatherWrenches, writeBoneVelocities } from '../tree/jacobian.js';

/**
 * Pose by the new velocities, to `nextPose`; bones' velocities by them at the old pose, to `boneDirection`.
 *
 * @returns how far limits have moved a coordinate that left them, rad or m; NaN where numbers are none.
 */
export function foresee(simulation: Simulation, actor: Actor, h: number): number {
  const { figure, pose, work } = actor;
  const { nextNu, nextPose, rotations, charts, dynamics, boneDirection, clamped } = work;
  writeBoneVelocities(dynamics, nextNu, boneDirection);
  let fast = 0;
  for (let o = 0; o < boneDirection.length; o += 6) {
    const square = boneDirection[o + 3] ** 2 + boneDirection[o + 4] ** 2 + boneDirection[o + 5] ** 2;
    fast = Math.max(fast, Math.sqrt(square));
  }
  work.slowed = fast > MOST_SPEED;
  if (work.slowed) {
    simulation.report.warnings.add('too-fast');
    for (let i = 0; i < nextNu.length; i++) nextNu[i] *= MOST_SPEED / fast;
    writeBoneVelocities(dynamics, nextNu, boneDirection);
  }
  moveConstantly(rotations, pose, nextNu, h, nextPose);
  clamped.set(nextPose);
  let sum = 0;
  for (let i = 0; i < nextPose.length; i++) sum += 0 * (nextPose[i] + nextNu[i]);
  if (sum !== 0) return Number.NaN;
  let most = 0;
  if (clampToLimits(figure, nextPose)) {
    for (let i = 0; i < nextPose.length; i++) most = Math.max(most, Math.abs(nextPose[i] - clamped[i]));
  }
  changeCharts(charts, nextPose);
  return most;
}

/** Pair impulses that may do work on an actor - of other actors and of connections, which others may move -, on the bones that they act on. */
export function gatherOuter({
  pairTerms: terms,
  actors,
  figureOfBody,
  boneWrench,
  contacts,
}: Simulation): void {
  for (const { work } of actors) {
    work.boneWrench.fill(0);
    work.helped = false;
  }
  for (let t = 0; t < terms.count; t++) {
    const a = actors[figureOfBody[terms.bodyA[t]]];
    const b = terms.bodyB[t] < 0 ? undefined : actors[figureOfBody[terms.bodyB[t]]];
    if (terms.kind[t] === CONTACT ? b === undefined || b === a : b === a) continue;
    // Figures inside each other part without gaining by it.
    if (terms.kind[t] === CONTACT && contacts.gap[terms.source[t]] < -OVERLAP) continue;
    pushBones(terms, t, terms.impulse, boneWrench);
    a.work.helped = true;
    if (b !== undefined) b.work.helped = true;
  }
}

/** Moves an actor to where {@link foresee} has found it to be; needs {@link gatherOuter}. */
export function accept(actor: Actor, h: number, gravity: Float64Array): void {
  const { work, pose, nu } = actor;
  keepJointImpulses(actor, work.jointTerms);
  const keeps = work.floats && !work.slowed;
  if (keeps) foreseeMomentum(actor, h, gravity);
  const most = work.kinetic + work.potential + workDone(actor);
  pose.set(work.nextPose);
  nu.set(work.nextNu);
  placeActor(actor, gravity);
  if (keeps) {
    keepMomentum(actor);
    weighAgain(actor, gravity);
  }
  holdEnergy(actor, most, gravity);
  if (work.pushed) work.impulse.fill(0);
}

/**
 * Work that an actor's surroundings do on it, J, at the most: impulses times the mean of the velocities before and after. Infinite where springs and
 * motors pull, which keep no account.
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
