import { FigureError, GoalError, WorkerError } from '../errors.js';
import type { Figure } from '../figure/model/figure.js';
import { checkPose } from '../figure/model/pose.js';
import type { Goal } from '../ik/goals/types/goal.js';
import type { IkResult } from '../ik/problem/status.js';
import { type Channel, openChannel } from './protocol/channel.js';
import { greet, terminated } from './protocol/handshake.js';
import { close, type IkPort } from './protocol/message-port.js';
import { type IkExchanges, PROTOCOL, type RemoteIkOptions, type SolvedClip } from './protocol/messages.js';

/** How a {@link RemoteIk.solve} is asked for. */
export interface RemoteSolveOptions {
  /**
   * True for drags: when a later solve is asked for before this one has been sent, this one is not solved at all and answers
   * `superseded`. Default false: every solve is done, in order.
   */
  readonly latest?: boolean;
}

/** Solved: the pose and what `solveIk` said of it. */
export interface RemoteSolved {
  readonly superseded: false;
  /** The memory given, now with the answer. */
  readonly pose: Float64Array;
  readonly result: IkResult;
}

/** Not solved, since a later request took its place. */
export interface RemoteSuperseded {
  readonly superseded: true;
  /** The array given, as it was. */
  readonly pose: Float64Array;
}

/** A solver in a worker. */
export interface RemoteIk {
  readonly figure: Figure;
  /**
   * `solveIk` in the worker. The goals are those given to `createIk`, as they are at this call: move a target, then solve.
   *
   * The pose's buffer is transferred there and back and never copied: the array given is empty from the moment it is sent, and its
   * memory comes back in the answer. To show one pose while the next is solved, use two. A solve that throws loses its array.
   *
   * @throws (rejects) FigureError before it is sent for a pose of the wrong size, not finite, or that shares its buffer;
   * what `solveIk` throws, with its class, code, path and remedy; WorkerError `worker-lost`, `cancelled`.
   */
  solve(
    pose: Float64Array,
    options: RemoteSolveOptions & { readonly latest: true },
  ): Promise<RemoteSolved | RemoteSuperseded>;
  solve(pose: Float64Array, options?: RemoteSolveOptions): Promise<RemoteSolved>;
  /** Rejects with `cancelled` what has not been sent; what the worker is at is answered. Returns how many were rejected. */
  cancel(): number;
  /** Cancels, and frees the solver in the worker; its figure too where no other solver has it. */
  dispose(): Promise<void>;
}

/** The solvers of one worker. */
export interface RemoteIkHost {
  /**
   * `createIk` in the worker; as many as you like. A figure is copied there once, and freed with the last of its solvers.
   *
   * @throws (rejects) what `createIk` throws.
   */
  createIk(figure: Figure, goals: readonly Goal[], options?: RemoteIkOptions): Promise<RemoteIk>;
  /** Ends the worker, or closes the port. All that is pending rejects with `worker-lost`. */
  terminate(): void;
}

/** What `solveMany` needs of a host and does not show. */
export interface ClipSolver {
  solveClips(
    clips: readonly { start: Float64Array; goals: readonly (readonly Goal[])[] }[],
  ): Promise<readonly SolvedClip[]>;
  dispose(): Promise<void>;
}

const channels = /* @__PURE__ */ new WeakMap<RemoteIkHost, Connection>();
/** One host a port: two would number their solvers alike. */
const hosts = /* @__PURE__ */ new WeakMap<IkPort, Promise<RemoteIkHost>>();

interface Connection {
  readonly channel: Channel<IkExchanges>;
  readonly figures: Map<Figure, RemoteFigure>;
  next: number;
}

/** A figure that the worker has. */
interface RemoteFigure {
  readonly number: number;
  /** Solvers that are made with it, or being made. */
  users: number;
}

/** A solver that the worker has. */
interface RemoteSolver {
  readonly number: number;
  /** Frees it in the worker, and its figure with the last solver of it. */
  dispose(): Promise<void>;
}

/** How {@link connectIk} connects. */
export interface ConnectIkOptions {
  /** Seconds that the worker has to load its script and answer. Infinity waits as long as it takes. Default 30. */
  readonly timeout?: number;
}

/**
 * Connects to a worker that has called {@link serveIk}; resolves when it answers. Called again for the same worker, it gives the
 * same host.
 *
 * @param port - A Worker, of a browser or of Node's worker_threads, or a MessagePort.
 * @throws (rejects) WorkerError `worker-lost` when the worker ends before: its script does not load, or throws; `timed-out` when it has
 * not called `serveIk` in time. It may be tried again.
 */
