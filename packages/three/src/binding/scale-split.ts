/**
 * Separates scale from an object hierarchy. The matrix of object n inside the frame (the product of the local
 * matrices below it, times the metres per unit u) is split into
 *
 *     M_n = F_n A_n,   F_n = (R_n, p_n) rigid and metric,   A_n a 3x3 output matrix that holds all scale,
 *
 * and F_n is the figure's `worldFromBone`. With an object's local matrix translate(t) R diag(k) and A the output matrix
 * of its parent, A = u for the frame itself:
 *
 * - A = a O, a > 0, O = diag(+-1, +-1, +-1) (uniform scale, mirrored or not): A R K = (O R O) (a O K), so relative to the
 *   parent's rigid frame the rotation is O R O, the position A t and the output matrix A K, the same in every pose.
 * - Any other A = O P, P symmetric positive definite: rotating the joint shears the object, which no rotation reproduces.
 *   The rest rotation is O V O^T with V the rotation factor of P R |K|, and the output matrix is the remaining factor.
 *   Bone origins stay exact; orientations are the nearest rotations.
 */
import { FigureError } from 'poise';
import { mat3, quat } from 'poise/math';
import type { Object3D } from 'three';
import { localPosition, localRotation, pathOf, refresh } from './local-transform.js';
import { nearestQuaternion } from './nearest-rotation.js';

/** Relative departure from uniform scale that counts as rounding. */
const UNIFORM_TOLERANCE = 1e-12;

/** Departure that is warned about: less than 0.01 % is invisible, and files have scales in single precision. */
const VISIBLE_NON_UNIFORMITY = 1e-4;

/** Rigid frame of an object, and the scale separated from it. */
export interface ObjectFrame {
  /** Relative to the parent object's rigid frame: unit quaternion, and position in metres. */
  readonly rotation: readonly number[];
  readonly position: readonly number[];
  /** A_n, row by row. */
  readonly outputMatrix: readonly number[];
  /** Diagonal of A_n if it is uniform, else undefined. */
  readonly uniformScale: readonly [number, number, number] | undefined;
  /** Whether M_n = F_n A_n in every pose: every scale above is uniform to rounding. */
  readonly exact: boolean;
  /** Whether the scale at or above the object is visibly non-uniform. */
  readonly nonUniform: boolean;
}

/** The frame itself: u metres per unit. */
export function topFrame(unit: number): ObjectFrame {
  return {
    rotation: [0, 0, 0, 1],
    position: [0, 0, 0],
    outputMatrix: [unit, 0, 0, 0, unit, 0, 0, 0, unit],
    uniformScale: [unit, unit, unit],
    exact: true,
    nonUniform: false,
  };
}

/** Frame of an object from its parent's, for the current transforms. @throws FigureError `singular`. */
export function frameBelow(parent: ObjectFrame, object: Object3D): ObjectFrame {
  refresh(object);
  const q = localRotation(object, [0, 0, 0, 1]);
  const position = mat3.multiplyVector(parent.outputMatrix, localPosition(object, [0, 0, 0]));
  const { x, y, z } = object.scale;
  if (![...q, ...position, x, y, z].every(Number.isFinite)) {
    throw new FigureError('not-finite', 'has a position, rotation or scale that is not finite.', {
      path: pathOf(object),
      remedy: 'Give it finite numbers, and a quaternion that is not zero.',
    });
  }
  const linear = mat3.multiply(quat.toMatrix(q), [x, 0, 0, 0, y, 0, 0, 0, z]);
  const { uniformScale } = parent;
  if (uniformScale) {
    const output = mat3.multiply(parent.outputMatrix, [x, 0, 0, 0, y, 0, 0, 0, z]);
    return {
      rotation: conjugateBySigns(uniformScale, q, [0, 0, 0, 1]),
      position,
      outputMatrix: output,
      uniformScale: uniformDiagonal(output, UNIFORM_TOLERANCE),
      exact: parent.exact,
      nonUniform: parent.nonUniform || isNonUniform(output),
    };
  }
  if (!(Math.abs(mat3.determinant(parent.outputMatrix)) > 0)) {
    throw new FigureError('singular', 'is below a scale of zero, which has no inverse.', {
      path: pathOf(object),
      remedy: 'Give the objects above it a scale that is not zero; to hide a part, hide its mesh.',
    });
  }
  const o = mat3.orthogonalFactor(parent.outputMatrix);
  const symmetricFactor = mat3.multiply(mat3.transpose(o), parent.outputMatrix);
  const unsigned = mat3.multiply(quat.toMatrix(q), [
    Math.abs(x) || 1,
    ...[0, 0, 0],
    Math.abs(y) || 1,
    ...[0, 0, 0],
    Math.abs(z) || 1,
  ]);
  const v = nearestQuaternion(mat3.multiply(symmetricFactor, unsigned));
  const sign = mat3.determinant(o) < 0 ? -1 : 1;
  const [vx, vy, vz] = mat3.multiplyVector(o, v);
  const rotation = [sign * vx, sign * vy, sign * vz, v[3]];
  const output = mat3.multiply(
    mat3.transpose(quat.toMatrix(rotation)),
    mat3.multiply(parent.outputMatrix, linear),
  );
  const uneven = parent.nonUniform || isNonUniform(output);
  return {
    rotation,
    position,
    outputMatrix: output,
    uniformScale: uniformDiagonal(output, UNIFORM_TOLERANCE),
    exact: false,
    nonUniform: uneven,
  };
}

/** diag(A) if A is a diag(+-1, +-1, +-1) up to the tolerance, a not zero. */
function uniformDiagonal(a: readonly number[], tolerance: number): [number, number, number] | undefined {
  const size = Math.cbrt(Math.abs(mat3.determinant(a)));
  if (!(size > 0)) return undefined;
  for (let i = 0; i < 9; i++) {
    const wanted = i % 4 === 0 ? size : 0;
    if (!(Math.abs(Math.abs(a[i]) - wanted) <= tolerance * size)) return undefined;
  }
  return [a[0], a[4], a[8]];
}

/** Whether A^T A differs visibly from every multiple of the identity. */
function isNonUniform(a: readonly number[]): boolean {
  const square = Math.cbrt(mat3.determinant(a) ** 2);
  const gram = mat3.multiply(mat3.transpose(a), a);
  return gram.some(
    (value, i) => !(Math.abs(value - (i % 4 === 0 ? square : 0)) <= VISIBLE_NON_UNIFORMITY * square),
  );
}

/** Quaternion of O R O, O the signs of a diagonal: the vector part maps by det(O) O. `out` may be q. */
export function conjugateBySigns(
  diagonal: readonly [number, number, number],
  q: readonly number[],
  out: number[],
): number[] {
  const [a, b, c] = diagonal;
  // det(O) O_xx = O_yy O_zz
  return quat.set(b * c < 0 ? -q[0] : q[0], a * c < 0 ? -q[1] : q[1], a * b < 0 ? -q[2] : q[2], q[3], out);
}
