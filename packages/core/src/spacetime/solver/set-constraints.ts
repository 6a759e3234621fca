/**
 * What holds a step within convex sets: where it ends outside of one, the half-space that touches the set nearest to there, or the tip of a cone.
 * Found from step to step, a primal-dual active set method (Hintermueller, Ito, Kunisch 2003); `wall-model.ts` puts them into the model.
 */
import type { Envelope } from '../../math/linear/envelope-cholesky.js';
import { type ConvexSet, coneShape, isTip, project } from '../transcription/convex-sets.js';

/** How much stiffer a wall is than what stands there without it. */
const WALL = 1e5;

/** What holds a step back: nothing, the border of a set, or its tip, in all directions. */
export const FREE = 0;
export const BORDER = 1;
export const TIP = 2;

/** The walls of one linearization, of each set: */
export interface Walls {
  /** {@link FREE}, {@link BORDER} or {@link TIP}. */
  readonly pressed: Uint8Array;
  /** The unit normal (3 numbers), the place where it touches the set (from the unknowns), and how far inside of it they are (negative). */
  readonly normal: Float64Array;
  readonly place: Float64Array;
  readonly distance: Float64Array;
  /** How hard the last model pressed against it, along the normal. */
  readonly push: Float64Array;
  readonly stiffness: Float64Array;
  /** How far a number of the timing may go in a step. */
  readonly reach: Float64Array;
  /** 1 where that is not the set's own border, but how far the timing may change in a step. */
  readonly trust: Uint8Array;
  /** What the walls of the model factored last pull where no step is made (3 numbers). */
  readonly pull: Float64Array;
}

export function createWalls(count: number): Walls {
  return {
    pressed: new Uint8Array(count),
    normal: new Float64Array(3 * count),
    place: new Float64Array(3 * count),
    distance: new Float64Array(count),
    push: new Float64Array(count),
    stiffness: new Float64Array(count),
    reach: new Float64Array(count),
    trust: new Uint8Array(count),
    pull: new Float64Array(3 * count),
  };
}

/** Where a step ends, and the nearest point of the set. */
const end = /* @__PURE__ */ new Float64Array(3);
const nearest = /* @__PURE__ */ new Float64Array(3);

/** How far a point is moved along the slope to see which walls it stands at. */
const NUDGE = 1e-9;

/** How near the last step must have come to a wall that is looked for again. */
const AGAIN = 1e-7;

/**
 * Looks for the walls that a point within all sets stands at and the slope pushes against, or the last step has pressed against.
 *
 * @param slope - The gradient there.
 */
export function raiseWalls(
  sets: readonly ConvexSet[],
  unknowns: Float64Array,
  slope: Float64Array,
  { base, values }: Envelope,
  clockReach: number,
  walls: Walls,
): void {
  const { pressed, normal, push } = walls;
  for (let k = 0; k < sets.length; k++) {
    const { at, size } = sets[k];
    let largest = 0;
    let square = 0;
    for (let i = 0; i < size; i++) {
      largest = Math.max(largest, values[base[at + i] + at + i]);
      square += slope[at + i] * slope[at + i];
    }
    walls.stiffness[k] = WALL * (largest > 0 ? largest : 1);
    walls.reach[k] = sets[k].isTiming === true ? clockReach * unknowns[at] : Number.POSITIVE_INFINITY;
    const was = pressed[k];
    if (was === TIP && isTip(sets[k], unknowns, at)) continue;
    const scale = square > 0 ? NUDGE / Math.sqrt(square) : 0;
    for (let i = 0; i < size; i++) end[i] = unknowns[at + i] - scale * slope[at + i];
    pressed[k] = touch(sets[k], unknowns, k, walls);
    if (was === BORDER && pressed[k] === FREE) {
      for (let i = 0; i < size; i++) end[i] = unknowns[at + i] + AGAIN * normal[3 * k + i];
      pressed[k] = touch(sets[k], unknowns, k, walls);
    }
    if (was === FREE || pressed[k] !== was) push[k] = 0;
  }
}

