/**
 * Active set search for the convex sets: where a step ends outside a set, the supporting half-space nearest to there, or the apex of a
 * cone. A primal-dual active set method (Hintermueller, Ito, Kunisch 2003); `set-constraint-model.ts` adds the constraints to the model.
 * Detection is not that of `math/optimization/active-limits.ts`: it looks where a step ends, and a cone has an apex without a normal.
 */
import type { Envelope } from '../../math/linear/envelope-cholesky.js';
import { type ConvexSet, coneShape, isApex, project } from '../transcription/convex-sets.js';

/** Penalty of a set constraint, relative to the model's diagonal. */
const SET_PENALTY = 1e5;

/** State of a set constraint: inactive, active on the boundary of the set, or at its apex, in all directions. */
export const INACTIVE = 0;
export const BOUNDARY = 1;
export const APEX = 2;

/** Set constraints of one linearization, one for each set. */
export interface SetConstraints {
  /** {@link INACTIVE}, {@link BOUNDARY} or {@link APEX}. */
  readonly active: Uint8Array;
  /**
   * Unit normal (3 numbers), support point relative to the unknowns, and signed distance of the unknowns from the half-space (negative
   * inside).
   */
  readonly normal: Float64Array;
  readonly supportPoint: Float64Array;
  readonly distance: Float64Array;
  /** Multiplier along the normal in the last model. */
  readonly multiplier: Float64Array;
  readonly penalty: Float64Array;
  /** Trust radius of a time scaling unknown. */
  readonly trustRadius: Float64Array;
  /** 1 where the trust region of the time scaling is the bound. */
  readonly isTrustBound: Uint8Array;
  /** Gradient at p = 0 in the last factored model (3 numbers): written by `set-constraint-model.ts`. */
  readonly gradient: Float64Array;
}

export function createSetConstraints(count: number): SetConstraints {
  return {
    active: new Uint8Array(count),
    normal: new Float64Array(3 * count),
    supportPoint: new Float64Array(3 * count),
    distance: new Float64Array(count),
    multiplier: new Float64Array(count),
    penalty: new Float64Array(count),
    trustRadius: new Float64Array(count),
    isTrustBound: new Uint8Array(count),
    gradient: new Float64Array(3 * count),
  };
}

/** End of a step, and the nearest point of the set. */
const end = /* @__PURE__ */ new Float64Array(3);
const nearest = /* @__PURE__ */ new Float64Array(3);

/** Distance by which a point is moved along the negative gradient to detect active sets. */
const PROBE_DISTANCE = 1e-9;

/**
 * Distance, rad, m or weights, within which a formerly active boundary is tested again; and after a step that was shortened, which ends inside
 * the bounds that the whole step reached: curved bounds would all be lost there.
 */
const REACTIVATION_DISTANCE = 1e-7;
const SHORTENED_REACTIVATION_DISTANCE = 0.1;

/**
 * Detects the set constraints that are active at a feasible point: those that the negative gradient violates, or that were active at the
 * last step.
 *
 * @param gradient - At the point.
 * @param isShortened - Whether the last step was shortened.
 */
export function detectActiveSets(
  sets: readonly ConvexSet[],
  unknowns: Float64Array,
  gradient: Float64Array,
  { base, values }: Envelope,
  timeTrustRadius: number,
  isShortened: boolean,
  constraints: SetConstraints,
): void {
  const { active, normal, multiplier } = constraints;
  const reach = isShortened ? SHORTENED_REACTIVATION_DISTANCE : REACTIVATION_DISTANCE;
  for (let k = 0; k < sets.length; k++) {
    const { at, size } = sets[k];
    let largest = 0;
    let square = 0;
    for (let i = 0; i < size; i++) {
      largest = Math.max(largest, values[base[at + i] + at + i]);
      square += gradient[at + i] * gradient[at + i];
    }
    constraints.penalty[k] = SET_PENALTY * (largest > 0 ? largest : 1);
    constraints.trustRadius[k] =
      sets[k].isTiming === true ? timeTrustRadius * unknowns[at] : Number.POSITIVE_INFINITY;
    const previous = active[k];
    if (previous === APEX && isApex(sets[k], unknowns, at)) continue;
    const scale = square > 0 ? PROBE_DISTANCE / Math.sqrt(square) : 0;
    for (let i = 0; i < size; i++) end[i] = unknowns[at + i] - scale * gradient[at + i];
    active[k] = findHyperplane(sets[k], unknowns, k, constraints);
    for (let far = REACTIVATION_DISTANCE; previous === BOUNDARY && active[k] === INACTIVE; far *= 10) {
      if (far > reach) break;
      for (let i = 0; i < size; i++) end[i] = unknowns[at + i] + far * normal[3 * k + i];
      active[k] = findHyperplane(sets[k], unknowns, k, constraints);
    }
    if (previous === INACTIVE || active[k] !== previous) multiplier[k] = 0;
  }
}

