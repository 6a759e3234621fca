/**
 * Euler angles in all twelve orders and both frames (24 conventions), for comparison, import and teaching. Every order has
 * gimbal lock (Grassia 1997, section 2.1), so no solver uses them.
 */
import { DomainError } from '../../errors.js';
import * as mat3 from '../../math/geometry/mat3.js';
import * as quat from '../../math/geometry/quat.js';
import type { Mat3, MutableNumbers, Numbers, Quat, Vec3 } from '../../math/linear/types.js';
import { frameSign, type RotationFrame } from '../rotation-vector/frame.js';
import { writeEulerAngles } from './write-euler-angles.js';

/** Order of three elementary rotations, first letter first; see {@link EulerFrame}. */
export type EulerOrder =
  | 'XYZ'
  | 'XZY'
  | 'YXZ'
  | 'YZX'
  | 'ZXY'
  | 'ZYX'
  | 'XYX'
  | 'XZX'
  | 'YXY'
  | 'YZY'
  | 'ZXZ'
  | 'ZYZ';

/**
 * `intrinsic`: each rotation is about an axis of the already rotated frame, R = R_1 R_2 R_3.
 * `extrinsic`: each is about a fixed axis, R = R_3 R_2 R_1. Extrinsic abc is intrinsic cba with the angles
 * reversed; the twelve orders in both frames are the 24 conventions.
 */
export type EulerFrame = 'intrinsic' | 'extrinsic';

/** The twelve orders: six with three different axes (Tait-Bryan), then six with the first axis repeated (proper Euler). */
export const EULER_ORDERS: readonly EulerOrder[] = [
  'XYZ',
  'XZY',
  'YXZ',
  'YZX',
  'ZXY',
  'ZYX',
  'XYX',
  'XZX',
  'YXY',
  'YZY',
  'ZXZ',
  'ZYZ',
];

/** Error of the squared length of a quaternion that is rounding: it counts as a unit quaternion. */
const UNIT_ROUNDING = 8 * Number.EPSILON;

/** An order and a frame as R = R_i(first) R_j(middle) R_k(last), axes 0, 1, 2. */
interface AxisSequence {
  readonly i: number;
  readonly j: number;
  readonly k: number;
  readonly proper: boolean;
  /** Whether the caller's angles are in reverse order (extrinsic). */
  readonly reversed: boolean;
}

/**
 * Parses an order and a frame.
 * @throws DomainError `out-of-range` when either is not one of the twelve orders or the two frames.
 */
function axisSequence(order: EulerOrder, frame: EulerFrame): AxisSequence {
  if (!EULER_ORDERS.includes(order)) {
    throw new DomainError('out-of-range', `'${String(order)}' is not an order of Euler angles.`, {
      path: 'order',
      remedy: `Use one of ${EULER_ORDERS.join(', ')}, in capitals.`,
    });
  }
  if (frame !== 'intrinsic' && frame !== 'extrinsic') {
    throw new DomainError('out-of-range', `'${String(frame)}' is not a frame of Euler angles.`, {
      path: 'frame',
      remedy: "Say 'intrinsic' (moving axes) or 'extrinsic' (fixed axes).",
    });
  }
  const reversed = frame === 'extrinsic';
  const letters = reversed ? [order[2], order[1], order[0]] : [order[0], order[1], order[2]];
  const [i, j, k] = letters.map((letter) => 'XYZ'.indexOf(letter));
  return {
    i,
    j,
    k,
    proper: i === k,
    reversed,
  };
}

/** `n` zeros, for an `out` that was not given. */
function zeros<T extends MutableNumbers>(n: number): T {
  return new Array<number>(n).fill(0) as MutableNumbers as T;
}

/** Rotation matrix of three Euler angles (rad), nine numbers row by row. */
export function matrixFromEuler<T extends MutableNumbers = number[]>(
  angles: Vec3,
  order: EulerOrder,
  frame: EulerFrame = 'intrinsic',
  out: T = zeros(9),
): T {
  const seq = axisSequence(order, frame);
  const [a, b, c] = ordered(angles, seq);
  const product = mat3.multiply(elementary(seq.i, a), elementary(seq.j, b));
  return mat3.multiply(product, elementary(seq.k, c), out);
}

