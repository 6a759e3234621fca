/** Solves in a worker, with pauses. */
import type { Motion } from 'poise/motion';
import type { SpacetimeSave, SpacetimeStatus } from 'poise/spacetime';
import { connectSpacetime, type RemoteSpacetime, type RemoteSpacetimeRun } from 'poise/worker';
import type { SpacetimeExample } from './problems/example.js';

/** State of a solve. */
export interface State {
  readonly iteration: number;
  readonly cost: number;
  readonly violation: number;
  readonly motion: Motion;
}

/** Status at its end or stop. */
export interface End extends State {
  readonly status: SpacetimeStatus;
  readonly save: SpacetimeSave;
  /** Violated constraints. */
  readonly conflicts: readonly string[];
  /** What does not hold between the samples, worst first, in words. */
  readonly warnings: readonly string[];
}

const MAX_ITERATIONS = 400;

/** One worker, one solve at a time. */
export class Solves {
  readonly #remote: Promise<RemoteSpacetime>;
  #run: RemoteSpacetimeRun | undefined;
  /** Number of the current run: events of older ones are ignored. */
  #count = 0;

  constructor() {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    this.#remote = connectSpacetime(worker);
  }

  /**
   * Solves, resuming a stopped solve or from the start; stops the current run.
   *
   * @returns undefined if another solve has replaced it.
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
      maxIterations: MAX_ITERATIONS,
      ...(start && { start }),
      onProgress: (state) => {
        if (count === this.#count) onProgress(state);
      },
    });
    this.#run = run;
    const { iterations, cost, violation, motion, status, save, report, warnings } = await run.result;
    if (count !== this.#count) return undefined;
    const conflicts = report.conflicts.map(({ name }) => name);
    return { iteration: iterations, cost, violation, motion, status, save, conflicts, warnings };
  }

  /** Stops the current run; its result is the last iterate. */
  stop(): void {
    this.#run?.interrupt();
    this.#run = undefined;
  }
}
