import * as quat from '../../../math/geometry/quat.js';
import type { Numbers } from '../../../math/linear/types.js';
import { type Bodies, readBody, writeRestFrame } from '../bodies/bodies.js';
import { clearPairs, fitRotation } from '../bodies/fit-rotation.js';
import { multiplyAt, orthonormalizeAt } from '../bodies/matrices.js';
import {
  across,
  addWanted,
  center,
  fitMoving,
  mean,
  orientTo,
  pairs,
  rest,
  target,
  turnSmallest,
} from './body-rotation.js';
import { type Chains, carry } from './chains.js';

/**
 * FABRIK on rigid bodies. A body is where its frame is; its joint's origin is the point that its parent carries.
 *
 * Backward (from the ends): a body is turned so that what it carries (ends, origins of bodies below) points from its own origin,
 * where that stands, at where they are wanted; then held to what the joints of the bodies below allow against them; then moved so
 * that it meets them, several meeting at their centroid. Where that puts its origin is where its parent is wanted.
 *
 * Forward (from the ground): a body goes where its parent carries it and is turned from its backward frame, as little as can be, to
 * point at what is wanted; its turn is decomposed in its parent's frame against rest, projected on the limits, and rebuilt. So every
 * forward pass ends at a pose of the figure that its limits allow.
 */
export interface Passes {
  readonly chains: Chains;
  /** Where each end is wanted, in the basis, 3 numbers each. */
  readonly wanted: Float64Array;
  /** Where each end is. */
  readonly ends: Float64Array;
  /** Frames of the backward pass. */
  readonly back: Float64Array;
  /** Coordinates of the joints in the forward and in the backward pass; those of unconstrained joints are not kept up. */
  readonly pose: Float64Array;
  readonly backPose: Float64Array;
  /** Distance of each goal, m. */
  readonly distances: Float64Array;
  /** Targets in the world, in the basis. */
  readonly targets: Float64Array;
  /** Whether the root's origin is held. */
  readonly rootFixed: boolean;
  /** Whether it is held in this pass, where its joint has it. */
  rootStays: boolean;
}

export function createPasses(chains: Chains, rootFixed: boolean): Passes {
  const { bodies, endBodies, effectors } = chains;
  return {
    chains,
    wanted: new Float64Array(3 * endBodies.length),
    ends: new Float64Array(3 * endBodies.length),
    back: new Float64Array(12 * bodies.count),
    pose: new Float64Array(bodies.figure.dof),
    backPose: new Float64Array(bodies.figure.dof),
    distances: new Float64Array(effectors.length),
    targets: new Float64Array(3 * effectors.length),
    rootFixed,
    rootStays: rootFixed,
  };
}

const sum = /* @__PURE__ */ new Float64Array(9);
const rotation = /* @__PURE__ */ new Float64Array(9);
const turn = /* @__PURE__ */ new Float64Array(9);
const quaternion = /* @__PURE__ */ new Float64Array(4);
const place = /* @__PURE__ */ new Float64Array(3);
const joint = /* @__PURE__ */ new Float64Array(12);

/** Where the ends are, bodies standing as `frames` has them, and how far from their targets; f = 1/2 sum of weight distance^2. */
export function measure({ chains, ends, wanted, distances, targets }: Passes): number {
  const { bodies, endBodies, effectors, places, weights } = chains;
  for (let n = 0; n < endBodies.length; n++) {
    const k = endBodies[n];
    if (k >= 0) carry(bodies.frames, 12 * k, places, 3 * n, ends, 3 * n);
    else carry(bodies.ground, 0, places, 3 * n, ends, 3 * n);
  }
  let f = 0;
  for (let e = 0; e < effectors.length; e++) {
    const { targetBone, body, targetBody } = effectors[e];
    const o = 6 * e;
    let square = 0;
    for (let c = 0; c < 3; c++) {
      const goal = targetBone >= 0 ? ends[o + 3 + c] : targets[3 * e + c];
      square += (ends[o + c] - goal) ** 2;
      if (targetBone < 0) wanted[o + c] = goal;
      else {
        // A loop is closed where both ends can go: half way, or at the one that stands.
        const meet = body < 0 ? ends[o + c] : targetBody < 0 ? goal : 0.5 * (ends[o + c] + goal);
        wanted[o + c] = meet;
        wanted[o + 3 + c] = meet;
      }
    }
    distances[e] = Math.sqrt(square);
    f += 0.5 * weights[e] * square;
  }
  return f;
}

