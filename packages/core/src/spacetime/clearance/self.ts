import { createRagdoll } from '../../dynamics/ragdoll/ragdoll.js';
import type { Figure } from '../../figure/model/figure.js';
import { type Clearance, type ClearanceOptions, createClearance } from './clearance.js';

/** Self-clearance of a figure: the shapes of its ragdoll, without pairs of neighbours and of shapes that touch at rest. */
export function createSelfClearance(
  figure: Figure,
  options: Omit<ClearanceOptions, 'world' | 'pairs'> = {},
): Clearance {
  const { shapes, exclude } = createRagdoll(figure);
  return createClearance(figure, shapes, {
    minAtRest: 0,
    ...options,
    pairs: 'self',
    exclude: [...exclude, ...(options.exclude ?? [])],
  });
}
