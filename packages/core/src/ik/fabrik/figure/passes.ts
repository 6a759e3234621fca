import * as quat from '../../../math/geometry/quat.js';
import type { Numbers } from '../../../math/linear/types.js';
import { type Bodies, projectJointTransform, writeRestFrame } from '../bodies/bodies.js';
import { clearPairs, fitRotation } from '../bodies/fit-rotation.js';
import { multiplyAt, multiplyTransposedAt, orthonormalizeAt } from '../bodies/matrices.js';
import { addDesiredPair, fitFrame, orientBody, rotateMinimally } from './body-rotation.js';
import { type Chains, transformPoint } from './chains.js';

/**
 * FABRIK on rigid bodies with frames. The origin of a body's joint is a point fixed in its parent, up to the joint's translation.
 *
 * Backward pass (ends to ground): a body is rotated about its current origin so that the points on it (ends, origins of child bodies)
 * best point at their desired positions; then constrained by the joint limits of its children; then translated to fit those positions,
 * their weighted centroid if several. Its origin becomes the desired position for its parent.
 *
 * Forward pass (ground to ends): a body takes its origin from its parent and the smallest rotation from its backward frame that points at
 * the desired positions; its joint rotation is computed relative to rest, projected onto its joint limits, and applied. Every forward pass
 * therefore ends at a feasible pose.
 */
export interface Passes {
  readonly chains: Chains;
  /** Desired position of each end, in the basis, 3 numbers each. */
  readonly desired: Float64Array;
  /** Current position of each end. */
  readonly ends: Float64Array;
  /** Frames of the backward pass. */
  readonly backwardFrames: Float64Array;
  /** Joint coordinates of the forward and of the backward pass; not updated for unconstrained joints. */
  readonly pose: Float64Array;
  readonly backwardPose: Float64Array;
  /** Distance of each goal, m. */
  readonly distances: Float64Array;
  /** World targets, in the basis. */
  readonly targets: Float64Array;
  /** Whether the root's translation is locked. */
  readonly rootFixed: boolean;
  /** Whether it is locked in the current pass. */
  rootLocked: boolean;
}

export function createPasses(chains: Chains, rootFixed: boolean): Passes {
  const { bodies, endBodies, effectors } = chains;
  return {
    chains,
    desired: new Float64Array(3 * endBodies.length),
    ends: new Float64Array(3 * endBodies.length),
    backwardFrames: new Float64Array(12 * bodies.count),
    pose: new Float64Array(bodies.figure.dof),
    backwardPose: new Float64Array(bodies.figure.dof),
    distances: new Float64Array(effectors.length),
    targets: new Float64Array(3 * effectors.length),
    rootFixed,
    rootLocked: rootFixed,
  };
}

const sum = /* @__PURE__ */ new Float64Array(9);
const rotation = /* @__PURE__ */ new Float64Array(9);
const rotated = /* @__PURE__ */ new Float64Array(9);
const quaternion = /* @__PURE__ */ new Float64Array(4);
const position = /* @__PURE__ */ new Float64Array(3);
const joint = /* @__PURE__ */ new Float64Array(12);

/** Updates ends, desired positions and distances from the bodies' frames. @returns f = 1/2 sum of weight distance^2. */
export function evaluate({ chains, ends, desired, distances, targets }: Passes): number {
  const { bodies, endBodies, effectors, localEnds, weights } = chains;
  for (let n = 0; n < endBodies.length; n++) {
    const k = endBodies[n];
    if (k >= 0) transformPoint(bodies.frames, 12 * k, localEnds, 3 * n, ends, 3 * n);
    else transformPoint(bodies.ground, 0, localEnds, 3 * n, ends, 3 * n);
  }
  let f = 0;
  for (let e = 0; e < effectors.length; e++) {
    const { targetBone, body, targetBody } = effectors[e];
    const o = 6 * e;
    let square = 0;
    for (let c = 0; c < 3; c++) {
      const goal = targetBone >= 0 ? ends[o + 3 + c] : targets[3 * e + c];
      square += (ends[o + c] - goal) ** 2;
      if (targetBone < 0) desired[o + c] = goal;
      else {
        // A loop closes halfway between its ends, or at the end that cannot move.
        const meetingPoint = body < 0 ? ends[o + c] : targetBody < 0 ? goal : 0.5 * (ends[o + c] + goal);
        desired[o + c] = meetingPoint;
        desired[o + 3 + c] = meetingPoint;
      }
    }
    distances[e] = Math.sqrt(square);
    f += 0.5 * weights[e] * square;
  }
  return f;
}

