import { FigureError } from '../../errors.js';
import type { Numbers } from '../../math/types.js';
import type { Triple } from '../types.js';

/**
 * The unit vector along `axis`.
 *
 * @throws FigureError when it is not three finite numbers or has no direction.
 */
export function unitAxis(axis: Numbers, path: string): Triple {
  if (axis?.length !== 3) {
    throw new FigureError('wrong-size', 'is not a direction of three numbers.', {
      path,
      remedy: 'Give [x, y, z].',
    });
  }
  const largest = Math.max(Math.abs(axis[0]), Math.abs(axis[1]), Math.abs(axis[2]));
  if (!(largest > 0) || !Number.isFinite(largest)) {
    throw new FigureError('not-unit', `is [${Array.from(axis)}], which has no direction.`, {
      path,
      remedy: 'Give a finite axis that is not zero.',
    });
  }
  const [x, y, z] = [axis[0] / largest, axis[1] / largest, axis[2] / largest];
  const length = Math.sqrt(x * x + y * y + z * z);
  return [x / length, y / length, z / length];
}

/**
 * The first direction s of the swing plane: `side` made orthogonal to `axis`, or, where it is left out, the
 * coordinate axis least along `axis` made orthogonal to it.
 *
 * @throws FigureError when `side` is along `axis`.
 */
export function swingSide(axis: Triple, side: Triple | undefined, path: string): Triple {
  const from = side === undefined ? leastAligned(axis) : unitAxis(side, path);
  const along = from[0] * axis[0] + from[1] * axis[1] + from[2] * axis[2];
  if (1 - Math.abs(along) < 1e-6) {
    throw new FigureError('out-of-range', 'lies along the axis of the joint.', {
      path,
      remedy: 'Give a direction across the axis, or leave it out.',
    });
  }
  return unitAxis([from[0] - along * axis[0], from[1] - along * axis[1], from[2] - along * axis[2]], path);
}

function leastAligned(axis: Triple): Triple {
  const [x, y, z] = [Math.abs(axis[0]), Math.abs(axis[1]), Math.abs(axis[2])];
  if (x <= y && x <= z) return [1, 0, 0];
  return y <= z ? [0, 1, 0] : [0, 0, 1];
}

/** a x b: with a the limb's axis and b = s, the second direction t of the swing plane. */
export function cross(a: Triple, b: Triple): Triple {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}
