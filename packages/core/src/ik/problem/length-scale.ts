import { FigureError } from '../../errors.js';
import type { Figure } from '../../figure/model/figure.js';
import { findFreeRoots } from '../../figure/model/floating-base.js';

/**
 * The length scale relative to the longest path: about the average lever arm of a joint on an effector, so that a radian weighs as
 * much as the displacement it causes. Between 0.17 and 0.3 pose problems of four robot arms took the same number of steps; with 1,
 * half as many again.
 */
export const LEVER_ARM = 0.25;

/**
 * The unit of lengths in f, m: a quarter of the longest path along the bones from a root to an origin or tip at rest; 0.25 m for a
 * figure without extent. Paths begin at free roots: where they are below the fixed bones above them is no extent of the figure.
 *
 * @throws FigureError `not-finite`.
 */
export function lengthScaleOf(figure: Figure): number {
  const { bones } = figure;
  const roots = findFreeRoots(figure);
  const along = new Float64Array(bones.length);
  let longest = 0;
  for (const { index, parent, rest, tip } of bones) {
    if (parent >= 0 && !roots.includes(index)) along[index] = along[parent] + Math.hypot(...rest.position);
    longest = Math.max(longest, along[index] + (tip === undefined ? 0 : Math.hypot(...tip)));
  }
  if (!Number.isFinite(longest)) {
    throw new FigureError('not-finite', 'is too large for double precision.', {
      path: 'figure',
      remedy: 'Scale it to metres.',
    });
  }
  return LEVER_ARM * (longest > 0 ? longest : 1);
}
