import type { JointData } from '../../../figure/data/types.js';
import * as quat from '../../../math/geometry/quat.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { Vec3 } from '../../../math/linear/types.js';
import { type Aim, angleUnder, intervalOf, rotationAt, wantedRotation } from './aim.js';
import { allowedAngle, bestTurn, nearestAllowed, turned } from './best-angle.js';
import { type Candidates, offer } from './candidates.js';

/** Sine of the angle between the aimed axis and the last of the joint below which the last angle stays where that aims, too. */
const ALONG = 1e-3;

const UNIT: readonly Vec3[] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

/**
 * Offers the places where an Euler joint, R = R_0 R_1 R_2, leaves the least angle: all in closed form.
 *
 * The angle changes with coordinate i by a_i . (y x u) / |y x u|, a_i its axis. So at the least, unless it is 0, each coordinate is at
 * one of its ends or its axis is normal to y x u. All three axes cannot be (but in gimbal lock, where the angle has a saddle).
 * - Two coordinates at ends: the third is a hinge (`offerEdges`).
 * - One at an end: y and u lie in the plane of the two axes left (`offerFaces`).
 *
 * The angle is 0 on a circle R_wanted exp(phi [d]). If the limits do not allow R_wanted, then going along it they first allow a
 * rotation where a coordinate is at an end: a place of `offerFaces`, too.
 */
export function offerEuler(candidates: Candidates, { order }: JointData & { readonly type: 'euler' }): void {
  const { aim } = candidates;
  const axes = Array.from(order, (letter) => UNIT['XYZ'.indexOf(letter)]);
  if (
    aim.up === undefined &&
    vec3.norm(vec3.cross(aim.axis, axes[2])) < ALONG &&
    offerKeepingLast(candidates, axes)
  ) {
    return;
  }
  if (offerWanted(candidates)) return;
  for (let k = 0; k < 3; k++) for (const end of endsOf(aim, k)) offerFaces(candidates, axes, k, end);
  offerEdges(candidates, axes);
}

/** The places of a coordinate to which its limits hold it; where it is, for a last one that changes nothing. */
function endsOf(aim: Aim, k: number): readonly number[] {
  if (k === 2 && aim.idle !== undefined) return [aim.now[2]];
  return intervalOf(aim, k).filter(Number.isFinite);
}

/** The rotation wanted, by both its sets of angles, if the limits allow one. */
function offerWanted(candidates: Candidates): boolean {
  const { aim } = candidates;
  const { type, batch, now } = aim;
  const wanted = quat.toMatrix(wantedRotation(aim));
  let met = false;
  for (let branch = 0; branch < type.branches; branch++) {
    const q = now.slice();
    type.readCoordinates(batch, 0, wanted, branch, q);
    if (settle(aim, q) && offer(candidates, q) <= candidates.tie) met = true;
  }
  return met;
}

/** Moves each angle by whole turns into its interval, nearest to now; false where that cannot be. */
function settle(aim: Aim, q: number[]): boolean {
  for (let k = 0; k < 3; k++) {
    q[k] = allowedAngle(q[k], aim.now[k], intervalOf(aim, k));
    if (Number.isNaN(q[k])) return false;
  }
  return true;
}

/** The last angle turns about the very axis that aims: it stays, if the other two can aim. Of two ways the one with less change. */
function offerKeepingLast(candidates: Candidates, axes: readonly Vec3[]): boolean {
  const { aim, tie } = candidates;
  const { now } = aim;
  let best: number[] | undefined;
  let least = Number.POSITIVE_INFINITY;
  forTwoHinges(axes[0], axes[1], turned(axes[2], now[2], aim.axis), aim.target, now[0], now[1], (x, y) => {
    const q = [x, y, now[2]];
    if (!settle(aim, q) || angleUnder(aim, rotationAt(aim, q)) > tie) return;
    const change = (q[0] - now[0]) ** 2 + (q[1] - now[1]) ** 2;
    if (change >= least) return;
    least = change;
    best = q;
  });
  if (best !== undefined) offer(candidates, best);
  return best !== undefined;
}

/** One coordinate at an end: y and u in the plane of the two other axes, or the target met. */
function offerFaces(candidates: Candidates, axes: readonly Vec3[], k: number, end: number): void {
  const { aim } = candidates;
  const { axis: d, target: u, now } = aim;
  const q = [0, 0, 0];
  // R = Rot(p, q_i) Rot(r, q_j) and what is fixed, put on d or on u.
  const i = k === 0 ? 1 : 0;
  const j = k === 2 ? 1 : 2;
  const inner = k === 1 ? turned(axes[1], end, axes[2]) : axes[j];
  const from = k === 0 ? d : turned(axes[k], end, d);
  const to = k === 0 ? turned(axes[0], -end, u) : u;
  forTwoHinges(axes[i], inner, from, to, now[i], now[j], (x, y) => {
    q[k] = end;
    q[j] = allowedAngle(y, now[j], intervalOf(aim, j));
    q[i] = allowedAngle(x, now[i], intervalOf(aim, i));
    if (!Number.isNaN(q[i]) && !Number.isNaN(q[j])) offer(candidates, q);
  });
}

/**
 * Rot(p, x) Rot(r, y) z against u, for the y at which z comes to the height of u over the plane of p (two at most; x then meets u) and
 * for those at which its height is extreme (z in the plane of p and r). x turns z as near to u as can be. Where any
 * x or y is as good it stays.
 */
function forTwoHinges(
  p: Vec3,
  r: Vec3,
  z: Vec3,
  u: Vec3,
  nowX: number,
  nowY: number,
  visit: (x: number, y: number) => void,
): void {
  // Height of z: (z.r)(r.p) + amplitude cos(y - turn).
  const { turn, amplitude } = bestTurn(r, z, p);
  const at = (y: number): void => {
    const { turn: x, amplitude: turns } = bestTurn(p, turned(r, y, z), u);
    visit(turns > 0 ? x : nowX, y);
  };
  if (!(amplitude > 0)) {
    at(nowY);
    return;
  }
  const height = vec3.dot(u, p) - vec3.dot(z, r) * vec3.dot(r, p);
  if (Math.abs(height) < amplitude) {
    const away = Math.acos(height / amplitude);
    at(turn + away);
    at(turn - away);
  }
  at(turn);
  at(turn + Math.PI);
}

/** Two coordinates at ends, the third as near as it can. */
function offerEdges(candidates: Candidates, axes: readonly Vec3[]): void {
  const { aim } = candidates;
  const { axis: d, target: u, now } = aim;
  const q = [0, 0, 0];
  for (let k = 0; k < 3; k++) {
    const i = (k + 1) % 3;
    const j = (k + 2) % 3;
    const interval = intervalOf(aim, k);
    for (const atI of endsOf(aim, i)) {
      for (const atJ of endsOf(aim, j)) {
        q[i] = atI;
        q[j] = atJ;
        q[k] = 0;
        // What comes before the hinge is taken off the target, what comes after is put on the axis.
        let from = d;
        let to = u;
        for (let m = 2; m > k; m--) from = turned(axes[m], q[m], from);
        for (let m = 0; m < k; m++) to = turned(axes[m], -q[m], to);
        const { turn, amplitude } = bestTurn(axes[k], from, to);
        q[k] = amplitude > 0 ? nearestAllowed(turn, now[k], interval) : now[k];
        offer(candidates, q);
      }
    }
  }
}