/** Ends to the ground. Needs {@link measure}. */
export function backwardPass(passes: Passes): void {
  const { chains, back, backPose, pose } = passes;
  const { bodies, active } = chains;
  for (let i = 0; i < pose.length; i++) backPose[i] = pose[i];
  for (let n = active.length - 1; n >= 0; n--) {
    const k = active[n];
    const o = 12 * k;
    gatherWanted(passes, k, bodies.frames, o + 9, false);
    turnSmallest(bodies.frames, o, target);
    holdToChildren(passes, k);
    for (let i = 0; i < 9; i++) back[o + i] = target[i];
    // x = mean of (wanted - R place)
    meanOf(passes, k);
    for (let r = 0; r < 3; r++) {
      let x = mean[r];
      for (let c = 0; c < 3; c++) x -= target[3 * r + c] * center[c];
      back[o + 9 + r] = x;
    }
  }
}

/** Ground to the ends; leaves a pose that the limits allow. */
export function forwardPass(passes: Passes): void {
  const { chains, back } = passes;
  const { bodies, active } = chains;
  for (let n = 0; n < active.length; n++) {
    const k = active[n];
    const o = 12 * k;
    const moves = bodies.types[k].translations > 0 && !(passes.rootStays && chains.isRoot[k] === 1);
    writeRestFrame(bodies, k, rest);
    for (let c = 0; c < 3; c++) target[9 + c] = moves ? back[o + 9 + c] : originOf(bodies, k, c);
    const { turns } = bodies.types[k];
    if (!turns) for (let i = 0; i < 9; i++) target[i] = rest[i];
    if (moves) fitMoving(chains, passes, k, back, o, gatherWanted);
    else {
      gatherWanted(passes, k, target, 9, false);
      if (turns) turnSmallest(back, o, target);
    }
    orientTo(chains, passes.pose, k, false);
  }
}

/** The origin that the parent gives body k, its joint's own move (as it stands) included. */
function originOf({ joints }: Bodies, k: number, c: number): number {
  const o = 12 * k + 9;
  return (
    rest[9 + c] + rest[3 * c] * joints[o] + rest[3 * c + 1] * joints[o + 1] + rest[3 * c + 2] * joints[o + 2]
  );
}

/**
 * B = sum w y x^T to `pairs` over what body k carries: x its place in the body, y from base[o..] to where it is wanted; about
 * the centre of both where the body is free to move.
 */
function gatherWanted(passes: Passes, k: number, base: Numbers, o: number, free: boolean): boolean {
  const { chains, wanted, back } = passes;
  const { bodies, children, childStart, endStart, places, weights, weightBelow } = chains;
  clearPairs(pairs);
  across[0] = across[1] = across[2] = 0;
  let bx = base[o];
  let by = base[o + 1];
  let bz = base[o + 2];
  let cx = 0;
  let cy = 0;
  let cz = 0;
  if (free) {
    meanOf(passes, k);
    bx = mean[0];
    by = mean[1];
    bz = mean[2];
    cx = center[0];
    cy = center[1];
    cz = center[2];
  }
  for (let i = endStart[k]; i < endStart[k + 1]; i++) {
    const n = chains.ends[i];
    const e = 3 * n;
    addWanted(weights[n >> 1], places[e] - cx, places[e + 1] - cy, places[e + 2] - cz, wanted, e, bx, by, bz);
  }
  for (let m = childStart[k]; m < childStart[k + 1]; m++) {
    const c = children[m];
    originIn(bodies, c);
    addWanted(weightBelow[c], place[0] - cx, place[1] - cy, place[2] - cz, back, 12 * c + 9, bx, by, bz);
  }
  return true;
}

