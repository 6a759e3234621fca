import type { Simulation } from './state/simulation.js';
import { recallContact } from './state/warm-start-cache.js';

/** What a contact of `simulation.contacts` pushed with along its normal in the last step, N s; 0 where it did not. */
export function contactImpulse({ contacts, memory }: Simulation, contact: number): number {
  const entry = recallContact(memory, contacts.id[contact]);
  return entry < 0 ? 0 : memory.last[entry];
}
