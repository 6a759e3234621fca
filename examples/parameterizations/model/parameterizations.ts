/**
 * Parameterizations of 3-DOF rotations (Grassia 1997, sections 2 and 3) as `RotationParameterization`s of differential control, written out
 * without allocation, so that their costs compare. Quaternions [x, y, z, w]; B gives the angular velocity in the joint's own frame.
 */
import type { RotationParameterization } from 'poise/ik';
import type { MutableNumbers, Numbers } from 'poise/math';
import {
  rotationVectorFromQuat,
  shellIndex,
  writeRightJacobian,
  writeQuaternion as writeVectorQuaternion,
} from 'poise/rotation';
import { eulerFromQuat } from 'poise/rotation/alternatives';

/** A row of the tables. */
export interface Parameterization {
  readonly key: string;
  readonly name: string;
  /** Undefined: joint velocities, the control's default. */
  readonly rotation: RotationParameterization | undefined;
}

type Integrate = RotationParameterization['integrate'];

const euclidean =
  (n: number): Integrate =>
  (p, i, x, j, dt) => {
    for (let k = 0; k < n; k++) p[i + k] += dt * x[j + k];
  };

const scratch = new Float64Array(4);

/** Intrinsic X, Y, Z: R = R_x(a) R_y(b) R_z(c). Locks at b = 90 degrees. */
const euler: RotationParameterization = {
  parameters: 3,
  rates: 3,
  fromQuaternion(q, p, i) {
    eulerFromQuat(q, 'XYZ', 'intrinsic', scratch);
    for (let k = 0; k < 3; k++) p[i + k] = scratch[k];
  },
  writeQuaternion(p, i, out) {
    const ca = Math.cos(0.5 * p[i]);
    const sa = Math.sin(0.5 * p[i]);
    const cb = Math.cos(0.5 * p[i + 1]);
    const sb = Math.sin(0.5 * p[i + 1]);
    const cc = Math.cos(0.5 * p[i + 2]);
    const sc = Math.sin(0.5 * p[i + 2]);
    out[0] = sa * cb * cc + ca * sb * sc;
    out[1] = ca * sb * cc - sa * cb * sc;
    out[2] = ca * cb * sc + sa * sb * cc;
    out[3] = ca * cb * cc - sa * sb * sc;
  },
  /** Columns R_z^T R_y^T e_x, R_z^T e_y, e_z. */
  writeVelocityMap(p, i, out) {
    const cb = Math.cos(p[i + 1]);
    const sb = Math.sin(p[i + 1]);
    const cc = Math.cos(p[i + 2]);
    const sc = Math.sin(p[i + 2]);
    out[0] = cb * cc;
    out[1] = sc;
    out[2] = 0;
    out[3] = -cb * sc;
    out[4] = cc;
    out[5] = 0;
    out[6] = sb;
    out[7] = 0;
    out[8] = 1;
  },
  integrate: euclidean(3),
};

function squareAt(p: Numbers, i: number): number {
  return p[i] * p[i] + p[i + 1] * p[i + 1] + p[i + 2] * p[i + 2] + p[i + 3] * p[i + 3];
}

function copyQuaternion(q: Numbers, p: MutableNumbers, i: number): void {
  for (let k = 0; k < 4; k++) p[i + k] = q[k];
}

/** q/|q|. */
function writeUnit(p: Numbers, i: number, out: MutableNumbers): void {
  const inverse = 1 / Math.sqrt(squareAt(p, i));
  for (let k = 0; k < 4; k++) out[k] = p[i + k] * inverse;
}

/** w = 2 / square times the vector part of q* q', one column for each of x', y', z', w'. */
function writeQuaternionMap(p: Numbers, i: number, square: number, out: MutableNumbers): void {
  const x = (2 * p[i]) / square;
  const y = (2 * p[i + 1]) / square;
  const z = (2 * p[i + 2]) / square;
  const w = (2 * p[i + 3]) / square;
  out[0] = w;
  out[1] = z;
  out[2] = -y;
  out[3] = -x;
  out[4] = -z;
  out[5] = w;
  out[6] = x;
  out[7] = -y;
  out[8] = y;
  out[9] = -x;
  out[10] = w;
  out[11] = -z;
}

/** Feedback gain on the error of the norm, 1/s. */
const FEEDBACK = 10;

