import type { Numbers } from '../../../math/linear/types.js';
import { GROUND } from '../bodies/bodies.js';
import { addPair, clearPairs } from '../bodies/fit-rotation.js';
import { hingeAngle, rollForHinge } from '../bodies/hinge.js';
import { multiplyAt, rotateAbout, twistAbout } from '../bodies/matrices.js';
import { type OrientationWorkspace, weightOf } from './orientation-workspace.js';
import { POLE, SPREAD } from './roll.js';

const rotation = /* @__PURE__ */ new Float64Array(9);
const product = /* @__PURE__ */ new Float64Array(9);
const pole = /* @__PURE__ */ new Float64Array(3);
const position = /* @__PURE__ */ new Float64Array(3);

/**
 * Finds the twists to distribute: of each body of determined rotation below bones of rank 1 with roll `spread`, its twist relative to rest
 * about the bone is shared by its joint and the joints of those bones.
 */
export function findSharedTwists(
  work: OrientationWorkspace,
  positions: Numbers,
  weights: Numbers | undefined,
): boolean {
  const { bodies, rolls, ranks, twistSources, remainingTwist, remainingJoints } = work;
  const { count, parents, bones, parentFromRest, joints, types } = bodies;
  let found = false;
  for (let e = 0; e < count; e++) {
    if (ranks[e] !== 2 || !types[e].rotates) continue;
    let jointCount = 1;
    let k = parents[e];
    const first = k;
    while (k !== GROUND && ranks[k] === 1 && rolls.kind[bones[k]] === SPREAD && twistSources[k] === GROUND) {
      twistSources[k] = e;
      jointCount++;
      k = parents[k];
    }
    if (jointCount === 1) continue;
    found = true;
    // Q = M J M^T rotates the child in its parent's axes, M the rest rotation; its twist about the parent's direction.
    leverDirection(work, first, positions, weights);
    multiplyAt(parentFromRest, 12 * e, joints, 12 * e, product);
    for (let r = 0; r < 3; r++) {
      for (let c = 0; c < 3; c++) {
        let sum = 0;
        for (let n = 0; n < 3; n++) sum += product[3 * r + n] * parentFromRest[12 * e + 3 * c + n];
        rotation[3 * r + c] = sum;
      }
    }
    remainingTwist[e] = twistAbout(rotation, 0, work.direction);
    remainingJoints[e] = jointCount;
  }
  return found;
}

/** Rotates `target` about the bone's direction by its roll policy, or as a hinge below requires. */
export function rollBody(
  work: OrientationWorkspace,
  k: number,
  positions: Numbers,
  weights: Numbers | undefined,
): void {
  const { bodies, rolls, twistSources, remainingTwist, remainingJoints, target, direction } = work;
  const bone = bodies.bones[k];
  leverDirection(work, k, positions, weights);
  let angle = 0;
  if (rolls.kind[bone] === SPREAD && twistSources[k] !== GROUND) {
    angle = remainingTwist[twistSources[k]] / remainingJoints[twistSources[k]];
  } else if (rolls.kind[bone] === POLE) {
    angle = rollForPole(work, rolls.poles[bone] as Numbers, rolls.axes, 3 * bone);
  }
  if (angle !== 0) rotateAbout(target, direction, angle);
  if (rolls.kind[bone] === POLE) return;
  for (let n = work.hingeStart[k]; n < work.hingeStart[k + 1]; n++) {
    if (rollToHinge(work, work.hinges[n], positions, weights)) return;
  }
}

/** Rotates `target` about `direction` so that a hinge below can reach its first known point; false where none determines a roll. */
function rollToHinge(
  work: OrientationWorkspace,
  hinge: number,
  positions: Numbers,
  weights: Numbers | undefined,
): boolean {
  const { bodies, pointIndex, directions, rest, target, direction } = work;
  for (let n = pointIndex.rotationStart[hinge]; n < pointIndex.rotationStart[hinge + 1]; n++) {
    const p = pointIndex.rotationPoints[n];
    if (weightOf(positions, weights, p) === 0) continue;
    if (directions) positionFromHinge(work, hinge, p, positions, weights);
    else for (let c = 0; c < 3; c++) position[c] = positions[3 * p + c] - rest[9 + c];
    const roll = rollForHinge(
      bodies,
      hinge,
      target,
      position,
      directions,
      direction,
      pointIndex.levers,
      3 * p,
    );
    if (Number.isNaN(roll)) continue;
    if (roll !== 0) rotateAbout(target, direction, roll);
    return true;
  }
  return false;
}

/**
 * `position` = the vector from a hinge to its point, scaled to the lever's length on the figure. With `directions` only its direction
 * matters, taken from the point given for the hinge's origin, as in the hinge's own fit.
 */
function positionFromHinge(
  { bodies, pointIndex, rest, target }: OrientationWorkspace,
  hinge: number,
  p: number,
  positions: Numbers,
  weights: Numbers | undefined,
): void {
  const origin = pointIndex.origins[hinge];
  const given = origin >= 0 && weightOf(positions, weights, origin) > 0;
  const m = bodies.parentFromRest;
  const o = 12 * hinge + 9;
  let size = 0;
  let length = 0;
  for (let r = 0; r < 3; r++) {
    const from = given
      ? positions[3 * origin + r]
      : rest[9 + r] + target[3 * r] * m[o] + target[3 * r + 1] * m[o + 1] + target[3 * r + 2] * m[o + 2];
    position[r] = positions[3 * p + r] - from;
    size += position[r] * position[r];
    length += pointIndex.levers[3 * p + r] ** 2;
  }
  const scale = size > 0 ? Math.sqrt(length / size) : 1;
  for (let r = 0; r < 3; r++) position[r] *= scale;
}

/** The angle about `direction` that rotates the axis at axes[o] nearest to the pole, both projected along the direction. */
function rollForPole(
  { rest, target, direction }: OrientationWorkspace,
  at: Numbers,
  axes: Numbers,
  o: number,
): number {
  for (let c = 0; c < 3; c++) {
    // p = R^T (pole - x)
    pole[c] = 0;
    for (let r = 0; r < 3; r++) pole[c] += target[3 * r + c] * (at[r] - rest[9 + r]);
  }
  clearPairs(rotation);
  addPair(rotation, 1, axes[o], axes[o + 1], axes[o + 2], pole[0], pole[1], pole[2]);
  const angle = hingeAngle(rotation, direction, undefined);
  // An axis or a pole on the line itself determines no roll.
  return Number.isNaN(angle) ? 0 : angle;
}

/** Unit direction of the first known nonzero lever of body k, body frame, to `direction`. */
export function leverDirection(
  { pointIndex: table, direction }: OrientationWorkspace,
  k: number,
  positions: Numbers,
  weights: Numbers | undefined,
): void {
  direction.fill(0);
  for (let n = table.rotationStart[k]; n < table.rotationStart[k + 1]; n++) {
    if (weightOf(positions, weights, table.rotationPoints[n]) === 0) continue;
    const o = 3 * table.rotationPoints[n];
    const { levers } = table;
    const size = Math.sqrt(levers[o] ** 2 + levers[o + 1] ** 2 + levers[o + 2] ** 2);
    if (!(size > 0)) continue;
    for (let c = 0; c < 3; c++) direction[c] = levers[o + c] / size;
    return;
  }
}
