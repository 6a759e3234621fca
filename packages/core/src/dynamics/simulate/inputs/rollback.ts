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
    backup.limitImpulses.set(work.joints.limitImpulses);
    backup.frictionImpulses.set(work.joints.frictionImpulses);
    backup.asleep = asleep;
    backup.group = work.sleep.group;
    backup.awakeTime = work.sleep.awakeTime;
    backup.stillTime = work.sleep.stillTime;
    work.inputs.wasWritten = false;
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
    if (!work.inputs.wasWritten)
      for (let i = 0; i < pose.length; i++) if (pose[i] !== backup.pose[i]) hasMoved = true;
    pose.set(backup.pose);
    velocity.set(backup.velocity);
    work.joints.limitImpulses.set(backup.limitImpulses);
    work.joints.frictionImpulses.set(backup.frictionImpulses);
    actor.asleep = backup.asleep;
    work.sleep.group = backup.group;
    work.sleep.awakeTime = backup.awakeTime;
    work.sleep.stillTime = backup.stillTime;
    if (work.inputs.wasWritten) work.energy.isCurrent = false;
    else if (work.energy.isCurrent) updateActor(actor, gravity);
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
    work.forces.pendingImpulses.fill(0);
    work.forces.hasPendingImpulses = false;
  }
}
