/** Context of compiling terms, and checks that they share. */

import { requireFinite, requireNotNegative, requireNumbers, requirePositive } from '../../checks.js';
import { SpacetimeError } from '../../errors.js';
import type { Figure } from '../../figure/model/figure.js';
import { boneIndex } from '../../figure/model/figure.js';
import type { Numbers } from '../../math/linear/types.js';
import type { MechanicsCache } from '../mechanics/mechanics-cache.js';
import { snapToBreak } from '../transcription/knots.js';
import type { Parameterization } from '../transcription/parameterization.js';
import {
  collocationPoints,
  gaussPoints,
  inequalityPoints,
  type SamplePoint,
} from '../transcription/quadrature.js';
import type { Reference } from '../transcription/reference.js';
import type { SplineBasis } from '../transcription/spline-basis.js';
import type { BoneValues, Time, When } from '../types/data.js';
import type { Contact } from './contact-data.js';

export interface TermContext {
  readonly figure: Figure;
  readonly parameterization: Parameterization;
  /** Knots before any refinement: spans with physics begin and end at its breaks. */
  readonly coarseBasis: SplineBasis;
  /** Factor of the number of sample points of inequalities in each interval. */
  readonly density: ArrayLike<number>;
  /** Nominal, s. */
  readonly duration: number;
  /** Longest knot interval before any refinement, s. */
  readonly maxInterval: number;
  readonly reference: Reference;
  readonly contacts: readonly Contact[];
  /** Whether equations of motion apply. */
  readonly hasPhysics: boolean;
  /** Joint forces; throws for a figure without mass. */
  readonly mechanics: () => MechanicsCache;
  /** Length scale: a quarter of the longest distance from a root to a tip along the bones, m. */
  readonly lengthScale: number;
  readonly gravity: Numbers;
  /** Newtons per unit of the force unknowns: the weight of the figure. */
  readonly forceScale: number;
}

/** A term's index and path in the caller's list. */
export interface TermLocation {
  readonly index: number;
  /** `terms[3]` */
  readonly path: string;
  readonly name: string;
}

/** Rounding allowed in a time, as a fraction of the duration. */
const TIME_TOLERANCE = 1e-9;

/** A time in seconds. @throws SpacetimeError `out-of-range` unless it lies within the motion. */
export function checkedTime(given: Time, { duration }: Pick<TermContext, 'duration'>, path: string): number {
  if (given === 'start') return 0;
  if (given === 'end') return duration;
  const time = given;
  if (!Number.isFinite(time) || time < -TIME_TOLERANCE * duration || time > (1 + TIME_TOLERANCE) * duration) {
    throw new SpacetimeError(
      Number.isFinite(time) ? 'out-of-range' : 'not-finite',
      `is ${time} s; the motion goes from 0 to ${duration} s.`,
      { path, remedy: "Give a time within the motion, 'start' or 'end'." },
    );
  }
  return Math.max(0, Math.min(duration, time));
}

