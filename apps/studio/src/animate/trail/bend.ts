import { editMotion, type PinnedPoint } from 'poise/editing';
import type { Figure, Triple } from 'poise/figure';
import type { Motion } from 'poise/motion';

/** A path of a point through a motion, and the time at which it is dragged. Plain data. */
export interface Bend {
  readonly figure: Figure;
  readonly motion: Motion;
  readonly bone: string;
  /** In the bone's frame, m. */
  readonly point: Triple;
  /** s. */
  readonly at: number;
  readonly pinned: readonly PinnedPoint[];
  /** Of the character, m. */
  readonly size: number;
}

/** How long before and after a drag the motion may change, s. */
export const REACH = 1;
/** What is not there after as many steps is out of reach; and how near is there, over the size. */
const STEPS = 20;
const NEAR = 5e-5;

/** The motion with the point moved by a vector of the world, m. */
export function bend({ figure, motion, bone, point, at, pinned, size }: Bend, by: Triple): Motion {
  const root = figure.bones.find(({ name }) => name === bone)?.joint.type === 'free';
  return editMotion(figure, motion, [{ at, bone, point, by }], {
    reach: REACH,
    maxIterations: STEPS,
    tolerance: NEAR * size,
    pinned,
    ...(root && pinned.length === 0 ? { bones: [bone] } : {}),
  }).motion;
}
