import { requireNumbers, requireWhole, shown } from '../../checks.js';
import { DomainError } from '../../errors.js';
import { boneIndex } from '../../figure/model/figure.js';
import type { Vec3 } from '../../math/linear/types.js';
import { wakeActor } from './islands/islands.js';
import type { Simulation } from './state/simulation.js';
import { findCachedContact } from './state/warm-start-cache.js';

/**
 * Applies an impulse to a bone in the next step, and wakes its actor.
 *
 * @param actor - Index of the actor.
 * @param impulse - World axes, N s.
 * @param point - World axes, m. Default: the origin of the bone.
 * @throws DomainError, FigureError for unknown actors and bones, and numbers that are not finite; nothing is applied then.
 */
export function applyImpulse(
  simulation: Simulation,
  actor: number,
  bone: string | number,
  impulse: Vec3,
  point?: Vec3,
): void {
  const { actors } = simulation;
  requireWhole(actor, 'actor', DomainError, 0, actors.length - 1);
  const { figure, work } = actors[actor];
  const b = boneIndex(figure, bone, 'bone');
  requireNumbers(impulse, 3, 'impulse', DomainError);
  const o = 6 * b;
  const { dynamics } = work;
  const { pendingImpulses } = work.forces;
  if (point !== undefined) {
    requireNumbers(point, 3, 'point', DomainError);
    const m = dynamics.state.worldFromBone;
    const [x, y, z] = [0, 1, 2].map((k) => point[k] - m[12 * b + 9 + k]);
    pendingImpulses[o + 3] += y * impulse[2] - z * impulse[1];
    pendingImpulses[o + 4] += z * impulse[0] - x * impulse[2];
    pendingImpulses[o + 5] += x * impulse[1] - y * impulse[0];
  }
  for (let k = 0; k < 3; k++) pendingImpulses[o + k] += impulse[k];
  work.forces.hasPendingImpulses = true;
  wakeActor(actors[actor]);
}

/**
 * Normal impulse of a contact of `simulation.contacts` in the last step, N s; 0 where it did not push.
 *
 * @throws DomainError `out-of-range` for a contact that there is not.
 */
export function contactImpulse({ contacts, warmStart }: Simulation, contact: number): number {
  if (!(Number.isInteger(contact) && contact >= 0 && contact < contacts.count)) {
    throw new DomainError(
      'out-of-range',
      `is ${shown(contact)}; the last step had ${contacts.count} contacts.`,
      {
        path: 'contact',
        remedy: 'Give an index from 0 to below simulation.contacts.count.',
      },
    );
  }
  const entry = findCachedContact(warmStart, contacts.id[contact]);
  return entry < 0 ? 0 : warmStart.lastImpulse[entry];
}
