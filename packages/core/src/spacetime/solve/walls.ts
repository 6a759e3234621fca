/**
 * The walls of convex sets in the model of a step: each set as the half-space that touches it where the step would leave it, g + dg.p <= 0,
 * stiff; along a curved wall its curvature counts too. What is left outside by rounding and curvature is projected back.
 */
import type { Envelope } from '../../math/envelope-cholesky.js';
import { type ConvexSet, coneShape } from '../convex-sets.js';

/** How much stiffer a wall is than what stands there without it. */
const WALL = 1e7;

/** The walls of one linearization: of each set the unit normal (3 numbers), how far inside it is (negative), its stiffness and curvature. */
export interface Walls {
  readonly normal: Float64Array;
  readonly distance: Float64Array;
  readonly stiffness: Float64Array;
  /** Largest curvature: |dg| divides the Hessian of g. */
  readonly bend: Float64Array;
  /** 1 for each set that holds the step. */
  readonly pressed: Uint8Array;
  /** The same for the model that was factored last. */
  readonly factored: Uint8Array;
  /** 1 where that is not the set's own border, but how far the timing may change in a step. */
  readonly trust: Uint8Array;
  /** How hard: the multiplier of the last model. */
  readonly push: Float64Array;
}

export function createWalls(count: number): Walls {
  return {
    normal: new Float64Array(3 * count),
    distance: new Float64Array(count),
    stiffness: new Float64Array(count),
    bend: new Float64Array(count),
    pressed: new Uint8Array(count),
    factored: new Uint8Array(count),
    trust: new Uint8Array(count),
    push: new Float64Array(count),
  };
}

const gradient = /* @__PURE__ */ new Float64Array(3);
const curvature = /* @__PURE__ */ new Float64Array(9);
const place = /* @__PURE__ */ new Float64Array(3);
/** On the border within this, of a radian, metre or weight. */
const AT_BORDER = 1e-12;

/**
 * Sets the walls up at a point within all sets. `slope` is the gradient there: it says which faces a step is about to run into.
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
    const { at, size, isTiming } = sets[k];
    let largest = 0;
    for (let i = 0; i < size; i++) largest = Math.max(largest, values[base[at + i] + at + i]);
    walls.stiffness[k] = WALL * (largest > 0 ? largest : 1);
    walls.push[k] = 0;
    if (isTiming === true) touchTiming(sets[k], unknowns[at], slope[at], clockReach, k, walls);
    else touch(sets[k], unknowns, slope, k, walls);
    let out = 0;
    for (let i = 0; i < size; i++) out -= slope[at + i] * walls.normal[3 * k + i];
    walls.pressed[k] = walls.distance[k] >= -AT_BORDER && out > 0 ? 1 : 0;
  }
}

/** The timing changes by a part of itself in a step: what moves is stretched by it as a whole, and no linear model sees far. */
function touchTiming(
  { parameters }: ConvexSet,
  value: number,
  slope: number,
  reach: number,
  k: number,
  walls: Walls,
): void {
  const falls = slope > 0;
  const room = falls ? value - parameters[0] : parameters[1] - value;
  walls.normal[3 * k] = falls ? -1 : 1;
  walls.trust[k] = reach * value < room ? 1 : 0;
  walls.distance[k] = -Math.max(0, Math.min(reach * value, room));
}

/** Whether the step would change the timing by more than it may in one. */
export function isClockHeld(sets: readonly ConvexSet[], { pressed, trust }: Walls): boolean {
  for (let k = 0; k < sets.length; k++) if (pressed[k] === 1 && trust[k] === 1) return true;
  return false;
}

/** The half-space of one set: at its border where that is near, else along the way that the slope goes. */
function touch(set: ConvexSet, unknowns: Float64Array, slope: Float64Array, k: number, walls: Walls): void {
  const { shape, parameters, at, size } = set;
  walls.bend[k] = 0;
  if (shape === coneShape && isTip(unknowns, at)) {
    // At the tip: the half-space that the slope itself leaves, none where the slope leads inside.
    for (let i = 0; i < 3; i++) place[i] = -slope[at + i];
    shape.project(parameters, place, 0, 3);
    let square = 0;
    for (let i = 0; i < 3; i++) {
      const off = -slope[at + i] - place[i];
      walls.normal[3 * k + i] = off;
      square += off * off;
    }
    const length = Math.sqrt(square);
    for (let i = 0; i < 3; i++) walls.normal[3 * k + i] = length > 0 ? walls.normal[3 * k + i] / length : 0;
    walls.distance[k] = 0;
    return;
  }
  shape.gradient(parameters, unknowns, at, size, gradient, 0);
  let square = 0;
  for (let i = 0; i < size; i++) square += gradient[i] * gradient[i];
  const length = Math.sqrt(square);
  if (!(length > 0)) {
    walls.distance[k] = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < size; i++) walls.normal[3 * k + i] = 0;
    return;
  }
  for (let i = 0; i < size; i++) walls.normal[3 * k + i] = gradient[i] / length;
  walls.distance[k] = Math.min(0, shape.value(parameters, unknowns, at, size) / length);
  if (size > 1) walls.bend[k] = 1 / length;
}

