import * as quat from '../../../math/geometry/quat.js';
import type { Numbers } from '../../../math/linear/types.js';
import { type Bodies, clampOrigin, placeBody, settleBody, turnIsLimited } from '../bodies/bodies.js';
import { refineBody } from '../bodies/fit-joint.js';
import { addPair, fitRotation } from '../bodies/fit-rotation.js';
import { hingeAngle, writeHinge } from '../bodies/hinge.js';
import { multiplyAt, orthonormalizeAt } from '../bodies/matrices.js';
import type { Chains } from './chains.js';

/*
 * One body's turn, shared by the passes and the sweeps, and what they hand each other of the body at hand: module memory, so that
 * nothing is allocated. Valid from one body to the next only.
 */

/** Frame of the body at q = 0. */
export const rest: Float64Array = /* @__PURE__ */ new Float64Array(12);
/** Frame that the body is wanted in. */
export const target: Float64Array = /* @__PURE__ */ new Float64Array(12);
/** B = sum w y x^T: x in the body's axes, y in the basis. */
export const pairs: Float64Array = /* @__PURE__ */ new Float64Array(9);
/** A direction across the first x, in the body's axes. */
export const across: Float64Array = /* @__PURE__ */ new Float64Array(3);
/** Weighted means: of where what the body carries is wanted, and of its places in the body. */
export const mean: Float64Array = /* @__PURE__ */ new Float64Array(3);
export const center: Float64Array = /* @__PURE__ */ new Float64Array(3);

const local = /* @__PURE__ */ new Float64Array(9);
const turn = /* @__PURE__ */ new Float64Array(9);
const quaternion = /* @__PURE__ */ new Float64Array(4);
const coordinates = /* @__PURE__ */ new Float64Array(6);

/** Steps at most to the best allowed turn of one joint. */
const SWEEP_STEPS = 6;
const PASS_STEPS = 4;

/** Adds a pair to `pairs`: (x, y, z) in the body is wanted at to[o..], seen from (bx, by, bz). */
export function addWanted(
  w: number,
  x: number,
  y: number,
  z: number,
  to: Numbers,
  o: number,
  bx: number,
  by: number,
  bz: number,
): void {
  if (across[0] === 0 && across[1] === 0 && across[2] === 0) {
    // Across the lever, in the body's axes: normal to it by construction.
    if (Math.abs(x) <= Math.abs(y) && Math.abs(x) <= Math.abs(z)) {
      across[1] = -z;
      across[2] = y;
    } else if (Math.abs(y) <= Math.abs(z)) {
      across[0] = z;
      across[2] = -x;
    } else {
      across[0] = -y;
      across[1] = x;
    }
  }
  addPair(pairs, w, x, y, z, to[o] - bx, to[o + 1] - by, to[o + 2] - bz);
}

/** out = the smallest turn of the frame at from[o..] that brings `pairs` nearest; the frame itself where they tell nothing. */
export function turnSmallest(from: Numbers, o: number, out: Float64Array): void {
  // y in the axes of the frame: local = R^T B.
  for (let r = 0; r < 3; r++) {
    for (let c = 0; c < 3; c++) {
      local[3 * r + c] =
        from[o + r] * pairs[c] + from[o + 3 + r] * pairs[3 + c] + from[o + 6 + r] * pairs[6 + c];
    }
  }
  if (fitRotation(local, across, quaternion) === 0) {
    for (let i = 0; i < 9; i++) out[i] = from[o + i];
    return;
  }
  quat.toMatrix(quaternion, turn);
  multiplyAt(from, o, turn, 0, out);
  orthonormalizeAt(out, 0);
}

/** Fills `pairs`, and where the body is `free` to move `mean` and `center`, pairs then seen from these, else from base[o..]. */
export type Gather<P> = (passes: P, k: number, base: Numbers, o: number, free: boolean) => boolean;

/** Turns about the standing origin and moves in a row, at most: what is left the next pass takes. */
const ROUNDS = 12;
/** Move of the origin against the body's own size, below which a round has changed nothing. */
const STILL = 1e-13;

