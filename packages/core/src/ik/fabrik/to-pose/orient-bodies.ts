import * as quat from '../../../math/geometry/quat.js';
import type { Numbers } from '../../../math/linear/types.js';
import { GROUND, placeBody, settleBody, writeRestFrame } from '../bodies/bodies.js';
import { refineBody } from '../bodies/fit-joint.js';
import { addPair, clearPairs, type FitRank, fitRotation } from '../bodies/fit-rotation.js';
import { hingeAngle, writeHinge } from '../bodies/hinge.js';
import { multiplyAt, twistAbout } from '../bodies/matrices.js';
import { findSpreads, leverDirection, rollBody } from './orient-with-roll.js';
import { direction, type Orienting, rest, target, weightOf } from './orientation-workspace.js';
import { PREVIOUS } from './roll.js';

/** Steps at most to the best allowed turn of one joint. */
const REFINEMENTS = 40;

const reference = /* @__PURE__ */ new Float64Array(12);
const pairs = /* @__PURE__ */ new Float64Array(9);
const turn = /* @__PURE__ */ new Float64Array(9);
const quaternion = /* @__PURE__ */ new Float64Array(4);
const across = /* @__PURE__ */ new Float64Array(3);
const base = /* @__PURE__ */ new Float64Array(3);
const center = /* @__PURE__ */ new Float64Array(3);

/** Orients all bodies, parents first; a second time where twist is to be spread, once it is known how much. */
export function orientBodies(
  work: Orienting,
  positions: Numbers,
  weights: Numbers | undefined,
  pose: Float64Array,
): void {
  const { bodies, before } = work;
  before.set(pose);
  work.spreadEnds.fill(GROUND);
  for (let k = 0; k < bodies.count; k++) orientBody(work, k, positions, weights, pose);
  if (!findSpreads(work, positions, weights)) return;
  pose.set(before);
  for (let k = 0; k < bodies.count; k++) orientBody(work, k, positions, weights, pose);
}

/** Orients body k by its points, its parent standing already. */
function orientBody(
  work: Orienting,
  k: number,
  positions: Numbers,
  weights: Numbers | undefined,
  pose: Float64Array,
): void {
  const { bodies, table, rolls, ranks, limited } = work;
  const type = bodies.types[k];
  const bone = bodies.bones[k];
  const axis = bodies.hingeAxes[k];
  writeRestFrame(bodies, k, rest);
  const moves = type.translations > 0 && centerPoints(work, k, positions, weights);
  const keep = rolls.kind[bone] === PREVIOUS;
  writeReference(work, k, keep, pose);
  for (let n = 0; n < 12; n++) target[n] = reference[n];
  let rank: FitRank = 0;
  if (axis !== undefined) {
    // Against rest, whose axes are those of the hinge.
    for (let n = 0; n < 9; n++) reference[n] = rest[n];
    gatherPairs(work, k, positions, weights, moves);
    const angle = hingeAngle(pairs, axis, work.inWorld ? rest : undefined);
    if (!Number.isNaN(angle)) {
      rank = 2;
      writeHinge(rest, axis, angle, target);
    }
  } else if (type.turns) {
    gatherPairs(work, k, positions, weights, moves);
    for (let n = 0; n < 3; n++) across[n] = table.across[3 * k + n];
    if (work.inWorld) rotateInto(reference, across, across);
    rank = fitRotation(pairs, across, quaternion);
    if (rank > 0) {
      quat.toMatrix(quaternion, turn);
      // Object coordinates: R = R_reference C. World coordinates: R = W R_reference.
      if (work.inWorld) multiplyAt(turn, 0, reference, 0, target);
      else multiplyAt(reference, 0, turn, 0, target);
    }
    if (rank === 1 && type.dof - type.translations === 3) rollBody(work, k, positions, weights);
  }
  if (moves) placeOrigin(work, k, positions, weights);
  ranks[k] = rank;
  limited[k] = settleBody(bodies, k, target, pose, work.limits) ? 1 : 0;
  if (rank > 0 && axis === undefined && (limited[k] === 1 || type.dof - type.translations < 3)) {
    writeRestPairs(work.inWorld);
    refineBody(bodies, k, pairs, pose, REFINEMENTS);
    placeBody(bodies, k);
  }
  const end = work.spreadEnds[k];
  if (end !== GROUND && rank === 1) {
    leverDirection(table, k, positions, weights);
    work.twistLeft[end] -= twistAbout(bodies.joints, 12 * k, direction);
    work.jointsLeft[end]--;
  }
}

