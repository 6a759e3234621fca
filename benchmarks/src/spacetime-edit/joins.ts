/** What else is done to a walk: found contacts, a transition into itself, a loop of one stride. */
import { createTransition, detectContacts, loopMotion } from 'poise/editing';
import type { RealClip } from './clips.js';

/** It has a stride from 1 s to 2.1 s. */
export const WALK = 'cmu_12_01_walk.bvh';

export interface Join {
  readonly name: string;
  readonly work: () => void;
}

export function joinsOf({ figure, motion, toes }: RealClip): Join[] {
  const standing = toes.map(({ bone, point }) => ({ bone, points: [point] }));
  const window = { at: 3, from: 0.9, duration: 0.4 };
  const stride = { from: 1, to: 2.1, contactPoints: standing };
  return [
    { name: 'transition into itself', work: () => createTransition(figure, motion, motion, window) },
    {
      name: 'transition, feet stand',
      work: () => createTransition(figure, motion, motion, { ...window, contactPoints: standing }),
    },
    { name: 'loop of a stride, feet stand', work: () => loopMotion(figure, motion, stride) },
    { name: 'contacts of the toes', work: () => detectContacts(figure, motion, standing) },
  ];
}
