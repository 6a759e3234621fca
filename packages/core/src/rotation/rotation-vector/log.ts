/** Logarithm: the rotation vector of a quaternion or a matrix, with a choice of branch. */
import { DomainError } from '../../errors.js';
import * as quat from '../../math/geometry/quat.js';
import { copy, length, normalize, set } from '../../math/geometry/vec3.js';
import type { Mat3, MutableNumbers, Quat, Vec3 } from '../../math/linear/types.js';
import { unset3, unset4 } from '../../math/linear/unset.js';

const TWO_PI = 2 * Math.PI;

/** Largest error of a rotation matrix, of its determinant and of its mean square: files store a few digits. */
const ROTATION_TOLERANCE = 1e-2;

const scratch = /* @__PURE__ */ unset4();
const vector = /* @__PURE__ */ unset3();
const axis = /* @__PURE__ */ unset3();

/**
 * Rotation vector (rad) of a nonzero quaternion of any length; the same for q and -q.
 *
 * theta = 2 atan2(|q_v|, |q_w|), never acos, which is ill-conditioned near 0 and near pi.
 * @param reference chooses the branch: of the equivalent vectors v + 2 pi k v/|v| the one nearest to the reference.
 *   Default: the shortest, |v| <= pi; at exactly pi the sign is that of the vector part.
 */
export function rotationVectorFromQuat<T extends MutableNumbers = number[]>(
  q: Quat,
  reference?: Vec3,
  out: T = unset3(),
): T {
  const w = q[3];
  const sign = w < 0 ? -1 : 1;
  const x = sign * q[0];
  const y = sign * q[1];
  const z = sign * q[2];
  const n = length(x, y, z);
  // v = (theta/|q_v|) q_v; theta/|q_v| -> 2/|w| as |q_v| -> 0
  const scale = n > 0 ? (2 * Math.atan2(n, sign * w)) / n : 2 / (sign * w);
  if (reference === undefined) return set(scale * x, scale * y, scale * z, out);
  // Through a scratch vector: out may be the reference.
  return nearestRotationVector(set(scale * x, scale * y, scale * z, vector), reference, out);
}

/**
 * Rotation vector (rad) of a rotation matrix, nine numbers row by row (or twelve, a rigid transform), through its
 * quaternion. Branch as in {@link rotationVectorFromQuat}.
 *
 * @throws DomainError `not-unit` for a matrix that is off a rotation by more than 0.01: with scale, shear or a mirror.
 *   Its nearest rotation is `mat3.rotationFactor(m)`.
 */
export function rotationVectorFromMatrix<T extends MutableNumbers = number[]>(
  m: Mat3,
  reference?: Vec3,
  out: T = unset3(),
): T {
  requireRotation(m);
  return rotationVectorFromQuat(quat.fromMatrix(m, scratch), reference, out);
}

/**
 * The singular values s of M have sum s^2 = |M|^2 and product |det M|, and the mean of the squares is at least the square of the
 * geometric mean, with equality for equal ones: |M|^2 = 3 and det M = 1 say that M is a rotation. NaN passes, and gives NaN.
 */
function requireRotation(m: Mat3): void {
  const minors = m[0] * (m[4] * m[8] - m[5] * m[7]) + m[1] * (m[5] * m[6] - m[3] * m[8]);
  const determinant = minors + m[2] * (m[3] * m[7] - m[4] * m[6]);
  let square = 0;
  for (let k = 0; k < 9; k++) square += m[k] * m[k];
  const error = Math.max(Math.abs(square / 3 - 1), Math.abs(determinant - 1));
  if (!(error > ROTATION_TOLERANCE)) return;
  throw new DomainError('not-unit', `has determinant ${determinant} and square sum ${square}.`, {
    path: 'rotationVectorFromMatrix(m)',
    remedy: 'A rotation matrix has 1 and 3. Take that of a matrix with scale by mat3.rotationFactor(m).',
  });
}

/**
 * Of the equivalent rotation vectors v + 2 pi k v/|v| the one nearest to `reference`. The identity is every vector of
 * length 2 pi k, so for v = 0 the nearest one is parallel to the reference.
 */
export function nearestRotationVector<T extends MutableNumbers = number[]>(
  v: Vec3,
  reference: Vec3,
  out: T = unset3(),
): T {
  const theta = length(v[0], v[1], v[2]);
  if (!(theta < Infinity)) return copy(v, out);
  if (theta === 0) {
    const size = length(reference[0], reference[1], reference[2]);
    const k = Math.round(size / TWO_PI);
    const scale = k === 0 ? 0 : (k * TWO_PI) / size;
    out[0] = scale * reference[0];
    out[1] = scale * reference[1];
    out[2] = scale * reference[2];
    return out;
  }
  // The reference projected on the unit axis n: n . reference.
  const [nx, ny, nz] = normalize(v, axis);
  const k = Math.round((nx * reference[0] + ny * reference[1] + nz * reference[2] - theta) / TWO_PI);
  const shift = k * TWO_PI;
  out[0] = v[0] + shift * nx;
  out[1] = v[1] + shift * ny;
  out[2] = v[2] + shift * nz;
  return out;
}
