import type { Numbers } from '../../math/linear/types.js';
import { writeRotationMatrix } from '../../rotation/rotation-vector/kernels.js';
import type { Dynamics } from '../model/dynamics.js';
import { INERTIA } from '../model/inertia.js';
import type { MomentumFlow } from './momentum-rate.js';

/**
 * A root that moves freely, or turns about a fixed point: the joints whose momenta are those of the whole figure. The implicit midpoint
 * writes its balance of them out in the axes of rest, where they are constant without outside forces, and moves a free root's point of
 * reference to the bone's centre of mass, where the mass matrix of a single body is constant too.
 */
export interface RootJoint {
  /** First coordinate of its translations, -1 for a ball. */
  readonly position: number;
  /** First coordinate of its rotation vector. */
  readonly rotation: number;
  readonly bone: number;
  /** Centre of mass in the bone frame, m; zeros for a ball. */
  readonly center: Float64Array;
}

/** Those without rotors, which do not turn with the body and would break the balance. */
export function rootJoints({ figure, inertias, armature }: Dynamics): RootJoint[] {
  return figure.bones
    .filter(({ parent, joint }) => parent < 0 && (joint.type === 'free' || joint.type === 'ball'))
    .filter(({ coordinate, dof }) => armature.subarray(coordinate, coordinate + dof).every((x) => x === 0))
    .map(({ index, joint, coordinate }) => {
      const free = joint.type === 'free';
      const mass = inertias[INERTIA * index];
      const at = INERTIA * index + 1;
      const center = free && mass > 0 ? inertias.slice(at, at + 3).map((x) => x / mass) : new Float64Array(3);
      const rotation = free ? coordinate + 3 : coordinate;
      return { position: free ? coordinate : -1, rotation, bone: index, center };
    });
}

const matrix = /* @__PURE__ */ new Float64Array(9);
const arm = /* @__PURE__ */ new Float64Array(3);

/** The centre of mass seen from the bone's origin in the axes of rest, R c, to `arm`; R stays in `matrix`. */
function placeArm({ rotation, center }: RootJoint, pose: Numbers): void {
  writeRotationMatrix(pose[rotation], pose[rotation + 1], pose[rotation + 2], matrix, 0);
  for (let k = 0; k < 3; k++) {
    arm[k] = matrix[3 * k] * center[0] + matrix[3 * k + 1] * center[1] + matrix[3 * k + 2] * center[2];
  }
}

/** x moved by `sign` times R c: positions of the origin (-1) or the centre (1) from each other, in place. */
export function shiftPosition(root: RootJoint, pose: Numbers, sign: number, x: Float64Array): void {
  if (root.position < 0) return;
  placeArm(root, pose);
  for (let k = 0; k < 3; k++) x[root.position + k] += sign * arm[k];
}

/** Joint velocities with the centre's velocity (sign 1) in place of the origin's, or back (-1), in place: v_c = v_o + w x R c. */
export function shiftVelocity(root: RootJoint, pose: Numbers, sign: number, nu: Float64Array): void {
  const { position: p, rotation: r } = root;
  if (p < 0) return;
  placeArm(root, pose);
  const x = matrix[0] * nu[r] + matrix[1] * nu[r + 1] + matrix[2] * nu[r + 2];
  const y = matrix[3] * nu[r] + matrix[4] * nu[r + 1] + matrix[5] * nu[r + 2];
  const z = matrix[6] * nu[r] + matrix[7] * nu[r + 1] + matrix[8] * nu[r + 2];
  nu[p] += sign * (y * arm[2] - z * arm[1]);
  nu[p + 1] += sign * (z * arm[0] - x * arm[2]);
  nu[p + 2] += sign * (x * arm[1] - y * arm[0]);
}

/** Momenta or forces about the centre (sign 1) in place of the origin, or back (-1), in place: n_c = n_o - R^T (R c x f). */
export function shiftMomentum(root: RootJoint, pose: Numbers, sign: number, p: Float64Array): void {
  const { position: o, rotation: r } = root;
  if (o < 0) return;
  placeArm(root, pose);
  const x = arm[1] * p[o + 2] - arm[2] * p[o + 1];
  const y = arm[2] * p[o] - arm[0] * p[o + 2];
  const z = arm[0] * p[o + 1] - arm[1] * p[o];
  for (let k = 0; k < 3; k++) p[r + k] -= sign * (matrix[k] * x + matrix[3 + k] * y + matrix[6 + k] * z);
}

const push = /* @__PURE__ */ new Float64Array(6);

/**
 * p_1 - p_0 over a step of h with mean velocity x, about the centre, in the bone's frame: linear p_1 = p_0 + h f, and angular
 * R_1 n_1 = R_0 n_0 + h T - h x x (p_0 + p_1)/2, with R_1^T R_0 = cay(h x)^T.
 *
 * @param flow - At the middle of the step, bones placed there.
 */
