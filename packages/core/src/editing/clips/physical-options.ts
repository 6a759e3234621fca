/** Options and terms shared by the physics-based tools. */
import type { FieldsOf } from '../../checks.js';
import { standardGravity } from '../../dynamics/model/gravity.js';
import type { Figure } from '../../figure/model/figure.js';
import { totalMass } from '../../figure/model/mass.js';
import { lengthScaleOf } from '../../ik/problem/length-scale.js';
import type { Vec3 } from '../../math/linear/types.js';
import type { Motion } from '../../motion/motion.js';
import type { SpacetimeProblem } from '../../spacetime/problem.js';
import {
  SPACETIME_FIELDS,
  type SpacetimeOptions,
  type SpacetimeSolution,
  solveSpacetime,
} from '../../spacetime/solve.js';
import type { BoneValues, ContactTerm, SpacetimeTerm } from '../../spacetime/types/data.js';
import { freeRoots } from './clip-state.js';
import { humanScaleOf } from './human-scale.js';

/** A contact of the motion; `over` in the clip's time. */
export type PhysicalContact = Omit<ContactTerm, 'type'>;

export interface PhysicalOptions extends SpacetimeOptions {
  /**
   * Contacts with contact forces. Default: those of a humanoid's feet, found by height and speed (`detectContacts`); none for other figures.
   * `[]`: nothing touches anything, and the motion is a flight.
   */
  readonly contacts?: readonly PhysicalContact[];
  /** Largest joint torques, N m. Default: none. */
  readonly torques?: BoneValues;
  /** Largest joint velocities, rad/s and m/s. Default: none. */
  readonly speeds?: BoneValues;
  /** Knot intervals a second. Default 16. */
  readonly rate?: number;
  /** World axes, m/s^2. Default: 9.81 against `figure.up`. */
  readonly gravity?: Vec3;
  readonly locked?: readonly string[];
  /** Further terms, times from the start of the motion. */
  readonly terms?: readonly SpacetimeTerm[];
}

export const PHYSICAL_FIELDS: FieldsOf<PhysicalOptions> = {
  ...SPACETIME_FIELDS,
  contacts: true,
  torques: true,
  speeds: true,
  rate: true,
  gravity: true,
  locked: true,
  terms: true,
};

/** A motion and the solution it comes from. */
export interface PhysicalMotion {
  readonly motion: Motion;
  /** Read its `status`: `converged` if all constraints hold to the tolerance. */
  readonly solution: SpacetimeSolution;
  /** The contacts of the solve, found ones included; `over` in the time of the clip or of the keys. Empty: a flight. */
  readonly contacts: readonly PhysicalContact[];
}

/** Default tolerance: micrometres of a contact, a millionth of the weight; for figures smaller than a person less. */
const PHYSICAL_TOLERANCE = 1e-6;

/** Solves a problem with those of the options that are for the solve. */
export function solvePhysical(problem: SpacetimeProblem, options: PhysicalOptions): SpacetimeSolution {
  const tolerance = PHYSICAL_TOLERANCE * Math.min(1, humanScaleOf(problem.figure));
  const given = Object.entries(options).filter(([name]) => Object.hasOwn(SPACETIME_FIELDS, name));
  return solveSpacetime(problem, { tolerance, ...Object.fromEntries(given) });
}

/** Number of knot intervals for a duration. */
export function intervalsFor(length: number, rate = 16): number {
  return Math.max(6, Math.round(rate * length));
}

/** Equations of motion of free roots, contacts and bounds. @param start - Start of the clip, s. */
export function physicalTerms(figure: Figure, start: number, options: PhysicalOptions): SpacetimeTerm[] {
  const { contacts = [], torques, speeds, terms = [] } = options;
  return [
    ...contacts.map(
      (contact): SpacetimeTerm => ({
        ...contact,
        type: 'contact',
        over: [contact.over[0] - start, contact.over[1] - start],
      }),
    ),
    ...(freeRoots(figure).length > 0 ? [{ type: 'physics' } as const] : []),
    ...(torques === undefined ? [] : [{ type: 'torque-limit', limit: torques } as const]),
    ...(speeds === undefined ? [] : [{ type: 'speed-limit', limit: speeds } as const]),
    ...terms,
  ];
}

/**
 * The square of the figure's weight times its length scale, (N m)^2: the scale of effort, in which supporting the figure by one joint for a
 * second costs about one.
 *
 * @throws FigureError for a figure without mass.
 */
export function effortScale(figure: Figure, gravity: Vec3 = standardGravity(figure.up)): number {
  const mass = totalMass(figure);
  const g = Math.max(1, Math.hypot(gravity[0], gravity[1], gravity[2]));
  return (mass * g * lengthScaleOf(figure)) ** 2;
}
