/** Compiles the terms of a problem into rows of the solver. */
import type { SpacetimeTerm } from '../types/data.js';
import { clearanceTerm } from './clearance-term.js';
import { contactTerm, forceRegularizationTerm } from './contact-term.js';
import type { TermContext, TermLocation } from './context.js';
import { goalTerm } from './goal-term.js';
import { periodicPair } from './periodic-term.js';
import { physicsTerms } from './physics.js';
import { durationTerm, smoothnessTerm, speedLimitTerm } from './spline-terms.js';
import { poseTerm, rateTerm, trackingTerm } from './state-terms.js';
import type { CompiledPair, CompiledTerm } from './term.js';
import { effortTerm, torqueLimitTerm } from './torque-terms.js';

export interface CompiledTerms {
  readonly terms: readonly CompiledTerm[];
  readonly pairs: readonly CompiledPair[];
}

/** @throws SpacetimeError, GoalError, FigureError */
export function compileTerms(context: TermContext, given: readonly SpacetimeTerm[]): CompiledTerms {
  const terms: CompiledTerm[] = [];
  const pairs: CompiledPair[] = [];
  const prescribed = [
    prescribedRates(given, 0, 'start'),
    prescribedRates(given, context.duration, 'end'),
  ] as const;
  let contacts = 0;
  given.forEach((term, index) => {
    const location: TermLocation = {
      index,
      path: `terms[${index}]`,
      name: term.name ?? `${term.type} (terms[${index}])`,
    };
    switch (term.type) {
      case 'pose':
        terms.push(poseTerm(context, term, location));
        break;
      case 'velocity':
      case 'acceleration':
        terms.push(rateTerm(context, term, location));
        break;
      case 'goal':
        terms.push(goalTerm(context, term, location));
        break;
      case 'effort':
        terms.push(effortTerm(context, term, location));
        break;
      case 'torque-limit':
        terms.push(torqueLimitTerm(context, term, location));
        break;
      case 'speed-limit':
        terms.push(speedLimitTerm(context, term, location));
        break;
      case 'smoothness':
        terms.push(smoothnessTerm(context, term, location));
        break;
      case 'tracking':
        terms.push(trackingTerm(context, term, location));
        break;
      case 'duration':
        terms.push(durationTerm(context, term, location));
        break;
      case 'contact':
        terms.push(contactTerm(context, context.contacts[contacts], prescribed, location));
        if (context.contacts[contacts].forceRegularization > 0)
          terms.push(forceRegularizationTerm(context, context.contacts[contacts], location));
        contacts++;
        break;
      case 'physics':
        terms.push(...physicsTerms(context, term, location));
        break;
      case 'periodic':
        pairs.push(periodicPair(context, term, location));
        break;
      case 'clearance':
        terms.push(clearanceTerm(context, term, location));
        break;
    }
  });
  return { terms, pairs };
}

/** How many of velocity and acceleration are prescribed for the whole pose at an end of the motion. */
function prescribedRates(given: readonly SpacetimeTerm[], time: number, end: 'start' | 'end'): number {
  const holds = (type: 'velocity' | 'acceleration'): boolean =>
    given.some(
      (term) =>
        term.type === type &&
        term.weight === undefined &&
        term.bones === undefined &&
        [term.at].flat().some((at) => at === time || at === end),
    );
  return (holds('velocity') ? 1 : 0) + (holds('acceleration') ? 1 : 0);
}