/** The frame that the smallest rotation starts from: at rest, or where the pose before has it. */
function writeReference({ bodies, before }: Orienting, k: number, keep: boolean, pose: Float64Array): void {
  if (!keep) {
    for (let n = 0; n < 12; n++) reference[n] = rest[n];
    return;
  }
  bodies.types[k].writeTransforms(bodies.batches[k], before === pose ? pose : before, bodies.joints);
  multiplyAt(rest, 0, bodies.joints, 12 * k, reference);
  const o = 12 * k + 9;
  for (let r = 0; r < 3; r++) {
    reference[9 + r] = rest[9 + r];
    for (let c = 0; c < 3; c++) reference[9 + r] += rest[3 * r + c] * bodies.joints[o + c];
  }
}

/** Brings `pairs` to y in rest axes and x in the body's own: from object coordinates (y in the reference) or from world. */
function writeRestPairs(inWorld: boolean): void {
  // Object: y_rest = rest^T R_reference y. World: y_rest = rest^T y, x = R_reference^T x_world.
  if (inWorld) multiplyAt(pairs, 0, reference, 0, turn);
  else multiplyAt(reference, 0, pairs, 0, turn);
  for (let r = 0; r < 3; r++) {
    for (let c = 0; c < 3; c++) {
      pairs[3 * r + c] = rest[r] * turn[c] + rest[3 + r] * turn[3 + c] + rest[6 + r] * turn[6 + c];
    }
  }
}

/** Weighted means of the points of a body that moves, to `base` (world), and of their places in it, to `center`. */
function centerPoints(
  { table }: Orienting,
  k: number,
  positions: Numbers,
  weights: Numbers | undefined,
): boolean {
  let sum = 0;
  base.fill(0);
  center.fill(0);
  for (let n = table.movingStart[k]; n < table.movingStart[k + 1]; n++) {
    const p = table.moving[n];
    const w = weightOf(positions, weights, p);
    if (w === 0) continue;
    sum += w;
    for (let c = 0; c < 3; c++) {
      base[c] += w * positions[3 * p + c];
      center[c] += w * table.offsets[3 * p + c];
    }
  }
  if (!(sum > 0)) return false;
  for (let c = 0; c < 3; c++) {
    base[c] /= sum;
    center[c] /= sum;
  }
  return true;
}

/** B = sum w y x^T over the points of body k: x in its own axes (or turned to world), y in those of the reference (or in world). */
function gatherPairs(
  work: Orienting,
  k: number,
  positions: Numbers,
  weights: Numbers | undefined,
  moves: boolean,
): void {
  const { table, inWorld, directions, bodies } = work;
  clearPairs(pairs);
  // A body that moves and turns is fitted about its centre; a point on the origin of one that cannot be is its base.
  const free = moves && bodies.types[k].translations === 3;
  if (!free) {
    const origin = table.origins[k];
    const given = directions && origin >= 0 && weightOf(positions, weights, origin) > 0;
    for (let c = 0; c < 3; c++) base[c] = given ? positions[3 * origin + c] : reference[9 + c];
  }
  for (let n = table.turningStart[k]; n < table.turningStart[k + 1]; n++) {
    const p = table.turning[n];
    let w = weightOf(positions, weights, p);
    if (w === 0) continue;
    let x0 = table.levers[3 * p];
    let x1 = table.levers[3 * p + 1];
    let x2 = table.levers[3 * p + 2];
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

/** x = y_mean - R x_mean, for a body whose joint moves. */
function placeOrigin(work: Orienting, k: number, positions: Numbers, weights: Numbers | undefined): void {
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