export function connectIk(port: IkPort, options: ConnectIkOptions = {}): Promise<RemoteIkHost> {
  const known = hosts.get(port);
  if (known !== undefined) return known;
  const host = connect(port, options);
  hosts.set(port, host);
  // A worker that is lost may be given up, and its port tried again.
  host.catch(() => hosts.delete(port));
  return host;
}

async function connect(port: IkPort, { timeout }: ConnectIkOptions): Promise<RemoteIkHost> {
  const channel = openChannel<IkExchanges>(port, PROTOCOL);
  await greet(channel, 'connectIk', 'serveIk', timeout);
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

/** Makes a solver in the worker. */
async function createSolver(
  connection: Connection,
  figure: Figure,
  goals: readonly Goal[],
  options: RemoteIkOptions,
): Promise<RemoteSolver> {
  const { channel, figures } = connection;
  if ('onIterate' in options) {
    throw new GoalError('unsupported', 'is a function, which cannot go to a worker.', {
      path: 'options.onIterate',
      remedy: 'Leave it out, or solve with createIk here.',
    });
  }
  const known = figures.get(figure);
  const entry = known ?? { number: connection.next++, users: 0 };
  const number = connection.next++;
  const data = known === undefined ? { data: figure } : {};
  const ask = { solver: number, figure: entry.number, ...data, goals: copyGoals(goals), options };
  const asked = channel.ask('create', ask);
  // It is sent. Messages arrive in order: whoever comes next may rely on the figure, even before this is answered.
  figures.set(figure, entry);
  entry.users++;
  const release = async (): Promise<void> => {
    if (--entry.users > 0) return;
    figures.delete(figure);
    await channel.ask('forget', { figure: entry.number });
  };
  try {
    await asked;
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
      await Promise.all([channel.ask('dispose', { solver: number }), release()]);
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
      const answer = await channel.ask('clips', { solver: number, clips });
      return answer.clips;
    },
    dispose,
  };
}

interface Waiting {
  readonly pose: Float64Array;
  /** A copy: the caller's may move on. */
  readonly goals: readonly Goal[];
  readonly latest: boolean;
  readonly resolve: (answer: RemoteSolved | RemoteSuperseded) => void;
  readonly reject: (error: unknown) => void;
}

function remoteIk(
  channel: Channel<IkExchanges>,
  solver: RemoteSolver,
  figure: Figure,
  goals: readonly Goal[],
): RemoteIk {
  let waiting: Waiting[] = [];
  let busy = false;
  let disposed = false;

  const send = async ({ pose, goals: now, resolve, reject }: Waiting): Promise<void> => {
    busy = true;
    try {
      const ask = { solver: solver.number, pose, goals: now };
      const answer = await channel.ask('solve', ask, [pose.buffer as ArrayBuffer]);
      resolve({ superseded: false, ...answer });
    } catch (error) {
      reject(error);
    }
    busy = false;
    const next = waiting.shift();
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
      const stale = waiting.filter((other) => other.latest);
      waiting = waiting.filter((other) => !other.latest);
      for (const other of stale) other.resolve({ superseded: true, pose: other.pose });
      if (waiting.some((other) => other.pose === pose)) {
        throw new FigureError('unsupported', 'waits to be solved already, and its buffer goes with that.', {
          path: 'pose',
          remedy: 'Await the answer, or give a copy: pose.slice().',
        });
      }
      waiting.push(request);
    });

  const cancel = (): number => {
    const dropped = waiting;
    waiting = [];
    for (const { reject } of dropped) {
      reject(cancelled('was cancelled before it was sent.', 'Its pose is as it was given.'));
    }
    return dropped.length;
  };

  return {
    figure,
    solve: ((pose: Float64Array, { latest = false }: RemoteSolveOptions = {}) =>
      enqueue(pose, latest)) as RemoteIk['solve'],
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

/** @throws FigureError for a pose that is not one, or whose buffer cannot be given away. */
function checkOwnPose(figure: Figure, pose: Float64Array): void {
  if (!(pose instanceof Float64Array)) {
    throw new FigureError('wrong-size', 'is not a Float64Array.', {
      path: 'pose',
      remedy: 'Make it with createPose(figure).',
    });
  }
  checkPose(figure, pose);
  if (pose.buffer instanceof ArrayBuffer && pose.byteLength === pose.buffer.byteLength) return;
  throw new FigureError('unsupported', 'shares its buffer, which is given to the worker whole.', {
    path: 'pose',
    remedy: 'Give a copy: pose.slice().',
  });
}

/** Goals as they are now: plain data of numbers, words and arrays of numbers. */
export function copyGoals(goals: readonly Goal[]): readonly Goal[] {
  return goals.map((goal) => copyPlain(goal) as Goal);
}

function copyPlain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyPlain);
  // Typed arrays, of any kind.
  if (ArrayBuffer.isView(value)) return (value as Float64Array).slice();
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, copyPlain(entry)]));
}
