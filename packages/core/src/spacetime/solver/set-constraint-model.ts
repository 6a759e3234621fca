/**
 * Walls as parts of a step's model: a half-space is a stiff spring along its normal; and where its border bends, what presses against it turns
 * with it, push times the curvature (the second derivatives of the Lagrangian of the set). Without it steps along small cones of friction, or along narrow
 * limits, end far outside.
 */
import type { Envelope } from '../../math/linear/envelope-cholesky.js';
import type { ConvexSet } from '../transcription/convex-sets.js';
import { FREE, TIP, type Walls } from './set-constraints.js';

/** Where a wall touches its set, the gradient there, and how what presses turns. */
const place = /* @__PURE__ */ new Float64Array(3);
const gradient = /* @__PURE__ */ new Float64Array(3);
const bend = /* @__PURE__ */ new Float64Array(9);

/** Adds the walls that hold to the model's gradient and matrix, and keeps what they pull for corrections of its step. */
export function addWalls(
  sets: readonly ConvexSet[],
  walls: Walls,
  unknowns: Float64Array,
  slope: Float64Array,
  { base, values }: Envelope,
): void {
  const { pressed, pull } = walls;
  pull.fill(0);
  for (let k = 0; k < sets.length; k++) {
    if (pressed[k] === FREE) continue;
    const { at, size } = sets[k];
    writeWall(sets[k], k, walls, unknowns);
    for (let i = 0; i < size; i++) {
      for (let j = 0; j <= i; j++) values[base[at + i] + at + j] += bend[size * i + j];
      slope[at + i] += pull[3 * k + i];
    }
  }
}

/** Adds the pull of the walls in the last model to a gradient. */
export function addWallPull(sets: readonly ConvexSet[], { pull }: Walls, slope: Float64Array): void {
  for (let k = 0; k < sets.length; k++) {
    const { at, size } = sets[k];
    for (let i = 0; i < size; i++) slope[at + i] += pull[3 * k + i];
  }
}

/** The matrix of one wall to `bend`, and its pull where no step is made. */
function writeWall(set: ConvexSet, k: number, walls: Walls, unknowns: Float64Array): void {
  const { at, size } = set;
  const { normal, distance, push, pressed, pull } = walls;
  const stiffness = walls.stiffness[k];
  const o = 3 * k;
  if (pressed[k] === TIP) {
    for (let i = 0; i < size; i++) {
      for (let j = 0; j < size; j++) bend[size * i + j] = i === j ? stiffness : 0;
      pull[o + i] = stiffness * unknowns[at + i] + push[k] * normal[o + i];
    }
    return;
  }
  if (size > 1 && push[k] > 0) {
    for (let i = 0; i < size; i++) place[i] = unknowns[at + i] + walls.place[o + i];
    writeBend(set, push[k], stiffness);
  } else {
    bend.fill(0);
  }
  for (let i = 0; i < size; i++) {
    const n = normal[o + i];
    pull[o + i] = (stiffness * distance[k] + push[k]) * n;
    for (let j = 0; j < size; j++) {
      pull[o + i] -= bend[size * i + j] * walls.place[o + j];
      bend[size * i + j] += stiffness * n * normal[o + j];
    }
  }
}

/** push times how the unit normal turns along the border at `place`: P H P over the length of the gradient, P = I - n n^T; no more than `most`. */
function writeBend({ shape, parameters, size }: ConvexSet, push: number, most: number): void {
  shape.gradient(parameters, place, 0, size, gradient, 0);
  let square = 0;
  for (let i = 0; i < size; i++) square += gradient[i] * gradient[i];
  if (!(square > 0)) {
    writeRay(size, most);
    return;
  }
  shape.hessian(parameters, place, 0, size, bend, 0);
  takeAlong(size, size, 1, square);
  takeAlong(size, 1, size, square);
  let trace = 0;
  for (let i = 0; i < size; i++) trace += bend[(size + 1) * i];
  const scale = trace > 0 ? Math.min(push / Math.sqrt(square), most / trace) : 0;
  for (let i = 0; i < size * size; i++) bend[i] *= scale;
}

/** Where a border has no gradient the set is a ray, a cone without friction: `most` across the way to `place`. */
function writeRay(size: number, most: number): void {
  let square = 0;
  for (let i = 0; i < size; i++) square += place[i] * place[i];
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) {
      bend[size * i + j] = most * ((i === j ? 1 : 0) - (place[i] * place[j]) / square);
    }
  }
}

/** Takes the part along the gradient from each row of `bend`, or column: entry (i, j) stands at `across i + along j`. */
function takeAlong(size: number, across: number, along: number, square: number): void {
  for (let i = 0; i < size; i++) {
    let sum = 0;
    for (let j = 0; j < size; j++) sum += gradient[j] * bend[across * i + along * j];
    for (let j = 0; j < size; j++) bend[across * i + along * j] -= (sum / square) * gradient[j];
  }
}