/** Four numbers and the explicit constraint q.q = 1: q.q' = FEEDBACK (1 - q.q) / 2. */
const unitQuaternion: RotationParameterization = {
  parameters: 4,
  rates: 4,
  fromQuaternion: copyQuaternion,
  writeQuaternion: writeUnit,
  // Assumes |q| = 1, as the constraint maintains.
  writeVelocityMap(p, i, out) {
    writeQuaternionMap(p, i, 1, out);
  },
  writeConstraint(p, i, out, o) {
    for (let k = 0; k < 4; k++) out[o + k] = p[i + k];
    return 0.5 * FEEDBACK * (1 - squareAt(p, i));
  },
  integrate: euclidean(4),
};

/** Gleicher: R(q/|q|), no constraint; a change along q itself does not rotate, one dead coordinate. */
const autonormalized: RotationParameterization = {
  parameters: 4,
  rates: 4,
  fromQuaternion: copyQuaternion,
  writeQuaternion: writeUnit,
  writeVelocityMap(p, i, out) {
    writeQuaternionMap(p, i, squareAt(p, i), out);
  },
  integrate: euclidean(4),
};

/** Baraff and Witkin: the unknown is the angular velocity, q' = 1/2 q w, and q is normalized after each step. */
const angularVelocity: RotationParameterization = {
  parameters: 4,
  rates: 3,
  fromQuaternion: copyQuaternion,
  writeQuaternion: writeUnit,
  writeVelocityMap(_p, _i, out) {
    for (let k = 0; k < 9; k++) out[k] = k % 4 === 0 ? 1 : 0;
  },
  integrate(p, i, rates, j, dt) {
    const a = 0.5 * dt * rates[j];
    const b = 0.5 * dt * rates[j + 1];
    const c = 0.5 * dt * rates[j + 2];
    const x = p[i];
    const y = p[i + 1];
    const z = p[i + 2];
    const w = p[i + 3];
    p[i] = x + a * w + y * c - z * b;
    p[i + 1] = y + b * w + z * a - x * c;
    p[i + 2] = z + c * w + x * b - y * a;
    p[i + 3] = w - x * a - y * b - z * c;
    writeUnit(p, i, scratch);
    for (let k = 0; k < 4; k++) p[i + k] = scratch[k];
  },
};

/** The paper's rotation vector without reparameterization at its shells. */
const rotationVector: RotationParameterization = {
  parameters: 3,
  rates: 3,
  fromQuaternion(q, p, i) {
    rotationVectorFromQuat(q, undefined, scratch);
    for (let k = 0; k < 3; k++) p[i + k] = scratch[k];
  },
  writeQuaternion(p, i, out) {
    writeVectorQuaternion(p[i], p[i + 1], p[i + 2], out, 0);
  },
  writeVelocityMap(p, i, out) {
    writeRightJacobian(p[i], p[i + 1], p[i + 2], out, 0);
  },
  integrate: euclidean(3),
};

const vector = new Float64Array(3);

/** The same with the paper's reparameterization between steps, to |v| <= pi. */
const regularized: RotationParameterization = {
  ...rotationVector,
  integrate(p, i, rates, j, dt) {
    for (let k = 0; k < 3; k++) {
      p[i + k] += dt * rates[j + k];
      vector[k] = p[i + k];
    }
    const revolutions = shellIndex(vector);
    if (revolutions === 0) return;
    const shorter =
      1 - (2 * Math.PI * revolutions) / Math.sqrt(vector[0] ** 2 + vector[1] ** 2 + vector[2] ** 2);
    for (let k = 0; k < 3; k++) p[i + k] *= shorter;
  },
};

/** In the order of the tables. */
export const parameterizations: readonly Parameterization[] = [
  { key: 'euler', name: 'Euler angles', rotation: euler },
  { key: 'unit', name: 'quaternion, unit constraint', rotation: unitQuaternion },
  { key: 'autonormalized', name: 'quaternion, autonormalized', rotation: autonormalized },
  { key: 'rate', name: 'quaternion, angular velocity', rotation: angularVelocity },
  { key: 'vector', name: 'rotation vector, not regularized', rotation: rotationVector },
  { key: 'regularized', name: 'rotation vector, regularized', rotation: regularized },
  { key: 'joint', name: 'joint velocities (Poise)', rotation: undefined },
];
