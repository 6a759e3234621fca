/**
 * Convex sets in the model of a step that runs into many things at once: each as the half-space that touches it where the step would leave
 * it, g + dg.p <= 0. What is left outside by rounding and curvature is projected back.
 */
import { type ConvexSet, isTip } from '../convex-sets.js';

/** Of each set: the unit normal (3 numbers), and how far inside it is (negative; minus infinity where nothing is in the way). */
export interface HalfSpaces {
  readonly normal: Float64Array;
  readonly distance: Float64Array;
  /** 1 where that is not the set's own border, but how far the timing may change in a step. */
  readonly trust: Uint8Array;
}

export function createHalfSpaces(count: number): HalfSpaces {
  return {
    normal: new Float64Array(3 * count),
    distance: new Float64Array(count),
    trust: new Uint8Array(count),
  };
}

const place = /* @__PURE__ */ new Float64Array(3);

/**
 * Lays half-spaces at a point within all sets.
 *
 * @param slope - The gradient there: it says which faces a step is about to run into.
 * @param clockReach - What part of itself the timing may change by: what moves is stretched as a whole, and no linear model sees far.
 */
export function layHalfSpaces(
  sets: readonly ConvexSet[],
  unknowns: Float64Array,
  slope: Float64Array,
  clockReach: number,
  spaces: HalfSpaces,
): void {
  for (let k = 0; k < sets.length; k++) {
    const set = sets[k];
    if (set.isTiming === true) touchTiming(set, unknowns[set.at], slope[set.at], clockReach, k, spaces);
    else if (isTip(set, unknowns, set.at)) touchTip(set, slope, k, spaces);
    else touch(set, unknowns, k, spaces);
  }
}

function touchTiming(
  { parameters }: ConvexSet,
  value: number,
  slope: number,
  reach: number,
  k: number,
  { normal, distance, trust }: HalfSpaces,
): void {
  const falls = slope > 0;
  const room = falls ? value - parameters[0] : parameters[1] - value;
  normal[3 * k] = falls ? -1 : 1;
  trust[k] = reach * value < room ? 1 : 0;
  distance[k] = -Math.max(0, Math.min(reach * value, room));
}

/** At the tip of a cone: the half-space that the slope itself leaves, none where it leads inside. */
function touchTip(
  { shape, parameters, at }: ConvexSet,
  slope: Float64Array,
  k: number,
  { normal, distance }: HalfSpaces,
): void {
  for (let i = 0; i < 3; i++) place[i] = -slope[at + i];
  shape.project(parameters, place, 0, 3);
  for (let i = 0; i < 3; i++) normal[3 * k + i] = -slope[at + i] - place[i];
  distance[k] = normalize(normal, 3 * k, 3) > 0 ? 0 : Number.NEGATIVE_INFINITY;
}

function touch(
  { shape, parameters, at, size }: ConvexSet,
  unknowns: Float64Array,
  k: number,
  { normal, distance }: HalfSpaces,
): void {
  shape.gradient(parameters, unknowns, at, size, normal, 3 * k);
  const length = normalize(normal, 3 * k, size);
  distance[k] =
    length > 0 ? Math.min(0, shape.value(parameters, unknowns, at, size) / length) : Number.NEGATIVE_INFINITY;
}

/** @returns how long the vector was; one of no length stays as it is. */
function normalize(v: Float64Array, o: number, size: number): number {
  let square = 0;
  for (let i = 0; i < size; i++) square += v[o + i] * v[o + i];
  const length = Math.sqrt(square);
  if (length > 0) for (let i = 0; i < size; i++) v[o + i] /= length;
  return length;
}
