/** Solves a problem iteration by iteration, until it is done or interrupted. */
import {
  getSpacetimeSolution,
  type SpacetimeSolution,
  type SpacetimeSolver,
  spacetimeProgress,
  stepSpacetime,
} from 'poise/spacetime';
import type { Io } from '../io/io.js';
import { createProgress, type Iterate } from './progress.js';

export interface Solved {
  readonly solution: SpacetimeSolution;
  /** One entry per iteration, and the final one. */
  readonly history: readonly Iterate[];
  /** Iterations before this run. */
  readonly first: number;
  readonly milliseconds: number;
}

/** The same iterations as `solveSpacetime`. An interrupt takes effect after the current iteration. */
export async function solveScene(solver: SpacetimeSolver, maxIterations: number, io: Io): Promise<Solved> {
  const first = spacetimeProgress(solver).iteration;
  const progress = createProgress(io, first, maxIterations, () => performance.now());
  const history: Iterate[] = [];
  const isInterrupted = (): boolean => (io.interrupts?.() ?? 0) > 0;
  const began = performance.now();
  try {
    for (let n = 0; n < maxIterations && !isInterrupted(); n++) {
      const continues = stepSpacetime(solver);
      const { iteration, cost, violation } = spacetimeProgress(solver);
      history.push({ iteration, cost, violation });
      progress.show({ iteration, cost, violation });
      if (!continues) break;
    }
  } finally {
    progress.end();
  }
  const milliseconds = performance.now() - began;
  const solution = getSpacetimeSolution(solver, isInterrupted() ? 'interrupted' : 'iteration-limit');
  const { iterations, cost, violation } = solution;
  history.push({ iteration: iterations, cost, violation });
  return { solution, history, first, milliseconds };
}
