import type { MutableNumbers, Vec3 } from '../../math/linear/types.js';
import type { EulerOrder } from './euler.js';

const TURN = 2 * Math.PI;

/**
 * Of all angles that make the same rotation, those nearest to `reference`: whole turns of each angle, and the second triple that every rotation has,
 * (a + pi, pi - b, c + pi) for three different axes, (a + pi, -b, c + pi) where the last is the first. What animators call an Euler filter,
 * key by key.
 *
 * @param order - Of the angles; intrinsic or extrinsic alike.
 */
export function nearestEulerAngles<T extends MutableNumbers = number[]>(
  angles: Vec3,
  reference: Vec3,
  order: EulerOrder,
  out: T = [0, 0, 0] as MutableNumbers as T,
): T {
  const proper = order[0] === order[2];
  const triples = [
    [angles[0], angles[1], angles[2]],
    [angles[0] + Math.PI, (proper ? 0 : Math.PI) - angles[1], angles[2] + Math.PI],
  ].map((triple) => triple.map((x, k) => x + TURN * Math.round((reference[k] - x) / TURN)));
  const [near, far] = triples.map((triple) => triple.reduce((sum, x, k) => sum + (x - reference[k]) ** 2, 0));
  const best = far < near ? triples[1] : triples[0];
  for (let k = 0; k < 3; k++) out[k] = best[k];
  return out;
}