/**
 * `target` = where a body that moves and turns is best: turned and moved at once where its limits allow that. Where they
 * hold its origin back, that turn is not the best for the origin that is left; then it is turned about the origin as that
 * stands, which is moved to the nearest allowed place for the turn, and so on. Each lowers f for itself, so this does not
 * stick short of a stationary place.
 *
 * @param from - Frame that the turn is to be smallest from, at from[o..].
 */
export function fitMoving<P>(
  { bodies }: Chains,
  passes: P,
  k: number,
  from: Numbers,
  o: number,
  gather: Gather<P>,
): void {
  const { types, frames } = bodies;
  const { turns } = types[k];
  gather(passes, k, target, 9, true);
  if (turns) turnSmallest(from, o, target);
  moveToMean();
  if (!turns || !clampOrigin(bodies, k, rest, target)) return;
  for (let c = 0; c < 3; c++) target[9 + c] = frames[12 * k + 9 + c];
  clampOrigin(bodies, k, rest, target);
  for (let round = 0; round < ROUNDS; round++) {
    const x = target[9];
    const y = target[10];
    const z = target[11];
    gather(passes, k, target, 9, false);
    turnSmallest(from, o, target);
    moveToMean();
    clampOrigin(bodies, k, rest, target);
    const moved = Math.abs(target[9] - x) + Math.abs(target[10] - y) + Math.abs(target[11] - z);
    if (moved <= STILL * (Math.abs(mean[0] - x) + Math.abs(mean[1] - y) + Math.abs(mean[2] - z))) return;
  }
}

/** x = mean - R center: the origin that brings the means together. */
function moveToMean(): void {
  for (let r = 0; r < 3; r++) {
    target[9 + r] = mean[r];
    for (let c = 0; c < 3; c++) target[9 + r] -= target[3 * r + c] * center[c];
  }
}

/**
 * Puts body k as near to `target` as its joint allows, `pairs` (y in the basis) telling what it is to point at.
 *
 * @param best - Whether to climb from there to the allowed turn that brings the pairs nearest.
 */
export function orientTo(chains: Chains, pose: Float64Array, k: number, best: boolean): void {
  const { bodies, constrained } = chains;
  const { types, figure, bones, frames } = bodies;
  if (constrained[k] === 0) {
    for (let i = 0; i < 12; i++) frames[12 * k + i] = target[i];
    return;
  }
  const axis = bodies.hingeAxes[k];
  if (axis !== undefined) {
    toRest(pairs);
    const angle = hingeAngle(local, axis, undefined);
    if (!Number.isNaN(angle)) writeHinge(rest, axis, angle, target);
    settleBody(bodies, k, target, pose);
    return;
  }
  const { dof, translations, turns } = types[k];
  const i = figure.bones[bones[k]].coordinate;
  if (best) for (let n = 0; n < dof; n++) coordinates[n] = pose[i + n];
  const limited = settleBody(bodies, k, target, pose);
  if (dof - translations !== 2 && !(best && limited && turns && turnIsLimited(bodies, k))) return;
  toRest(pairs);
  if (best && dof - translations > 1) {
    // The nearest allowed coordinates may point worse than those that it had.
    const value = nearness(bodies, k);
    for (let n = translations; n < dof; n++) swap(pose, i + n, coordinates, n);
    types[k].writeTransforms(bodies.batches[k], pose, bodies.joints);
    if (nearness(bodies, k) < value) {
      for (let n = translations; n < dof; n++) swap(pose, i + n, coordinates, n);
    }
  }
  refineBody(bodies, k, local, pose, best ? SWEEP_STEPS : PASS_STEPS);
  placeBody(bodies, k);
}

/** tr(J^T B), B in rest axes in `local`: the larger, the nearer the pairs. */
function nearness({ joints }: Bodies, k: number): number {
  let sum = 0;
  for (let n = 0; n < 9; n++) sum += joints[12 * k + n] * local[n];
  return sum;
}

function swap(a: Float64Array, i: number, b: Float64Array, j: number): void {
  const x = a[i];
  a[i] = b[j];
  b[j] = x;
}

/** local = rest^T m */
function toRest(m: Numbers): void {
  for (let r = 0; r < 3; r++) {
    for (let c = 0; c < 3; c++) {
      local[3 * r + c] = rest[r] * m[c] + rest[3 + r] * m[3 + c] + rest[6 + r] * m[6 + c];
    }
  }
}
