import * as quat from '../../../math/geometry/quat.js';
import type { Numbers } from '../../../math/linear/types.js';
import {
  type Bodies,
  clampOrigin,
  isRotationLimited,
  projectFrame,
  updateBodyFrame,
} from '../bodies/bodies.js';
import { fitJoint } from '../bodies/fit-joint.js';
import { addPair, type BodyFit, fitRotation } from '../bodies/fit-rotation.js';
import { hingeAngle, writeHinge } from '../bodies/hinge.js';
import { multiplyAt, multiplyTransposedAt, orthonormalizeAt } from '../bodies/matrices.js';
import type { Chains } from './chains.js';

const local = /* @__PURE__ */ new Float64Array(9);
const rotation = /* @__PURE__ */ new Float64Array(9);
const quaternion = /* @__PURE__ */ new Float64Array(4);
const coordinates = /* @__PURE__ */ new Float64Array(6);

/** Largest number of Newton steps of a joint fit. */
const DESCENT_STEPS = 6;
const PASS_STEPS = 4;

/** Adds a pair to `pairs`: the body point (x, y, z) and its desired position to[o..] relative to (bx, by, bz). */
export function addDesiredPair(
  { pairs, normal }: BodyFit,
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
  if (normal[0] === 0 && normal[1] === 0 && normal[2] === 0) {
    // Normal to the lever by construction, in body axes.
    if (Math.abs(x) <= Math.abs(y) && Math.abs(x) <= Math.abs(z)) {
      normal[1] = -z;
      normal[2] = y;
    } else if (Math.abs(y) <= Math.abs(z)) {
      normal[0] = z;
      normal[2] = -x;
    } else {
      normal[0] = -y;
      normal[1] = x;
    }
  }
  addPair(pairs, w, x, y, z, to[o] - bx, to[o + 1] - by, to[o + 2] - bz);
}

/** Rotates the frame at from[o..] by the smallest rotation that best fits `pairs`, to `target`; unchanged at rank 0. */
export function rotateMinimally({ pairs, normal, target }: BodyFit, from: Numbers, o: number): void {
  // y in the axes of the frame: local = R^T B.
  multiplyTransposedAt(from, o, pairs, 0, local);
  if (fitRotation(local, normal, quaternion) === 0) {
    for (let i = 0; i < 9; i++) target[i] = from[o + i];
    return;
  }
  quat.toMatrix(quaternion, rotation);
  multiplyAt(from, o, rotation, 0, target);
  orthonormalizeAt(target, 0);
}

/** Fills `pairs` relative to base[o..]; where the body is `free` to translate also `mean` and `center`, with pairs relative to them. */
export type Gather<P> = (passes: P, k: number, base: Numbers, o: number, free: boolean) => boolean;

/** Largest number of alternating rotations and translations in one fit. */
const MAX_ROUNDS = 12;
/** Relative translation that ends the alternation. */
const MIN_MOVE = 1e-13;

/**
 * Writes the best frame of a body that translates and rotates to `target`: both at once where its translation limits allow. Otherwise
 * alternates the rotation about the current origin and the projection of the origin onto the limits (block coordinate descent). Each
 * lowers f, so the result is stationary.
 *
 * @param from - Frame from which the rotation is smallest, at from[o..].
 */
export function fitFrame<P>(
  { bodies, fit }: Chains,
  passes: P,
  k: number,
  from: Numbers,
  o: number,
  gather: Gather<P>,
): void {
  const { types, frames } = bodies;
  const { rest, target, mean } = fit;
  const { rotates } = types[k];
  gather(passes, k, target, 9, true);
  if (rotates) rotateMinimally(fit, from, o);
  moveToMean(fit);
  if (!rotates || !clampOrigin(bodies, k, rest, target)) return;
  for (let c = 0; c < 3; c++) target[9 + c] = frames[12 * k + 9 + c];
  clampOrigin(bodies, k, rest, target);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const x = target[9];
    const y = target[10];
    const z = target[11];
    gather(passes, k, target, 9, false);
    rotateMinimally(fit, from, o);
    moveToMean(fit);
    clampOrigin(bodies, k, rest, target);
    const moved = Math.abs(target[9] - x) + Math.abs(target[10] - y) + Math.abs(target[11] - z);
    if (moved <= MIN_MOVE * (Math.abs(mean[0] - x) + Math.abs(mean[1] - y) + Math.abs(mean[2] - z))) return;
  }
}

/** x = mean - R center: the origin that aligns the means. */
function moveToMean({ target, mean, center }: BodyFit): void {
  for (let r = 0; r < 3; r++) {
    target[9 + r] = mean[r];
    for (let c = 0; c < 3; c++) target[9 + r] -= target[3 * r + c] * center[c];
  }
}

/**
 * Sets body k to the feasible frame nearest to `target`; `pairs` (y in the basis) are its fit data.
 *
 * @param best - Whether to maximize the fit over the feasible rotations from there.
 */
export function orientBody(chains: Chains, pose: Float64Array, k: number, best: boolean): void {
  const { bodies, constrained } = chains;
  const { rest, target, pairs } = chains.fit;
  const { types, figure, bones, frames } = bodies;
  if (constrained[k] === 0) {
    for (let i = 0; i < 12; i++) frames[12 * k + i] = target[i];
    return;
  }
  const axis = bodies.hingeAxes[k];
  if (axis !== undefined) {
    multiplyTransposedAt(rest, 0, pairs, 0, local);
    const angle = hingeAngle(local, axis, undefined);
    if (!Number.isNaN(angle)) writeHinge(rest, axis, angle, target);
    projectFrame(bodies, k, target, pose);
    return;
  }
  const { dof, translations, rotates } = types[k];
  const i = figure.bones[bones[k]].coordinate;
  if (best) for (let n = 0; n < dof; n++) coordinates[n] = pose[i + n];
  const limited = projectFrame(bodies, k, target, pose);
  if (dof - translations !== 2 && !(best && limited && rotates && isRotationLimited(bodies, k))) return;
  multiplyTransposedAt(rest, 0, pairs, 0, local);
  if (best && dof - translations > 1) {
    // The projected coordinates may fit worse than the previous ones.
    const value = fitOf(bodies, k);
    for (let n = translations; n < dof; n++) swap(pose, i + n, coordinates, n);
    types[k].writeTransforms(bodies.batches[k], pose, bodies.joints);
    if (fitOf(bodies, k) < value) {
      for (let n = translations; n < dof; n++) swap(pose, i + n, coordinates, n);
    }
  }
  fitJoint(bodies, k, local, pose, best ? DESCENT_STEPS : PASS_STEPS);
  updateBodyFrame(bodies, k);
}

/** tr(J^T B), B in rest axes in `local`: the fit, larger is better. */
function fitOf({ joints }: Bodies, k: number): number {
  let sum = 0;
  for (let n = 0; n < 9; n++) sum += joints[12 * k + n] * local[n];
  return sum;
}

function swap(a: Float64Array, i: number, b: Float64Array, j: number): void {
  const x = a[i];
  a[i] = b[j];
  b[j] = x;
}
