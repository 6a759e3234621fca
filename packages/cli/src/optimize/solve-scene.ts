/** Solves a problem, iteration by iteration, until it is done or someone interrupts. */
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
  /** One entry an iteration, and the end. */
  readonly history: readonly Iterate[];
  /** Iterations before this run. */
  readonly first: number;
  readonly milliseconds: number;
}

/** Steps as `solveSpacetime` takes them: the same numbers. An interrupt lets the iteration end. */
export async function solveScene(under: SpacetimeSolver, maxIterations: number, io: Io): Promise<Solved> {
  const first = spacetimeProgress(under).iteration;
  const progress = createProgress(io, first, maxIterations, () => performance.now());
  const history: Iterate[] = [];
  let interrupted = false;
  const forget = io.onInterrupt?.(() => {
    interrupted = true;
  });
  const began = performance.now();
  try {
    for (let n = 0; n < maxIterations && !interrupted; n++) {
      const goesOn = stepSpacetime(under);
      const { iteration, cost, violation } = spacetimeProgress(under);
      history.push({ iteration, cost, violation });
      progress.show({ iteration, cost, violation });
      if (!goesOn) break;
      // Signals are heard between iterations.
      await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    forget?.();
    progress.end();
  }
  const milliseconds = performance.now() - began;
  const solution = getSpacetimeSolution(under, interrupted ? 'interrupted' : 'iteration-limit');
  const { iterations, cost, violation } = solution;
  history.push({ iteration: iterations, cost, violation });
  return { solution, history, first, milliseconds };
}
