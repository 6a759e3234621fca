import { FigureError } from '../../errors.js';
import type { Numbers } from '../../math/linear/types.js';
import { requireTriple, UNIT_ROUNDING } from '../data/normalize.js';
import type { Triple } from '../data/types.js';

/** A side direction nearer than this to the axis (1 - |cosine|) has no reliable part across it. */
const ALONG = 1e-6;

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
 * The unit vector along `axis`; one that is unit already stays as it is, to the bit.
 *
 * @throws FigureError when it is not three finite numbers or has no direction.
 */
export function unitAxis(axis: Numbers, path: string): Triple {
  const [x, y, z] = requireTriple(axis, path);
  if (Math.abs(x * x + y * y + z * z - 1) <= UNIT_ROUNDING) return [x, y, z];
  const largest = Math.max(Math.abs(x), Math.abs(y), Math.abs(z));
  if (largest === 0) {
    throw new FigureError('not-unit', 'is zero, which has no direction.', {
      path,
      remedy: 'Give an axis that is not zero.',
    });
  }
  // Over the largest entry first: squares of 1e-200 or 1e200 would leave the range.
  const [u, v, w] = [x / largest, y / largest, z / largest];
  const length = Math.sqrt(u * u + v * v + w * w);
  return [u / length + 0, v / length + 0, w / length + 0];
}

/**
 * The first direction s of the swing plane: `side` made orthogonal to `axis`, or, where it is left out, the
 * coordinate axis least along `axis` made orthogonal to it. One that is orthogonal already stays, to the bit.
 *
 * @throws FigureError when `side` is along `axis`.
 */
export function swingSide(axis: Triple, side: Numbers | null | undefined, path: string): Triple {
  const from = side === undefined || side === null ? leastAligned(axis) : unitAxis(side, path);
  if (1 - Math.abs(dot(from, axis)) < ALONG) {
    throw new FigureError('out-of-range', 'lies along the axis of the joint.', {
      path,
      remedy: 'Give a direction across the axis, or leave it out.',
    });
  }
  // Gram-Schmidt twice: the first pass leaves rounding over the sine of the angle between them.
  return acrossOf(axis, acrossOf(axis, from, path), path);
}

/** `from` without its part along `axis`, of unit length. */
function acrossOf(axis: Triple, from: Triple, path: string): Triple {
  const along = dot(from, axis);
  if (Math.abs(along) <= UNIT_ROUNDING) return from;
  return unitAxis([from[0] - along * axis[0], from[1] - along * axis[1], from[2] - along * axis[2]], path);
}

function leastAligned(axis: Triple): Triple {
  const [x, y, z] = [Math.abs(axis[0]), Math.abs(axis[1]), Math.abs(axis[2])];
  if (x <= y && x <= z) return [1, 0, 0];
  return y <= z ? [0, 1, 0] : [0, 0, 1];
}

function dot(a: Triple, b: Triple): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/** a x b: with a the limb's axis and b = s, the second direction t of the swing plane. */
export function cross(a: Triple, b: Triple): Triple {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}
