import type { JointData } from '../../../figure/data/types.js';
import { eulerReader } from '../../../figure/joints/euler.js';
import * as quat from '../../../math/geometry/quat.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { Vec3 } from '../../../math/linear/types.js';
import { type Aim, aimAngle, idealRotation, intervalOf, rotationAt } from './aim.js';
import { allowedAngle, bestAllowedAngle, bestAngle, rotateAbout } from './best-angle.js';
import { addCandidate, type Candidates } from './candidates.js';

/** Sine of the angle between the aimed axis and the joint's last axis below which the last angle is kept if the aim allows. */
const ALIGNED = 1e-3;

const UNIT: readonly Vec3[] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

/**
 * Adds the candidates of smallest angle of an Euler joint, R = R_0 R_1 R_2: all in closed form.
 *
 * The derivative of the angle with respect to coordinate i is a_i . (y x u) / |y x u|, a_i its axis. So at a minimum other than 0 each
 * coordinate is at a bound or its axis is normal to y x u. All three axes cannot be (except in gimbal lock, where the angle has a saddle).
 * - Two coordinates at bounds: the third is a hinge (`addEdgeCandidates`).
 * - One at a bound: y and u lie in the plane of the two axes left (`addFaceCandidates`).
 *
 * The angle is 0 on the circle R_ideal exp(phi [d]). If the limits do not allow R_ideal, the first rotation along the circle that they
 * allow has a coordinate at a bound: a candidate of `addFaceCandidates`, too.
 */
export function addEulerCandidates(
  candidates: Candidates,
  { order }: JointData & { readonly type: 'euler' },
): void {
  const { aim } = candidates;
  const axes = Array.from(order, (letter) => UNIT['XYZ'.indexOf(letter)]);
  if (
    aim.up === undefined &&
    vec3.norm(vec3.cross(aim.axis, axes[2])) < ALIGNED &&
    addKeepingLast(candidates, axes)
  ) {
    return;
  }
  if (addIdealRotation(candidates)) return;
  for (let k = 0; k < 3; k++) for (const end of boundsOf(aim, k)) addFaceCandidates(candidates, axes, k, end);
  addEdgeCandidates(candidates, axes);
}

/** The finite bounds of a coordinate; the current value of a last one without effect. */
function boundsOf(aim: Aim, k: number): readonly number[] {
  if (k === 2 && aim.ineffectiveAxis !== undefined) return [aim.current[2]];
  return intervalOf(aim, k).filter(Number.isFinite);
}

/** Adds the ideal rotation, by both its sets of angles, if the limits allow one. */
function addIdealRotation(candidates: Candidates): boolean {
  const { aim } = candidates;
  const { batch, current } = aim;
  const wanted = quat.toMatrix(idealRotation(aim));
  let met = false;
  for (let branch = 0; branch < eulerReader.branches; branch++) {
    const q = current.slice();
    eulerReader.read(batch, 0, wanted, branch, q);
    if (wrapIntoLimits(aim, q) && addCandidate(candidates, q) <= candidates.tolerance) met = true;
  }
  return met;
}

/** Moves each angle by multiples of 2 pi into its interval, nearest to the current; false where that is impossible. */
function wrapIntoLimits(aim: Aim, q: number[]): boolean {
  for (let k = 0; k < 3; k++) {
    q[k] = allowedAngle(q[k], aim.current[k], intervalOf(aim, k));
    if (Number.isNaN(q[k])) return false;
  }
  return true;
}

/** With the last axis along the aimed one: keeps the last angle, if the other two can aim; of two solutions the one nearer to the current. */
function addKeepingLast(candidates: Candidates, axes: readonly Vec3[]): boolean {
  const { aim, tolerance } = candidates;
  const { current } = aim;
  let best: number[] | undefined;
  let min = Number.POSITIVE_INFINITY;
  visitTwoHinges(
    axes[0],
    axes[1],
    rotateAbout(axes[2], current[2], aim.axis),
    aim.target,
    current[0],
    current[1],
    (x, y) => {
      const q = [x, y, current[2]];
      if (!wrapIntoLimits(aim, q) || aimAngle(aim, rotationAt(aim, q)) > tolerance) return;
      const change = (q[0] - current[0]) ** 2 + (q[1] - current[1]) ** 2;
      if (change >= min) return;
      min = change;
      best = q;
    },
  );
  if (best !== undefined) addCandidate(candidates, best);
  return best !== undefined;
}