/**
 * Finds the supporting half-space that contains the set and not `end`, at the point of the set nearest to `end`.
 *
 * @returns the state of a step that ends there.
 */
function findHyperplane(
  set: ConvexSet,
  unknowns: Float64Array,
  k: number,
  constraints: SetConstraints,
): number {
  const { shape, parameters, at, size } = set;
  for (let i = 0; i < size; i++) nearest[i] = end[i];
  let moved = shape.project(parameters, nearest, 0, size);
  const radius = constraints.trustRadius[k];
  constraints.isTrustBound[k] = 0;
  if (Math.abs(nearest[0] - unknowns[at]) > radius) {
    nearest[0] = unknowns[at] + Math.sign(nearest[0] - unknowns[at]) * radius;
    constraints.isTrustBound[k] = 1;
    moved = true;
  }
  const length = moved ? distanceToSet(size) : 0;
  if (!(length > 0)) return INACTIVE;
  let distance = 0;
  for (let i = 0; i < size; i++) {
    const n = (end[i] - nearest[i]) / length;
    constraints.normal[3 * k + i] = n;
    constraints.supportPoint[3 * k + i] = nearest[i] - unknowns[at + i];
    distance -= n * constraints.supportPoint[3 * k + i];
  }
  constraints.distance[k] = Math.min(0, distance);
  return isApex(set, nearest, 0) ? APEX : BOUNDARY;
}

/** Whether a step along the boundary of a cone ends behind its apex: from there the opposite boundary is nearest and would send it back. */
function passesApex(
  { shape, at }: ConvexSet,
  unknowns: Float64Array,
  k: number,
  { supportPoint }: SetConstraints,
): boolean {
  if (shape !== coneShape) return false;
  let axial = 0;
  for (let i = 0; i < 3; i++) axial += end[i] * (unknowns[at + i] + supportPoint[3 * k + i]);
  return axial <= 0;
}

/** Distance from the end of a step to the nearest point of the set. */
function distanceToSet(size: number): number {
  let square = 0;
  for (let i = 0; i < size; i++) square += (end[i] - nearest[i]) * (end[i] - nearest[i]);
  return Math.sqrt(square);
}

/** Projects the end point of a step onto the sets and the trust region of the time scaling. */
export function clipToSets(
  sets: readonly ConvexSet[],
  unknowns: Float64Array,
  timeTrustRadius: number,
  point: Float64Array,
): void {
  project(sets, point);
  for (let k = 0; k < sets.length; k++) {
    const { at, isTiming } = sets[k];
    if (isTiming !== true) continue;
    const radius = timeTrustRadius * unknowns[at];
    point[at] = Math.min(unknowns[at] + radius, Math.max(unknowns[at] - radius, point[at]));
  }
}

/**
 * Updates the active set from a step: a boundary with a negative multiplier becomes inactive; where the step ends outside a set, the
 * half-space is the supporting one nearest to there. @returns the number of changes.
 */
export function updateActiveSets(
  sets: readonly ConvexSet[],
  unknowns: Float64Array,
  constraints: SetConstraints,
  step: Float64Array,
): number {
  const { normal, distance, active, multiplier, penalty } = constraints;
  let changed = 0;
  for (let k = 0; k < sets.length; k++) {
    const { at, size } = sets[k];
    const previous = active[k];
    const offset = previous === INACTIVE ? 0 : multiplier[k] / penalty[k];
    let value = distance[k] + offset;
    for (let i = 0; i < size; i++) {
      const n = normal[3 * k + i];
      value += n * step[at + i];
      // End point without the multiplier force.
      end[i] = unknowns[at + i] + step[at + i] + offset * n;
    }
    const isPastApex = previous === BOUNDARY && passesApex(sets[k], unknowns, k, constraints);
    let state = findHyperplane(sets[k], unknowns, k, constraints);
    if (isPastApex) {
      state = APEX;
      multiplier[k] = 0;
    } else if (previous === BOUNDARY) {
      // A step along a curved boundary ends outside, active or not; only the model tells which.
      state = value > 0 ? Math.max(state, BOUNDARY) : INACTIVE;
      multiplier[k] = state === BOUNDARY ? penalty[k] * value : 0;
    } else {
      multiplier[k] = previous === APEX && state !== INACTIVE ? penalty[k] * distanceToSet(size) : 0;
    }
    if (state !== previous) changed++;
    active[k] = state;
  }
  return changed;
}
