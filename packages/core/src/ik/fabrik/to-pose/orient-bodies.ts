import * as quat from '../../../math/geometry/quat.js';
import type { Numbers } from '../../../math/linear/types.js';
import { GROUND, projectFrame, updateBodyFrame, writeRestFrame } from '../bodies/bodies.js';
import { fitJoint } from '../bodies/fit-joint.js';
import { addPair, clearPairs, type FitRank, fitRotation } from '../bodies/fit-rotation.js';
import { hingeAngle, writeHinge } from '../bodies/hinge.js';
import { multiplyAt, twistAbout } from '../bodies/matrices.js';
import { writeExactSwing } from './exact-swing.js';
import { findSharedTwists, leverDirection, rollBody } from './orient-with-roll.js';
import { type OrientationWorkspace, weightOf } from './orientation-workspace.js';
import { PREVIOUS } from './roll.js';

/** Largest number of Newton steps of a joint fit. */
const MAX_STEPS = 40;

const reference = /* @__PURE__ */ new Float64Array(12);
const pairs = /* @__PURE__ */ new Float64Array(9);
const rotation = /* @__PURE__ */ new Float64Array(9);
const quaternion = /* @__PURE__ */ new Float64Array(4);
const fallbackAxis = /* @__PURE__ */ new Float64Array(3);
const base = /* @__PURE__ */ new Float64Array(3);
const center = /* @__PURE__ */ new Float64Array(3);

/** Orients all bodies, parents first; a second time if there is twist to distribute. */
export function orientBodies(
  work: OrientationWorkspace,
  positions: Numbers,
  weights: Numbers | undefined,
  pose: Float64Array,
): void {
  const { bodies, previousPose } = work;
  previousPose.set(pose);
  work.twistSources.fill(GROUND);
  for (let k = 0; k < bodies.count; k++) orientBody(work, k, positions, weights, pose);
  if (!findSharedTwists(work, positions, weights)) return;
  pose.set(previousPose);
  for (let k = 0; k < bodies.count; k++) orientBody(work, k, positions, weights, pose);
}

/** Orients body k by its points; its parent is up to date. */
function orientBody(
  work: OrientationWorkspace,
  k: number,
  positions: Numbers,
  weights: Numbers | undefined,
  pose: Float64Array,
): void {
  const { bodies, pointIndex, rolls, ranks, limited, rest, target } = work;
  const type = bodies.types[k];
  const bone = bodies.bones[k];
  const axis = bodies.hingeAxes[k];
  writeRestFrame(bodies, k, rest);
  const translates = type.translations > 0 && centerPoints(work, k, positions, weights);
  const keep = rolls.kind[bone] === PREVIOUS;
  writeReference(work, k, keep, pose);
  for (let n = 0; n < 12; n++) target[n] = reference[n];
  let rank: FitRank = 0;
  if (axis !== undefined) {
    // Relative to rest, whose axes are those of the hinge.
    for (let n = 0; n < 9; n++) reference[n] = rest[n];
    gatherPairs(work, k, positions, weights, translates);
    const angle = hingeAngle(pairs, axis, work.inWorld ? rest : undefined);
    if (!Number.isNaN(angle)) {
      rank = 2;
      writeHinge(rest, axis, angle, target);
    }
  } else if (type.rotates) {
    gatherPairs(work, k, positions, weights, translates);
    for (let n = 0; n < 3; n++) fallbackAxis[n] = pointIndex.normals[3 * k + n];
    if (work.inWorld) rotateInto(reference, fallbackAxis, fallbackAxis);
    rank = fitRotation(pairs, fallbackAxis, quaternion);
    if (rank > 0) {
      quat.toMatrix(quaternion, rotation);
      // Object coordinates: R = R_reference C. World coordinates: R = W R_reference.
      if (work.inWorld) multiplyAt(rotation, 0, reference, 0, target);
      else multiplyAt(reference, 0, rotation, 0, target);
    }
    if (rank === 1 && type.dof - type.translations === 3) rollBody(work, k, positions, weights);
  }
  if (translates) writeOrigin(work, k, positions, weights);
  ranks[k] = rank;
  limited[k] = projectFrame(bodies, k, target, pose, work.limits) ? 1 : 0;
  if (rank > 0 && axis === undefined && (limited[k] === 1 || type.dof - type.translations < 3)) {
    writeRestPairs(work);
    if (rank === 1) writeExactSwing(bodies, k, pairs, pose);
    fitJoint(bodies, k, pairs, pose, MAX_STEPS);
    updateBodyFrame(bodies, k);
  }
  const end = work.twistSources[k];
  if (end !== GROUND && rank === 1) {
    leverDirection(work, k, positions, weights);
    work.remainingTwist[end] -= twistAbout(bodies.joints, 12 * k, work.direction);
    work.remainingJoints[end]--;
  }
}

/** The reference frame of the smallest rotation: rest, or the previous pose. */
function writeReference(
  { bodies, previousPose, rest }: OrientationWorkspace,
  k: number,
  keep: boolean,
  pose: Float64Array,
): void {
  if (!keep) {
    for (let n = 0; n < 12; n++) reference[n] = rest[n];
    return;
  }
  bodies.types[k].writeTransforms(
    bodies.batches[k],
    previousPose === pose ? pose : previousPose,
    bodies.joints,
  );
  multiplyAt(rest, 0, bodies.joints, 12 * k, reference);
  const o = 12 * k + 9;
  for (let r = 0; r < 3; r++) {
    reference[9 + r] = rest[9 + r];
    for (let c = 0; c < 3; c++) reference[9 + r] += rest[3 * r + c] * bodies.joints[o + c];
  }
}

