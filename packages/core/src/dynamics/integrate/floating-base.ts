import { findRootJoints } from '../../figure/model/floating-base.js';
import type { Numbers } from '../../math/linear/types.js';
import { writeRotationMatrix } from '../../rotation/rotation-vector/kernels.js';
import type { Dynamics } from '../model/dynamics.js';
import { INERTIA_SIZE } from '../model/inertia.js';
import type { MomentumRate } from './momentum-rate.js';

/**
 * A root joint, free or a ball, whose generalized momentum is the momentum of the whole figure. The implicit midpoint rule writes its momentum
 * balance in rest axes, in which it is constant without external forces, and takes a free root's bone by its centre of mass, about which the
 * mass matrix of a single body is constant.
 */
export interface FloatingBase {
  /** First coordinate of its translations, -1 for a ball. */
  readonly position: number;
  /** First coordinate of its rotation vector. */
  readonly rotation: number;
  readonly bone: number;
  /** Centre of mass in the bone frame, m; zeros for a ball. */
  readonly center: Float64Array;
}

/** Floating bases of a figure, without those with armature: rotors do not rotate with the body and would break the balance. */
export function findFloatingBases({ figure, inertias, armature }: Dynamics): FloatingBase[] {
  return findRootJoints(figure)
    .map((bone) => figure.bones[bone])
    .filter(({ joint }) => joint.type === 'free' || joint.type === 'ball')
    .filter(({ coordinate, dof }) => armature.subarray(coordinate, coordinate + dof).every((x) => x === 0))
    .map(({ index, joint, coordinate }) => {
      const free = joint.type === 'free';
      const mass = inertias[INERTIA_SIZE * index];
      const at = INERTIA_SIZE * index + 1;
      const center = free && mass > 0 ? inertias.slice(at, at + 3).map((x) => x / mass) : new Float64Array(3);
      const rotation = free ? coordinate + 3 : coordinate;
      return { position: free ? coordinate : -1, rotation, bone: index, center };
    });
}

const matrix = /* @__PURE__ */ new Float64Array(9);
const arm = /* @__PURE__ */ new Float64Array(3);

/** Writes R c, the centre of mass from the bone's origin in rest axes, to `arm`, and R to `matrix`. */
function updateArm({ rotation, center }: FloatingBase, pose: Numbers): void {
  writeRotationMatrix(pose[rotation], pose[rotation + 1], pose[rotation + 2], matrix, 0);
  for (let k = 0; k < 3; k++) {
    arm[k] = matrix[3 * k] * center[0] + matrix[3 * k + 1] * center[1] + matrix[3 * k + 2] * center[2];
  }
}

/** Position of the centre of mass from that of the origin (sign 1), or back (-1), in place: x += sign R c. */
export function shiftPosition(root: FloatingBase, pose: Numbers, sign: number, x: Float64Array): void {
  if (root.position < 0) return;
  updateArm(root, pose);
  for (let k = 0; k < 3; k++) x[root.position + k] += sign * arm[k];
}

/** Velocity of the centre of mass from that of the origin (sign 1), or back (-1), in place: v_c = v_o + w x R c. */
export function shiftVelocity(root: FloatingBase, pose: Numbers, sign: number, velocity: Float64Array): void {
  const { position: p, rotation: r } = root;
  if (p < 0) return;
  updateArm(root, pose);
  const x = matrix[0] * velocity[r] + matrix[1] * velocity[r + 1] + matrix[2] * velocity[r + 2];
  const y = matrix[3] * velocity[r] + matrix[4] * velocity[r + 1] + matrix[5] * velocity[r + 2];
  const z = matrix[6] * velocity[r] + matrix[7] * velocity[r + 1] + matrix[8] * velocity[r + 2];
  velocity[p] += sign * (y * arm[2] - z * arm[1]);
  velocity[p + 1] += sign * (z * arm[0] - x * arm[2]);
  velocity[p + 2] += sign * (x * arm[1] - y * arm[0]);
}

/** Momentum or force about the centre of mass from that about the origin (sign 1), or back (-1), in place: n_c = n_o - R^T (R c x f). */
export function shiftMomentum(root: FloatingBase, pose: Numbers, sign: number, p: Float64Array): void {
  const { position: o, rotation: r } = root;
  if (o < 0) return;
  updateArm(root, pose);
  const x = arm[1] * p[o + 2] - arm[2] * p[o + 1];
  const y = arm[2] * p[o] - arm[0] * p[o + 2];
  const z = arm[0] * p[o + 1] - arm[1] * p[o];
  for (let k = 0; k < 3; k++) p[r + k] -= sign * (matrix[k] * x + matrix[3 + k] * y + matrix[6 + k] * z);
}

const appliedForce = /* @__PURE__ */ new Float64Array(6);

/**
 * Writes the momentum change p_1 - p_0 of a step of h with mean velocity x, about the centre of mass, in the bone's frame: linear
 * p_1 = p_0 + h f, angular R_1 n_1 = R_0 n_0 + h T - h x x (p_0 + p_1)/2, with R_1^T R_0 = cay(h x)^T.
 *
 * @param flow - At the midpoint, with the kinematics there.
 */
