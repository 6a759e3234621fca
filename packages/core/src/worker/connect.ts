import { requireFields } from '../checks.js';
import { FigureError, GoalError, WorkerError } from '../errors.js';
import type { Figure } from '../figure/model/figure.js';
import { checkWritablePose } from '../figure/model/pose.js';
import type { Goal } from '../ik/goals/types/goal.js';
import type { IkResult } from '../ik/problem/status.js';
import { type Channel, openChannel } from './protocol/channel.js';
import { handshake, terminated } from './protocol/handshake.js';
import { close, type MessagePortLike } from './protocol/message-port.js';
import { type IkMethods, PROTOCOL, type RemoteIkOptions, type SolvedClip } from './protocol/messages.js';

/** Options of {@link RemoteIk.solve}. */
export interface RemoteSolveOptions {
  /**
   * True for drags: a request that has not been sent when a later one is made is not solved and resolves as `superseded`. Default
   * false: every request is solved, in order.
   */
  readonly latest?: boolean;
}

/** Solved: the pose and the result of `solveIk`. */
export interface RemoteSolved {
  readonly superseded: false;
  /** The buffer given, now with the solution. */
  readonly pose: Float64Array;
  readonly result: IkResult;
}

/** Not solved: replaced by a later request. */
export interface RemoteSuperseded {
  readonly superseded: true;
  /** The array given, unchanged. */
  readonly pose: Float64Array;
}

/** A solver in a worker. */
export interface RemoteIk {
  readonly figure: Figure;
  /**
   * `solveIk` in the worker. The goals given to `createIk` are read at this call: move a target, then solve.
   *
   * The pose's buffer is transferred there and back and never copied: the array given is detached once sent, and its memory comes
   * back in the result. To draw one pose while the next is solved, use two. A solve that throws loses its array.
   *
   * @throws (rejects) FigureError before sending for a pose of the wrong size, not finite, or with a shared buffer;
   * the errors of `solveIk`, with class, code, path and remedy; WorkerError `worker-lost`, `cancelled`.
   */
  solve(
    pose: Float64Array,
    options: RemoteSolveOptions & { readonly latest: true },
  ): Promise<RemoteSolved | RemoteSuperseded>;
  solve(pose: Float64Array, options?: RemoteSolveOptions): Promise<RemoteSolved>;
  /** Rejects requests not yet sent with `cancelled`; the current one is completed. Returns the number rejected. */
  cancel(): number;
  /** Cancels, and releases the solver in the worker, with its figure if no other solver uses it. */
  dispose(): Promise<void>;
}

/** The solvers of one worker. */
export interface RemoteIkHost {
  /**
   * `createIk` in the worker, any number of them. A figure is copied once, and released with the last of its solvers.
   *
   * @throws (rejects) the errors of `createIk`.
   */
  createIk(figure: Figure, goals: readonly Goal[], options?: RemoteIkOptions): Promise<RemoteIk>;
  /** Terminates the worker, or closes the port. All pending requests reject with `worker-lost`. */
  terminate(): void;
}

/** Internal interface for `solveMany`. */
export interface ClipSolver {
  solveClips(
    clips: readonly { start: Float64Array; goals: readonly (readonly Goal[])[] }[],
  ): Promise<readonly SolvedClip[]>;
  dispose(): Promise<void>;
}

const channels = /* @__PURE__ */ new WeakMap<RemoteIkHost, Connection>();
/** One host for each port: two would use the same solver ids. */
const hosts = /* @__PURE__ */ new WeakMap<MessagePortLike, Promise<RemoteIkHost>>();

interface Connection {
  readonly channel: Channel<IkMethods>;
  readonly figures: Map<Figure, RemoteFigure>;
  next: number;
}

/** A figure in the worker. */
interface RemoteFigure {
  readonly number: number;
  /** Reference count: solvers created with it, or being created. */
  users: number;
}

/** A solver in the worker. */
interface RemoteSolver {
  readonly number: number;
  /** Releases it in the worker, and its figure with its last solver. */
  dispose(): Promise<void>;
}

/** Options of {@link connectIk}. */
export interface ConnectIkOptions {
  /** Seconds for the worker to load its script and respond. Infinity waits forever. Default 30. */
  readonly timeout?: number;
}

/**
 * Connects to a worker that calls {@link serveIk}; resolves with its response. The same worker gives the same host.
 *
 * @param port - A Worker, of a browser or of Node's worker_threads, or a MessagePort.
 * @throws (rejects) WorkerError `worker-lost` if the worker ends before: its script does not load, or throws; `timed-out` if it
 *   does not call `serveIk` in time; both may be retried. `unknown-name`, `out-of-range` for options.
 */
export async function connectIk(
  port: MessagePortLike,
  options: ConnectIkOptions = {},
): Promise<RemoteIkHost> {
  requireFields(options, { timeout: true }, 'options', WorkerError);
  const known = hosts.get(port);
  if (known !== undefined) return known;
  const host = connect(port, options);
  hosts.set(port, host);
  // After a lost worker its port may be retried.
  host.catch(() => hosts.delete(port));
  return host;
}

async function connect(port: MessagePortLike, { timeout }: ConnectIkOptions): Promise<RemoteIkHost> {
  const channel = openChannel<IkMethods>(port, PROTOCOL);
  await handshake(channel, 'connectIk', 'serveIk', timeout);
  const connection: Connection = { channel, figures: new Map(), next: 1 };
  const host: RemoteIkHost = {
    async createIk(figure, goals, options = {}) {
      const solver = await createSolver(connection, figure, goals, options);
      return remoteIk(channel, solver, figure, goals);
    },
    terminate() {
      channel.end(terminated());
      close(port);
    },
  };
  channels.set(host, connection);
  return host;
}

