/** Solves in a worker, with pauses. */
import type { Motion } from 'poise/motion';
import type { SpacetimeSave, SpacetimeStatus } from 'poise/spacetime';
import { connectSpacetime, type RemoteSpacetime, type RemoteSpacetimeRun } from 'poise/worker';
import type { SpacetimeExample } from './problems/example.js';

/** Where a solve is. */
export interface State {
  readonly iteration: number;
  readonly cost: number;
  readonly violation: number;
  readonly motion: Motion;
}

/** How it ended, or was stopped. */
export interface End extends State {
  readonly status: SpacetimeStatus;
  readonly save: SpacetimeSave;
  /** Constraints that do not hold. */
  readonly conflicts: readonly string[];
}

const MOST_ITERATIONS = 400;

/** One worker, one solve at a time. */
export class Solves {
  readonly #remote: Promise<RemoteSpacetime>;
  #run: RemoteSpacetimeRun | undefined;
  /** Numbers the runs: news of an older one is of no interest. */
  #count = 0;

  constructor() {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    this.#remote = connectSpacetime(worker);
  }

  /**
   * Solves, from where an earlier solve stopped or from the start; whatever runs is stopped.
   *
   * @returns undefined where another solve has taken its place.
   */
  async solve(
    { figure, data, options }: SpacetimeExample,
    start: SpacetimeSave | undefined,
    onProgress: (state: State) => void,
  ): Promise<End | undefined> {
    this.stop();
    this.#count += 1;
    const count = this.#count;
    const remote = await this.#remote;
    if (count !== this.#count) return undefined;
    const run = remote.solve(figure, data, {
      ...options,
      maxIterations: MOST_ITERATIONS,
      ...(start && { start }),
      onProgress: (state) => {
        if (count === this.#count) onProgress(state);
      },
    });
    this.#run = run;
    const { iterations, cost, violation, motion, status, save, report } = await run.result;
    if (count !== this.#count) return undefined;
    const conflicts = report.conflicts.map(({ name }) => name);
    return { iteration: iterations, cost, violation, motion, status, save, conflicts };
  }

  /** Stops what runs: its end says how far it came. */
  stop(): void {
    this.#run?.interrupt();
    this.#run = undefined;
  }
}