/** Converts `pairs` to y in rest axes and x in body axes: from object coordinates (y in the reference) or from world coordinates. */
function writeRestPairs({ inWorld, rest }: OrientationWorkspace): void {
  // Object: y_rest = rest^T R_reference y. World: y_rest = rest^T y, x = R_reference^T x_world.
  if (inWorld) multiplyAt(pairs, 0, reference, 0, rotation);
  else multiplyAt(reference, 0, pairs, 0, rotation);
  for (let r = 0; r < 3; r++) {
    for (let c = 0; c < 3; c++) {
      pairs[3 * r + c] =
        rest[r] * rotation[c] + rest[3 + r] * rotation[3 + c] + rest[6 + r] * rotation[6 + c];
    }
  }
}

/** Weighted means of the points of a translating body, to `base` (world), and of their positions in it, to `center`. */
function centerPoints(
  { pointIndex }: OrientationWorkspace,
  k: number,
  positions: Numbers,
  weights: Numbers | undefined,
): boolean {
  let sum = 0;
  base.fill(0);
  center.fill(0);
  for (let n = pointIndex.translationStart[k]; n < pointIndex.translationStart[k + 1]; n++) {
    const p = pointIndex.translationPoints[n];
    const w = weightOf(positions, weights, p);
    if (w === 0) continue;
    sum += w;
    for (let c = 0; c < 3; c++) {
      base[c] += w * positions[3 * p + c];
      center[c] += w * pointIndex.offsets[3 * p + c];
    }
  }
  if (!(sum > 0)) return false;
  for (let c = 0; c < 3; c++) {
    base[c] /= sum;
    center[c] /= sum;
  }
  return true;
}

/** B = sum w y x^T over the points of body k: x in body axes (or rotated to world), y in the axes of the reference (or in world). */
function gatherPairs(
  work: OrientationWorkspace,
  k: number,
  positions: Numbers,
  weights: Numbers | undefined,
  translates: boolean,
): void {
  const { pointIndex, inWorld, directions, bodies } = work;
  clearPairs(pairs);
  // A body that translates and rotates is fitted about the centroid; otherwise a point at its origin is the base.
  const free = translates && bodies.types[k].translations === 3;
  if (!free) {
    const origin = pointIndex.origins[k];
    const given = directions && origin >= 0 && weightOf(positions, weights, origin) > 0;
    for (let c = 0; c < 3; c++) base[c] = given ? positions[3 * origin + c] : reference[9 + c];
  }
  for (let n = pointIndex.rotationStart[k]; n < pointIndex.rotationStart[k + 1]; n++) {
    const p = pointIndex.rotationPoints[n];
    let w = weightOf(positions, weights, p);
    if (w === 0) continue;
    let x0 = pointIndex.levers[3 * p];
    let x1 = pointIndex.levers[3 * p + 1];
    let x2 = pointIndex.levers[3 * p + 2];
    if (free) {
      x0 -= center[0];
      x1 -= center[1];
      x2 -= center[2];
    }
    let y0 = positions[3 * p] - base[0];
    let y1 = positions[3 * p + 1] - base[1];
    let y2 = positions[3 * p + 2] - base[2];
    if (directions) {
      const size = Math.sqrt((x0 * x0 + x1 * x1 + x2 * x2) * (y0 * y0 + y1 * y1 + y2 * y2));
      if (size > 0) w /= size;
    }
    const r = reference;
    if (inWorld) {
      const z0 = r[0] * x0 + r[1] * x1 + r[2] * x2;
      const z1 = r[3] * x0 + r[4] * x1 + r[5] * x2;
      x2 = r[6] * x0 + r[7] * x1 + r[8] * x2;
      x0 = z0;
      x1 = z1;
    } else {
      const z0 = r[0] * y0 + r[3] * y1 + r[6] * y2;
      const z1 = r[1] * y0 + r[4] * y1 + r[7] * y2;
      y2 = r[2] * y0 + r[5] * y1 + r[8] * y2;
      y0 = z0;
      y1 = z1;
    }
    addPair(pairs, w, x0, x1, x2, y0, y1, y2);
  }
}

/** x = y_mean - R x_mean, for a body whose joint translates. */
function writeOrigin(
  work: OrientationWorkspace,
  k: number,
  positions: Numbers,
  weights: Numbers | undefined,
): void {
  const { target } = work;
  centerPoints(work, k, positions, weights);
  for (let r = 0; r < 3; r++) {
    target[9 + r] = base[r];
    for (let c = 0; c < 3; c++) target[9 + r] -= target[3 * r + c] * center[c];
  }
}

function rotateInto(m: Float64Array, v: Float64Array, out: Float64Array): void {
  const x = v[0];
  const y = v[1];
  const z = v[2];
  for (let r = 0; r < 3; r++) out[r] = m[3 * r] * x + m[3 * r + 1] * y + m[3 * r + 2] * z;
}
