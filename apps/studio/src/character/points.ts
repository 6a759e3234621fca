import type { Figure, FigureState } from 'poise/figure';
import { rigid } from 'poise/math';

/** Joints and tips of a figure, in its world, m. */
export function pointsOf({ bones }: Figure, { worldFromBone }: FigureState): number[][] {
  return bones.flatMap(({ index, tip }) => {
    const frame = worldFromBone.subarray(12 * index, 12 * index + 12);
    const joint = [...rigid.toPosition(frame)];
    return tip === undefined ? [joint] : [joint, [...rigid.transformPoint(frame, tip)]];
  });
}
