/** What the two ends of a remote trajectory solve say to each other. */
import type { Figure } from '../../figure/model/figure.js';
import type { Motion } from '../../motion/motion.js';
import type { SpacetimeProgress, SpacetimeSolution } from '../../spacetime/solve.js';
import type { SpacetimeData } from '../../spacetime/types/data.js';

export const SPACETIME_PROTOCOL = 'poise-spacetime-1';

/** How far a solve in a worker is: plain data. */
export interface RemoteSpacetimeProgress extends Omit<SpacetimeProgress, 'trajectory'> {
  /** The motion as it is. */
  readonly motion: Motion;
}

/** What a solve in a worker came to: plain data, and the bits that `solveSpacetime` gives here. */
export interface RemoteSpacetimeSolution extends Omit<SpacetimeSolution, 'trajectory'> {
  /**
   * As `solutionMotion` gives it. For joint forces and forces of contacts make the trajectory again:
   * `createTrajectory(createSpacetimeProblem(figure, data), solution.save.unknowns)`.
   */
  readonly motion: Motion;
}

interface Run {
  readonly run: number;
}

export type SpacetimeExchanges = {
  readonly hello: { readonly ask: object; readonly answer: object };
  /** Checks a problem and begins to solve it, under a number that the asker gives. */
  readonly start: {
    readonly ask: Run & {
      readonly figure: Figure;
      readonly data: SpacetimeData;
      readonly options: object;
      /** Least time between two messages of progress, ms; left out, none are sent. */
      readonly interval?: number;
    };
    readonly answer: object;
  };
  readonly interrupt: { readonly ask: Run; readonly answer: object };
  /** The last message of progress has been dealt with; the next may come. */
  readonly seen: { readonly ask: Run; readonly answer: object };
  /** The solution of a run that is done; it is given once. */
  readonly take: { readonly ask: Run; readonly answer: RemoteSpacetimeSolution };
};

/** What a server says unasked. */
export type SpacetimeNews = Run & { readonly protocol: typeof SPACETIME_PROTOCOL } & (
    | { readonly news: 'progress'; readonly progress: RemoteSpacetimeProgress }
    | { readonly news: 'done' }
  );
