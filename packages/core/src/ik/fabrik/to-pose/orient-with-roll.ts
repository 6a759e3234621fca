import type { Numbers } from '../../../math/linear/types.js';
import { GROUND } from '../bodies/bodies.js';
import { addPair, clearPairs } from '../bodies/fit-rotation.js';
import { hingeAngle, rollForHinge } from '../bodies/hinge.js';
import { multiplyAt, turnAbout, twistAbout } from '../bodies/matrices.js';
import type { PointTable } from '../bodies/point-index.js';
import { direction, type Orienting, rest, target, weightOf } from './orientation-workspace.js';
import { POLE, SPREAD } from './roll.js';

const turn = /* @__PURE__ */ new Float64Array(9);
const product = /* @__PURE__ */ new Float64Array(9);
const pole = /* @__PURE__ */ new Float64Array(3);
const place = /* @__PURE__ */ new Float64Array(3);

/**
 * Where a bone that points somewhere with roll `spread` has a child whose whole turn is known, the twist of that child against rest
 * about the bone is to be shared among its joint and those of the bones above that spread too.
 */
export function findSpreads(work: Orienting, positions: Numbers, weights: Numbers | undefined): boolean {
  const { bodies, rolls, ranks, spreadEnds, twistLeft, jointsLeft } = work;
  const { count, parents, bones, parentFromRest, joints, types } = bodies;
  let any = false;
  for (let e = 0; e < count; e++) {
    if (ranks[e] !== 2 || !types[e].turns) continue;
    let joint = 1;
    let k = parents[e];
    const first = k;
    while (k !== GROUND && ranks[k] === 1 && rolls.kind[bones[k]] === SPREAD && spreadEnds[k] === GROUND) {
      spreadEnds[k] = e;
      joint++;
      k = parents[k];
    }
    if (joint === 1) continue;
    any = true;
    // Q = M J M^T turns the child in its parent's axes, M the rest rotation; its twist about the parent's own direction.
    leverDirection(work.table, first, positions, weights);
    multiplyAt(parentFromRest, 12 * e, joints, 12 * e, product);
    for (let r = 0; r < 3; r++) {
      for (let c = 0; c < 3; c++) {
        let sum = 0;
        for (let n = 0; n < 3; n++) sum += product[3 * r + n] * parentFromRest[12 * e + 3 * c + n];
        turn[3 * r + c] = sum;
      }
    }
    twistLeft[e] = twistAbout(turn, 0, direction);
    jointsLeft[e] = joint;
  }
  return any;
}

/** Turns `target` about the bone's own direction by its policy, or as a hinge below needs it. */
export function rollBody(work: Orienting, k: number, positions: Numbers, weights: Numbers | undefined): void {
  const { bodies, table, rolls, spreadEnds, twistLeft, jointsLeft } = work;
  const bone = bodies.bones[k];
  leverDirection(table, k, positions, weights);
  let angle = 0;
  if (rolls.kind[bone] === SPREAD && spreadEnds[k] !== GROUND) {
    angle = twistLeft[spreadEnds[k]] / jointsLeft[spreadEnds[k]];
  } else if (rolls.kind[bone] === POLE) {
    angle = rollForPole(rolls.poles[bone] as Numbers, rolls.axes, 3 * bone);
  }
  if (angle !== 0) turnAbout(target, direction, angle);
  if (rolls.kind[bone] === POLE) return;
  for (let n = work.hingeStart[k]; n < work.hingeStart[k + 1]; n++) {
    if (rollToHinge(work, work.hinges[n], positions, weights)) return;
  }
}

/** Turns `target` about `direction` so that a hinge below can bring its first known point to its place; false where none tells. */
function rollToHinge(
  work: Orienting,
  hinge: number,
  positions: Numbers,
  weights: Numbers | undefined,
): boolean {
  const { bodies, table, directions } = work;
  for (let n = table.turningStart[hinge]; n < table.turningStart[hinge + 1]; n++) {
    const p = table.turning[n];
    if (weightOf(positions, weights, p) === 0) continue;
    if (directions) placeFromHinge(work, hinge, p, positions, weights);
    else for (let c = 0; c < 3; c++) place[c] = positions[3 * p + c] - rest[9 + c];
    const roll = rollForHinge(bodies, hinge, target, place, directions, direction, table.levers, 3 * p);
    if (Number.isNaN(roll)) continue;
    if (roll !== 0) turnAbout(target, direction, roll);
    return true;
  }
  return false;
}

/**
 * `place` = the way from a hinge to the place of its point, as long as it is on the figure: of lengths that are not the figure's
 * only the direction counts, and it is that from the point given for the hinge's origin, as the hinge itself will read it.
 */
function placeFromHinge(
  { bodies, table }: Orienting,
  hinge: number,
  p: number,
  positions: Numbers,
  weights: Numbers | undefined,
): void {
  const origin = table.origins[hinge];
  const given = origin >= 0 && weightOf(positions, weights, origin) > 0;
  const m = bodies.parentFromRest;
  const o = 12 * hinge + 9;
  let size = 0;
  let length = 0;
  for (let r = 0; r < 3; r++) {
    const from = given
      ? positions[3 * origin + r]
      : rest[9 + r] + target[3 * r] * m[o] + target[3 * r + 1] * m[o + 1] + target[3 * r + 2] * m[o + 2];
    place[r] = positions[3 * p + r] - from;
    size += place[r] * place[r];
    length += table.levers[3 * p + r] ** 2;
  }
  const scale = size > 0 ? Math.sqrt(length / size) : 1;
  for (let r = 0; r < 3; r++) place[r] *= scale;
}

/** The turn about `direction` that brings the axis at axes[o] nearest to the pole: both seen along the direction. */
function rollForPole(at: Numbers, axes: Numbers, o: number): number {
  for (let c = 0; c < 3; c++) {
    // p = R^T (pole - x)
    pole[c] = 0;
    for (let r = 0; r < 3; r++) pole[c] += target[3 * r + c] * (at[r] - rest[9 + r]);
  }
  clearPairs(turn);
  addPair(turn, 1, axes[o], axes[o + 1], axes[o + 2], pole[0], pole[1], pole[2]);
  const angle = hingeAngle(turn, direction, undefined);
  // On the line itself: neither tells a side.
  return Number.isNaN(angle) ? 0 : angle;
}

/** Unit direction of the first known lever of body k that has a length, body frame, to `direction`. */
export function leverDirection(
  table: PointTable,
  k: number,
  positions: Numbers,
  weights: Numbers | undefined,
): void {
  direction.fill(0);
  for (let n = table.turningStart[k]; n < table.turningStart[k + 1]; n++) {
    if (weightOf(positions, weights, table.turning[n]) === 0) continue;
    const o = 3 * table.turning[n];
    const { levers } = table;
    const size = Math.sqrt(levers[o] ** 2 + levers[o + 1] ** 2 + levers[o + 2] ** 2);
    if (!(size > 0)) continue;
    for (let c = 0; c < 3; c++) direction[c] = levers[o + c] / size;
    return;
  }
}