/** Weighted means of where what body k carries is wanted, to `mean`, and of its places in the body, to `center`. */
function meanOf({ chains, wanted, back }: Passes, k: number): void {
  const { bodies, children, childStart, endStart, places, weights, weightBelow } = chains;
  let total = 0;
  mean.fill(0);
  center.fill(0);
  for (let i = endStart[k]; i < endStart[k + 1]; i++) {
    const n = chains.ends[i];
    const w = weights[n >> 1];
    total += w;
    for (let c = 0; c < 3; c++) {
      mean[c] += w * wanted[3 * n + c];
      center[c] += w * places[3 * n + c];
    }
  }
  for (let m = childStart[k]; m < childStart[k + 1]; m++) {
    const child = children[m];
    const w = weightBelow[child];
    total += w;
    originIn(bodies, child);
    for (let c = 0; c < 3; c++) {
      mean[c] += w * back[12 * child + 9 + c];
      center[c] += w * place[c];
    }
  }
  if (!(total > 0)) {
    for (let c = 0; c < 3; c++) mean[c] = bodies.frames[12 * k + 9 + c];
    return;
  }
  for (let c = 0; c < 3; c++) {
    mean[c] /= total;
    center[c] /= total;
  }
}

/** Origin of body c in its parent, its joint's own move included, to `place`. */
function originIn({ parentFromRest: m, joints, types }: Bodies, c: number): void {
  const o = 12 * c;
  place[0] = m[o + 9];
  place[1] = m[o + 10];
  place[2] = m[o + 11];
  if (types[c].translations === 0) return;
  for (let r = 0; r < 3; r++) {
    for (let i = 0; i < 3; i++) place[r] += m[o + 3 * r + i] * joints[o + 9 + i];
  }
}

/**
 * Turns `target`, the frame of body k in the backward pass, to where the joints of the bodies that it carries allow, these standing in
 * their backward frames: R_k = R_child J(q)^-1 M^-1, q the allowed coordinates nearest to those that it has; of several the mean.
 */
function holdToChildren({ chains, back, backPose }: Passes, k: number): void {
  const { bodies, children, childStart, constrained, weightBelow } = chains;
  const { parentFromRest: m, joints } = bodies;
  let held = 0;
  let last = 0;
  for (let n = childStart[k]; n < childStart[k + 1]; n++) {
    const c = children[n];
    if (constrained[c] === 0) continue;
    const o = 12 * c;
    // J = (R_k M)^T R_c
    multiplyAt(target, 0, m, o, rest);
    for (let i = 0; i < 9; i++) rotation[i] = back[o + i];
    relativeRotation(rest, rotation, joint);
    const x = joints[o + 9];
    const y = joints[o + 10];
    const z = joints[o + 11];
    joint[9] = x;
    joint[10] = y;
    joint[11] = z;
    readBody(bodies, c, joint, backPose, true);
    // What the joint cannot make or may not: R_k = R_c J^T M^T.
    for (let r = 0; r < 3; r++) {
      for (let i = 0; i < 3; i++) {
        turn[3 * r + i] =
          rotation[3 * r] * joints[o + 3 * i] +
          rotation[3 * r + 1] * joints[o + 3 * i + 1] +
          rotation[3 * r + 2] * joints[o + 3 * i + 2];
      }
    }
    joints[o + 9] = x;
    joints[o + 10] = y;
    joints[o + 11] = z;
    if (held === 0) sum.fill(0);
    held++;
    const w = weightBelow[c];
    last = w;
    for (let r = 0; r < 3; r++) {
      for (let i = 0; i < 3; i++) {
        sum[3 * r + i] +=
          w *
          (turn[3 * r] * m[o + 3 * i] +
            turn[3 * r + 1] * m[o + 3 * i + 1] +
            turn[3 * r + 2] * m[o + 3 * i + 2]);
      }
    }
  }
  if (held === 0) return;
  if (held === 1 && last > 0) {
    for (let i = 0; i < 9; i++) target[i] = sum[i] / last;
    orthonormalizeAt(target, 0);
    return;
  }
  // The rotation nearest to the weighted sum: B = sum R, x in the axes of the bone, so the fit is R itself.
  across[0] = 1;
  across[1] = across[2] = 0;
  if (fitRotation(sum, across, quaternion) === 2) quat.toMatrix(quaternion, target);
}

/** out = a^T b, rotations only. */
function relativeRotation(a: Numbers, b: Numbers, out: Float64Array): void {
  for (let r = 0; r < 3; r++) {
    for (let c = 0; c < 3; c++) out[3 * r + c] = a[r] * b[c] + a[3 + r] * b[3 + c] + a[6 + r] * b[6 + c];
  }
}