/** dR/d(angle n) at out[9 n ..], three matrices row by row (27 numbers), in the order the angles are given. */
export function eulerMatrixPartials<T extends MutableNumbers = number[]>(
  angles: Vec3,
  order: EulerOrder,
  frame: EulerFrame = 'intrinsic',
  out: T = zeros(27),
): T {
  const seq = axisSequence(order, frame);
  const axes = [seq.i, seq.j, seq.k];
  const sequence = ordered(angles, seq);
  for (let n = 0; n < 3; n++) {
    const factors = axes.map((axis, f) => elementary(axis, sequence[f], f === n));
    const product = mat3.multiply(mat3.multiply(factors[0], factors[1]), factors[2]);
    const o = 9 * (seq.reversed ? 2 - n : n);
    for (let e = 0; e < 9; e++) out[o + e] = product[e];
  }
  return out;
}

/** Unit quaternion of three Euler angles (rad). */
export function quatFromEuler<T extends MutableNumbers = number[]>(
  angles: Vec3,
  order: EulerOrder,
  frame: EulerFrame = 'intrinsic',
  out: T = zeros(4),
): T {
  const seq = axisSequence(order, frame);
  const [a, b, c] = ordered(angles, seq);
  const first = quat.multiply(quat.fromAxisAngle(unit(seq.i), a), quat.fromAxisAngle(unit(seq.j), b));
  return quat.multiply(first, quat.fromAxisAngle(unit(seq.k), c), out);
}

/**
 * Euler angles (rad) of a rotation matrix: first and last in [-pi, pi], middle in [-pi/2, pi/2] for Tait-Bryan orders and
 * [0, pi] for proper Euler orders. They reproduce the matrix to rounding even in gimbal lock: the last angle is computed from
 * R_1^T R. In exact lock the first (of R_1 R_2 R_3) is 0.
 */
export function eulerFromMatrix<T extends MutableNumbers = number[]>(
  m: Mat3,
  order: EulerOrder,
  frame: EulerFrame = 'intrinsic',
  out: T = zeros(3),
): T {
  const seq = axisSequence(order, frame);
  const [a, b, c] = writeEulerAngles(m, seq.i, seq.j, seq.k, 0, 0, [0, 0, 0]);
  return storeOrdered(a, b, c, seq, out);
}

/**
 * Euler angles (rad) of a nonzero quaternion of any length; ranges as {@link eulerFromMatrix}.
 * @throws DomainError `out-of-range` for the zero quaternion.
 */
export function eulerFromQuat<T extends MutableNumbers = number[]>(
  q: Quat,
  order: EulerOrder,
  frame: EulerFrame = 'intrinsic',
  out: T = zeros(3),
): T {
  const unitQuat = Math.abs(quat.dot(q, q) - 1) > UNIT_ROUNDING ? quat.normalize(q) : q;
  return eulerFromMatrix(quat.toMatrix(unitQuat), order, frame, out);
}

/** Euler angles of the same rotation in another order and frame. */
export function convertEuler<T extends MutableNumbers = number[]>(
  angles: Vec3,
  from: { readonly order: EulerOrder; readonly frame?: EulerFrame },
  to: { readonly order: EulerOrder; readonly frame?: EulerFrame },
  out: T = zeros(3),
): T {
  return eulerFromMatrix(matrixFromEuler(angles, from.order, from.frame), to.order, to.frame, out);
}

/**
 * Angular velocity in the named axes = Jacobian (angle rates), nine numbers row by row. In world axes the columns of
 * R = R_1 R_2 R_3 are e_i, R_1 e_j, R_1 R_2 e_k; in body axes R^T times those.
 */
export function eulerJacobian<T extends MutableNumbers = number[]>(
  angles: Vec3,
  order: EulerOrder,
  frame: EulerFrame,
  velocityFrame: RotationFrame,
  out: T = zeros(9),
): T {
  const world = frameSign(velocityFrame, 'eulerJacobian(velocityFrame)') > 0;
  const seq = axisSequence(order, frame);
  const [a, b, c] = ordered(angles, seq);
  const r1 = elementary(seq.i, a);
  const r12 = mat3.multiply(r1, elementary(seq.j, b));
  const columns = [unit(seq.i), mat3.multiplyVector(r1, unit(seq.j)), mat3.multiplyVector(r12, unit(seq.k))];
  const r = mat3.multiply(r12, elementary(seq.k, c));
  for (let n = 0; n < 3; n++) {
    const column = columns[seq.reversed ? 2 - n : n];
    const w = world ? column : mat3.transposeMultiplyVector(r, column);
    for (let row = 0; row < 3; row++) out[3 * row + n] = w[row];
  }
  return out;
}

