import type { Numbers } from '../../../math/linear/types.js';
import { type Bodies, placeBody, relativeTo, writeRestFrame } from '../bodies/bodies.js';
import { clearPairs } from '../bodies/fit-rotation.js';
import { orthonormalizeAt } from '../bodies/matrices.js';
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
import { carry } from './chains.js';
import type { Passes } from './passes.js';

const kept = /* @__PURE__ */ new Float64Array(12);
const place = /* @__PURE__ */ new Float64Array(3);
const joint = /* @__PURE__ */ new Float64Array(12);

/**
 * One sweep over the joints, ends first: each is turned, and moved where it moves, to where all ends below it are nearest to their
 * targets, within its limits. f never rises, and where no joint alone can lower it the pose is stationary. It leads on where
 * the passes stick. Needs {@link measure}.
 */
export function sweepJoints(passes: Passes): void {
  const { chains } = passes;
  const { bodies, active } = chains;
  for (let n = 0; n < active.length; n++) {
    const k = active[n];
    // Coordinates are the truth of constrained bodies, frames that of the others.
    if (chains.constrained[k] === 1)
      bodies.types[k].writeTransforms(bodies.batches[k], passes.pose, bodies.joints);
    else {
      writeRestFrame(bodies, k, rest);
      for (let i = 0; i < 12; i++) target[i] = bodies.frames[12 * k + i];
      writeJoint(bodies, k);
    }
  }
  for (let n = active.length - 1; n >= 0; n--) sweepJoint(passes, active[n]);
  for (let n = 0; n < active.length; n++) placeBody(bodies, active[n]);
}

function sweepJoint(passes: Passes, k: number): void {
  const { chains, ends } = passes;
  const { bodies, below, endBodies } = chains;
  const { frames, types } = bodies;
  const o = 12 * k;
  writeRestFrame(bodies, k, rest);
  const translates = types[k].translations > 0 && !(passes.rootFixed && chains.isRoot[k] === 1);
  for (let i = 0; i < 12; i++) {
    kept[i] = frames[o + i];
    target[i] = kept[i];
  }
  if (!gatherEnds(passes, k, kept, 9, translates)) return;
  if (translates) fitMoving(chains, passes, k, kept, 0, gatherEnds);
  else turnSmallest(kept, 0, target);
  orientTo(chains, passes.pose, k, true);
  if (chains.constrained[k] === 0) writeJoint(bodies, k);
  // The ends ride along: p' = x' + R' R^T (p - x).
  for (let n = 0; n < endBodies.length; n++) {
    if (below[k * endBodies.length + n] === 0) continue;
    inBody(kept, 0, ends, 3 * n);
    carry(frames, o, place, 0, ends, 3 * n);
  }
}

/** J of body k, whose frame is `target` and whose rest frame is `rest`; of a joint that does not move without the rounding of a move. */
function writeJoint({ joints, types }: Bodies, k: number): void {
  relativeTo(rest, target, joint);
  orthonormalizeAt(joint, 0);
  const count = types[k].translations > 0 ? 12 : 9;
  for (let i = 0; i < count; i++) joints[12 * k + i] = joint[i];
}

/** place = R^T (p - x) of the frame at m[o..] and the point at p[i..]. */
function inBody(m: Numbers, o: number, p: Numbers, i: number): void {
  const x = p[i] - m[o + 9];
  const y = p[i + 1] - m[o + 10];
  const z = p[i + 2] - m[o + 11];
  for (let c = 0; c < 3; c++) place[c] = m[o + c] * x + m[o + 3 + c] * y + m[o + 6 + c] * z;
}

/**
 * Pairs of the ends below body k and what they are to meet, as `gatherWanted` in the passes; false where nothing below feels
 * the joint. Places in the body are read where `kept` has it.
 */
function gatherEnds(passes: Passes, k: number, base: Numbers, b: number, free: boolean): boolean {
  const { chains, ends, targets } = passes;
  const { below, endBodies, effectors, weights } = chains;
  clearPairs(pairs);
  across[0] = across[1] = across[2] = 0;
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
      inBody(kept, 0, ends, 3 * n);
      if (round === 0) {
        for (let c = 0; c < 3; c++) {
          mean[c] += w * to[at + c];
          center[c] += w * place[c];
        }
      } else if (free) {
        const x = place[0] - center[0];
        const y = place[1] - center[1];
        const z = place[2] - center[2];
        addWanted(w, x, y, z, to, at, mean[0], mean[1], mean[2]);
      } else addWanted(w, place[0], place[1], place[2], to, at, base[b], base[b + 1], base[b + 2]);
      if (free === (round === 0)) total += w;
    }
  }
  return total > 0;
}
