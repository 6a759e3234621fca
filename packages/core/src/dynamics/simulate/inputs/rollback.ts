/** What a step changes, kept in case it fails. */

import { rescaleImpulses } from '../constraints/build-contact-potentials.js';
import { updateActor } from '../state/energy.js';
import type { Simulation } from '../state/simulation.js';
import { clearCache } from '../state/warm-start-cache.js';

/** Remembers how all is, before anybody is woken. */
export function backUpStep(simulation: Simulation): void {
  const { actors, lastDt } = simulation;
  simulation.previousDt = lastDt;
  for (const { asleep, pose, velocity, work } of actors) {
    const { backup } = work;
    backup.pose.set(pose);
    backup.velocity.set(velocity);
    backup.limitImpulses.set(work.limitImpulses);
    backup.frictionImpulses.set(work.frictionImpulses);
    backup.asleep = asleep;
    backup.sleepGroup = work.sleepGroup;
    backup.awakeTime = work.awakeTime;
    backup.stillTime = work.stillTime;
    work.wasWritten = false;
  }
}

/**
 * Brings all that a failed step has changed back to what it was; what was written from outside is taken over anew by the next. A step that failed in
 * one of its later parts forgets what contacts pushed with.
 */
export function rollBackStep(simulation: Simulation): void {
  const { actors, gravity, warmStart, previousDt } = simulation;
  rescaleImpulses(simulation, previousDt);
  let moved = false;
  for (const actor of actors) {
    const { work, pose, velocity } = actor;
    const { backup } = work;
    if (!work.wasWritten) for (let i = 0; i < pose.length; i++) if (pose[i] !== backup.pose[i]) moved = true;
    pose.set(backup.pose);
    velocity.set(backup.velocity);
    work.limitImpulses.set(backup.limitImpulses);
    work.frictionImpulses.set(backup.frictionImpulses);
    actor.asleep = backup.asleep;
    work.sleepGroup = backup.sleepGroup;
    work.awakeTime = backup.awakeTime;
    work.stillTime = backup.stillTime;
    if (work.wasWritten) work.isCurrent = false;
    else if (work.isCurrent) updateActor(actor, gravity);
  }
  if (!moved) return;
  clearCache(warmStart);
  for (const { forceImpulse, coupleImpulse } of simulation.connections) {
    forceImpulse.fill(0);
    coupleImpulse.fill(0);
  }
}

/** Forgets impulses that were to be given: those that no step can take would make all steps after fail too. */
export function clearPendingImpulses({ actors }: Simulation): void {
  for (const { work } of actors) {
    work.pendingImpulses.fill(0);
    work.hasPendingImpulses = false;
  }
}
