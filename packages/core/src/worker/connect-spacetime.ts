import { type FieldsOf, requireFields, requireNotNegative } from '../checks.js';
import { type PoiseError, SpacetimeError, WorkerError } from '../errors.js';
import type { Figure } from '../figure/model/figure.js';
import type { SpacetimeOptions } from '../spacetime/solve.js';
import type { SpacetimeData } from '../spacetime/types/data.js';
import { openChannel } from './protocol/channel.js';
import { handshake, terminated } from './protocol/handshake.js';
import { close, type MessagePortLike } from './protocol/message-port.js';
import {
  type RemoteSpacetimeProgress,
  type RemoteSpacetimeSolution,
  SPACETIME_PROTOCOL,
  type SpacetimeEvent,
  type SpacetimeMethods,
} from './protocol/spacetime-messages.js';

/** Options of {@link RemoteSpacetime.solve}. */
export interface RemoteSpacetimeOptions extends Omit<SpacetimeOptions, 'onProgress'> {
  /**
   * Called with the current motion, at most once per `progressInterval` and not before the last call has returned;
   * `false` interrupts.
   */
  readonly onProgress?: (progress: RemoteSpacetimeProgress) => unknown;
  /** Minimum time between two calls, s. Default 0.1. */
  readonly progressInterval?: number;
}

const SOLVE_OPTIONS: FieldsOf<RemoteSpacetimeOptions> = {
  tolerance: true,
  gain: true,
  maxIterations: true,
  maxRefinements: true,
  start: true,
  onProgress: true,
  progressInterval: true,
};

/** A solve that runs in a worker. */
export interface RemoteSpacetimeRun {
  /**
   * Rejects with the errors of `createSpacetimeProblem` and `solveSpacetime`, with class, code, path and remedy; with what
   * `onProgress` throws; WorkerError `worker-lost`.
   */
  readonly result: Promise<RemoteSpacetimeSolution>;
  /** Ends the run after the current iteration: the result has the status `interrupted`, and `save` to resume from. */
  interrupt(): void;
}

/** A worker that solves trajectory problems. */
export interface RemoteSpacetime {
  /** `solveSpacetime` in the worker. Figure, data and `start` are copied at the call. */
  solve(figure: Figure, data: SpacetimeData, options?: RemoteSpacetimeOptions): RemoteSpacetimeRun;
  /** Terminates the worker, or closes the port. All pending requests reject with `worker-lost`. */
  terminate(): void;
}

/** Options of {@link connectSpacetime}. */
export interface ConnectSpacetimeOptions {
  /** Seconds for the worker to load its script and respond. Infinity waits forever. Default 30. */
  readonly timeout?: number;
}

/** One connection for each port. */
const hosts = /* @__PURE__ */ new WeakMap<MessagePortLike, Promise<RemoteSpacetime>>();

/**
 * Connects to a worker that calls `serveSpacetime`; resolves with its response. The same worker gives the same
 * connection.
 *
 * @param port - A Worker, of a browser or of Node's worker_threads, or a MessagePort.
 * @throws (rejects) WorkerError `worker-lost` if the worker ends before; `timed-out` if it does not respond in time.
 *   Both may be retried. `unknown-name`, `out-of-range` for options.
 */
export async function connectSpacetime(
  port: MessagePortLike,
  options: ConnectSpacetimeOptions = {},
): Promise<RemoteSpacetime> {
  requireFields(options, { timeout: true }, 'options', WorkerError);
  const known = hosts.get(port);
  if (known !== undefined) return known;
  const host = connect(port, options);
  hosts.set(port, host);
  host.catch(() => hosts.delete(port));
  return host;
}

/** A run on this side of the port. */
interface PendingRun {
  progress(progress: RemoteSpacetimeProgress): void;
  resolve(solution: RemoteSpacetimeSolution): void;
  reject(error: unknown): void;
}

async function connect(
  port: MessagePortLike,
  { timeout }: ConnectSpacetimeOptions,
): Promise<RemoteSpacetime> {
  const runs = new Map<number, PendingRun>();
  let next = 1;
  let ended: PoiseError | undefined;
  const channel = openChannel<SpacetimeMethods>(port, SPACETIME_PROTOCOL, {
    onEvent(data) {
      const event = data as SpacetimeEvent;
      const pending = runs.get(event.run);
      if (event.event === 'progress') pending?.progress(event.progress);
      else if (ended === undefined) {
        // Also without a listener, so that the worker releases it.
        channel
          .request('takeSolution', { run: event.run })
          .then(pending?.resolve, pending?.reject ?? (() => {}));
      }
    },
    onEnd(error) {
      ended = error;
      for (const { reject } of runs.values()) reject(error);
    },
  });
  await handshake(channel, 'connectSpacetime', 'serveSpacetime', timeout);

  const solve = (
    figure: Figure,
    data: SpacetimeData,
    given: RemoteSpacetimeOptions = {},
  ): RemoteSpacetimeRun => {
    const { onProgress, progressInterval = 0.1, ...options } = given;
    const run = next++;
    // Errors of a run that has ended are ignored.
    const send = (name: 'interrupt' | 'acknowledge'): void => {
      if (ended === undefined) channel.request(name, { run }).catch(() => {});
    };
    const result = new Promise<RemoteSpacetimeSolution>((resolve, reject) => {
      requireFields(given, SOLVE_OPTIONS, 'options', SpacetimeError);
      requireNotNegative(progressInterval, 'options.progressInterval', SpacetimeError, 's', true);
      const fail = (error: unknown): void => {
        runs.delete(run);
        reject(error);
      };
      const interval = onProgress === undefined ? {} : { interval: 1000 * progressInterval };
      const started = channel.request('start', { run, figure, data, options, ...interval });
      runs.set(run, {
        progress(progress) {
          try {
            if (onProgress?.(progress) === false) send('interrupt');
          } catch (error) {
            send('interrupt');
            fail(error);
          }
          send('acknowledge');
        },
        resolve(solution) {
          runs.delete(run);
          resolve(solution);
        },
        reject: fail,
      });
      started.catch(fail);
    });
    return { result, interrupt: () => send('interrupt') };
  };
  return {
    solve,
    terminate() {
      channel.end(terminated());
      close(port);
    },
  };
}
