/** Messages of a remote trajectory solve. */
import type { Figure } from '../../figure/model/figure.js';
import type { Motion } from '../../motion/motion.js';
import type { SpacetimeProgress, SpacetimeSolution } from '../../spacetime/solve.js';
import type { SpacetimeData } from '../../spacetime/types/data.js';

export const SPACETIME_PROTOCOL = 'poise-spacetime-1';

/** Progress of a solve in a worker: plain data. */
export interface RemoteSpacetimeProgress extends Omit<SpacetimeProgress, 'trajectory'> {
  /** The current motion. */
  readonly motion: Motion;
}

/** Solution of a solve in a worker: plain data, bit for bit that of `solveSpacetime`. */
export interface RemoteSpacetimeSolution extends Omit<SpacetimeSolution, 'trajectory'> {
  /**
   * As `motionFromSolution` gives it. For joint forces and contact forces create the trajectory again:
   * `createTrajectory(createSpacetimeProblem(figure, data), solution.save)`.
   */
  readonly motion: Motion;
}

interface Run {
  readonly run: number;
}

export type SpacetimeMethods = {
  readonly hello: { readonly params: object; readonly result: object };
  /** Checks a problem and starts to solve it, under an id chosen by the client. */
  readonly start: {
    readonly params: Run & {
      readonly figure: Figure;
      readonly data: SpacetimeData;
      readonly options: object;
      /** Minimum time between two progress events, ms; omitted, none are sent. */
      readonly interval?: number;
    };
    readonly result: object;
  };
  readonly interrupt: { readonly params: Run; readonly result: object };
  /** Acknowledges the last progress event; the next may be sent. */
  readonly acknowledge: { readonly params: Run; readonly result: object };
  /** The solution of a finished run, given once. */
  readonly takeSolution: { readonly params: Run; readonly result: RemoteSpacetimeSolution };
};

/** An event of a server, without a request. */
export type SpacetimeEvent = Run & { readonly protocol: typeof SPACETIME_PROTOCOL } & (
    | { readonly event: 'progress'; readonly progress: RemoteSpacetimeProgress }
    | { readonly event: 'done' }
  );
