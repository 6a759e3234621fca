/** Who sleeps, kept over a step that may fail. */
import type { Simulation } from './simulation.js';
import { writeBoneVelocities } from './tree-motion.js';

/** Remembers who sleeps, before anybody is woken. */
export function rememberSleep({ actors }: Simulation): void {
  for (const { asleep, work } of actors) {
    const { before } = work;
    before.asleep = asleep;
    before.group = work.group;
    before.awakeFor = work.awakeFor;
    before.quietFor = work.quietFor;
    work.takenOver = false;
  }
}

/** Brings all that a failed step has changed back to what it was; what was written from outside is taken over anew by the next. */
export function undoStep({ actors }: Simulation): void {
  for (const actor of actors) {
    const { nu, work } = actor;
    const { before, dynamics, boneVelocity } = work;
    actor.asleep = before.asleep;
    work.group = before.group;
    work.awakeFor = before.awakeFor;
    work.quietFor = before.quietFor;
    if (work.takenOver) work.placed = false;
    else if (work.placed) writeBoneVelocities(dynamics, nu, boneVelocity);
  }
}

/** Forgets impulses that were to be given: those that no step can take would make all steps after fail too. */
export function dropImpulses({ actors }: Simulation): void {
  for (const { work } of actors) {
    work.impulses.fill(0);
    work.impulsive = false;
  }
}
