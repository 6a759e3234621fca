import { FigureError } from '../../errors.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { Numbers } from '../../math/linear/types.js';
import { requireTriple, UNIT_ROUNDING } from '../data/normalize.js';
import type { Triple } from '../data/types.js';

/** 1 - |cosine| of the angle between axis and reference axis below which they count as parallel. */
const PARALLEL = 1e-6;

/** out[o..] += scale x X y, of three numbers each from x[i] and y[j]. */
export function addCross(
  x: Float64Array,
  i: number,
  y: Float64Array,
  j: number,
  scale: number,
  out: Float64Array,
  o: number,
): void {
  const x0 = x[i];
  const x1 = x[i + 1];
  const x2 = x[i + 2];
  const y0 = y[j];
  const y1 = y[j + 1];
  const y2 = y[j + 2];
  out[o] += scale * (x1 * y2 - x2 * y1);
  out[o + 1] += scale * (x2 * y0 - x0 * y2);
  out[o + 2] += scale * (x0 * y1 - x1 * y0);
}

/**
 * The normalized axis; a unit axis is unchanged to the bit.
 *
 * @throws FigureError unless it is three finite numbers, not all zero.
 */
export function unitAxis(axis: Numbers, path: string): Triple {
  const [x, y, z] = requireTriple(axis, path);
  if (Math.abs(x * x + y * y + z * z - 1) <= UNIT_ROUNDING) return [x, y, z];
  const largest = Math.max(Math.abs(x), Math.abs(y), Math.abs(z));
  if (largest === 0) {
    throw new FigureError('not-unit', 'is zero, which has no direction.', {
      path,
      remedy: 'Give a nonzero axis.',
    });
  }
  // Scaled by the largest entry, against overflow and underflow of the squares.
  const [u, v, w] = [x / largest, y / largest, z / largest];
  const length = Math.sqrt(u * u + v * v + w * w);
  return [u / length + 0, v / length + 0, w / length + 0];
}

/**
 * The first axis s of the swing plane: the reference axis `side` orthogonalized against `axis`. Default reference: the least
 * aligned coordinate axis. A unit reference orthogonal to the axis is unchanged to the bit.
 *
 * @throws FigureError `out-of-range` when `side` is parallel to `axis`.
 */
export function swingReferenceAxis(axis: Triple, side: Numbers | null | undefined, path: string): Triple {
  const from = side === undefined || side === null ? leastAligned(axis) : unitAxis(side, path);
  if (1 - Math.abs(vec3.dot(from, axis)) < PARALLEL) {
    throw new FigureError('out-of-range', 'is parallel to the axis of the joint.', {
      path,
      remedy: 'Give a direction that is not parallel to the axis, or leave it out.',
    });
  }
  // Gram-Schmidt twice: the error of one pass is the rounding over the sine of the angle.
  return orthogonalized(axis, orthogonalized(axis, from, path), path);
}

/** `from` without its component along `axis`, normalized. */
function orthogonalized(axis: Triple, from: Triple, path: string): Triple {
  const component = vec3.dot(from, axis);
  if (Math.abs(component) <= UNIT_ROUNDING) return from;
  return unitAxis(
    [from[0] - component * axis[0], from[1] - component * axis[1], from[2] - component * axis[2]],
    path,
  );
}

function leastAligned(axis: Triple): Triple {
  const [x, y, z] = [Math.abs(axis[0]), Math.abs(axis[1]), Math.abs(axis[2])];
  if (x <= y && x <= z) return [1, 0, 0];
  return y <= z ? [0, 1, 0] : [0, 0, 1];
}
