/** The whole worker: bends a motion by a drag of a point of a path, again and again. */
import type { Triple } from 'poise/figure';
import type { Motion } from 'poise/motion';
import { type Bend, bend } from './bend.js';

/** @property drag - Counts drags: an answer may come when the next has begun. */
export type BendRequest = { readonly drag: number } & ({ readonly bend: Bend } | { readonly by: Triple });
export type BendAnswer = { readonly drag: number } & (
  | { readonly motion: Motion }
  | { readonly error: string }
);

const send = (answer: BendAnswer): void => postMessage(answer);
let given: Bend | undefined;

addEventListener('message', ({ data }: MessageEvent<BendRequest>) => {
  if ('bend' in data) {
    given = data.bend;
    return;
  }
  if (given === undefined) return;
  const { drag, by } = data;
  try {
    send({ drag, motion: bend(given, by) });
  } catch (error) {
    send({ drag, error: error instanceof Error ? error.message : String(error) });
  }
});
