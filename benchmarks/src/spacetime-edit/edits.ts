/** The edits of the clips. */
import type { EditOptions, PointShift } from 'poise/editing';
import type { RealClip } from './clips.js';

export interface Edit {
  readonly name: string;
  readonly moves: readonly PointShift[];
  readonly options: EditOptions;
}

const UP = [0, 0.2, 0] as const;

/** A time of a clip, s, by the fraction of its length. */
export function timeAtFraction({ motion: { start, end } }: RealClip, fraction: number): number {
  return start + fraction * (end - start);
}

/** Raises a hand by 0.2 m at one time; ankles and toes keep the clip. */
export function handWithFeet(clip: RealClip, at: number): Edit {
  return {
    name: 'hand, feet held',
    moves: [{ at, bone: clip.hand, by: UP }],
    options: { pinned: [...clip.ankles, ...clip.toes] },
  };
}

/** Other edits about the middle of a clip. */
export function otherEdits(clip: RealClip): Edit[] {
  const middle = timeAtFraction(clip, 0.5);
  const hand = (at: PointShift['at'], bone = clip.hand): PointShift => ({ at, bone, by: UP });
  return [
    { name: 'hand, nothing held', moves: [hand(middle)], options: {} },
    { name: 'hand, ankles held', moves: [hand(middle)], options: { pinned: clip.ankles } },
    { name: 'hand over 0.5 s', moves: [hand([middle - 0.25, middle + 0.25])], options: {} },
    {
      name: 'both hands, two windows',
      moves: [hand(timeAtFraction(clip, 0.2)), hand(timeAtFraction(clip, 0.8), clip.otherHand)],
      options: {},
    },
    {
      name: 'hips down 5 cm, ankles held',
      moves: [{ at: middle, bone: clip.hips, by: [0, -0.05, 0] }],
      options: { pinned: clip.ankles },
    },
  ];
}
