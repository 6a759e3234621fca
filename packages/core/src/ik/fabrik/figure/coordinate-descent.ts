import type { Numbers } from '../../../math/linear/types.js';
import { relativeTo, updateBodyFrame, writeRestFrame } from '../bodies/bodies.js';
import { clearPairs } from '../bodies/fit-rotation.js';
import { orthonormalizeAt } from '../bodies/matrices.js';
import { addDesiredPair, fitFrame, orientBody, rotateMinimally } from './body-rotation.js';
import { type Chains, transformPoint } from './chains.js';
import type { Passes } from './passes.js';

const saved = /* @__PURE__ */ new Float64Array(12);
const position = /* @__PURE__ */ new Float64Array(3);
const joint = /* @__PURE__ */ new Float64Array(12);

/**
 * One round of coordinate descent over the joints, ends first: each joint's rotation, and translation if it has one, is set to the
 * feasible optimum for all ends below it. f never increases, and where no single joint can lower it the pose is stationary. It continues
 * where the passes stagnate. Requires {@link evaluate}.
 */
export function descendCoordinates(passes: Passes): void {
  const { chains } = passes;
  const { bodies, active } = chains;
  const { rest, target } = chains.fit;
  for (let n = 0; n < active.length; n++) {
    const k = active[n];
    // Constrained bodies are defined by their coordinates, the others by their frames.
    if (chains.constrained[k] === 1)
      bodies.types[k].writeTransforms(bodies.batches[k], passes.pose, bodies.joints);
    else {
      writeRestFrame(bodies, k, rest);
      for (let i = 0; i < 12; i++) target[i] = bodies.frames[12 * k + i];
      writeJoint(chains, k);
    }
  }
  for (let n = active.length - 1; n >= 0; n--) optimizeJoint(passes, active[n]);
  for (let n = 0; n < active.length; n++) updateBodyFrame(bodies, active[n]);
}

function optimizeJoint(passes: Passes, k: number): void {
  const { chains, ends } = passes;
  const { bodies, below, endBodies, fit } = chains;
  const { rest, target } = fit;
  const { frames, types } = bodies;
  const o = 12 * k;
  writeRestFrame(bodies, k, rest);
  const translates = types[k].translations > 0 && !(passes.rootFixed && chains.isRoot[k] === 1);
  for (let i = 0; i < 12; i++) {
    saved[i] = frames[o + i];
    target[i] = saved[i];
  }
  if (!gatherEnds(passes, k, saved, 9, translates)) return;
  if (translates) fitFrame(chains, passes, k, saved, 0, gatherEnds);
  else rotateMinimally(fit, saved, 0);
  orientBody(chains, passes.pose, k, true);
  if (chains.constrained[k] === 0) writeJoint(chains, k);
  // The ends move with the body: p' = x' + R' R^T (p - x).
  for (let n = 0; n < endBodies.length; n++) {
    if (below[k * endBodies.length + n] === 0) continue;
    inBody(saved, 0, ends, 3 * n);
    transformPoint(frames, o, position, 0, ends, 3 * n);
  }
}

/** J of body k from its desired frame and its rest frame; without translation for a joint that has none, to drop its rounding. */
function writeJoint({ bodies: { joints, types }, fit }: Chains, k: number): void {
  relativeTo(fit.rest, fit.target, joint);
  orthonormalizeAt(joint, 0);
  const count = types[k].translations > 0 ? 12 : 9;
  for (let i = 0; i < count; i++) joints[12 * k + i] = joint[i];
}

/** position = R^T (p - x) for the frame at m[o..] and the point at p[i..]. */
function inBody(m: Numbers, o: number, p: Numbers, i: number): void {
  const x = p[i] - m[o + 9];
  const y = p[i + 1] - m[o + 10];
  const z = p[i + 2] - m[o + 11];
  for (let c = 0; c < 3; c++) position[c] = m[o + c] * x + m[o + 3 + c] * y + m[o + 6 + c] * z;
}

/**
 * Pairs of the ends below body k and their targets, as `gatherPairs` in the passes; false where no goal depends on the joint. Positions in
 * the body are read with the frame `saved`.
 */
function gatherEnds(passes: Passes, k: number, base: Numbers, b: number, free: boolean): boolean {
  const { chains, ends, targets } = passes;
  const { below, endBodies, effectors, weights, fit } = chains;
  const { pairs, normal, mean, center } = fit;
  clearPairs(pairs);
  normal[0] = normal[1] = normal[2] = 0;
  let total = 0;
  if (free) {
    mean.fill(0);
    center.fill(0);
  }
  for (let round = free ? 0 : 1; round < 2; round++) {
    if (round === 1 && free) {
      if (!(total > 0)) return false;
      for (let c = 0; c < 3; c++) {
        mean[c] /= total;
        center[c] /= total;
      }
    }
    for (let n = 0; n < endBodies.length; n++) {
      const other = n ^ 1;
      const carried = effectors[n >> 1].targetBone >= 0;
      if (below[k * endBodies.length + n] === 0 || below[k * endBodies.length + other] === 1) continue;
      const w = weights[n >> 1];
      if (w === 0) continue;
      const to = carried ? ends : targets;
      const at = carried ? 3 * other : 3 * (n >> 1);
      inBody(saved, 0, ends, 3 * n);
      if (round === 0) {
        for (let c = 0; c < 3; c++) {
          mean[c] += w * to[at + c];
          center[c] += w * position[c];
        }
      } else if (free) {
        const x = position[0] - center[0];
        const y = position[1] - center[1];
        const z = position[2] - center[2];
        addDesiredPair(fit, w, x, y, z, to, at, mean[0], mean[1], mean[2]);
      } else
        addDesiredPair(
          fit,
          w,
          position[0],
          position[1],
          position[2],
          to,
          at,
          base[b],
          base[b + 1],
          base[b + 2],
        );
      if (free === (round === 0)) total += w;
    }
  }
  return total > 0;
}
