/** A trajectory problem: what a caller gives, checked and put together. */
import { SpacetimeError } from '../errors.js';
import type { Figure } from '../figure/model/figure.js';
import { freeRotationVectors } from '../figure/model/regularize.js';
import { lengthScaleOf } from '../ik/problem/length-scale.js';
import { createMechanics } from './mechanics/mechanics.js';
import { createMechanicsCache, type MechanicsCache } from './mechanics/mechanics-cache.js';
import { createSystem } from './system/create-system.js';
import { heldForces, heldUnknowns } from './system/fixed-unknowns.js';
import { layUnknowns } from './system/layout.js';
import type { System } from './system/system.js';
import { checkData } from './terms/check-data.js';
import { compileTerms } from './terms/compile.js';
import type { Contact } from './terms/contact-data.js';
import { readContacts } from './terms/contact-term.js';
import { checkedSpan, checkedVector, namedBone, settledSpan, type TermContext } from './terms/context.js';
import { limitTerm } from './terms/limit-term.js';
import type { CompiledTerm } from './terms/term.js';
import { refuseNearShell } from './transcription/chart-singularity.js';
import { knotsFor } from './transcription/knots.js';
import { createPath, isDirect, type Path } from './transcription/parameterization.js';
import { createReference, type Reference } from './transcription/reference.js';
import type { SplineBasis } from './transcription/spline-basis.js';
import { type Clock, createClock } from './transcription/time-scaling.js';
import type { FreeDuration, SpacetimeData } from './types/data.js';

/** A trajectory problem, checked and laid out. */
export interface SpacetimeProblem {
  readonly figure: Figure;
  readonly data: SpacetimeData;
  /** Nominal, s. */
  readonly duration: number;
  readonly reference: Reference;
  readonly contacts: readonly Contact[];
  readonly system: System;
}

const INTERVALS_A_SECOND = 24;
const LEAST_INTERVALS = 8;

/**
 * Checks a problem and lays out its unknowns.
 *
 * @throws SpacetimeError naming the place (`terms[3].over`) and the remedy: times outside the motion, spans without length, contacts without
 *   points, numbers that are not finite, names that are not there, rotations that may pass the shell.
 * @throws GoalError, FigureError, MotionError for a goal, figure or reference that makes no sense.
 */
export function createSpacetimeProblem(figure: Figure, data: SpacetimeData): SpacetimeProblem {
  checkData(figure, data);
  const { clock, duration } = readDuration(data.duration);
  const degree = checkedCount(data.degree ?? 5, 3, 7, 'degree');
  const intervals = checkedCount(
    data.intervals ?? Math.max(LEAST_INTERVALS, Math.round(INTERVALS_A_SECOND * duration)),
    1,
    100_000,
    'intervals',
  );
  const step = duration / intervals;
  const basis = knotsFor(degree, intervals, duration, contactChanges(data));
  if (!Array.isArray(data.terms) || data.terms.length === 0) {
    throw new SpacetimeError('wrong-size', Array.isArray(data.terms) ? 'is empty.' : 'is not a list.', {
      path: 'terms',
      remedy: 'Give one term at least.',
    });
  }
  const reference = createReference(figure, data.reference);
  const path = choosePath(figure, data, basis, clock, reference);
  // Without physics no breaks stand where contacts begin and end.
  const checked = hasPhysics(data) ? settledSpan : checkedSpan;
  const readSpan = (over: readonly [number, number], place: string): readonly [number, number] =>
    checked(over, { duration, step, path }, place);
  const contacts = readContacts(figure, data.terms, basis, readSpan, reference);
  const points = contacts.reduce((sum, contact) => sum + contact.points.length, 0);
  const gravity = checkedVector(data.gravity ?? [0, -9.81, 0], 3, 'gravity');
  const mass = figure.bones.reduce((sum, bone) => sum + (bone.mass ?? 0), 0);
  const forceScale = Math.max(1, mass * Math.hypot(gravity[0], gravity[1], gravity[2]));
  let cache: MechanicsCache | undefined;
  const context: TermContext = {
    figure,
    path,
    duration,
    step,
    reference,
    contacts,
    length: lengthScaleOf(figure),
    gravity,
    forceScale,
    mechanics() {
      cache ??= createMechanicsCache(
        createMechanics(
          figure,
          contacts.flatMap(({ bone, points: own }) => own.map((point) => ({ bone, point }))),
          {
            gravity: [gravity[0], gravity[1], gravity[2]],
            ...(data.armature && { armature: data.armature }),
          },
        ),
      );
      return cache;
    },
  };
  const compiled = compileTerms(context, data.terms);
  const terms = [...compiled.terms, ...limitTerms(context, data.terms.length)];
  const layout = layUnknowns(path, contacts, terms, forceScale);
  const held = heldUnknowns(data, path, layout);
  if (hasPhysics(data)) for (const id of heldForces(contacts, duration, layout)) held.add(id);
  const system = createSystem(context, { terms, pairs: compiled.pairs }, layout, held, points);
  return { figure, data, duration, reference, contacts, system };
}

