/** The convex sets that are active at the last step. */
import type { ConvexSet } from '../transcription/convex-sets.js';
import { INACTIVE } from './set-constraints.js';
import type { Solver } from './solver-state.js';

/** The sets whose boundary is active. */
export function activeSets({
  constrainedSets,
  setConstraints,
  inequalities,
}: Pick<Solver, 'constrainedSets' | 'setConstraints' | 'inequalities'>): ConvexSet[] {
  const { intervals, rows, active } = inequalities;
  return [
    ...constrainedSets.filter(
      (_, k) => setConstraints.active[k] !== INACTIVE && setConstraints.isTrustBound[k] === 0,
    ),
    ...intervals.filter((_, k) => active[rows.length + k] === 1 && inequalities.isTrustBound[k] === 0),
  ];
}

/** Whether the trust region of the time scaling limits the step. */
export function isTimeStepLimited({
  constrainedSets,
  setConstraints,
  inequalities,
}: Pick<Solver, 'constrainedSets' | 'setConstraints' | 'inequalities'>): boolean {
  const { intervals, rows, active } = inequalities;
  return (
    constrainedSets.some(
      (_, k) => setConstraints.active[k] !== INACTIVE && setConstraints.isTrustBound[k] === 1,
    ) || intervals.some((_, k) => active[rows.length + k] === 1 && inequalities.isTrustBound[k] === 1)
  );
}
