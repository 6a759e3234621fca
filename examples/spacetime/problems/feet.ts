import { findFootPoints } from 'poise/dynamics';
import { createState, type Figure, forwardKinematics, type Triple } from 'poise/figure';
import type { SpacetimeTerm } from 'poise/spacetime';

/** Times of take-off and landing of both feet, s. */
export interface Jump {
  readonly heelsLeave: number;
  readonly ballsLeave: number;
  readonly ballsLand: number;
  readonly heelsLand: number;
  readonly end: number;
}

/**
 * Contacts of both feet before and after a jump: heels leave first and balls last, and land in reverse order. Their positions are those of the pose
 * before, and `moved` m along z after it.
 */
export function feetOfJump(figure: Figure, jump: Jump, pose: Float64Array, moved = 0): SpacetimeTerm[] {
  const state = createState(figure);
  forwardKinematics(state, pose);
  return ['left', 'right'].flatMap((side): SpacetimeTerm[] => {
    const bone = `${side}Foot`;
    const o = 12 * figure.bones.findIndex(({ name }) => name === bone);
    const w = state.worldFromBone;
    const worldOf = ([x, y, z]: Triple): Triple => [
      w[o] * x + w[o + 1] * y + w[o + 2] * z + w[o + 9],
      w[o + 3] * x + w[o + 4] * y + w[o + 5] * z + w[o + 10],
      w[o + 6] * x + w[o + 7] * y + w[o + 8] * z + w[o + 11],
    ];
    const stand = (
      name: string,
      points: readonly Triple[],
      over: readonly [number, number],
      by: number,
    ): SpacetimeTerm => ({
      type: 'contact',
      name: `${side} ${name}`,
      bone,
      points,
      over,
      positions: points.map(worldOf).map(([x, , z]): Triple => [x, 0, z + by]),
    });
    const points = findFootPoints(figure, bone);
    const [heel, ball] = [points.slice(0, 2), points.slice(2)];
    return [
      stand('heel', heel, [0, jump.heelsLeave], 0),
      stand('ball', ball, [0, jump.ballsLeave], 0),
      stand('ball again', ball, [jump.ballsLand, jump.end], moved),
      stand('heel again', heel, [jump.heelsLand, jump.end], moved),
    ];
  });
}
