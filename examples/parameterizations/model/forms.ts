/**
 * The paper's ways to write a 3-DOF rotation (its section 2 and 3), all behind one interface and all written out by hand without
 * allocation, so that their costs compare. Quaternions [x, y, z, w]; matrices row by row; the joint's frame turns against its
 * parent's, and axes are in the parent's frame.
 */
import type { MutableNumbers, Numbers } from 'poise/math';
import {
  eulerFromQuat,
  rotationVectorFromQuat,
  shellIndex,
  writeLeftJacobian,
  writeRotationMatrix,
} from 'poise/rotation';

/** A way to write rotations, as differential control meets it. */
export interface Form {
  readonly key: string;
  readonly name: string;
  /** Numbers that hold the rotation. */
  readonly parameters: number;
  /** Unknowns of differential control. */
  readonly rates: number;
  /** Explicit constraints that go with them. */
  readonly constraints: number;
  /** Parameters of a unit quaternion, the branch nearest to zero. */
  start(q: Numbers, p: MutableNumbers): void;
  /** R to out[0..8]. */
  writeRotation(p: Numbers, i: number, out: MutableNumbers): void;
  /** Angular velocity that each rate gives, parent frame: `rates` triples to `out`. */
  writeAxes(p: Numbers, i: number, out: MutableNumbers): void;
  /** p = p + dt rates, in place, and what is done between steps. */
  advance(p: MutableNumbers, i: number, rates: Numbers, j: number, dt: number): void;
  /** How far a quaternion is from unit length; 0 for forms without one. */
  drift(p: Numbers, i: number): number;
}

const plain =
  (n: number) =>
  (p: MutableNumbers, i: number, rates: Numbers, j: number, dt: number): void => {
    for (let k = 0; k < n; k++) p[i + k] += dt * rates[j + k];
  };

const none = (): number => 0;

/** Intrinsic X, Y, Z: R = R_x(a) R_y(b) R_z(c). Locks at b = 90 degrees. */
const euler: Form = {
  key: 'euler',
  name: 'Euler angles',
  parameters: 3,
  rates: 3,
  constraints: 0,
  start(q, p) {
    eulerFromQuat(q, 'XYZ', 'intrinsic', p);
  },
  writeRotation(p, i, out) {
    const ca = Math.cos(p[i]);
    const sa = Math.sin(p[i]);
    const cb = Math.cos(p[i + 1]);
    const sb = Math.sin(p[i + 1]);
    const cc = Math.cos(p[i + 2]);
    const sc = Math.sin(p[i + 2]);
    out[0] = cb * cc;
    out[1] = -cb * sc;
    out[2] = sb;
    out[3] = ca * sc + sa * sb * cc;
    out[4] = ca * cc - sa * sb * sc;
    out[5] = -sa * cb;
    out[6] = sa * sc - ca * sb * cc;
    out[7] = sa * cc + ca * sb * sc;
    out[8] = ca * cb;
  },
  /** e_x, R_x e_y, R_x R_y e_z */
  writeAxes(p, i, out) {
    const ca = Math.cos(p[i]);
    const sa = Math.sin(p[i]);
    const cb = Math.cos(p[i + 1]);
    const sb = Math.sin(p[i + 1]);
    out[0] = 1;
    out[1] = 0;
    out[2] = 0;
    out[3] = 0;
    out[4] = ca;
    out[5] = sa;
    out[6] = sb;
    out[7] = -sa * cb;
    out[8] = ca * cb;
  },
  advance: plain(3),
  drift: none,
};

function writeQuatRotation(p: Numbers, i: number, out: MutableNumbers): void {
  const x = p[i];
  const y = p[i + 1];
  const z = p[i + 2];
  const w = p[i + 3];
  out[0] = 1 - 2 * (y * y + z * z);
  out[1] = 2 * (x * y - w * z);
  out[2] = 2 * (x * z + w * y);
  out[3] = 2 * (x * y + w * z);
  out[4] = 1 - 2 * (x * x + z * z);
  out[5] = 2 * (y * z - w * x);
  out[6] = 2 * (x * z - w * y);
  out[7] = 2 * (y * z + w * x);
  out[8] = 1 - 2 * (x * x + y * y);
}

/**
 * Axes of the four partial derivatives of R: w = 2 q' q^-1 with q' along each coordinate, over the squared length, times |q| again where
 * R is that of q/|q| with its derivative 1/|q|. A change along q itself turns nothing.
 */
function writeQuatAxes(p: Numbers, i: number, square: number, out: MutableNumbers): void {
  const x = (2 * p[i]) / square;
  const y = (2 * p[i + 1]) / square;
  const z = (2 * p[i + 2]) / square;
  const w = (2 * p[i + 3]) / square;
  // Vector part of q' q^-1: w q'_v - q'_w q_v + q_v x q'_v
  out[0] = w;
  out[1] = z;
  out[2] = -y;
  out[3] = -z;
  out[4] = w;
  out[5] = x;
  out[6] = y;
  out[7] = -x;
  out[8] = w;
  out[9] = -x;
  out[10] = -y;
  out[11] = -z;
}