/**
 * Angle rates from an angular velocity in the named axes. The error is proportional to 1/determinant, see
 * {@link eulerGimbalMeasure}.
 * @throws DomainError `singular` in gimbal lock, to the rounding of the middle angle.
 */
export function eulerRateFromAngularVelocity<T extends MutableNumbers = number[]>(
  angles: Vec3,
  order: EulerOrder,
  frame: EulerFrame,
  angularVelocity: Vec3,
  velocityFrame: RotationFrame,
  out: T = zeros(3),
): T {
  const jacobian = eulerJacobian(angles, order, frame, velocityFrame);
  if (eulerGimbalMeasure(angles, order).determinant <= 4 * Number.EPSILON) {
    throw new DomainError('singular', `the angles are in gimbal lock (middle angle ${angles[1]} rad).`, {
      path: 'eulerRateFromAngularVelocity(angles)',
      remedy: 'Use a rotation vector, or an order that is not in gimbal lock at this rotation.',
    });
  }
  return mat3.solve(jacobian, angularVelocity, out);
}

/** Distance of Euler angles from gimbal lock. */
export interface GimbalMeasure {
  /** |det| of the angular velocity Jacobian: |cos middle|, for proper Euler orders |sin middle|. 1 is best, 0 is lock. */
  readonly determinant: number;
  /**
   * Smallest singular value of the angular velocity Jacobian, sqrt(1 - |first axis . last axis|). 1 is best, 0 is lock.
   */
  readonly smallestSingularValue: number;
}

/** Gimbal-lock measures; they depend on the middle angle only, in either frame. */
export function eulerGimbalMeasure(angles: Vec3, order: EulerOrder): GimbalMeasure {
  const { proper } = axisSequence(order, 'intrinsic');
  const middle = angles[1];
  // sqrt(1 - |cos d|) without cancellation, d the angle from the nearest gimbal lock: sqrt(2) |sin(d/2)|
  const fromLock = proper ? middle : middle - Math.PI / 2;
  const nearest = fromLock - Math.PI * Math.round(fromLock / Math.PI);
  return {
    determinant: Math.abs(Math.sin(nearest)),
    smallestSingularValue: Math.SQRT2 * Math.abs(Math.sin(0.5 * nearest)),
  };
}

/** R about a coordinate axis, or its derivative with respect to the angle. */
function elementary(axis: number, angle: number, derivative = false): number[] {
  const s = Math.sin(angle);
  const c = Math.cos(angle);
  const j = (axis + 1) % 3;
  const k = (axis + 2) % 3;
  const m = [0, 0, 0, 0, 0, 0, 0, 0, 0];
  m[4 * axis] = derivative ? 0 : 1;
  m[4 * j] = m[4 * k] = derivative ? -s : c;
  m[3 * k + j] = derivative ? c : s;
  m[3 * j + k] = derivative ? -c : -s;
  return m;
}

/** The unit vector of an axis. */
function unit(axis: number): number[] {
  return [axis === 0 ? 1 : 0, axis === 1 ? 1 : 0, axis === 2 ? 1 : 0];
}

/** The caller's angles in the order of R_1 R_2 R_3. */
function ordered(angles: Numbers, seq: AxisSequence): [number, number, number] {
  return seq.reversed ? [angles[2], angles[1], angles[0]] : [angles[0], angles[1], angles[2]];
}

/** Stores the angles of R_1 R_2 R_3 in the caller's order. */
function storeOrdered<T extends MutableNumbers>(
  a: number,
  b: number,
  c: number,
  seq: AxisSequence,
  out: T,
): T {
  out[0] = seq.reversed ? c : a;
  out[1] = b;
  out[2] = seq.reversed ? a : c;
  return out;
}
