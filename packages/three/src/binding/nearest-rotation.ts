import { type Mat3, type MutableNumbers, mat3, type Numbers, quat } from 'poise/math';

/**
 * Largest entry of M^T M - I up to which M is converted to its quaternion directly, without a polar decomposition; the error
 * is of the same size.
 */
const ROTATION_TOLERANCE = 1e-13;

/** Unit quaternion of the rotation nearest to M (of the negated orthogonal factor if M is mirrored). */
export function nearestQuaternion<T extends MutableNumbers = number[]>(m: Mat3, out?: T): T {
  if (mat3.determinant(m) > 0 && isRotation(m)) return quat.fromMatrix(m, out);
  return quat.fromMatrix(mat3.rotationFactor(m), out);
}

function isRotation(m: Numbers): boolean {
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j <= i; j++) {
      const product = m[i] * m[j] + m[i + 3] * m[j + 3] + m[i + 6] * m[j + 6];
      if (!(Math.abs(product - (i === j ? 1 : 0)) <= ROTATION_TOLERANCE)) return false;
    }
  }
  return true;
}
