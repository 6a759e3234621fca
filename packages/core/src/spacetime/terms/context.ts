/** What terms are compiled with, and the checks that they share. */
import { nearestName, SpacetimeError } from '../../errors.js';
import type { Figure } from '../../figure/model/figure.js';
import type { Numbers } from '../../math/linear/types.js';
import type { MechanicsCache } from '../mechanics/mechanics-cache.js';
import { settledTime } from '../transcription/knots.js';
import type { Path } from '../transcription/parameterization.js';
import { gaussMoments, holdMoments, limitMoments, type WeightedMoment } from '../transcription/quadrature.js';
import type { Reference } from '../transcription/reference.js';
import type { PerBone, When } from '../types/data.js';
import type { Contact } from './contact-data.js';

export interface TermContext {
  readonly figure: Figure;
  readonly path: Path;
  /** Nominal, s. */
  readonly duration: number;
  /** The longest knot interval asked for, s. */
  readonly step: number;
  readonly reference: Reference;
  readonly contacts: readonly Contact[];
  /** Joint forces; throws where the figure has no mass. */
  readonly mechanics: () => MechanicsCache;
  /** A quarter of the longest way from a root to a tip, m. */
  readonly length: number;
  readonly gravity: Numbers;
  /** N a unit of the force unknowns: the weight of the figure. */
  readonly forceScale: number;
}

/** A term's place in the caller's list. */
export interface TermPlace {
  readonly index: number;
  /** `terms[3]` */
  readonly path: string;
  readonly name: string;
}

/** Rounding that a moment may be off the span by. */
const SLACK = 1e-9;

/** @throws SpacetimeError `out-of-range` unless the moment lies within the motion. */
export function checkedTime(time: number, { duration }: Pick<TermContext, 'duration'>, path: string): number {
  if (!Number.isFinite(time) || time < -SLACK * duration || time > (1 + SLACK) * duration) {
    throw new SpacetimeError(
      Number.isFinite(time) ? 'out-of-range' : 'not-finite',
      `is ${time} s; the motion goes from 0 to ${duration} s.`,
      { path, remedy: 'Give a time within the motion.' },
    );
  }
  return Math.max(0, Math.min(duration, time));
}

/** A span, or the whole motion. @throws SpacetimeError */
export function checkedSpan(
  over: readonly [number, number] | undefined,
  context: Pick<TermContext, 'duration'>,
  path: string,
): readonly [number, number] {
  if (over === undefined) return [0, context.duration];
  if (!Array.isArray(over) || over.length !== 2) {
    throw new SpacetimeError('wrong-size', 'is not a span.', { path, remedy: 'Give [from, to] in seconds.' });
  }
  const from = checkedTime(over[0], context, `${path}[0]`);
  const to = checkedTime(over[1], context, `${path}[1]`);
  if (!(to > from)) {
    throw new SpacetimeError('not-increasing', `goes from ${from} to ${to} s: it has no length.`, {
      path,
      remedy: 'Give a span that ends after it begins.',
    });
  }
  return [from, to];
}

/** A span whose ends are breaks of the motion where they are one with these. @throws SpacetimeError */
export function settledSpan(
  over: readonly [number, number] | undefined,
  context: Pick<TermContext, 'duration' | 'step' | 'path'>,
  path: string,
): readonly [number, number] {
  const given = checkedSpan(over, context, path);
  const [from, to] = given.map((time) => settledTime(context.path.basis, context.step, time));
  if (to > from) return [from, to];
  throw new SpacetimeError('not-increasing', `lasts ${given[1] - given[0]} s: it ends as it begins.`, {
    path,
    remedy: 'Let it last a tenth of a knot interval at least, or give more intervals.',
  });
}

/** The moments of a wish (with its weight) or a constraint, which is a bound or not. */
export function momentsAt(
  at: When,
  weight: number | undefined,
  context: TermContext,
  path: string,
  bounds = false,
): { readonly moments: readonly WeightedMoment[]; readonly integral: boolean } {
  if (weight !== undefined) checkWeight(weight, `${path}.weight`);
  if (at === undefined) {
    throw new SpacetimeError('wrong-size', 'is left out.', {
      path: `${path}.at`,
      remedy: 'Give a time, or [from, to], in seconds.',
    });
  }
  if (typeof at === 'number') {
    const time = checkedTime(at, context, `${path}.at`);
    return { moments: [{ time, weight: weight ?? 1 }], integral: false };
  }
  const [from, to] = checkedSpan(at, context, `${path}.at`);
  const { basis } = context.path;
  if (weight === undefined) {
    return { moments: (bounds ? limitMoments : holdMoments)(basis, from, to), integral: false };
  }
  return { moments: weighted(gaussMoments(basis, from, to, 2), weight), integral: true };
}

