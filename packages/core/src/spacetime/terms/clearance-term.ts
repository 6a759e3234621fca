/** Least distances between bones, and between bones and the world. */
import { requireList } from '../../checks.js';
import { SpacetimeError } from '../../errors.js';
import { createClearance, writeClearanceGradients, writeClearances } from '../clearance/index.js';
import { inequalityPoints } from '../transcription/quadrature.js';
import { withMotionSubspaceV } from '../transcription/state-sample.js';
import type { ClearanceTerm } from '../types/data.js';
import { checkedSpan, checkedVector, type TermContext, type TermLocation } from './context.js';
import { withErrorPath } from './error-path.js';
import { type CompiledTerm, PLAIN } from './term.js';

export function clearanceTerm(
  context: TermContext,
  term: ClearanceTerm,
  location: TermLocation,
): CompiledTerm {
  const { figure, parameterization } = context;
  const [from, to] = checkedSpan(term.over, context, `${location.path}.over`);
  const [minDistance] = checkedVector([term.distance ?? 0], 1, `${location.path}.distance`);
  requireList(term.shapes, `${location.path}.shapes`, SpacetimeError, 'Give the shapes of the bones.');
  const clearance = withErrorPath(
    (path) => `${location.path}.${path.replace(/^options\./, '')}`,
    () =>
      createClearance(
        figure,
        term.shapes,
        term.world === undefined ? { pairs: 'self' } : { world: term.world, pairs: 'world' },
      ),
  );
  const rows = clearance.rows.length;
  if (rows === 0) {
    throw new SpacetimeError('unsupported', 'has no two shapes that move relative to each other.', {
      path: location.path,
      remedy: 'Give shapes of bones that are neither neighbours nor rigidly joined, or a world.',
    });
  }
  const distances = new Float64Array(rows);
  return {
    ...PLAIN,
    ...location,
    samples: inequalityPoints(parameterization.basis, context.density, from, to),
    integral: false,
    kind: 'inequality',
    rows,
    unit: 1,
    unitName: 'm',
    space: 'tangent',
    order: 0,
    value(sample, _own, out, o) {
      writeClearances(clearance, withMotionSubspaceV(sample), distances);
      for (let k = 0; k < rows; k++) out[o + k] = minDistance - distances[k];
    },
    derivatives(sample, _own, { orders }) {
      const [out] = orders;
      const count = rows * figure.dof;
      const values = out.subarray(0, count);
      writeClearanceGradients(clearance, withMotionSubspaceV(sample), values);
      for (let k = 0; k < count; k++) out[k] = -out[k];
    },
  };
}
