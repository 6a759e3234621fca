/**
 * The walls of convex sets in the model of a step: where a step ends outside of a set, the half-space that touches the set nearest to there, stiff.
 * What a bent border leaves outside is projected back.
 */
import type { Envelope } from '../../math/envelope-cholesky.js';
import type { ConvexSet } from '../convex-sets.js';

/** How much stiffer a wall is than what stands there without it. */
const WALL = 1e5;

/** The walls of one linearization: of each set the unit normal (3 numbers), how far inside it is (negative), and its stiffness. */
export interface Walls {
  readonly normal: Float64Array;
  readonly distance: Float64Array;
  readonly stiffness: Float64Array;
  /** How far a number of the timing may go in a step. */
  readonly reach: Float64Array;
  /** 1 for each set that holds the step. */
  readonly pressed: Uint8Array;
  /** Which hold the model that was factored last, and where they stood in it. */
  readonly factored: Uint8Array;
  readonly factoredNormal: Float64Array;
  readonly factoredDistance: Float64Array;
  /** 1 where that is not the set's own border, but how far the timing may change in a step. */
  readonly trust: Uint8Array;
}

export function createWalls(count: number): Walls {
  return {
    normal: new Float64Array(3 * count),
    distance: new Float64Array(count),
    stiffness: new Float64Array(count),
    reach: new Float64Array(count),
    pressed: new Uint8Array(count),
    factored: new Uint8Array(count),
    factoredNormal: new Float64Array(3 * count),
    factoredDistance: new Float64Array(count),
    trust: new Uint8Array(count),
  };
}

/** Where a step ends, and the nearest point of the set. */
const place = /* @__PURE__ */ new Float64Array(3);
const nearest = /* @__PURE__ */ new Float64Array(3);

/** How far a point is moved along the slope to see which walls it stands at. */
const NUDGE = 1e-9;

/** How near the last step must have come to a wall that is looked for again. */
const AGAIN = 1e-7;

/**
 * Looks for the walls that a point within all sets stands at and the slope pushes against.
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
    const scale = square > 0 ? NUDGE / Math.sqrt(square) : 0;
    for (let i = 0; i < size; i++) place[i] = unknowns[at + i] - scale * slope[at + i];
    const pressed = walls.pressed[k] === 1;
    walls.pressed[k] = touch(sets[k], unknowns, k, walls) ? 1 : 0;
    if (pressed && walls.pressed[k] === 0) {
      for (let i = 0; i < size; i++) place[i] = unknowns[at + i] + AGAIN * walls.normal[3 * k + i];
      walls.pressed[k] = touch(sets[k], unknowns, k, walls) ? 1 : 0;
    }
  }
}

/**
 * The half-space that holds the set and does not hold `place`: its border touches the set where that is nearest.
 *
 * @returns false where the place is within the set.
 */
function touch(
  { shape, parameters, at, size }: ConvexSet,
  unknowns: Float64Array,
  k: number,
  walls: Walls,
): boolean {
  for (let i = 0; i < size; i++) nearest[i] = place[i];
  let moved = shape.project(parameters, nearest, 0, size);
  const reach = walls.reach[k];
  walls.trust[k] = 0;
  if (Math.abs(nearest[0] - unknowns[at]) > reach) {
    nearest[0] = unknowns[at] + Math.sign(nearest[0] - unknowns[at]) * reach;
    walls.trust[k] = 1;
    moved = true;
  }
  if (!moved) return false;
  let square = 0;
  for (let i = 0; i < size; i++) square += (place[i] - nearest[i]) * (place[i] - nearest[i]);
  const length = Math.sqrt(square);
  if (!(length > 0)) return false;
  let distance = 0;
  for (let i = 0; i < size; i++) {
    const n = (place[i] - nearest[i]) / length;
    walls.normal[3 * k + i] = n;
    distance += n * (unknowns[at + i] - nearest[i]);
  }
  walls.distance[k] = Math.min(0, distance);
  return true;
}

/** Whether the step would change the timing by more than it may in one. */
export function isClockHeld(sets: readonly ConvexSet[], { pressed, trust }: Walls): boolean {
  for (let k = 0; k < sets.length; k++) if (pressed[k] === 1 && trust[k] === 1) return true;
  return false;
}

/** Adds the walls that hold to the model. */
export function addWalls(
  sets: readonly ConvexSet[],
  walls: Walls,
  slope: Float64Array,
  { base, values }: Envelope,
): void {
  const { normal, distance, stiffness, pressed } = walls;
  for (let k = 0; k < sets.length; k++) {
    if (pressed[k] === 0) continue;
    const { at, size } = sets[k];
    for (let i = 0; i < size; i++) {
      const n = normal[3 * k + i];
      slope[at + i] += stiffness[k] * distance[k] * n;
      for (let j = 0; j <= i; j++) values[base[at + i] + at + j] += stiffness[k] * n * normal[3 * k + j];
    }
  }
}

/** Keeps the walls of a model that is about to be factored: later steps look for others. */
export function keepWalls(walls: Walls): void {
  walls.factored.set(walls.pressed);
  walls.factoredNormal.set(walls.normal);
  walls.factoredDistance.set(walls.distance);
}

/** Adds the pull of the walls in the last model to a gradient. */
export function addWallPull(sets: readonly ConvexSet[], walls: Walls, slope: Float64Array): void {
  const { factoredNormal: normal, factoredDistance: distance, stiffness, factored } = walls;
  for (let k = 0; k < sets.length; k++) {
    if (factored[k] === 0) continue;
    const { at, size } = sets[k];
    for (let i = 0; i < size; i++) slope[at + i] += stiffness[k] * distance[k] * normal[3 * k + i];
  }
}

/**
 * Which walls a step runs into: those that hold are let go where the step leaves them; where it ends outside a set, the half-space is the
 * one that touches nearest to there. @returns how many that changes.
 */
export function testWalls(
  sets: readonly ConvexSet[],
  unknowns: Float64Array,
  walls: Walls,
  step: Float64Array,
): number {
  const { normal, distance, pressed } = walls;
  let changed = 0;
  for (let k = 0; k < sets.length; k++) {
    const { at, size } = sets[k];
    let beyond = distance[k];
    for (let i = 0; i < size; i++) {
      beyond += normal[3 * k + i] * step[at + i];
      place[i] = unknowns[at + i] + step[at + i];
    }
    const held = pressed[k] === 1 && beyond > 0;
    const holds = touch(sets[k], unknowns, k, walls) || held ? 1 : 0;
    if (holds !== pressed[k]) changed++;
    pressed[k] = holds;
  }
  return changed;
}