/**
 * The half-space that holds the set and does not hold `end`: its border touches the set where that is nearest.
 *
 * @returns what holds a step that ends there.
 */
function touch(set: ConvexSet, unknowns: Float64Array, k: number, walls: Walls): number {
  const { shape, parameters, at, size } = set;
  for (let i = 0; i < size; i++) nearest[i] = end[i];
  let moved = shape.project(parameters, nearest, 0, size);
  const reach = walls.reach[k];
  walls.trust[k] = 0;
  if (Math.abs(nearest[0] - unknowns[at]) > reach) {
    nearest[0] = unknowns[at] + Math.sign(nearest[0] - unknowns[at]) * reach;
    walls.trust[k] = 1;
    moved = true;
  }
  const length = moved ? outside(size) : 0;
  if (!(length > 0)) return FREE;
  let distance = 0;
  for (let i = 0; i < size; i++) {
    const n = (end[i] - nearest[i]) / length;
    walls.normal[3 * k + i] = n;
    walls.place[3 * k + i] = nearest[i] - unknowns[at + i];
    distance -= n * walls.place[3 * k + i];
  }
  walls.distance[k] = Math.min(0, distance);
  return isTip(set, nearest, 0) ? TIP : BORDER;
}

/** Whether a step along the border of a cone ends behind its tip: seen from there the border on the other side is near, and would send it back. */
function passesTip({ shape, at }: ConvexSet, unknowns: Float64Array, k: number, { place }: Walls): boolean {
  if (shape !== coneShape) return false;
  let along = 0;
  for (let i = 0; i < 3; i++) along += end[i] * (unknowns[at + i] + place[3 * k + i]);
  return along <= 0;
}

/** How far the end of a step is from the nearest point of the set. */
function outside(size: number): number {
  let square = 0;
  for (let i = 0; i < size; i++) square += (end[i] - nearest[i]) * (end[i] - nearest[i]);
  return Math.sqrt(square);
}

/** Cuts a step off at the sets, and at how far the timing may change in one: `place` is where it ends. */
export function cutOff(
  sets: readonly ConvexSet[],
  unknowns: Float64Array,
  clockReach: number,
  place: Float64Array,
): void {
  project(sets, place);
  for (let k = 0; k < sets.length; k++) {
    const { at, isTiming } = sets[k];
    if (isTiming !== true) continue;
    const reach = clockReach * unknowns[at];
    place[at] = Math.min(unknowns[at] + reach, Math.max(unknowns[at] - reach, place[at]));
  }
}

/**
 * Which walls a step runs into: a border is let go where it would have to pull; where the step ends outside a set, the half-space is the
 * one that touches nearest to there. @returns how many that changes.
 */
export function testWalls(
  sets: readonly ConvexSet[],
  unknowns: Float64Array,
  walls: Walls,
  step: Float64Array,
): number {
  const { normal, distance, pressed, push, stiffness } = walls;
  let changed = 0;
  for (let k = 0; k < sets.length; k++) {
    const { at, size } = sets[k];
    const was = pressed[k];
    const lead = was === FREE ? 0 : push[k] / stiffness[k];
    let beyond = distance[k] + lead;
    for (let i = 0; i < size; i++) {
      const n = normal[3 * k + i];
      beyond += n * step[at + i];
      // Where a spring without that push would end.
      end[i] = unknowns[at + i] + step[at + i] + lead * n;
    }
    const passes = was === BORDER && passesTip(sets[k], unknowns, k, walls);
    let holds = touch(sets[k], unknowns, k, walls);
    if (passes) {
      holds = TIP;
      push[k] = 0;
    } else if (was === BORDER) {
      // A step along a bent border ends outside, pressed or not; only the model tells what presses.
      holds = beyond > 0 ? Math.max(holds, BORDER) : FREE;
      push[k] = holds === BORDER ? stiffness[k] * beyond : 0;
    } else {
      push[k] = was === TIP && holds !== FREE ? stiffness[k] * outside(size) : 0;
    }
    if (holds !== was) changed++;
    pressed[k] = holds;
  }
  return changed;
}