function hasPhysics({ terms }: Pick<SpacetimeData, 'terms'>): boolean {
  return Array.isArray(terms) && terms.some((term) => term?.type === 'physics');
}

/** Where contacts of a motion with physics begin and end. */
function contactChanges({ terms }: SpacetimeData): number[] {
  if (!hasPhysics({ terms })) return [];
  // What is no span is refused where contacts are read.
  return terms
    .flatMap((term): number[] =>
      term?.type === 'contact' && Array.isArray(term.over) ? Array.from(term.over) : [],
    )
    .filter(Number.isFinite);
}

function readDuration(given: number | FreeDuration): { readonly clock: Clock; readonly duration: number } {
  const duration = typeof given === 'number' ? given : given?.start;
  if (!(duration > 0 && duration < Number.POSITIVE_INFINITY)) {
    throw new SpacetimeError(Number.isFinite(duration) ? 'out-of-range' : 'not-finite', `is ${duration} s.`, {
      path: typeof given === 'number' ? 'duration' : 'duration.start',
      remedy: 'Give a length above zero, in seconds.',
    });
  }
  if (typeof given === 'number') return { clock: createClock(duration, 0, 1, 1), duration };
  const { min, max, pieces = 1 } = given;
  if (!(min > 0 && min <= duration && duration <= max && max < Number.POSITIVE_INFINITY)) {
    throw new SpacetimeError('out-of-range', `goes from ${min} to ${max} s and starts at ${duration} s.`, {
      path: 'duration',
      remedy: 'Give 0 < min <= start <= max.',
    });
  }
  return {
    clock: createClock(
      duration,
      checkedCount(pieces, 1, 64, 'duration.pieces'),
      min / duration,
      max / duration,
    ),
    duration,
  };
}

function checkedCount(value: number, least: number, most: number, path: string): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new SpacetimeError('out-of-range', `is ${value}.`, {
    path,
    remedy: `Give a whole number from ${least} to ${most}.`,
  });
}

/** Which coordinates are unknown and how they are written; refuses direct rotations near the shell (paper, section 4.3). */
function choosePath(
  figure: Figure,
  data: SpacetimeData,
  basis: SplineBasis,
  clock: Clock,
  reference: Reference,
): Path {
  const locked = new Uint8Array(figure.dof);
  data.locked?.forEach((name, k) => {
    const bone = namedBone(figure, name, `locked[${k}]`);
    locked.fill(1, figure.coordinateStart[bone], figure.coordinateStart[bone + 1]);
  });
  if (locked.every((is) => is === 1)) {
    throw new SpacetimeError('wrong-size', 'leaves no coordinate to move.', {
      path: 'locked',
      remedy: 'Lock fewer bones.',
    });
  }
  const unlimited = Array.from(freeRotationVectors(figure)).filter((i) => locked[i] === 0);
  const displacement = data.unknowns === 'displacement';
  if (data.rotations === 'direct' && !displacement) {
    for (const i of unlimited) refuseNearShell(figure, i, basis, reference);
  }
  return createPath(figure, basis, clock, {
    locked,
    displacement,
    displacedTurns: new Set(data.rotations === 'direct' ? [] : unlimited),
  });
}

/** The joint limits that control points do not tell. */
function limitTerms(context: TermContext, index: number): CompiledTerm[] {
  const { figure, path } = context;
  const parts = figure.limitParts.filter(
    ({ coordinate }) => path.columnOf[coordinate] >= 0 && !isDirect(path, coordinate),
  );
  if (parts.length === 0) return [];
  return [limitTerm(context, parts, { index, path: 'limits', name: 'joint limits' })];
}