/** Backward pass, ends to ground. Requires {@link evaluate}. */
export function backwardPass(passes: Passes): void {
  const { chains, backwardFrames, backwardPose, pose } = passes;
  const { bodies, active, fit } = chains;
  const { target, mean, center } = fit;
  for (let i = 0; i < pose.length; i++) backwardPose[i] = pose[i];
  for (let n = active.length - 1; n >= 0; n--) {
    const k = active[n];
    const o = 12 * k;
    gatherPairs(passes, k, bodies.frames, o + 9, false);
    rotateMinimally(fit, bodies.frames, o);
    constrainToChildren(passes, k);
    for (let i = 0; i < 9; i++) backwardFrames[o + i] = target[i];
    // x = mean of (desired - R position)
    computeMeans(passes, k);
    for (let r = 0; r < 3; r++) {
      let x = mean[r];
      for (let c = 0; c < 3; c++) x -= target[3 * r + c] * center[c];
      backwardFrames[o + 9 + r] = x;
    }
  }
}

/** Forward pass, ground to ends; ends at a feasible pose. */
export function forwardPass(passes: Passes): void {
  const { chains, backwardFrames } = passes;
  const { bodies, active, fit } = chains;
  const { rest, target } = fit;
  for (let n = 0; n < active.length; n++) {
    const k = active[n];
    const o = 12 * k;
    const translates = bodies.types[k].translations > 0 && !(passes.rootLocked && chains.isRoot[k] === 1);
    writeRestFrame(bodies, k, rest);
    for (let c = 0; c < 3; c++)
      target[9 + c] = translates ? backwardFrames[o + 9 + c] : originOf(bodies, rest, k, c);
    const { rotates } = bodies.types[k];
    if (!rotates) for (let i = 0; i < 9; i++) target[i] = rest[i];
    if (translates) fitFrame(chains, passes, k, backwardFrames, o, gatherPairs);
    else {
      gatherPairs(passes, k, target, 9, false);
      if (rotates) rotateMinimally(fit, backwardFrames, o);
    }
    orientBody(chains, passes.pose, k, false);
  }
}

/** Origin of body k by its parent and its joint's current translation. */
function originOf({ joints }: Bodies, rest: Numbers, k: number, c: number): number {
  const o = 12 * k + 9;
  return (
    rest[9 + c] + rest[3 * c] * joints[o] + rest[3 * c + 1] * joints[o + 1] + rest[3 * c + 2] * joints[o + 2]
  );
}

/**
 * B = sum w y x^T to `pairs` over the points of body k: x the position in the body, y from base[o..] to the desired position; about the
 * centroids of both where the body can translate.
 */
function gatherPairs(passes: Passes, k: number, base: Numbers, o: number, free: boolean): boolean {
  const { chains, desired, backwardFrames } = passes;
  const { bodies, children, childStart, endStart, localEnds, weights, weightBelow, fit } = chains;
  const { pairs, normal, mean, center } = fit;
  clearPairs(pairs);
  normal[0] = normal[1] = normal[2] = 0;
  let bx = base[o];
  let by = base[o + 1];
  let bz = base[o + 2];
  let cx = 0;
  let cy = 0;
  let cz = 0;
  if (free) {
    computeMeans(passes, k);
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
    addDesiredPair(
      fit,
      weights[n >> 1],
      localEnds[e] - cx,
      localEnds[e + 1] - cy,
      localEnds[e + 2] - cz,
      desired,
      e,
      bx,
      by,
      bz,
    );
  }
  for (let m = childStart[k]; m < childStart[k + 1]; m++) {
    const c = children[m];
    originIn(bodies, c);
    addDesiredPair(
      fit,
      weightBelow[c],
      position[0] - cx,
      position[1] - cy,
      position[2] - cz,
      backwardFrames,
      12 * c + 9,
      bx,
      by,
      bz,
    );
  }
  return true;
}

