import { requireOneOf } from '../../checks.js';
import { DomainError } from '../../errors.js';
import type { MutableNumbers, Vec3 } from '../../math/linear/types.js';
import { unset3 } from '../../math/linear/unset.js';
import { EULER_ORDERS, type EulerOrder } from './euler.js';

const TWO_PI = 2 * Math.PI;

/**
 * Of all Euler angles of the same rotation those nearest to `reference` (an Euler filter for one key): multiples of 2 pi of each
 * angle, and the second solution, (a + pi, pi - b, c + pi) for Tait-Bryan orders, (a + pi, -b, c + pi) for proper Euler orders.
 *
 * @param order - Order of the angles, intrinsic or extrinsic.
 * @throws DomainError `unsupported` for an unknown order.
 */
export function nearestEulerAngles<T extends MutableNumbers = number[]>(
  angles: Vec3,
  order: EulerOrder,
  reference: Vec3,
  out: T = unset3(),
): T {
  requireOneOf(order, EULER_ORDERS, 'order', DomainError);
  const proper = order[0] === order[2];
  const triples = [
    [angles[0], angles[1], angles[2]],
    [angles[0] + Math.PI, (proper ? 0 : Math.PI) - angles[1], angles[2] + Math.PI],
  ].map((triple) => triple.map((x, k) => x + TWO_PI * Math.round((reference[k] - x) / TWO_PI)));
  const [near, far] = triples.map((triple) => triple.reduce((sum, x, k) => sum + (x - reference[k]) ** 2, 0));
  const best = far < near ? triples[1] : triples[0];
  for (let k = 0; k < 3; k++) out[k] = best[k];
  return out;
}
