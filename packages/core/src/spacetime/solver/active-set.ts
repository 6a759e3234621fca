/** The bounds of a step: convex sets and inequality rows, and which of them are active. */
import type { System } from '../system/system.js';
import type { ConvexSet } from '../transcription/convex-sets.js';
import { createInequalities, type Inequalities } from './inequality-constraints.js';
import { createSetConstraints, INACTIVE, type SetConstraints } from './set-constraints.js';

export interface ActiveSet {
  /** The sets that are set constraints: all except those treated as inequalities. */
  readonly sets: readonly ConvexSet[];
  readonly setConstraints: SetConstraints;
  /** Inequalities as one-sided penalties. */
  readonly inequalities: Inequalities;
}

export function createActiveSet({ kinds, sets }: System): ActiveSet {
  // With inequality rows, intervals become inequalities too, one per end: the interior point method has to see them.
  const hasInequalities = kinds.includes('inequality');
  const intervals = hasInequalities ? sets.filter(({ size }) => size === 1) : [];
  const others = hasInequalities ? sets.filter(({ size }) => size > 1) : sets;
  return {
    sets: others,
    setConstraints: createSetConstraints(others.length),
    inequalities: createInequalities(kinds, intervals),
  };
}

/** The sets whose boundary is active, the trust region of the time scaling apart. */
export function activeSets({ sets, setConstraints, inequalities }: ActiveSet): ConvexSet[] {
  const { intervals, rows, active } = inequalities;
  return [
    ...sets.filter((_, k) => setConstraints.active[k] !== INACTIVE && setConstraints.isTrustBound[k] === 0),
    ...intervals.filter((_, k) => active[rows.length + k] === 1 && inequalities.isTrustBound[k] === 0),
  ];
}

/** Whether the trust region of the time scaling limits the step. */
export function isTimeStepLimited({ sets, setConstraints, inequalities }: ActiveSet): boolean {
  const { intervals, rows, active } = inequalities;
  return (
    sets.some((_, k) => setConstraints.active[k] !== INACTIVE && setConstraints.isTrustBound[k] === 1) ||
    intervals.some((_, k) => active[rows.length + k] === 1 && inequalities.isTrustBound[k] === 1)
  );
}
