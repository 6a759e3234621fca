/** Backup and rollback of what a step changes. */
import { rescaleImpulses } from '../constraints/build-contact-potentials.js';
import { updateActor } from '../state/energy.js';
import type { Simulation } from '../state/simulation.js';
import { clearCache } from '../state/warm-start-cache.js';

/** Backs up all actors, before any is woken. */
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
 * Restores what a failed step has changed; the next step reads the caller's changes again. A step that failed after its first substep clears the warm start.
 */
export function rollBackStep(simulation: Simulation): void {
  const { actors, gravity, warmStart, previousDt } = simulation;
  rescaleImpulses(simulation, previousDt);
  let hasMoved = false;
  for (const actor of actors) {
    const { work, pose, velocity } = actor;
    const { backup } = work;
    if (!work.wasWritten)
      for (let i = 0; i < pose.length; i++) if (pose[i] !== backup.pose[i]) hasMoved = true;
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
  if (!hasMoved) return;
  clearCache(warmStart);
  for (const { forceImpulse, coupleImpulse } of simulation.connections) {
    forceImpulse.fill(0);
    coupleImpulse.fill(0);
  }
}

/** Clears pending impulses: invalid ones would make all later steps fail. */
export function clearPendingImpulses({ actors }: Simulation): void {
  for (const { work } of actors) {
    work.pendingImpulses.fill(0);
    work.hasPendingImpulses = false;
  }
}
