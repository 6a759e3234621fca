import { type FieldsOf, requireFields, requireOneOf } from '../../checks.js';
import { SpacetimeError } from '../../errors.js';
import type { Figure } from '../../figure/model/figure.js';
import type { SpacetimeData } from '../types/data.js';
import { checkedVector } from './context.js';

const FIELDS: FieldsOf<SpacetimeData> = {
  duration: true,
  intervals: true,
  degree: true,
  reference: true,
  unknowns: true,
  heldEnds: true,
  rotations: true,
  locked: true,
  gravity: true,
  armature: true,
  terms: true,
};

/** Options with a fixed set of values. */
const CHOICES = {
  unknowns: ['motion', 'displacement'],
  rotations: ['displacement', 'direct'],
  heldEnds: ['none', 'start', 'end', 'both'],
} as const;

/** Checks the options of a problem that are not checked where they are read. @throws SpacetimeError */
export function checkData(figure: Figure, data: SpacetimeData): void {
  requireFields(data, FIELDS, 'data', SpacetimeError);
  for (const key of ['unknowns', 'rotations', 'heldEnds'] as const) {
    if (data[key] !== undefined) requireOneOf(data[key], CHOICES[key], key, SpacetimeError);
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
