import { requireNumbers } from '../../checks.js';
import { DomainError } from '../../errors.js';
import type { Triple } from '../../figure/data/types.js';

/**
 * Gravity on Earth against an up axis, a unit vector in world axes, m/s^2: 9.81 downwards.
 *
 * @throws DomainError `wrong-size`, `not-finite`.
 */
export function standardGravity(up: Triple): Triple {
  requireNumbers(up, 3, 'up', DomainError);
  const [x, y, z] = up;
  // + 0 turns -0 into 0.
  return [-9.81 * x + 0, -9.81 * y + 0, -9.81 * z + 0];
}
