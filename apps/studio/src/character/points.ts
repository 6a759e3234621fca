import type { Figure, FigureState } from 'poise/figure';
import { rigid } from 'poise/math';

/** Joints and tips of a figure, in its world, m. @param of - Of these bones, by index. Default: of all. */
export function pointsOf(
  { bones }: Figure,
  { worldFromBone }: FigureState,
  of: Iterable<number> = bones.keys(),
): number[][] {
  return Array.from(of).flatMap((index) => {
    const { tip } = bones[index];
    const frame = worldFromBone.subarray(12 * index, 12 * index + 12);
    const joint = [...rigid.toPosition(frame)];
    return tip === undefined ? [joint] : [joint, [...rigid.transformPoint(frame, tip)]];
  });
}
