/** Whether the target of a position is farther than the bones between are long, which no limits help. */
import type { FigureState } from 'poise/figure';
import type { PositionGoal } from 'poise/ik';
import { rigid } from 'poise/math';

/**
 * How much farther a target is from the joint nearest to the root that moves its point than the links between are long, m: a bound from
 * below of the miss, whatever the limits. 0 where nothing is proved: the target is nearer, or a joint between is a translation.
 *
 * @param state - At the pose of the solve: a locked translation is as long as it is extended.
 */
export function beyondReach(
  { figure, parentFromBone, worldFromBone }: FigureState,
  { bone, point = [0, 0, 0], target }: PositionGoal,
  locked: ReadonlySet<number>,
): number {
  let length = Math.hypot(...Array.from(point));
  let beyond = 0;
  for (let b = Number(bone); b >= 0; b = figure.parents[b]) {
    const { type } = figure.bones[b].joint;
    if (type !== 'fixed' && !locked.has(b)) {
      if (type === 'free' || type === 'slider') return 0;
      beyond =
        distance(worldFromBone.subarray(12 * b + 9, 12 * b + 12), target as ArrayLike<number>) - length;
    }
    length += Math.hypot(...rigid.toPosition(parentFromBone.subarray(12 * b, 12 * b + 12)));
  }
  return Math.max(0, beyond);
}

function distance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}
