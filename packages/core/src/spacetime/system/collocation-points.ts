/** What is known of a moment before anything is solved. */

import type { TermContext } from '../terms/context.js';
import { ORDERS, writeBasis } from '../transcription/spline-basis.js';
import type { ForceRow, Instant } from '../transcription/state-at.js';
import { clockRow } from '../transcription/time-scaling.js';

/** All of a moment that does not change. */
export function instantAt(
  { path, reference, contacts }: Pick<TermContext, 'path' | 'reference' | 'contacts'>,
  time: number,
): Instant {
  const { basis, clock } = path;
  const row = new Float64Array(ORDERS * (basis.degree + 1));
  const first = writeBasis(basis, time, row);
  const forces: ForceRow[] = contacts.flatMap((contact, c) => {
    if (time < contact.from || time > contact.to) return [];
    const width = contact.basis.degree + 1;
    const values = new Float64Array(ORDERS * width);
    const start = writeBasis(contact.basis, time, values);
    return [{ contact: c, first: start, values: values.slice(0, width) }];
  });
  return { time, first, basis: row, clock: clockRow(clock, time), reference: reference(time), forces };
}