/** Creates a solver in the worker. */
async function createSolver(
  connection: Connection,
  figure: Figure,
  goals: readonly Goal[],
  options: RemoteIkOptions,
): Promise<RemoteSolver> {
  const { channel, figures } = connection;
  if ('onIterate' in options) {
    throw new GoalError('unsupported', 'is a function, which cannot be sent to a worker.', {
      path: 'options.onIterate',
      remedy: 'Leave it out, or solve with createIk here.',
    });
  }
  const known = figures.get(figure);
  const entry = known ?? { number: connection.next++, users: 0 };
  const number = connection.next++;
  const data = known === undefined ? { data: figure } : {};
  const params = { solver: number, figure: entry.number, ...data, goals: copyGoals(goals), options };
  const created = channel.request('create', params);
  // Sent. Messages arrive in order, so later requests may use the figure before this one is answered.
  figures.set(figure, entry);
  entry.users++;
  const release = async (): Promise<void> => {
    if (--entry.users > 0) return;
    figures.delete(figure);
    await channel.request('disposeFigure', { figure: entry.number });
  };
  try {
    await created;
  } catch (error) {
    release().catch(() => {});
    throw error;
  }
  let disposed = false;
  return {
    number,
    async dispose() {
      if (disposed) return;
      disposed = true;
      await Promise.all([channel.request('dispose', { solver: number }), release()]);
    },
  };
}

/** A solver of a host for whole clips. */
export async function createClipSolver(
  host: RemoteIkHost,
  figure: Figure,
  goals: readonly Goal[],
  options: RemoteIkOptions,
): Promise<ClipSolver> {
  const connection = channels.get(host) as Connection;
  const { channel } = connection;
  const { number, dispose } = await createSolver(connection, figure, goals, options);
  return {
    async solveClips(clips) {
      const answer = await channel.request('solveClips', { solver: number, clips });
      return answer.clips;
    },
    dispose,
  };
}

interface QueuedSolve {
  readonly pose: Float64Array;
  /** A copy, since the caller's may change. */
  readonly goals: readonly Goal[];
  readonly latest: boolean;
  readonly resolve: (answer: RemoteSolved | RemoteSuperseded) => void;
  readonly reject: (error: unknown) => void;
}

function remoteIk(
  channel: Channel<IkMethods>,
  solver: RemoteSolver,
  figure: Figure,
  goals: readonly Goal[],
): RemoteIk {
  let queue: QueuedSolve[] = [];
  let busy = false;
  let disposed = false;

  const send = async ({ pose, goals: now, resolve, reject }: QueuedSolve): Promise<void> => {
    busy = true;
    try {
      const params = { solver: solver.number, pose, goals: now };
      const answer = await channel.request('solve', params, [pose.buffer as ArrayBuffer]);
      resolve({ superseded: false, ...answer });
    } catch (error) {
      reject(error);
    }
    busy = false;
    const next = queue.shift();
    if (next !== undefined) void send(next);
  };

  const enqueue = (pose: Float64Array, latest: boolean): Promise<RemoteSolved | RemoteSuperseded> =>
    new Promise((resolve, reject) => {
      if (disposed) throw cancelled('has been disposed of.', 'Make another solver with createIk.');
      checkOwnPose(figure, pose);
      const request = { pose, goals: copyGoals(goals), latest, resolve, reject };
      if (!busy) {
        void send(request);
        return;
      }
      const stale = queue.filter((other) => other.latest);
      queue = queue.filter((other) => !other.latest);
      for (const other of stale) other.resolve({ superseded: true, pose: other.pose });
      if (queue.some((other) => other.pose === pose)) {
        throw new FigureError('unsupported', 'waits to be solved already, and its buffer goes with that.', {
          path: 'pose',
          remedy: 'Await the answer, or give a copy: pose.slice().',
        });
      }
      queue.push(request);
    });

  const cancel = (): number => {
    const dropped = queue;
    queue = [];
    for (const { reject } of dropped) {
      reject(cancelled('was cancelled before it was sent.', 'Its pose is as it was given.'));
    }
    return dropped.length;
  };

  return {
    figure,
    solve: (async (pose: Float64Array, options: RemoteSolveOptions = {}) => {
      requireFields(options, { latest: true }, 'options', WorkerError);
      return enqueue(pose, options.latest ?? false);
    }) as RemoteIk['solve'],
    cancel,
    async dispose() {
      disposed = true;
      cancel();
      await solver.dispose();
    },
  };
}

function cancelled(what: string, remedy: string): WorkerError {
  return new WorkerError('cancelled', what, { path: 'solve', remedy });
}

/** @throws FigureError for an invalid pose, or one whose buffer cannot be transferred. */
function checkOwnPose(figure: Figure, pose: Float64Array): void {
  checkWritablePose(figure, pose);
  if (pose.buffer instanceof ArrayBuffer && pose.byteLength === pose.buffer.byteLength) return;
  throw new FigureError('unsupported', 'shares its buffer, which is transferred to the worker as a whole.', {
    path: 'pose',
    remedy: 'Give a copy: pose.slice().',
  });
}

/** A deep copy of goals: plain data of numbers, strings and arrays of numbers. */
export function copyGoals(goals: readonly Goal[]): readonly Goal[] {
  return goals.map((goal) => copyPlain(goal) as Goal);
}

function copyPlain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyPlain);
  // Typed arrays.
  if (ArrayBuffer.isView(value)) return (value as Float64Array).slice();
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, copyPlain(entry)]));
}
