/** What a step changes, kept in case it fails. */

import { rescaleHeld } from '../constraints/build-contact-potentials.js';
import { placeActor } from '../state/energy.js';
import type { Simulation } from '../state/simulation.js';
import { clearContacts } from '../state/warm-start-cache.js';

/** Remembers how all is, before anybody is woken. */
export function rememberStep(simulation: Simulation): void {
  const { actors, lastStep } = simulation;
  simulation.stepBefore = lastStep;
  for (const { asleep, pose, nu, work } of actors) {
    const { before } = work;
    before.pose.set(pose);
    before.nu.set(nu);
    before.limitImpulses.set(work.limitImpulses);
    before.frictionImpulses.set(work.frictionImpulses);
    before.asleep = asleep;
    before.group = work.group;
    before.awakeFor = work.awakeFor;
    before.quietFor = work.quietFor;
    work.takenOver = false;
  }
}

/**
 * Brings all that a failed step has changed back to what it was; what was written from outside is taken over anew by the next. A step that failed in
 * one of its later parts forgets what contacts pushed with.
 */
export function undoStep(simulation: Simulation): void {
  const { actors, gravity, memory, stepBefore } = simulation;
  rescaleHeld(simulation, stepBefore);
  let moved = false;
  for (const actor of actors) {
    const { work, pose, nu } = actor;
    const { before } = work;
    if (!work.takenOver) for (let i = 0; i < pose.length; i++) if (pose[i] !== before.pose[i]) moved = true;
    pose.set(before.pose);
    nu.set(before.nu);
    work.limitImpulses.set(before.limitImpulses);
    work.frictionImpulses.set(before.frictionImpulses);
    actor.asleep = before.asleep;
    work.group = before.group;
    work.awakeFor = before.awakeFor;
    work.quietFor = before.quietFor;
    if (work.takenOver) work.placed = false;
    else if (work.placed) placeActor(actor, gravity);
  }
  if (!moved) return;
  clearContacts(memory);
  for (const { forceImpulse, coupleImpulse } of simulation.connections) {
    forceImpulse.fill(0);
    coupleImpulse.fill(0);
  }
}

/** Forgets impulses that were to be given: those that no step can take would make all steps after fail too. */
export function dropImpulses({ actors }: Simulation): void {
  for (const { work } of actors) {
    work.impulses.fill(0);
    work.impulsive = false;
  }
}
