/**
 * Euler angles in all twelve orders and both frames (24 conventions), for comparison, import and teaching. Every order has
 * gimbal lock (Grassia 1997, section 2.1), so no solver uses them.
 */
import { DomainError } from '../../errors.js';
import * as mat3 from '../../math/geometry/mat3.js';
import * as quat from '../../math/geometry/quat.js';
import type { Mat3, MutableNumbers, Numbers, Quat, Vec3 } from '../../math/linear/types.js';
import { zeros } from '../../math/linear/unset.js';
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

const intrinsicSequences = /* @__PURE__ */ new Map<EulerOrder, AxisSequence>();
const extrinsicSequences = /* @__PURE__ */ new Map<EulerOrder, AxisSequence>();

/** The angles in the order of R_1 R_2 R_3; the three rotations, R_1 R_2 and R; an axis; the Jacobian. */
const abc = /* @__PURE__ */ new Float64Array(3);
const first = /* @__PURE__ */ new Float64Array(9);
const middle = /* @__PURE__ */ new Float64Array(9);
const last = /* @__PURE__ */ new Float64Array(9);
const firstTwo = /* @__PURE__ */ new Float64Array(9);
const rotation = /* @__PURE__ */ new Float64Array(9);
const quaternion = /* @__PURE__ */ new Float64Array(4);
const axis = /* @__PURE__ */ new Float64Array(3);
const velocityJacobian = /* @__PURE__ */ new Float64Array(9);

/**
 * Parses an order and a frame.
 * @throws DomainError `out-of-range` when either is not one of the twelve orders or the two frames.
 */
function axisSequence(order: EulerOrder, frame: EulerFrame): AxisSequence {
  const known = (frame === 'extrinsic' ? extrinsicSequences : intrinsicSequences).get(order);
  if (known !== undefined && (frame === 'intrinsic' || frame === 'extrinsic')) return known;
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
  const sequence = { i, j, k, proper: i === k, reversed };
  (reversed ? extrinsicSequences : intrinsicSequences).set(order, sequence);
  return sequence;
}

/** Rotation matrix of three Euler angles (rad), nine numbers row by row. */
export function matrixFromEuler<T extends MutableNumbers = number[]>(
  angles: Vec3,
  order: EulerOrder,
  frame: EulerFrame = 'intrinsic',
  out: T = zeros(9),
): T {
  writeRotations(angles, axisSequence(order, frame));
  return mat3.multiply(firstTwo, last, out);
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
  const sequence = Array.from(ordered(angles, seq));
  for (let n = 0; n < 3; n++) {
    const factors = axes.map((of, f) => elementary(of, sequence[f], new Float64Array(9), f === n));
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
  const product = quat.multiply(quat.fromAxisAngle(unit(seq.i), a), quat.fromAxisAngle(unit(seq.j), b));
  return quat.multiply(product, quat.fromAxisAngle(unit(seq.k), c), out);
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
  writeEulerAngles(m, seq.i, seq.j, seq.k, 0, 0, abc);
  for (let n = 0; n < 3; n++) out[n] = abc[seq.reversed ? 2 - n : n];
  return out;
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
  const error = Math.abs(quat.dot(q, q) - 1);
  // What is not finite gives NaN, as everywhere here.
  const isUnit = !(error > UNIT_ROUNDING && error < Number.POSITIVE_INFINITY);
  const unitQuat = isUnit ? q : quat.normalize(q, quaternion);
  return eulerFromMatrix(quat.toMatrix(unitQuat, rotation), order, frame, out);
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
  writeRotations(angles, seq);
  if (!world) mat3.multiply(firstTwo, last, rotation);
  for (let n = 0; n < 3; n++) {
    const of = seq.reversed ? 2 - n : n;
    unit(of === 0 ? seq.i : of === 1 ? seq.j : seq.k, axis);
    if (of > 0) mat3.multiplyVector(of === 1 ? first : firstTwo, axis, axis);
    if (!world) mat3.transposeMultiplyVector(rotation, axis, axis);
    for (let row = 0; row < 3; row++) out[3 * row + n] = axis[row];
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
  const jacobian = eulerJacobian(angles, order, frame, velocityFrame, velocityJacobian);
  if (Math.abs(Math.sin(angleFromLock(angles, order))) <= 4 * Number.EPSILON) {
    throw new DomainError('singular', `the angles are in gimbal lock (middle angle ${angles[1]} rad).`, {
      path: 'eulerRateFromAngularVelocity(angles)',
      remedy: 'Use a rotation vector, or an order that is not in gimbal lock at this rotation.',
    });
  }
  return mat3.multiplyVector(mat3.inverse(jacobian, velocityJacobian), angularVelocity, out);
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
  // sqrt(1 - |cos d|) without cancellation, d the angle from the nearest gimbal lock: sqrt(2) |sin(d/2)|
  const nearest = angleFromLock(angles, order);
  return {
    determinant: Math.abs(Math.sin(nearest)),
    smallestSingularValue: Math.SQRT2 * Math.abs(Math.sin(0.5 * nearest)),
  };
}

/** Angle of the middle rotation from the nearest gimbal lock, in [-pi/2, pi/2]. */
function angleFromLock(angles: Vec3, order: EulerOrder): number {
  const fromLock = axisSequence(order, 'intrinsic').proper ? angles[1] : angles[1] - Math.PI / 2;
  return fromLock - Math.PI * Math.round(fromLock / Math.PI);
}

/** Writes the three rotations of R = R_1 R_2 R_3, and R_1 R_2. */
function writeRotations(angles: Vec3, seq: AxisSequence): void {
  ordered(angles, seq);
  elementary(seq.i, abc[0], first);
  elementary(seq.j, abc[1], middle);
  elementary(seq.k, abc[2], last);
  mat3.multiply(first, middle, firstTwo);
}

/** R about a coordinate axis, or its derivative with respect to the angle. */
function elementary(about: number, angle: number, out: Float64Array, derivative = false): Float64Array {
  const s = Math.sin(angle);
  const c = Math.cos(angle);
  const j = (about + 1) % 3;
  const k = (about + 2) % 3;
  out.fill(0);
  out[4 * about] = derivative ? 0 : 1;
  out[4 * j] = out[4 * k] = derivative ? -s : c;
  out[3 * k + j] = derivative ? c : s;
  out[3 * j + k] = derivative ? -c : -s;
  return out;
}

/** The unit vector of an axis. */
function unit(of: number, out = new Float64Array(3)): Float64Array {
  for (let k = 0; k < 3; k++) out[k] = k === of ? 1 : 0;
  return out;
}

/** The caller's angles in the order of R_1 R_2 R_3. The result is overwritten by the next call. */
function ordered(angles: Numbers, { reversed }: AxisSequence): Float64Array {
  abc[0] = angles[reversed ? 2 : 0];
  abc[1] = angles[1];
  abc[2] = angles[reversed ? 0 : 2];
  return abc;
}