export function weighted(moments: readonly WeightedMoment[], factor: number): WeightedMoment[] {
  return moments.map(({ time, weight }) => ({ time, weight: factor * weight }));
}

/** @throws SpacetimeError unless the weight is finite and not negative. */
export function checkWeight(weight: number, path: string): number {
  if (weight >= 0 && weight < Number.POSITIVE_INFINITY) return weight;
  throw new SpacetimeError(Number.isFinite(weight) ? 'out-of-range' : 'not-finite', `is ${weight}.`, {
    path,
    remedy: 'Give a finite number of zero or more.',
  });
}

/** @throws SpacetimeError for a bone that is not there. */
export function namedBone(figure: Figure, name: string, path: string): number {
  const index = figure.bones.findIndex((bone) => bone.name === name);
  if (index >= 0) return index;
  const near = nearestName(
    String(name),
    figure.bones.map((bone) => bone.name),
  );
  throw new SpacetimeError('unknown-name', `${figure.name} has no bone '${name}'.`, {
    path,
    remedy: near === undefined ? 'List the names with figure.bones.' : `Did you mean '${near}'?`,
  });
}

/** Marks the coordinates of the bones named; of all where none are. */
export function chosenCoordinates(
  figure: Figure,
  bones: readonly string[] | undefined,
  path: string,
): (coordinate: number) => boolean {
  if (bones === undefined) return () => true;
  const chosen = new Set(bones.map((name, k) => namedBone(figure, name, `${path}.bones[${k}]`)));
  return (coordinate) => chosen.has(figure.boneOfCoordinate[coordinate]);
}

/** @throws SpacetimeError for a term whose bones leave it nothing to act on. */
export function requireRows(coordinates: ArrayLike<number>, path: string): void {
  if (coordinates.length > 0) return;
  throw new SpacetimeError('unsupported', 'finds no coordinate to act on.', {
    path,
    remedy:
      'Name bones with joints that move and are not locked; torques only of joints that something drives.',
  });
}

/** A number above zero for each coordinate, zero for those without. @throws SpacetimeError */
export function limitsByBone(figure: Figure, given: PerBone, path: string): Float64Array {
  const limits = numbersByBone(figure, given, 0, path);
  const zero = typeof given === 'number' ? [given] : Object.values(given);
  if (zero.every((limit) => limit > 0)) return limits;
  throw new SpacetimeError('out-of-range', 'is zero.', {
    path,
    remedy: 'Give limits above zero; leave out bones without one.',
  });
}

/** A number for each coordinate. @throws SpacetimeError */
export function numbersByBone(
  figure: Figure,
  given: PerBone | undefined,
  left: number,
  path: string,
): Float64Array {
  const numbers = new Float64Array(figure.dof).fill(
    typeof given === 'number' ? checkWeight(given, path) : left,
  );
  if (given === undefined || typeof given === 'number') return numbers;
  for (const [name, value] of Object.entries(given)) {
    const bone = namedBone(figure, name, path);
    checkWeight(value, `${path}.${name}`);
    numbers.fill(value, figure.coordinateStart[bone], figure.coordinateStart[bone + 1]);
  }
  return numbers;
}

/** @throws SpacetimeError unless there are `count` finite numbers. */
export function checkedVector(given: Numbers, count: number, path: string): Float64Array {
  if (given?.length !== count) {
    throw new SpacetimeError('wrong-size', `has ${given?.length} numbers where ${count} belong.`, {
      path,
      remedy: 'Give one number for each coordinate.',
    });
  }
  const copy = Float64Array.from(given);
  const i = copy.findIndex((value) => !Number.isFinite(value));
  if (i < 0) return copy;
  throw new SpacetimeError('not-finite', `is ${copy[i]}.`, {
    path: `${path}[${i}]`,
    remedy: 'Give a finite number.',
  });
}
