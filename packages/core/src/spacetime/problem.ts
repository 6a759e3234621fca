import { SpacetimeError } from '../errors.js';
import type { Figure } from '../figure/figure.js';
import { diskShape } from '../figure/limits/disk.js';
import { intervalShape } from '../figure/limits/interval.js';
import { limitShapes } from '../figure/limits/shapes.js';
import { freeRotationVectors } from '../figure/regularize.js';
import { lengthScaleOf } from '../ik/length-scale.js';
import { checkData } from './check-data.js';
import { type Clock, clockRow, createClock } from './clock.js';
import { type ConvexSet, coneShape } from './convex-sets.js';
import type { FreeDuration, SpacetimeData } from './data.js';
import { knotsFor } from './knots.js';
import { type Layout, layUnknowns } from './layout.js';
import { createMechanics } from './mechanics/mechanics.js';
import { createMechanicsCache, type MechanicsCache } from './mechanics-cache.js';
import type { ForceRow, Instant } from './moment.js';
import { MOST_TURN, refuseNearShell } from './near-shell.js';
import { createPath, type Path } from './path.js';
import { createReference, type Reference } from './reference.js';
import { ORDERS, type SplineBasis, writeBasis } from './spline-basis.js';
import { createScratch, type InstantUse, type PairUse, type System, type TermUse } from './system.js';
import type { CompiledTerm, TermKind } from './term.js';
import { compileTerms } from './terms/compile.js';
import type { Contact } from './terms/contact.js';
import { readContacts } from './terms/contacts.js';
import { checkedVector, namedBone, type TermContext } from './terms/context.js';
import { limitTerm } from './terms/limit-term.js';

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
  const basis = knotsFor(
    checkedCount(data.degree ?? 5, 3, 7, 'degree'),
    checkedCount(
      data.intervals ?? Math.max(LEAST_INTERVALS, Math.round(INTERVALS_A_SECOND * duration)),
      1,
      100_000,
      'intervals',
    ),
    duration,
    contactChanges(data),
  );
  if (!Array.isArray(data.terms) || data.terms.length === 0) {
    throw new SpacetimeError('wrong-size', Array.isArray(data.terms) ? 'is empty.' : 'is not a list.', {
      path: 'terms',
      remedy: 'Give one term at least.',
    });
  }
  const reference = createReference(figure, data.reference);
  const path = choosePath(figure, data, basis, clock, reference);
  const contacts = readContacts(figure, data.terms, basis, reference);
  const points = contacts.reduce((sum, contact) => sum + contact.points.length, 0);
  const gravity = checkedVector(data.gravity ?? [0, -9.81, 0], 3, 'gravity');
  const mass = figure.bones.reduce((sum, bone) => sum + (bone.mass ?? 0), 0);
  const forceScale = Math.max(1, mass * Math.hypot(gravity[0], gravity[1], gravity[2]));
  let cache: MechanicsCache | undefined;
  const context: TermContext = {
    figure,
    path,
    duration,
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
  const system = layOut(context, { terms, pairs: compiled.pairs }, layout, held, points);
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

/** Whether the number in the pose is the unknown itself. */
function isDirect({ additive, turnings }: Path, i: number): boolean {
  const turning = turnings.find(({ coordinate }) => i >= coordinate && i < coordinate + 3);
  return turning === undefined ? additive[i] === 0 : !turning.displaced;
}

/** What control points may be. */
function setsOf({ figure, path, contacts }: TermContext, { places }: Layout): ConvexSet[] {
  const { free, columnOf, basis, clock, turnings } = path;
  const n = free.length;
  const sets: ConvexSet[] = [];
  const overPoints = (coordinate: number, rest: Omit<ConvexSet, 'at'>): void => {
    for (let k = 0; k < basis.count; k++) {
      sets.push({ ...rest, at: places.motion[k * n + columnOf[coordinate]] });
    }
  };
  const limited = new Set<number>();
  for (const { coordinate, kind, parameters, size, bone, role } of figure.limitParts) {
    if (columnOf[coordinate] < 0 || !isDirect(path, coordinate)) continue;
    limited.add(coordinate);
    const label = `${figure.bones[bone].name} ${role}`;
    overPoints(coordinate, { size, shape: limitShapes[kind], parameters, label });
  }
  for (const { coordinate } of turnings) {
    if (columnOf[coordinate] < 0 || limited.has(coordinate)) continue;
    const label = `${figure.bones[figure.boneOfCoordinate[coordinate]].name} shell`;
    overPoints(coordinate, { size: 3, shape: diskShape, parameters: [MOST_TURN], label });
  }
  contacts.forEach(({ normal, friction, points, basis: forces, bone }, c) => {
    const { ids } = places.contacts[c];
    for (let k = 0; k < forces.count * points.length; k++) {
      const parameters = [normal[0], normal[1], normal[2], friction];
      sets.push({
        at: ids[3 * k],
        size: 3,
        shape: coneShape,
        parameters,
        label: `${figure.bones[bone].name} friction`,
      });
    }
  });
  for (const at of places.clock) {
    sets.push({
      at,
      size: 1,
      shape: intervalShape,
      parameters: [clock.least, clock.most],
      label: 'timing',
      isTiming: true,
    });
  }
  return sets;
}

/** Control points that say value, first and second derivative at an end: unknowns that nothing moves from zero. */
const AT_AN_END = 3;

function heldUnknowns(
  { heldEnds = 'none', unknowns }: SpacetimeData,
  path: Path,
  { places }: Layout,
): Set<number> {
  const held = new Set<number>();
  if (heldEnds === 'none') return held;
  const { basis, free } = path;
  const needed = (heldEnds === 'both' ? 2 : 1) * AT_AN_END;
  if (unknowns !== 'displacement' || basis.count <= needed) {
    throw new SpacetimeError(
      unknowns === 'displacement' ? 'out-of-range' : 'unsupported',
      unknowns === 'displacement'
        ? `leaves nothing of ${basis.count} control points.`
        : 'is for displacements.',
      { path: 'heldEnds', remedy: "Use unknowns: 'displacement' and more intervals." },
    );
  }
  for (let k = 0; k < basis.count; k++) {
    const isHeld =
      (k < AT_AN_END && heldEnds !== 'end') || (k >= basis.count - AT_AN_END && heldEnds !== 'start');
    for (let c = 0; isHeld && c < free.length; c++) held.add(places.motion[k * free.length + c]);
  }
  return held;
}

/**
 * Forces that are nothing where a contact begins or ends within the motion: accelerations do not jump there, so what pushes until then
 * must have faded.
 */
function heldForces(contacts: readonly Contact[], duration: number, { places }: Layout): number[] {
  return contacts.flatMap(({ from, to, points, basis }, c) => {
    const size = 3 * points.length;
    const { ids } = places.contacts[c];
    const first = from > 0 && basis.start === from ? ids.slice(0, size) : [];
    const last = to < duration && basis.end === to ? ids.slice((basis.count - 1) * size) : [];
    return [...first, ...last];
  });
}

/** All that stands still while the problem is solved. */
function layOut(
  context: TermContext,
  { terms, pairs }: Pick<System, 'terms'> & { readonly pairs: readonly PairUse['pair'][] },
  layout: Layout,
  held: ReadonlySet<number>,
  forcePoints: number,
): System {
  const { path } = context;
  const { places, size, ownStart } = layout;
  const kinds: TermKind[] = [];
  const owners: number[] = [];
  const known = new Map<number, { readonly instant: Instant; readonly uses: TermUse[] }>();
  const at = (time: number): { readonly instant: Instant; readonly uses: TermUse[] } => {
    let entry = known.get(time);
    if (entry === undefined) {
      entry = { instant: instantAt(context, time), uses: [] };
      known.set(time, entry);
    }
    return entry;
  };
  // Rows stand in the order in which they are written: moment by moment.
  const asked = terms.flatMap((term, t) =>
    term.moments.map(({ time, weight }) => ({ term, t, time, weight })),
  );
  const order = asked.map((_, k) => k).sort((a, b) => asked[a].time - asked[b].time || a - b);
  const take = (rows: number, kind: TermKind, owner: number): number => {
    const first = kinds.length;
    for (let r = 0; r < rows; r++) {
      kinds.push(kind);
      owners.push(owner);
    }
    return first;
  };
  for (const k of order) {
    const { term, t, time, weight } = asked[k];
    const firstRow = take(term.rows, term.kind, t);
    at(time).uses.push({ term, weight, firstRow, ownStart: ownStart[t] });
  }
  const instants: InstantUse[] = Array.from(known.values(), ({ instant, uses }) => ({
    instant,
    uses,
    support: supportOf(path, layout, held, [instant], uses),
  }));
  const pairUses: PairUse[] = pairs.map((pair, p) => {
    const both = [instantAt(context, pair.times[0]), instantAt(context, pair.times[1])] as const;
    return {
      pair,
      instants: both,
      support: supportOf(path, layout, held, both, []),
      firstRow: take(pair.rows, pair.kind, terms.length + p),
    };
  });
  const first = Int32Array.from({ length: size }, (_, i) => i);
  for (const { support } of [...instants, ...pairUses]) {
    for (const id of support) first[id] = Math.min(first[id], support[0]);
  }
  return {
    path,
    places,
    size,
    terms,
    instants,
    pairs: pairUses,
    rows: kinds.length,
    kinds,
    owners: Int32Array.from(owners),
    sets: setsOf(context, layout),
    held: Int32Array.from(held),
    first,
    ...createScratch(path, forcePoints, terms, pairs, size),
  };
}

/** All of a moment that does not change. */
export function instantAt(
  { path, reference, contacts }: Pick<TermContext, 'path' | 'reference' | 'contacts'>,
  time: number,
): Instant {
  const { basis, clock } = path;
  const row = new Float64Array(ORDERS * (basis.degree + 1));
  const first = writeBasis(basis, time, row);
  const forces: ForceRow[] = contacts.flatMap((contact, c) => {
    if (time < contact.from || time > contact.to) return [];
    const width = contact.basis.degree + 1;
    const values = new Float64Array(ORDERS * width);
    const start = writeBasis(contact.basis, time, values);
    return [{ contact: c, first: start, values: values.slice(0, width) }];
  });
  return { time, first, basis: row, clock: clockRow(clock, time), reference: reference(time), forces };
}

/** Unknowns that act at moments, ascending. */
function supportOf(
  { basis, free }: Path,
  { places }: Layout,
  held: ReadonlySet<number>,
  instants: readonly Instant[],
  uses: readonly TermUse[],
): Int32Array {
  const ids = new Set<number>(places.clock);
  for (const { first, forces } of instants) {
    for (let k = first * free.length; k < (first + basis.degree + 1) * free.length; k++)
      ids.add(places.motion[k]);
    for (const force of forces) {
      const { points, ids: own } = places.contacts[force.contact];
      const size = 3 * points;
      for (let k = force.first * size; k < (force.first + force.values.length) * size; k++) ids.add(own[k]);
    }
  }
  for (const use of uses) for (let k = 0; k < use.term.own; k++) ids.add(use.ownStart + k);
  for (const id of held) ids.delete(id);
  return Int32Array.from(ids).sort();
}