function squareAt(p: Numbers, i: number): number {
  return p[i] * p[i] + p[i + 1] * p[i + 1] + p[i + 2] * p[i + 2] + p[i + 3] * p[i + 3];
}

function quatDrift(p: Numbers, i: number): number {
  return Math.abs(Math.sqrt(squareAt(p, i)) - 1);
}

function startQuat(q: Numbers, p: MutableNumbers): void {
  for (let k = 0; k < 4; k++) p[k] = q[k];
}

/** Four numbers and the explicit constraint q.q = 1, held by a Lagrange multiplier per joint. */
const unitQuaternion: Form = {
  key: 'unit',
  name: 'quaternion, unit constraint',
  parameters: 4,
  rates: 4,
  constraints: 1,
  start: startQuat,
  writeRotation: writeQuatRotation,
  writeAxes(p, i, out) {
    writeQuatAxes(p, i, 1, out);
  },
  advance: plain(4),
  drift: quatDrift,
};

/** Gleicher: R(q/|q|), no constraint, one dead coordinate. */
const autonormalized: Form = {
  key: 'autonormalized',
  name: 'quaternion, autonormalized',
  parameters: 4,
  rates: 4,
  constraints: 0,
  start: startQuat,
  writeRotation(p, i, out) {
    const inverse = 1 / Math.sqrt(squareAt(p, i));
    for (let k = 0; k < 4; k++) unit[k] = p[i + k] * inverse;
    writeQuatRotation(unit, 0, out);
  },
  writeAxes(p, i, out) {
    writeQuatAxes(p, i, squareAt(p, i), out);
  },
  advance: plain(4),
  drift: quatDrift,
};

const unit = new Float64Array(4);
const change = new Float64Array(4);

/** Baraff and Witkin: the unknown is the angular velocity, q' = 1/2 w q, and q is made unit again after each step. */
const rateForm: Form = {
  key: 'rate',
  name: 'quaternion, angular velocity',
  parameters: 4,
  rates: 3,
  constraints: 0,
  start: startQuat,
  writeRotation: writeQuatRotation,
  writeAxes(_p, _i, out) {
    for (let k = 0; k < 9; k++) out[k] = k % 4 === 0 ? 1 : 0;
  },
  advance(p, i, rates, j, dt) {
    const a = 0.5 * dt * rates[j];
    const b = 0.5 * dt * rates[j + 1];
    const c = 0.5 * dt * rates[j + 2];
    const x = p[i];
    const y = p[i + 1];
    const z = p[i + 2];
    const w = p[i + 3];
    change[0] = a * w + b * z - c * y;
    change[1] = b * w + c * x - a * z;
    change[2] = c * w + a * y - b * x;
    change[3] = -a * x - b * y - c * z;
    for (let k = 0; k < 4; k++) p[i + k] += change[k];
    const inverse = 1 / Math.sqrt(squareAt(p, i));
    for (let k = 0; k < 4; k++) p[i + k] *= inverse;
  },
  drift: quatDrift,
};

/** The paper's rotation vector, as it grows: nothing is done at its shells. */
const rotationVector: Form = {
  key: 'vector',
  name: 'rotation vector, left alone',
  parameters: 3,
  rates: 3,
  constraints: 0,
  start(q, p) {
    rotationVectorFromQuat(q, undefined, p);
  },
  writeRotation(p, i, out) {
    writeRotationMatrix(p[i], p[i + 1], p[i + 2], out, 0);
  },
  writeAxes(p, i, out) {
    writeLeftJacobian(p[i], p[i + 1], p[i + 2], jacobian, 0);
    for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) out[3 * c + r] = jacobian[3 * r + c];
  },
  advance: plain(3),
  drift: none,
};

const jacobian = new Float64Array(9);
const vector = new Float64Array(3);

/** The same with the paper's dynamic reparameterization between steps, to |v| <= pi. */
const regularized: Form = {
  ...rotationVector,
  key: 'regularized',
  name: 'rotation vector, regularized',
  advance(p, i, rates, j, dt) {
    for (let k = 0; k < 3; k++) {
      p[i + k] += dt * rates[j + k];
      vector[k] = p[i + k];
    }
    const turns = shellIndex(vector);
    if (turns === 0) return;
    const shorter = 1 - (2 * Math.PI * turns) / Math.sqrt(vector[0] ** 2 + vector[1] ** 2 + vector[2] ** 2);
    for (let k = 0; k < 3; k++) p[i + k] *= shorter;
  },
};

/** In the order of the tables. */
export const forms: readonly Form[] = [
  euler,
  unitQuaternion,
  autonormalized,
  rateForm,
  rotationVector,
  regularized,
];
