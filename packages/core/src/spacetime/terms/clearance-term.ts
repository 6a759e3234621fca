/** Distances between bones, and between bones and the world. */
import { SpacetimeError } from '../../errors.js';
import { createClearance, writeClearanceGradients, writeClearances } from '../clearance/index.js';
import { limitMoments } from '../transcription/quadrature.js';
import { withColumnsNu } from '../transcription/state-at.js';
import type { ClearanceTerm } from '../types/data.js';
import { checkedSpan, checkedVector, type TermContext, type TermPlace } from './context.js';
import { renameErrors } from './error-path.js';
import { type CompiledTerm, PLAIN } from './term.js';

export function clearanceTerm(context: TermContext, term: ClearanceTerm, place: TermPlace): CompiledTerm {
  const { figure, path } = context;
  const [from, to] = checkedSpan(term.over, context, `${place.path}.over`);
  const [least] = checkedVector([term.distance ?? 0], 1, `${place.path}.distance`);
  if (!Array.isArray(term.shapes)) {
    throw new SpacetimeError('wrong-size', 'is not a list.', {
      path: `${place.path}.shapes`,
      remedy: 'Give the shapes of the bones.',
    });
  }
  const clearance = renameErrors(
    (path) => `${place.path}.${path.replace(/^options\./, '')}`,
    () =>
      createClearance(
        figure,
        term.shapes,
        term.world === undefined ? { pairs: 'self' } : { world: term.world, pairs: 'world' },
      ),
  );
  const rows = clearance.rows.length;
  if (rows === 0) {
    throw new SpacetimeError('unsupported', 'has no two shapes that move against each other.', {
      path: place.path,
      remedy: 'Give shapes of bones that are neither neighbours nor rigidly joined, or a world.',
    });
  }
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
