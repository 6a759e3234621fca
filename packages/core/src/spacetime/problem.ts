/** Trajectory problems: validation and layout. */

import { requireWhole } from '../checks.js';
import { standardGravity } from '../dynamics/model/gravity.js';
import { SpacetimeError } from '../errors.js';
import type { Figure } from '../figure/model/figure.js';
import { boneIndex } from '../figure/model/figure.js';
import { freeRotationVectors } from '../figure/model/regularize.js';
import { lengthScaleOf } from '../ik/problem/length-scale.js';
import { createMechanics } from './mechanics/mechanics.js';
import { createMechanicsCache, type MechanicsCache } from './mechanics/mechanics-cache.js';
import { createSystem } from './system/create-system.js';
import { fixedEndForces, fixedEndUnknowns } from './system/fixed-unknowns.js';
import { createLayout } from './system/layout.js';
import type { System } from './system/system.js';
import { checkData } from './terms/check-data.js';
import { compileTerms } from './terms/compile.js';
import type { Contact } from './terms/contact-data.js';
import { readContacts } from './terms/contact-term.js';
import { checkedSpan, checkedVector, snappedSpan, type TermContext } from './terms/context.js';
import { limitTerm } from './terms/limit-term.js';
import type { CompiledTerm } from './terms/term.js';
import { requireAwayFromShell } from './transcription/chart-singularity.js';
import { createBasisWithBreaks, refineBasis } from './transcription/knots.js';
import { coarseMesh, isSameMesh, type Mesh, requireRefinement } from './transcription/mesh.js';
import { createParameterization, isDirect, type Parameterization } from './transcription/parameterization.js';
import { createReference, type Reference } from './transcription/reference.js';
import { smoothRotations } from './transcription/smooth-rotations.js';
import { createSplineBasis, type SplineBasis } from './transcription/spline-basis.js';
import { createTimeScaling, type TimeScaling } from './transcription/time-scaling.js';
import type { FreeDuration, SpacetimeData } from './types/data.js';

/** A trajectory problem, checked and laid out. */
export interface SpacetimeProblem {
  readonly figure: Figure;
  readonly data: SpacetimeData;
  /** Nominal, s. */
  readonly duration: number;
  readonly reference: Reference;
  readonly contacts: readonly Contact[];
  /** The knot intervals: those of `intervals`, or refined ones. */
  readonly mesh: Mesh;
  readonly system: System;
}

const INTERVALS_PER_SECOND = 24;
const MIN_INTERVALS = 8;
/** Shortest interval, s: with shorter ones third derivatives overflow and times coincide by rounding. */
const MIN_INTERVAL = 1e-6;

/** Number of intervals of a problem that gives none. @param duration - s */
export function defaultIntervals(duration: number): number {
  return Math.max(MIN_INTERVALS, Math.round(INTERVALS_PER_SECOND * duration));
}

/**
 * Checks a problem and lays out its unknowns.
 *
 * @throws SpacetimeError with path (`terms[3].over`) and remedy: times outside the motion, empty spans, contacts without points, numbers
 * that are not finite, unknown names, rotations that may pass the shell.
 * @throws FigureError for an unknown bone or a figure without mass, GoalError, MotionError for an invalid goal or reference.
 */
export function createSpacetimeProblem(figure: Figure, data: SpacetimeData): SpacetimeProblem {
  checkData(figure, data);
  return layOut(figure, { ...data, terms: [...data.terms] }, undefined);
}

/** The same problem on a refined mesh. @throws SpacetimeError unless it is a refinement of that of `data`. */
export function withMesh(problem: SpacetimeProblem, mesh: Mesh): SpacetimeProblem {
  return isSameMesh(problem.mesh, mesh) ? problem : layOut(problem.figure, problem.data, mesh);
}

/** The same problem on the mesh of a saved state. @throws SpacetimeError for that of another problem. */
export function withMeshOf(problem: SpacetimeProblem, { breaks, density }: Partial<Mesh>): SpacetimeProblem {
  return !breaks || !density ? problem : withMesh(problem, { breaks, density });
}

