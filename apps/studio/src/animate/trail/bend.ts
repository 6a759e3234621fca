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
}

/** How long before and after a drag the motion may change, s. */
export const REACH = 1;
/** What is not there after as many steps is out of reach. */
const STEPS = 20;

/** The motion with the point moved by a vector of the world, m. */
export function bend({ figure, motion, bone, point, at, pinned }: Bend, by: Triple): Motion {
  const root = figure.bones.find(({ name }) => name === bone)?.joint.type === 'free';
  return editMotion(figure, motion, [{ at, bone, point, by }], {
    reach: REACH,
    maxIterations: STEPS,
    pinned,
    ...(root && pinned.length === 0 ? { bones: [bone] } : {}),
  }).motion;
}
