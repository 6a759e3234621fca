/** From what a caller says of a term to the rows that the solver sees. */
import { nearestName, SpacetimeError } from '../../errors.js';
import type { SpacetimeTerm } from '../types/data.js';
import { clearanceTerm } from './clearance-term.js';
import { contactTerm, evenForces } from './contact-term.js';
import type { TermContext, TermPlace } from './context.js';
import { goalTerm } from './goal-term.js';
import { periodicPair } from './periodic-term.js';
import { physicsTerms } from './physics.js';
import { durationTerm, smoothnessTerm, speedLimitTerm } from './spline-terms.js';
import { closenessTerm, poseTerm, rateTerm } from './state-terms.js';
import type { CompiledPair, CompiledTerm } from './term.js';
import { effortTerm, torqueLimitTerm } from './torque-terms.js';

const TYPES: readonly SpacetimeTerm['type'][] = [
  'pose',
  'velocity',
  'acceleration',
  'goal',
  'effort',
  'torque-limit',
  'speed-limit',
  'smoothness',
  'closeness',
  'duration',
  'contact',
  'physics',
  'periodic',
  'clearance',
];

export interface CompiledTerms {
  readonly terms: readonly CompiledTerm[];
  readonly pairs: readonly CompiledPair[];
}

/** @throws SpacetimeError, GoalError, FigureError */
export function compileTerms(context: TermContext, given: readonly SpacetimeTerm[]): CompiledTerms {
  const terms: CompiledTerm[] = [];
  const pairs: CompiledPair[] = [];
  let contacts = 0;
  given.forEach((term, index) => {
    const place: TermPlace = {
      index,
      path: `terms[${index}]`,
      name: term?.name ?? `${term?.type} (terms[${index}])`,
    };
    switch (term?.type) {
      case 'pose':
        terms.push(poseTerm(context, term, place));
        break;
      case 'velocity':
      case 'acceleration':
        terms.push(rateTerm(context, term, place));
        break;
      case 'goal':
        terms.push(goalTerm(context, term, place));
        break;
      case 'effort':
        terms.push(effortTerm(context, term, place));
        break;
      case 'torque-limit':
        terms.push(torqueLimitTerm(context, term, place));
        break;
      case 'speed-limit':
        terms.push(speedLimitTerm(context, term, place));
        break;
      case 'smoothness':
        terms.push(smoothnessTerm(context, term, place));
        break;
      case 'closeness':
        terms.push(closenessTerm(context, term, place));
        break;
      case 'duration':
        terms.push(durationTerm(context, term, place));
        break;
      case 'contact':
        terms.push(contactTerm(context, context.contacts[contacts], place));
        if (context.contacts[contacts].evenness > 0)
          terms.push(evenForces(context, context.contacts[contacts], place));
        contacts++;
        break;
      case 'physics':
        terms.push(...physicsTerms(context, term, place));
        break;
      case 'periodic':
        pairs.push(periodicPair(context, term, place));
        break;
      case 'clearance':
        terms.push(clearanceTerm(context, term, place));
        break;
      default:
        throw unknownType(term, place.path);
    }
  });
  return { terms, pairs };
}

function unknownType(term: unknown, path: string): SpacetimeError {
  const type = String((term as { type?: unknown } | null | undefined)?.type);
  const near = nearestName(type, TYPES);
  return new SpacetimeError('unsupported', `is '${type}'.`, {
    path: `${path}.type`,
    remedy: `Use one of ${TYPES.join(', ')}${near === undefined ? '' : ` (did you mean '${near}'?)`}.`,
  });
}