export function writeFloatingBaseMomentum(
  root: FloatingBase,
  dynamics: Dynamics,
  flow: MomentumRate,
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
  // f in rest axes; T about the centre of mass, in the bone's axes at the midpoint.
  for (let k = 0; k < 3; k++) {
    appliedForce[k] = p < 0 ? 0 : flow.rate[p + k] + tau[p + k];
    appliedForce[3 + k] = tau[r + k];
    for (let n = 0; n < 3; n++) appliedForce[3 + k] += m[e + 3 * n + k] * flow.subtreeForce[t + n];
  }
  updateArm(root, middlePose);
  if (p >= 0) {
    const x0 = arm[1] * appliedForce[2] - arm[2] * appliedForce[1];
    const x1 = arm[2] * appliedForce[0] - arm[0] * appliedForce[2];
    const x2 = arm[0] * appliedForce[1] - arm[1] * appliedForce[0];
    for (let k = 0; k < 3; k++)
      appliedForce[3 + k] -= matrix[k] * x0 + matrix[3 + k] * x1 + matrix[6 + k] * x2;
  }
  // To rest axes.
  let gx = h * (matrix[0] * appliedForce[3] + matrix[1] * appliedForce[4] + matrix[2] * appliedForce[5]);
  let gy = h * (matrix[3] * appliedForce[3] + matrix[4] * appliedForce[4] + matrix[5] * appliedForce[5]);
  let gz = h * (matrix[6] * appliedForce[3] + matrix[7] * appliedForce[4] + matrix[8] * appliedForce[5]);
  if (p >= 0) {
    for (let k = 0; k < 3; k++) increment[p + k] = h * appliedForce[k];
    const lx = h * (before[p] + 0.5 * increment[p]);
    const ly = h * (before[p + 1] + 0.5 * increment[p + 1]);
    const lz = h * (before[p + 2] + 0.5 * increment[p + 2]);
    gx -= x[p + 1] * lz - x[p + 2] * ly;
    gy -= x[p + 2] * lx - x[p] * lz;
    gz -= x[p] * ly - x[p + 1] * lx;
  }
  updateArm(root, endPose);
  const ax = 0.5 * h * x[r];
  const ay = 0.5 * h * x[r + 1];
  const az = 0.5 * h * x[r + 2];
  writeRotationChange(ax, ay, az, before, r);
  const dx = rotationChange[0];
  const dy = rotationChange[1];
  const dz = rotationChange[2];
  increment[r] = dx + matrix[0] * gx + matrix[3] * gy + matrix[6] * gz;
  increment[r + 1] = dy + matrix[1] * gx + matrix[4] * gy + matrix[7] * gz;
  increment[r + 2] = dz + matrix[2] * gx + matrix[5] * gy + matrix[8] * gz;
  const nx = before[r];
  const ny = before[r + 1];
  const nz = before[r + 2];
  // |n + d|^2 - |n|^2 should be zero. Its rounding errors have the same sign over many steps and would add up: removed below the last bit.
  const square = nx * nx + ny * ny + nz * nz;
  const excess = exactDot(nx, ny, nz, dx, dy, dz) + 0.5 * (dx * dx + dy * dy + dz * dz);
  const ratio = square > 0 ? excess / square : 0;
  writeRotationChange(ax, ay, az, low, r);
  low[r] += rotationChange[0] - ratio * nx;
  low[r + 1] += rotationChange[1] - ratio * ny;
  low[r + 2] += rotationChange[2] - ratio * nz;
}

const rotationChange = /* @__PURE__ */ new Float64Array(3);

/** Writes cay(2 a)^T n - n = 2/(1 + a^2) (a x (a x n) - a x n) to `rotationChange`. */
function writeRotationChange(ax: number, ay: number, az: number, n: Float64Array, i: number): void {
  const s = 2 / (1 + ax * ax + ay * ay + az * az);
  const cx = ay * n[i + 2] - az * n[i + 1];
  const cy = az * n[i] - ax * n[i + 2];
  const cz = ax * n[i + 1] - ay * n[i];
  rotationChange[0] = s * (ay * cz - az * cy - cx);
  rotationChange[1] = s * (az * cx - ax * cz - cy);
  rotationChange[2] = s * (ax * cy - ay * cx - cz);
}

const product = /* @__PURE__ */ new Float64Array(2);

/** TwoProduct (Dekker): a b as a double and its rounding error, to `product`. */
function twoProduct(a: number, b: number): void {
  const p = a * b;
  const s = 134217729 * a;
  const t = 134217729 * b;
  const ah = s - (s - a);
  const bh = t - (t - b);
  const al = a - ah;
  const bl = b - bh;
  product[0] = p;
  product[1] = al * bl - (p - ah * bh - al * bh - ah * bl);
}

/** Dot product in twice the working precision, rounded once (Ogita, Rump, Oishi 2005, algorithm 5.3). */
function exactDot(ax: number, ay: number, az: number, bx: number, by: number, bz: number): number {
  twoProduct(ax, bx);
  const x = product[0];
  let low = product[1];
  twoProduct(ay, by);
  const y = product[0];
  low += product[1];
  const xy = x + y;
  const rounded = xy - x;
  low += x - (xy - rounded) + (y - rounded);
  twoProduct(az, bz);
  const z = product[0];
  low += product[1];
  const sum = xy + z;
  const added = sum - xy;
  low += xy - (sum - added) + (z - added);
  return sum + low;
}