function isTip(unknowns: Float64Array, at: number): boolean {
  return unknowns[at] === 0 && unknowns[at + 1] === 0 && unknowns[at + 2] === 0;
}

/** Adds the walls that hold to the model. */
export function addWalls(
  sets: readonly ConvexSet[],
  unknowns: Float64Array,
  walls: Walls,
  slope: Float64Array,
  { base, values }: Envelope,
): void {
  const { normal, distance, stiffness, bend, pressed, push } = walls;
  for (let k = 0; k < sets.length; k++) {
    if (pressed[k] === 0) continue;
    const { shape, parameters, at, size } = sets[k];
    const bent = bend[k] > 0 && push[k] > 0 ? bend[k] * push[k] : 0;
    if (bent > 0) shape.hessian(parameters, unknowns, at, size, curvature, 0);
    for (let i = 0; i < size; i++) {
      const n = normal[3 * k + i];
      slope[at + i] += stiffness[k] * distance[k] * n;
      for (let j = 0; j <= i; j++) {
        values[base[at + i] + at + j] +=
          stiffness[k] * n * normal[3 * k + j] + (bent > 0 ? bent * curvature[i * size + j] : 0);
      }
    }
  }
}

/** Adds the pull of the walls in the last model to a gradient. */
export function addWallPull(sets: readonly ConvexSet[], walls: Walls, slope: Float64Array): void {
  const { normal, distance, stiffness, factored } = walls;
  for (let k = 0; k < sets.length; k++) {
    if (factored[k] === 0) continue;
    const { at, size } = sets[k];
    for (let i = 0; i < size; i++) slope[at + i] += stiffness[k] * distance[k] * normal[3 * k + i];
  }
}

/** Which walls a step runs into, and how hard. @returns how many that changes. */
export function testWalls(sets: readonly ConvexSet[], walls: Walls, step: Float64Array): number {
  const { normal, distance, stiffness, pressed, push } = walls;
  let changed = 0;
  for (let k = 0; k < sets.length; k++) {
    const { at, size } = sets[k];
    let beyond = distance[k];
    for (let i = 0; i < size; i++) beyond += normal[3 * k + i] * step[at + i];
    const holds = beyond > 0 ? 1 : 0;
    push[k] = holds * stiffness[k] * beyond;
    if (holds !== pressed[k]) changed++;
    pressed[k] = holds;
  }
  return changed;
}

/** What the walls add to the model after a step. */
export function wallEnergy(
  sets: readonly ConvexSet[],
  { normal, distance, stiffness }: Walls,
  step: Float64Array,
): number {
  let sum = 0;
  for (let k = 0; k < sets.length; k++) {
    const { at, size } = sets[k];
    let beyond = distance[k];
    for (let i = 0; i < size; i++) beyond += normal[3 * k + i] * step[at + i];
    if (beyond > 0) sum += stiffness[k] * beyond * beyond;
  }
  return 0.5 * sum;
}

/** What the walls add to the slope of the model, at a share of the way from one step to another. */
export function wallSlope(
  sets: readonly ConvexSet[],
  { normal, distance, stiffness }: Walls,
  from: Float64Array,
  to: Float64Array,
  t: number,
): number {
  let sum = 0;
  for (let k = 0; k < sets.length; k++) {
    const { at, size } = sets[k];
    let beyond = distance[k];
    let way = 0;
    for (let i = 0; i < size; i++) {
      const n = normal[3 * k + i];
      beyond += n * (from[at + i] + t * (to[at + i] - from[at + i]));
      way += n * (to[at + i] - from[at + i]);
    }
    if (beyond > 0) sum += stiffness[k] * beyond * way;
  }
  return sum;
}
