import { FigureError } from '../errors.js';
import type { Triple } from './data/types.js';
import type { Figure } from './model/figure.js';

/** Angle between two directions of up that are the same but for rounding, rad. */
const SAME = 1e-6;

/**
 * Up in a world of several figures.
 *
 * @param pathOf - Where each figure stands in the caller's input, for errors.
 * @throws FigureError `unsupported` for figures that do not agree.
 */
export function commonUp(figures: readonly Figure[], pathOf: (index: number) => string): Triple {
  const [first, ...others] = figures;
  others.forEach((figure, k) => {
    const [ax, ay, az] = first.up;
    const [bx, by, bz] = figure.up;
    if (Math.hypot(ax - bx, ay - by, az - bz) <= SAME) return;
    throw new FigureError(
      'unsupported',
      `${figure.name} has its up along ${directionName(figure.up)}; that of ${first.name} is along ${directionName(first.up)}.`,
      {
        path: `${pathOf(k + 1)}.up`,
        remedy:
          "Read both in the same world: readUrdf(file, { upAxis: 'y' }) turns a robot upright in a world with +Y up.",
      },
    );
  });
  return first.up;
}

/** `+Z` for an axis of the world, else its numbers. */
function directionName(direction: Triple): string {
  const axis = direction.findIndex((x) => Math.abs(x) === 1);
  if (axis < 0) return `(${direction.map((x) => Number(x.toFixed(3))).join(', ')})`;
  return `${direction[axis] > 0 ? '+' : '-'}${'XYZ'[axis]}`;
}
