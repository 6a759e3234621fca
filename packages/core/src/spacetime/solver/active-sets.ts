/** The sets that hold the last step of a solver. */
import type { ConvexSet } from '../transcription/convex-sets.js';
import { FREE } from './set-constraints.js';
import type { Solver } from './solver-state.js';

/** Those whose border the step presses against. */
export function pressedSets({
  walled,
  walls,
  sides,
}: Pick<Solver, 'walled' | 'walls' | 'sides'>): ConvexSet[] {
  const { intervals, rows, active } = sides;
  return [
    ...walled.filter((_, k) => walls.pressed[k] !== FREE && walls.trust[k] === 0),
    ...intervals.filter((_, k) => active[rows.length + k] === 1 && sides.trust[k] === 0),
  ];
}

/** Whether the step would change the timing by more than it may in one. */
export function isClockHeld({ walled, walls, sides }: Pick<Solver, 'walled' | 'walls' | 'sides'>): boolean {
  const { intervals, rows, active } = sides;
  return (
    walled.some((_, k) => walls.pressed[k] !== FREE && walls.trust[k] === 1) ||
    intervals.some((_, k) => active[rows.length + k] === 1 && sides.trust[k] === 1)
  );
}
