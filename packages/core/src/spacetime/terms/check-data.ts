import { type FieldsOf, requireFields, requireList, requireNotNegative, requireOneOf } from '../../checks.js';
import { SpacetimeError } from '../../errors.js';
import type { Figure } from '../../figure/model/figure.js';
import type { FreeDuration, SpacetimeData, SpacetimeTerm } from '../types/data.js';
import { checkedVector } from './context.js';

const FIELDS: FieldsOf<SpacetimeData> = {
  duration: true,
  intervals: true,
  degree: true,
  reference: true,
  unknowns: true,
  fixedEnds: true,
  rotations: true,
  locked: true,
  gravity: true,
  armature: true,
  terms: true,
};

const DURATION_FIELDS: FieldsOf<FreeDuration> = { min: true, max: true, start: true, pieces: true };

const NAMED = { type: true, name: true } as const;
const WEIGHTED = { ...NAMED, weight: true } as const;
const AT_TIME = { ...WEIGHTED, at: true, bones: true } as const;
const INTEGRAL = { ...WEIGHTED, bones: true, over: true } as const;
const LIMIT = { ...NAMED, limit: true, over: true } as const;

/** The fields of each type of term. */
const TERM_FIELDS: {
  readonly [Type in SpacetimeTerm['type']]: FieldsOf<Extract<SpacetimeTerm, { readonly type: Type }>>;
} = {
  pose: { ...AT_TIME, pose: true },
  velocity: { ...AT_TIME, velocity: true },
  acceleration: { ...AT_TIME, acceleration: true },
  goal: { ...WEIGHTED, goal: true, at: true },
  effort: INTEGRAL,
  'torque-limit': LIMIT,
  'speed-limit': LIMIT,
  smoothness: { ...INTEGRAL, order: true, lengthUnit: true },
  tracking: { ...INTEGRAL, lengthUnit: true },
  duration: WEIGHTED,
  contact: {
    ...NAMED,
    bone: true,
    points: true,
    over: true,
    normal: true,
    height: true,
    friction: true,
    forceRegularization: true,
    positions: true,
  },
  physics: { ...NAMED, undriven: true, over: true },
  periodic: { ...NAMED, bones: true, travel: true },
  clearance: { ...NAMED, shapes: true, world: true, distance: true, over: true },
};

/** Options with a fixed set of values. */
const CHOICES = {
  unknowns: ['motion', 'displacement'],
  rotations: ['displacement', 'direct'],
  fixedEnds: ['none', 'start', 'end', 'both'],
} as const;

/** Checks the options of a problem that are not checked where they are read. @throws SpacetimeError */
export function checkData(figure: Figure, data: SpacetimeData): void {
  requireFields(data, FIELDS, 'data', SpacetimeError);
  for (const key of ['unknowns', 'rotations', 'fixedEnds'] as const) {
    if (data[key] !== undefined) requireOneOf(data[key], CHOICES[key], key, SpacetimeError);
  }
  if (typeof data.duration === 'object') {
    requireFields(data.duration, DURATION_FIELDS, 'duration', SpacetimeError);
  }
  checkTerms(data.terms);
  if (data.locked !== undefined) requireList(data.locked, 'locked', SpacetimeError, 'Give names of bones.');
  if (data.armature === undefined) return;
  checkedVector(data.armature, figure.dof, 'armature').forEach((value, i) => {
    requireNotNegative(value, `armature[${i}]`, SpacetimeError);
  });
}

/** Checks the types and field names of terms; their values are checked where they are compiled. */
function checkTerms(terms: readonly SpacetimeTerm[]): void {
  if (!Array.isArray(terms) || terms.length === 0) {
    throw new SpacetimeError('wrong-size', Array.isArray(terms) ? 'is empty.' : 'is not a list.', {
      path: 'terms',
      remedy: 'Give at least one term.',
    });
  }
  terms.forEach((term: SpacetimeTerm, k) => {
    requireOneOf(term?.type, Object.keys(TERM_FIELDS), `terms[${k}].type`, SpacetimeError);
    requireFields(term, TERM_FIELDS[term.type], `terms[${k}]`, SpacetimeError);
  });
}