/** One coordinate at a bound: y and u in the plane of the two other axes, or the target met. */
function addFaceCandidates(candidates: Candidates, axes: readonly Vec3[], k: number, end: number): void {
  const { aim } = candidates;
  const { axis: d, target: u, current } = aim;
  const q = [0, 0, 0];
  // R = Rot(p, q_i) Rot(r, q_j) and the fixed rotation, applied to d or inversely to u.
  const i = k === 0 ? 1 : 0;
  const j = k === 2 ? 1 : 2;
  const inner = k === 1 ? rotateAbout(axes[1], end, axes[2]) : axes[j];
  const from = k === 0 ? d : rotateAbout(axes[k], end, d);
  const to = k === 0 ? rotateAbout(axes[0], -end, u) : u;
  visitTwoHinges(axes[i], inner, from, to, current[i], current[j], (x, y) => {
    q[k] = end;
    q[j] = allowedAngle(y, current[j], intervalOf(aim, j));
    q[i] = allowedAngle(x, current[i], intervalOf(aim, i));
    if (!Number.isNaN(q[i]) && !Number.isNaN(q[j])) addCandidate(candidates, q);
  });
}

/**
 * Rot(p, x) Rot(r, y) z towards u: the y at which z has the height of u along p (at most two; x then meets u), and those at which its
 * height is extreme (z in the plane of p and r), each with the best x. An x or y without effect keeps its current value.
 */
function visitTwoHinges(
  p: Vec3,
  r: Vec3,
  z: Vec3,
  u: Vec3,
  nowX: number,
  nowY: number,
  visit: (x: number, y: number) => void,
): void {
  // Height of z: (z.r)(r.p) + amplitude cos(y - angle).
  const { angle, amplitude } = bestAngle(r, z, p);
  const at = (y: number): void => {
    const { angle: x, amplitude: ownAmplitude } = bestAngle(p, rotateAbout(r, y, z), u);
    visit(ownAmplitude > 0 ? x : nowX, y);
  };
  if (!(amplitude > 0)) {
    at(nowY);
    return;
  }
  const height = vec3.dot(u, p) - vec3.dot(z, r) * vec3.dot(r, p);
  if (Math.abs(height) < amplitude) {
    const away = Math.acos(height / amplitude);
    at(angle + away);
    at(angle - away);
  }
  at(angle);
  at(angle + Math.PI);
}

/** Two coordinates at bounds, with the best third. */
function addEdgeCandidates(candidates: Candidates, axes: readonly Vec3[]): void {
  const { aim } = candidates;
  const { axis: d, target: u, current } = aim;
  const q = [0, 0, 0];
  for (let k = 0; k < 3; k++) {
    const i = (k + 1) % 3;
    const j = (k + 2) % 3;
    const interval = intervalOf(aim, k);
    for (const atI of boundsOf(aim, i)) {
      for (const atJ of boundsOf(aim, j)) {
        q[i] = atI;
        q[j] = atJ;
        q[k] = 0;
        // The rotations before the hinge are applied inversely to the target, those after it to the axis.
        let from = d;
        let to = u;
        for (let m = 2; m > k; m--) from = rotateAbout(axes[m], q[m], from);
        for (let m = 0; m < k; m++) to = rotateAbout(axes[m], -q[m], to);
        const { angle, amplitude } = bestAngle(axes[k], from, to);
        q[k] = amplitude > 0 ? bestAllowedAngle(angle, current[k], interval) : current[k];
        addCandidate(candidates, q);
      }
    }
  }
}
