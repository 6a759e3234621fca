import { type PoiseError, SpacetimeError } from '../errors.js';
import type { Figure } from '../figure/model/figure.js';
import type { SpacetimeOptions } from '../spacetime/solve.js';
import type { SpacetimeData } from '../spacetime/types/data.js';
import { openChannel } from './protocol/channel.js';
import { greet, terminated } from './protocol/handshake.js';
import { close, type IkPort } from './protocol/message-port.js';
import {
  type RemoteSpacetimeProgress,
  type RemoteSpacetimeSolution,
  SPACETIME_PROTOCOL,
  type SpacetimeExchanges,
  type SpacetimeNews,
} from './protocol/spacetime-messages.js';

/** How a {@link RemoteSpacetime.solve} is asked for. */
export interface RemoteSpacetimeOptions extends Omit<SpacetimeOptions, 'onProgress'> {
  /** Called with the motion as it is, no oftener than `progressInterval` and not before the last call has returned; `false` interrupts. */
  readonly onProgress?: (progress: RemoteSpacetimeProgress) => unknown;
  /** Least time between two calls, s. Default 0.1. */
  readonly progressInterval?: number;
}

/** A solve under way in a worker. */
export interface RemoteSpacetimeRun {
  /**
   * Rejects with what `createSpacetimeProblem` and `solveSpacetime` throw, with class, code, path and remedy; with what `onProgress` throws;
   * WorkerError `worker-lost`.
   */
  readonly result: Promise<RemoteSpacetimeSolution>;
  /** Ends it after the iteration that it is at: the result has the status `interrupted`, and `save` to go on from. */
  interrupt(): void;
}

/** A worker that solves trajectory problems. */
export interface RemoteSpacetime {
  /** `solveSpacetime` in the worker. Figure, data and `start` are copied there at once. */
  solve(figure: Figure, data: SpacetimeData, options?: RemoteSpacetimeOptions): RemoteSpacetimeRun;
  /** Ends the worker, or closes the port. All that is pending rejects with `worker-lost`. */
  terminate(): void;
}

/** How {@link connectSpacetime} connects. */
export interface ConnectSpacetimeOptions {
  /** Seconds that the worker has to load its script and answer. Infinity waits as long as it takes. Default 30. */
  readonly timeout?: number;
}

/** One a port. */
const hosts = /* @__PURE__ */ new WeakMap<IkPort, Promise<RemoteSpacetime>>();

/**
 * Connects to a worker that has called `serveSpacetime`; resolves when it answers. Called again for the same worker, it gives the same.
 *
 * @param port - A Worker, of a browser or of Node's worker_threads, or a MessagePort.
 * @throws (rejects) WorkerError `worker-lost` when the worker ends before; `timed-out` when it has not answered in time. It may be tried again.
 */
export function connectSpacetime(
  port: IkPort,
  options: ConnectSpacetimeOptions = {},
): Promise<RemoteSpacetime> {
  const known = hosts.get(port);
  if (known !== undefined) return known;
  const host = connect(port, options);
  hosts.set(port, host);
  host.catch(() => hosts.delete(port));
  return host;
}

/** The end of a run here. */
interface Waiting {
  progress(progress: RemoteSpacetimeProgress): void;
  resolve(solution: RemoteSpacetimeSolution): void;
  reject(error: unknown): void;
}

async function connect(port: IkPort, { timeout }: ConnectSpacetimeOptions): Promise<RemoteSpacetime> {
  const runs = new Map<number, Waiting>();
  let next = 1;
  let ended: PoiseError | undefined;
  const channel = openChannel<SpacetimeExchanges>(port, SPACETIME_PROTOCOL, {
    onNews(data) {
      const news = data as SpacetimeNews;
      const waiting = runs.get(news.run);
      if (news.news === 'progress') waiting?.progress(news.progress);
      else if (ended === undefined) {
        // Also where nobody waits any more: the worker then forgets it.
        channel.ask('take', { run: news.run }).then(waiting?.resolve, waiting?.reject ?? (() => {}));
      }
    },
    onEnd(error) {
      ended = error;
      for (const { reject } of runs.values()) reject(error);
    },
  });
  await greet(channel, 'connectSpacetime', 'serveSpacetime', timeout);

  const solve = (
    figure: Figure,
    data: SpacetimeData,
    { onProgress, progressInterval = 0.1, ...options }: RemoteSpacetimeOptions = {},
  ): RemoteSpacetimeRun => {
    const run = next++;
    // What is said of a run that is over is of no interest.
    const say = (name: 'interrupt' | 'seen'): void => {
      if (ended === undefined) channel.ask(name, { run }).catch(() => {});
    };
    const result = new Promise<RemoteSpacetimeSolution>((resolve, reject) => {
      checkInterval(progressInterval);
      const fail = (error: unknown): void => {
        runs.delete(run);
        reject(error);
      };
      const interval = onProgress === undefined ? {} : { interval: 1000 * progressInterval };
      const asked = channel.ask('start', { run, figure, data, options, ...interval });
      runs.set(run, {
        progress(progress) {
          try {
            if (onProgress?.(progress) === false) say('interrupt');
          } catch (error) {
            say('interrupt');
            fail(error);
          }
          say('seen');
        },
        resolve(solution) {
          runs.delete(run);
          resolve(solution);
        },
        reject: fail,
      });
      asked.catch(fail);
    });
    return { result, interrupt: () => say('interrupt') };
  };
  return {
    solve,
    terminate() {
      channel.end(terminated());
      close(port);
    },
  };
}

function checkInterval(seconds: number): void {
  if (seconds >= 0) return;
  throw new SpacetimeError('out-of-range', `is ${seconds}.`, {
    path: 'options.progressInterval',
    remedy: 'Give seconds, 0 or more.',
  });
}