/** Weighted means of the desired positions of body k's points, to `mean`, and of their positions in the body, to `center`. */
function computeMeans({ chains, desired, backwardFrames }: Passes, k: number): void {
  const { bodies, children, childStart, endStart, localEnds, weights, weightBelow } = chains;
  const { mean, center } = chains.fit;
  let total = 0;
  for (let c = 0; c < 3; c++) mean[c] = center[c] = 0;
  for (let i = endStart[k]; i < endStart[k + 1]; i++) {
    const n = chains.ends[i];
    const w = weights[n >> 1];
    total += w;
    for (let c = 0; c < 3; c++) {
      mean[c] += w * desired[3 * n + c];
      center[c] += w * localEnds[3 * n + c];
    }
  }
  for (let m = childStart[k]; m < childStart[k + 1]; m++) {
    const child = children[m];
    const w = weightBelow[child];
    total += w;
    originIn(bodies, child);
    for (let c = 0; c < 3; c++) {
      mean[c] += w * backwardFrames[12 * child + 9 + c];
      center[c] += w * position[c];
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

/** Origin of body c in its parent, with its joint's translation, to `position`. */
function originIn({ parentFromRest: m, joints, types }: Bodies, c: number): void {
  const o = 12 * c;
  position[0] = m[o + 9];
  position[1] = m[o + 10];
  position[2] = m[o + 11];
  if (types[c].translations === 0) return;
  for (let r = 0; r < 3; r++) {
    for (let i = 0; i < 3; i++) position[r] += m[o + 3 * r + i] * joints[o + 9 + i];
  }
}

/**
 * Rotates `target`, the backward frame of body k, to satisfy the limits of its children's joints for the children's backward frames:
 * R_k = R_child T(q)^-1 M^-1, q the feasible coordinates nearest to the current ones; the weighted mean over several children.
 */
function constrainToChildren({ chains, backwardFrames, backwardPose }: Passes, k: number): void {
  const { bodies, children, childStart, constrained, weightBelow } = chains;
  const { parentFromRest: m, joints } = bodies;
  const { rest, target, normal } = chains.fit;
  let count = 0;
  let weight = 0;
  for (let n = childStart[k]; n < childStart[k + 1]; n++) {
    const c = children[n];
    if (constrained[c] === 0) continue;
    const o = 12 * c;
    // J = (R_k M)^T R_c
    multiplyAt(target, 0, m, o, rest);
    for (let i = 0; i < 9; i++) rotation[i] = backwardFrames[o + i];
    multiplyTransposedAt(rest, 0, rotation, 0, joint);
    const x = joints[o + 9];
    const y = joints[o + 10];
    const z = joints[o + 11];
    joint[9] = x;
    joint[10] = y;
    joint[11] = z;
    projectJointTransform(bodies, c, joint, backwardPose, true);
    // Remainder that the joint cannot represent or its limits forbid: R_k = R_c J^T M^T.
    for (let r = 0; r < 3; r++) {
      for (let i = 0; i < 3; i++) {
        rotated[3 * r + i] =
          rotation[3 * r] * joints[o + 3 * i] +
          rotation[3 * r + 1] * joints[o + 3 * i + 1] +
          rotation[3 * r + 2] * joints[o + 3 * i + 2];
      }
    }
    joints[o + 9] = x;
    joints[o + 10] = y;
    joints[o + 11] = z;
    if (count === 0) sum.fill(0);
    count++;
    const w = weightBelow[c];
    weight = w;
    for (let r = 0; r < 3; r++) {
      for (let i = 0; i < 3; i++) {
        sum[3 * r + i] +=
          w *
          (rotated[3 * r] * m[o + 3 * i] +
            rotated[3 * r + 1] * m[o + 3 * i + 1] +
            rotated[3 * r + 2] * m[o + 3 * i + 2]);
      }
    }
  }
  if (count === 0) return;
  if (count === 1 && weight > 0) {
    for (let i = 0; i < 9; i++) target[i] = sum[i] / weight;
    orthonormalizeAt(target, 0);
    return;
  }
  // The rotation nearest to the weighted sum: B = sum R, x in the axes of the bone, so the fit is R itself.
  normal[0] = 1;
  normal[1] = normal[2] = 0;
  if (fitRotation(sum, normal, quaternion) === 2) quat.toMatrix(quaternion, target);
}
