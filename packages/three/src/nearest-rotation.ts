import { type Mat3, type MutableNumbers, mat3, type Numbers, quat } from 'poise/math';

/**
 * Departure from orthonormal columns (largest entry of M^T M - I) up to which a matrix counts as a rotation and goes to its
 * quaternion without another thought: the error that this leaves is of the same size.
 */
const ROTATION_TOLERANCE = 1e-13;

/**
 * Orthogonal factor Q of the polar decomposition M = Q P, P symmetric positive definite, by Newton's iteration
 * X <- (g X + (g X)^-T) / 2 with Frobenius scaling g (Higham, Functions of Matrices, 8.6). It keeps the sign of the
 * determinant. M has an inverse.
 */
export function orthogonalFactor(m: Mat3): number[] {
  let x = mat3.copy(m);
  for (let step = 0; step < 60; step++) {
    const inverseTranspose = mat3.transpose(mat3.inverse(x));
    const g = Math.sqrt(mat3.frobeniusNorm(inverseTranspose) / mat3.frobeniusNorm(x));
    const next = mat3.scale(mat3.add(mat3.scale(x, g), mat3.scale(inverseTranspose, 1 / g)), 0.5);
    const change = mat3.frobeniusNorm(mat3.subtract(next, x));
    x = next;
    // Quadratic: what is left after this step is of the order of the square.
    if (change < 1e-9) break;
  }
  return x;
}

/** Unit quaternion of the rotation nearest to M (the negative of its orthogonal factor where M is mirrored). */
export function nearestQuaternion<T extends MutableNumbers = number[]>(m: Mat3, out?: T): T {
  if (mat3.determinant(m) > 0 && isRotation(m)) return quat.fromMatrix(m, out);
  const q = orthogonalFactor(m);
  return quat.fromMatrix(mat3.determinant(q) < 0 ? mat3.scale(q, -1) : q, out);
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
