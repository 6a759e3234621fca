import { nearestName, SpacetimeError } from '../../errors.js';
import type { Figure } from '../../figure/model/figure.js';
import type { SpacetimeData } from '../types/data.js';
import { checkedVector } from './context.js';

/** What may be chosen by a word. */
const WORDS = {
  unknowns: ['motion', 'displacement'],
  rotations: ['displacement', 'direct'],
  heldEnds: ['none', 'start', 'end', 'both'],
} as const;

/** Checks what nothing else does until it is too late or not at all. @throws SpacetimeError */
export function checkData(figure: Figure, data: SpacetimeData): void {
  if (typeof data !== 'object' || data === null) {
    throw new SpacetimeError('unsupported', `is ${String(data)}.`, {
      path: 'data',
      remedy: 'Give { duration, terms }.',
    });
  }
  for (const key of ['unknowns', 'rotations', 'heldEnds'] as const) {
    const word = data[key];
    if (word === undefined || (WORDS[key] as readonly string[]).includes(word)) continue;
    const near = nearestName(String(word), WORDS[key]);
    throw new SpacetimeError('unsupported', `is '${String(word)}'.`, {
      path: key,
      remedy: `Use one of ${WORDS[key].join(', ')}${near === undefined ? '' : ` (did you mean '${near}'?)`}.`,
    });
  }
  if (data.locked !== undefined && !Array.isArray(data.locked)) {
    throw new SpacetimeError('wrong-size', 'is not a list.', {
      path: 'locked',
      remedy: 'Give names of bones.',
    });
  }
  if (data.armature === undefined) return;
  const least = checkedVector(data.armature, figure.dof, 'armature').findIndex((value) => value < 0);
  if (least < 0) return;
  throw new SpacetimeError('out-of-range', `is ${data.armature[least]}.`, {
    path: `armature[${least}]`,
    remedy: 'Give numbers of zero or more.',
  });
}
