import type { Figure } from 'poise/figure';
import { footPoints, type SpacetimeTerm } from 'poise/spacetime';

/** When both feet leave the floor and come back to it, s. */
export interface Jump {
  readonly heelsLeave: number;
  readonly ballsLeave: number;
  readonly ballsLand: number;
  readonly heelsLand: number;
  readonly end: number;
}

/** Contacts of both feet before and after a jump: heels leave first and balls last, and land the other way round. */
export function feetOfJump(figure: Figure, jump: Jump): SpacetimeTerm[] {
  return ['left', 'right'].flatMap((side): SpacetimeTerm[] => {
    const bone = `${side}Foot`;
    const points = footPoints(figure, bone);
    const [heel, ball] = [points.slice(0, 2), points.slice(2)];
    return [
      { type: 'contact', name: `${side} heel`, bone, points: heel, over: [0, jump.heelsLeave] },
      { type: 'contact', name: `${side} ball`, bone, points: ball, over: [0, jump.ballsLeave] },
      { type: 'contact', name: `${side} ball again`, bone, points: ball, over: [jump.ballsLand, jump.end] },
      { type: 'contact', name: `${side} heel again`, bone, points: heel, over: [jump.heelsLand, jump.end] },
    ];
  });
}
