/** Distances between bones, and between bones and the world. */

import { createClearance, writeClearanceGradients, writeClearances } from '../clearance/index.js';
import type { ClearanceTerm } from '../data.js';
import { withColumnsNu } from '../moment.js';
import { limitMoments } from '../moments-of.js';
import { type CompiledTerm, PLAIN } from '../term.js';
import { checkedSpan, checkedVector, type TermContext, type TermPlace } from './context.js';

export function clearanceTerm(context: TermContext, term: ClearanceTerm, place: TermPlace): CompiledTerm {
  const { figure, path } = context;
  const [from, to] = checkedSpan(term.over, context, `${place.path}.over`);
  const [least] = checkedVector([term.distance ?? 0], 1, `${place.path}.distance`);
  const clearance = createClearance(
    figure,
    term.shapes,
    term.world === undefined ? { pairs: 'self' } : { world: term.world, pairs: 'world' },
  );
  const rows = clearance.rows.length;
  const distances = new Float64Array(rows);
  return {
    ...PLAIN,
    ...place,
    moments: limitMoments(path.basis, from, to),
    integral: false,
    kind: 'inequality',
    rows,
    unit: 1,
    unitName: 'm',
    space: 'tangent',
    order: 0,
    value(moment, _own, out, o) {
      writeClearances(clearance, withColumnsNu(moment), distances);
      for (let k = 0; k < rows; k++) out[o + k] = least - distances[k];
    },
    derivatives(moment, _own, { orders }) {
      const [out] = orders;
      const count = rows * figure.dof;
      const values = out.subarray(0, count);
      writeClearanceGradients(clearance, withColumnsNu(moment), values);
      for (let k = 0; k < count; k++) out[k] = -out[k];
    },
  };
}
