import { createRagdoll } from '../../dynamics/ragdoll/ragdoll.js';
import type { Figure } from '../../figure/model/figure.js';
import { type Clearance, type ClearanceOptions, createClearance } from './clearance.js';

/**
 * Self-distance of a figure in one line: the shapes that a ragdoll of it would have, without pairs of neighbours and what touches at rest.
 *
 * @throws FigureError for a figure whose bones have no length.
 */
export function createSelfClearance(
  figure: Figure,
  options: Omit<ClearanceOptions, 'world' | 'pairs'> = {},
): Clearance {
  const { shapes, exclude } = createRagdoll(figure);
  return createClearance(figure, shapes, {
    leastAtRest: 0,
    ...options,
    pairs: 'self',
    exclude: [...exclude, ...(options.exclude ?? [])],
  });
}
