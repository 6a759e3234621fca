import { nearestName, SpacetimeError } from '../../errors.js';
import type { Figure } from '../../figure/model/figure.js';
import type { SpacetimeData } from '../types/data.js';
import { checkedVector } from './context.js';

/** Options with a fixed set of values. */
const CHOICES = {
  unknowns: ['motion', 'displacement'],
  rotations: ['displacement', 'direct'],
  heldEnds: ['none', 'start', 'end', 'both'],
} as const;

/** Checks the options of a problem that are not checked where they are read. @throws SpacetimeError */
export function checkData(figure: Figure, data: SpacetimeData): void {
  if (typeof data !== 'object' || data === null) {
    throw new SpacetimeError('unsupported', `is ${String(data)}.`, {
      path: 'data',
      remedy: 'Give { duration, terms }.',
    });
  }
  for (const key of ['unknowns', 'rotations', 'heldEnds'] as const) {
    const choice = data[key];
    if (choice === undefined || (CHOICES[key] as readonly string[]).includes(choice)) continue;
    const near = nearestName(String(choice), CHOICES[key]);
    throw new SpacetimeError('unsupported', `is '${String(choice)}'.`, {
      path: key,
      remedy: `Use one of ${CHOICES[key].join(', ')}${near === undefined ? '' : ` (did you mean '${near}'?)`}.`,
    });
  }
  if (data.locked !== undefined && !Array.isArray(data.locked)) {
    throw new SpacetimeError('wrong-size', 'is not a list.', {
      path: 'locked',
      remedy: 'Give names of bones.',
    });
  }
  if (data.armature === undefined) return;
  const negative = checkedVector(data.armature, figure.dof, 'armature').findIndex((value) => value < 0);
  if (negative < 0) return;
  throw new SpacetimeError('out-of-range', `is ${data.armature[negative]}.`, {
    path: `armature[${negative}]`,
    remedy: 'Give numbers of zero or more.',
  });
}