/** A span; the whole motion by default. @throws SpacetimeError */
export function checkedSpan(
  over: readonly [Time, Time] | undefined,
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

/** A span with its ends snapped to breaks. @throws SpacetimeError */
export function snappedSpan(
  over: readonly [number, number] | undefined,
  context: Pick<TermContext, 'duration' | 'maxInterval' | 'coarseBasis'>,
  path: string,
): readonly [number, number] {
  const given = checkedSpan(over, context, path);
  const [from, to] = given.map((time) => snapToBreak(context.coarseBasis, context.maxInterval, time));
  if (to > from) return [from, to];
  throw new SpacetimeError('not-increasing', `lasts ${given[1] - given[0]} s, too short for the knots.`, {
    path,
    remedy: 'Give a span of at least a tenth of a knot interval, or more intervals.',
  });
}

/** Sample points of a cost term (with its weight) or of a constraint, which may be an inequality. */
export function samplesAt(
  at: When,
  weight: number | undefined,
  context: TermContext,
  path: string,
  isInequality = false,
): { readonly samples: readonly SamplePoint[]; readonly integral: boolean } {
  if (weight !== undefined) checkWeight(weight, `${path}.weight`);
  if (at === undefined) {
    throw new SpacetimeError('wrong-size', 'is left out.', {
      path: `${path}.at`,
      remedy: "Give a time in seconds, 'start', 'end', or [from, to].",
    });
  }
  if (typeof at !== 'object') {
    const time = checkedTime(at, context, `${path}.at`);
    return { samples: [{ time, weight: weight ?? 1 }], integral: false };
  }
  const [from, to] = checkedSpan(at, context, `${path}.at`);
  const { basis } = context.parameterization;
  if (weight === undefined) {
    return {
      samples: isInequality
        ? inequalityPoints(basis, context.density, from, to)
        : collocationPoints(basis, from, to),
      integral: false,
    };
  }
  return { samples: weighted(gaussPoints(basis, from, to, 2), weight), integral: true };
}

export function weighted(samples: readonly SamplePoint[], factor: number): SamplePoint[] {
  return samples.map(({ time, weight }) => ({ time, weight: factor * weight }));
}

/** @throws SpacetimeError unless the weight is finite and not negative. */
export function checkWeight(weight: number, path: string): number {
  requireFinite(weight, path, SpacetimeError);
  requireNotNegative(weight, path, SpacetimeError);
  return weight;
}

/** Selects the coordinates of the named bones; all by default. */
export function chosenCoordinates(
  figure: Figure,
  bones: readonly string[] | undefined,
  path: string,
): (coordinate: number) => boolean {
  if (bones === undefined) return () => true;
  const chosen = new Set(bones.map((name, k) => boneIndex(figure, name, `${path}.bones[${k}]`)));
  return (coordinate) => chosen.has(figure.boneOfCoordinate[coordinate]);
}

/** @throws SpacetimeError for a term without coordinates. */
export function requireRows(coordinates: ArrayLike<number>, path: string): void {
  if (coordinates.length > 0) return;
  throw new SpacetimeError('unsupported', 'has no coordinate to act on.', {
    path,
    remedy: 'Name bones with joints that move and are not locked; for torques, actuated joints.',
  });
}

/** A positive number for each coordinate, zero for those without. @throws SpacetimeError */
export function limitsByBone(
  figure: Figure,
  given: BoneValues | undefined,
  ownLimit: 'speedLimit' | 'torqueLimit',
  path: string,
): Float64Array {
  if (given === undefined) return ownLimits(figure, ownLimit, path);
  const limits = valuesByBone(figure, given, 0, path);
  const zero = typeof given === 'number' ? [given] : Object.values(given);
  if (zero.every((limit) => limit > 0)) return limits;
  throw new SpacetimeError('out-of-range', 'is zero.', {
    path,
    remedy: 'Give limits above zero; leave out bones without one.',
  });
}

/** The limits that the bones carry; 0 for none. */
function ownLimits(figure: Figure, name: 'speedLimit' | 'torqueLimit', path: string): Float64Array {
  const limits = Float64Array.from(figure.boneOfCoordinate, (b) => figure.bones[b][name] ?? 0);
  if (limits.some((limit) => limit > 0)) return limits;
  throw new SpacetimeError('wrong-size', `is left out, and no bone of ${figure.name} has a ${name}.`, {
    path,
    remedy: `Give a number for all bones or by bone, or give bones a ${name}.`,
  });
}

/** A number for each coordinate. @throws SpacetimeError */
export function valuesByBone(
  figure: Figure,
  given: BoneValues | undefined,
  fallback: number,
  path: string,
): Float64Array {
  const numbers = new Float64Array(figure.dof).fill(
    typeof given === 'number' ? checkWeight(given, path) : fallback,
  );
  if (given === undefined || typeof given === 'number') return numbers;
  for (const [name, value] of Object.entries(given)) {
    const bone = boneIndex(figure, name, path);
    checkWeight(value, `${path}.${name}`);
    numbers.fill(value, figure.coordinateStart[bone], figure.coordinateStart[bone + 1]);
  }
  return numbers;
}

/** Whether a coordinate is a length. */
export function isTranslation({ bones, boneOfCoordinate }: Figure, i: number): boolean {
  const { joint, coordinate } = bones[boneOfCoordinate[i]];
  return joint.type === 'slider' || (joint.type === 'free' && i < coordinate + 3);
}

/** By coordinate, what divides it in a cost: 1 for angles, for lengths the length that weighs as a radian, m. @throws SpacetimeError */
export function costUnits(figure: Figure, lengthUnit = 1, path = ''): Float64Array {
  requirePositive(lengthUnit, path, SpacetimeError, 'm');
  return Float64Array.from({ length: figure.dof }, (_, i) => (isTranslation(figure, i) ? lengthUnit : 1));
}

/** @throws SpacetimeError unless there are `count` finite numbers. */
export function checkedVector(given: Numbers, count: number, path: string): Float64Array {
  requireNumbers(given, count, path, SpacetimeError);
  return Float64Array.from(given);
}
