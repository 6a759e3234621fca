/** Evaluates the parts of a sample that do not depend on the unknowns. */

import type { TermContext } from '../terms/context.js';
import { ORDERS, writeBasis } from '../transcription/spline-basis.js';
import type { CollocationPoint, ForceBasisRow } from '../transcription/state-sample.js';
import { timeScalingRow } from '../transcription/time-scaling.js';

/** The constant data of a sample time: bases, time scaling and reference. */
export function collocationPointAt(
  { parameterization, reference, contacts }: Pick<TermContext, 'parameterization' | 'reference' | 'contacts'>,
  time: number,
): CollocationPoint {
  const { basis, timeScaling } = parameterization;
  const row = new Float64Array(ORDERS * (basis.degree + 1));
  const first = writeBasis(basis, time, row);
  const forces: ForceBasisRow[] = contacts.flatMap((contact, c) => {
    if (time < contact.from || time > contact.to) return [];
    const width = contact.basis.degree + 1;
    const values = new Float64Array(ORDERS * width);
    const start = writeBasis(contact.basis, time, values);
    return [{ contact: c, first: start, values: values.slice(0, width) }];
  });
  return {
    time,
    first,
    basis: row,
    timeScaling: timeScalingRow(timeScaling, time),
    reference: reference(time),
    forces,
  };
}
