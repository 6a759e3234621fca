import type { Mat3, MutableNumbers } from '../../math/linear/types.js';

/**
 * Writes the angles (rad) of R_i(a) R_j(b) R_k(c), axes 0, 1, 2, as `eulerFromMatrix`. Where |cos b| (|sin b| for proper Euler orders)
 * is below `lock`, only a + c or a - c is determined, and a is `first`.
 */
export function writeEulerAngles<T extends MutableNumbers>(
  m: Mat3,
  i: number,
  j: number,
  k: number,
  first: number,
  lock: number,
  out: T,
): T {
  /** +1 when j follows i in the cycle X -> Y -> Z -> X, else -1. */
  const parity = j === (i + 1) % 3 ? 1 : -1;
  /** The axis other than i and j: k for Tait-Bryan orders. */
  const third = 3 - i - j;
  const proper = i === k;
  // Proper: column i of R_i R_j R_i is cos b, sin a sin b, -+ cos a sin b.
  // Tait-Bryan: column k of R_i R_j R_k is +- sin b, -+ sin a cos b, cos a cos b.
  const sine = proper ? m[3 * j + i] : 0 - parity * m[3 * j + third];
  const cosine = proper ? 0 - parity * m[3 * third + i] : m[3 * third + third];
  const determinant = Math.hypot(sine, cosine);
  const a = determinant < lock ? first : Math.atan2(sine, cosine);
  out[0] = a;
  out[1] = proper
    ? Math.atan2(determinant, m[3 * i + i])
    : Math.atan2(parity * m[3 * i + third], determinant);
  // Row j of R_i(-a) R = R_j(b) R_k(c) is row j of R_k(c).
  const cosA = Math.cos(a);
  const sinA = parity * Math.sin(a);
  const row = (column: number): number => cosA * m[3 * j + column] + sinA * m[3 * third + column];
  out[2] = proper ? Math.atan2(-parity * row(third), row(j)) : Math.atan2(parity * row(i), row(j));
  return out;
}
