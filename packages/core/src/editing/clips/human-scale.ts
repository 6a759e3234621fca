/** The size of a figure relative to a person: lengths and speeds of editing are for people, and scaled to other figures. */
import type { Figure } from '../../figure/model/figure.js';
import { lengthScaleOf } from '../../ik/problem/length-scale.js';
import { isTranslation } from '../../spacetime/terms/context.js';

/** Length scale of the built-in human, m. */
const HUMAN_LENGTH_SCALE = 0.4;

export function humanScaleOf(figure: Figure): number {
  return lengthScaleOf(figure) / HUMAN_LENGTH_SCALE;
}

/** By coordinate: 1 for angles, for lengths `unit`, m. */
export function coordinateUnits(figure: Figure, unit: number): Float64Array {
  return Float64Array.from({ length: figure.dof }, (_, i) => (isTranslation(figure, i) ? unit : 1));
}