function layOut(figure: Figure, data: SpacetimeData, refined: Mesh | undefined): SpacetimeProblem {
  // Splines x(u) = sum of B_k(u) P_k over nominal time u, with breaks at contact changes, and the time scaling dt/du.
  const { timeScaling, duration } = readDuration(data.duration);
  const degree = checkedCount(data.degree ?? 5, 3, 7, 'degree');
  const intervals = checkedCount(data.intervals ?? defaultIntervals(duration), 1, 100_000, 'intervals');
  const maxInterval = duration / intervals;
  if (!(maxInterval >= MIN_INTERVAL)) {
    throw new SpacetimeError('out-of-range', `is ${duration} s for ${intervals} intervals.`, {
      path: typeof data.duration === 'number' ? 'duration' : 'duration.start',
      remedy: `Give at least ${MIN_INTERVAL} s for an interval.`,
    });
  }
  const coarseBasis = createBasisWithBreaks(degree, intervals, duration, contactChanges(data));
  if (refined !== undefined) requireRefinement(coarseBasis, refined);
  const mesh = refined ?? coarseMesh(coarseBasis);
  const basis = refined === undefined ? coarseBasis : refineBasis(coarseBasis, mesh.breaks);

  // Parameterization: the coordinates that are unknowns, and the rotations that are displacements from the reference.
  const given = createReference(figure, data.reference);
  const parameterization = chooseParameterization(figure, data, basis, timeScaling, given);
  // Without physics nothing sees a kink of the reference, and tracking finds it exactly.
  const reference =
    data.unknowns === 'displacement' || !hasPhysics(data)
      ? given
      : smoothRotations(given, parameterization, createSplineBasis(degree, intervals, 0, duration));

  // Contacts, at their positions in the reference. Without physics there are no breaks at contact changes.
  const checkSpan = hasPhysics(data) ? snappedSpan : checkedSpan;
  const readSpan = (over: readonly [number, number], location: string): readonly [number, number] =>
    checkSpan(over, { duration, maxInterval, coarseBasis }, location);
  const contacts = readContacts(figure, data.terms, basis, readSpan, reference);
  const points = contacts.reduce((sum, contact) => sum + contact.points.length, 0);
  const gravity = checkedVector(data.gravity ?? standardGravity(figure.up), 3, 'gravity');
  const mass = figure.bones.reduce((sum, bone) => sum + (bone.mass ?? 0), 0);
  const forceScale = Math.max(1, mass * Math.hypot(gravity[0], gravity[1], gravity[2]));
  let cache: MechanicsCache | undefined;
  const context: TermContext = {
    figure,
    parameterization,
    coarseBasis,
    density: mesh.density,
    duration,
    maxInterval,
    reference,
    contacts,
    hasPhysics: hasPhysics(data),
    lengthScale: lengthScaleOf(figure),
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

  // Terms: rows of residuals at samples, with their derivatives.
  const compiled = compileTerms(context, data.terms);
  const terms = [...compiled.terms, ...limitTerms(context, data.terms.length)];

  // Unknowns ordered by time, those that are fixed at zero, and the rows as functions of them.
  const layout = createLayout(parameterization, contacts, terms, forceScale);
  const fixed = fixedEndUnknowns(data, parameterization, layout);
  if (hasPhysics(data)) for (const id of fixedEndForces(contacts, duration, layout)) fixed.add(id);
  const system = createSystem(context, { terms, pairs: compiled.pairs }, layout, fixed, points);
  return { figure, data, duration, reference, contacts, mesh, system };
}

function hasPhysics({ terms }: SpacetimeData): boolean {
  return terms.some(({ type }) => type === 'physics');
}

/** Times at which contacts of a motion with physics begin and end. */
function contactChanges(data: SpacetimeData): number[] {
  if (!hasPhysics(data)) return [];
  // Invalid spans are rejected where contacts are read.
  return data.terms
    .flatMap((term): number[] =>
      term.type === 'contact' && Array.isArray(term.over) ? Array.from(term.over) : [],
    )
    .filter(Number.isFinite);
}

function readDuration(given: number | FreeDuration): {
  readonly timeScaling: TimeScaling;
  readonly duration: number;
} {
  const duration = typeof given === 'number' ? given : given?.start;
  if (!(duration > 0 && duration < Number.POSITIVE_INFINITY)) {
    throw new SpacetimeError(Number.isFinite(duration) ? 'out-of-range' : 'not-finite', `is ${duration} s.`, {
      path: typeof given === 'number' ? 'duration' : 'duration.start',
      remedy: 'Give a length above zero, in seconds.',
    });
  }
  if (typeof given === 'number') return { timeScaling: createTimeScaling(duration, 0, 1, 1), duration };
  const { min, max, pieces = 1 } = given;
  if (!(min > 0 && min <= duration && duration <= max && max < Number.POSITIVE_INFINITY)) {
    throw new SpacetimeError('out-of-range', `goes from ${min} to ${max} s and starts at ${duration} s.`, {
      path: 'duration',
      remedy: 'Give 0 < min <= start <= max.',
    });
  }
  return {
    timeScaling: createTimeScaling(
      duration,
      checkedCount(pieces, 1, 64, 'duration.pieces'),
      min / duration,
      max / duration,
    ),
    duration,
  };
}

function checkedCount(value: number, min: number, max: number, path: string): number {
  requireWhole(value, path, SpacetimeError, min, max);
  return value;
}

/** Chooses the free coordinates and their parameterization; rejects direct rotations near the shell (Grassia 1997, section 4.3). */
function chooseParameterization(
  figure: Figure,
  data: SpacetimeData,
  basis: SplineBasis,
  timeScaling: TimeScaling,
  reference: Reference,
): Parameterization {
  const locked = new Uint8Array(figure.dof);
  data.locked?.forEach((name, k) => {
    const bone = boneIndex(figure, name, `locked[${k}]`);
    locked.fill(1, figure.coordinateStart[bone], figure.coordinateStart[bone + 1]);
  });
  if (locked.every((is) => is === 1)) {
    throw new SpacetimeError('wrong-size', 'leaves no free coordinate.', {
      path: 'locked',
      remedy: 'Lock fewer bones.',
    });
  }
  const unlimited = Array.from(freeRotationVectors(figure)).filter((i) => locked[i] === 0);
  const displacement = data.unknowns === 'displacement';
  if (data.rotations === 'direct' && !displacement) {
    for (const i of unlimited) requireAwayFromShell(figure, i, basis, reference);
  }
  return createParameterization(figure, basis, timeScaling, {
    locked,
    displacement,
    displacedRotations: new Set(data.rotations === 'direct' ? [] : unlimited),
  });
}

/** Joint limits that control points do not bound. */
function limitTerms(context: TermContext, index: number): CompiledTerm[] {
  const { figure, parameterization } = context;
  const limits = figure.limitComponents.filter(
    ({ coordinate }) => parameterization.columnOf[coordinate] >= 0 && !isDirect(parameterization, coordinate),
  );
  if (limits.length === 0) return [];
  return [limitTerm(context, limits, { index, path: 'limits', name: 'joint limits' })];
}