export function writeRootBalance(
  root: RootJoint,
  dynamics: Dynamics,
  flow: MomentumFlow,
  tau: Float64Array,
  middlePose: Float64Array,
  endPose: Float64Array,
  x: Float64Array,
  h: number,
  before: Float64Array,
  increment: Float64Array,
  low: Float64Array,
): void {
  const { position: p, rotation: r, bone } = root;
  const { worldFromBone: m } = dynamics.state;
  const e = 12 * bone;
  const t = 6 * bone + 3;
  // f in the axes of rest; T about the centre, in those of the bone in the middle.
  for (let k = 0; k < 3; k++) {
    push[k] = p < 0 ? 0 : flow.flow[p + k] + tau[p + k];
    push[3 + k] = tau[r + k];
    for (let n = 0; n < 3; n++) push[3 + k] += m[e + 3 * n + k] * flow.acting[t + n];
  }
  placeArm(root, middlePose);
  if (p >= 0) {
    const x0 = arm[1] * push[2] - arm[2] * push[1];
    const x1 = arm[2] * push[0] - arm[0] * push[2];
    const x2 = arm[0] * push[1] - arm[1] * push[0];
    for (let k = 0; k < 3; k++) push[3 + k] -= matrix[k] * x0 + matrix[3 + k] * x1 + matrix[6 + k] * x2;
  }
  // To the axes of rest.
  let gx = h * (matrix[0] * push[3] + matrix[1] * push[4] + matrix[2] * push[5]);
  let gy = h * (matrix[3] * push[3] + matrix[4] * push[4] + matrix[5] * push[5]);
  let gz = h * (matrix[6] * push[3] + matrix[7] * push[4] + matrix[8] * push[5]);
  if (p >= 0) {
    for (let k = 0; k < 3; k++) increment[p + k] = h * push[k];
    const lx = h * (before[p] + 0.5 * increment[p]);
    const ly = h * (before[p + 1] + 0.5 * increment[p + 1]);
    const lz = h * (before[p + 2] + 0.5 * increment[p + 2]);
    gx -= x[p + 1] * lz - x[p + 2] * ly;
    gy -= x[p + 2] * lx - x[p] * lz;
    gz -= x[p] * ly - x[p + 1] * lx;
  }
  placeArm(root, endPose);
  const ax = 0.5 * h * x[r];
  const ay = 0.5 * h * x[r + 1];
  const az = 0.5 * h * x[r + 2];
  turnBack(ax, ay, az, before, r);
  const dx = turned[0];
  const dy = turned[1];
  const dz = turned[2];
  increment[r] = dx + matrix[0] * gx + matrix[3] * gy + matrix[6] * gz;
  increment[r + 1] = dy + matrix[1] * gx + matrix[4] * gy + matrix[7] * gz;
  increment[r + 2] = dz + matrix[2] * gx + matrix[5] * gy + matrix[8] * gz;
  const nx = before[r];
  const ny = before[r + 1];
  const nz = before[r + 2];
  // |n + d|^2 - |n|^2 should be zero. What rounding made of it is the same over many steps and would add up: taken out below the last bit.
  const square = nx * nx + ny * ny + nz * nz;
  const excess = exactDot(nx, ny, nz, dx, dy, dz) + 0.5 * (dx * dx + dy * dy + dz * dz);
  const share = square > 0 ? excess / square : 0;
  turnBack(ax, ay, az, low, r);
  low[r] += turned[0] - share * nx;
  low[r + 1] += turned[1] - share * ny;
  low[r + 2] += turned[2] - share * nz;
}

const turned = /* @__PURE__ */ new Float64Array(3);

/** cay(2 a)^T n - n = 2/(1 + a^2) (a x (a x n) - a x n), to `turned`. */
function turnBack(ax: number, ay: number, az: number, n: Float64Array, i: number): void {
  const s = 2 / (1 + ax * ax + ay * ay + az * az);
  const cx = ay * n[i + 2] - az * n[i + 1];
  const cy = az * n[i] - ax * n[i + 2];
  const cz = ax * n[i + 1] - ay * n[i];
  turned[0] = s * (ay * cz - az * cy - cx);
  turned[1] = s * (az * cx - ax * cz - cy);
  turned[2] = s * (ax * cy - ay * cx - cz);
}

const pair = /* @__PURE__ */ new Float64Array(2);

/** a b as a double and what it loses (Dekker), to `pair`. */
function multiplyExactly(a: number, b: number): void {
  const p = a * b;
  const s = 134217729 * a;
  const t = 134217729 * b;
  const ah = s - (s - a);
  const bh = t - (t - b);
  const al = a - ah;
  const bl = b - bh;
  pair[0] = p;
  pair[1] = al * bl - (p - ah * bh - al * bh - ah * bl);
}

/** The dot product as if in twice the precision, rounded once (Ogita, Rump, Oishi 2005, algorithm 5.3). */
function exactDot(ax: number, ay: number, az: number, bx: number, by: number, bz: number): number {
  multiplyExactly(ax, bx);
  const x = pair[0];
  let low = pair[1];
  multiplyExactly(ay, by);
  const y = pair[0];
  low += pair[1];
  const xy = x + y;
  const part = xy - x;
  low += x - (xy - part) + (y - part);
  multiplyExactly(az, bz);
  const z = pair[0];
  low += pair[1];
  const sum = xy + z;
  const other = sum - xy;
  low += xy - (sum - other) + (z - other);
  return sum + low;
}
