/** Lost messages, on simulated ports: messages arrive in order, and each can be made unreadable. */
import { type PoiseError, WorkerError } from 'poise';
import { createPose } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import type { Goal } from 'poise/ik';
import { connectIk, type MessagePortLike, type RemoteIkHost, serveIk, solveMany } from 'poise/worker';
import { describe, expect, it } from 'vitest';

const figure = createHumanFigure();
const reach = (): Goal[] => [{ type: 'position', bone: 'leftHand', target: [0.3, 1.2, 0.4] }];
const codeOf = (error: unknown): string => (error as PoiseError).code;
const methodOf = (message: unknown): string | undefined => (message as { method?: string }).method;

interface End extends MessagePortLike {
  /** Everything posted here, in order. */
  readonly posted: unknown[];
  /** Says whether a message posted here cannot be read at the other end. */
  unreadable: (message: unknown) => boolean;
  emit(type: string, event: unknown): void;
}

/** Two ends as a browser has them: what is posted at one is cloned and heard at the other, later and in order. */
function ports(): readonly [End, End] {
  const make = (other: () => End): End => {
    const listeners = new Map<string, ((event: unknown) => void)[]>();
    const end: End = {
      posted: [],
      unreadable: () => false,
      postMessage(message: unknown, transfer: unknown) {
        const data: unknown = structuredClone(message, { transfer: transfer as ArrayBuffer[] });
        end.posted.push(data);
        const lost = end.unreadable(data);
        // The event of an unreadable message has no data.
        setTimeout(
          () => other().emit(lost ? 'messageerror' : 'message', lost ? { data: null } : { data }),
          0,
        );
      },
      addEventListener(type, listener) {
        listeners.set(type, [...(listeners.get(type) ?? []), listener]);
      },
      emit(type, event) {
        for (const listener of listeners.get(type) ?? []) listener(event);
      },
    };
    return end;
  };
  const here: End = make(() => there);
  const there: End = make(() => here);
  return [here, there];
}

const posts = (end: End, name: string) => end.posted.filter((message) => methodOf(message) === name);

describe('an unreadable message', () => {
  it('at the server rejects its request, and the others are answered', async () => {
    const [here, there] = ports();
    serveIk(there);
    const remote = await connectIk(here);
    const first = await remote.createIk(figure, reach());
    const second = await remote.createIk(figure, reach());
    let solves = 0;
    here.unreadable = (message) => methodOf(message) === 'solve' && ++solves === 2;
    const asked = [first, second, first, second].map((ik) => ik.solve(createPose(figure)));
    const ends = await Promise.all(asked.map((one) => one.then(({ result }) => result.status, codeOf)));
    expect(ends).toEqual(['converged', 'worker-failed', 'converged', 'converged']);
    const error: unknown = await asked[1].catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(WorkerError);
    expect((error as WorkerError).path).toBe('solve');
  });

  it('at the client rejects the request of its response, and the worker remains usable', async () => {
    const [here, there] = ports();
    serveIk(there);
    const remote = await connectIk(here);
    const ik = await remote.createIk(figure, reach());
    let answers = 0;
    there.unreadable = () => ++answers === 1;
    expect(await ik.solve(createPose(figure)).catch(codeOf)).toBe('worker-failed');
    expect((await ik.solve(createPose(figure))).result.status).toBe('converged');
  });

  it('of another protocol on the same port affects no request', async () => {
    const [here, there] = ports();
    serveIk(there);
    const remote = await connectIk(here);
    const ik = await remote.createIk(figure, reach());
    here.unreadable = there.unreadable = (message) => message === 'of others';
    const asked = ik.solve(createPose(figure));
    here.postMessage('of others', [] as never);
    there.postMessage('of others', [] as never);
    expect((await asked).result.status).toBe('converged');
    expect((await ik.solve(createPose(figure))).result.status).toBe('converged');
  });

  it('with a figure rejects the solvers that use it, and the next request sends the figure again', async () => {
    const [here, there] = ports();
    serveIk(there);
    const remote = await connectIk(here);
    let creations = 0;
    here.unreadable = (message) => methodOf(message) === 'create' && ++creations === 1;
    const asked = [0, 1].map(() => remote.createIk(figure, reach()));
    const errors = (await Promise.allSettled(asked)) as PromiseRejectedResult[];
    expect(errors.map(({ reason }) => [reason.name, reason.code, reason.path])).toEqual([
      ['WorkerError', 'worker-failed', 'create'],
      ['WorkerError', 'worker-failed', 'figure'],
    ]);
    const ik = await remote.createIk(figure, reach());
    expect((await ik.solve(createPose(figure))).result.status).toBe('converged');
  });
});

describe('connecting', () => {
  it('to a worker that serves late repeats the handshake', async () => {
    const [here, there] = ports();
    const connecting = connectIk(here);
    // The greeting comes while nobody listens.
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(posts(here, 'hello')).toHaveLength(1);
    serveIk(there);
    const remote = await connecting;
    expect((await (await remote.createIk(figure, reach())).solve(createPose(figure))).result.status).toBe(
      'converged',
    );
  });

  it('to a worker that never serves times out with a typed error, and may be retried', async () => {
    const [here, there] = ports();
    const error: unknown = await connectIk(here, { timeout: 0.05 }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(WorkerError);
    expect(codeOf(error)).toBe('timed-out');
    expect((error as WorkerError).message).toContain('serveIk');
    serveIk(there);
    const remote = await connectIk(here, { timeout: Number.POSITIVE_INFINITY });
    expect((await (await remote.createIk(figure, reach())).solve(createPose(figure))).result.status).toBe(
      'converged',
    );
    expect(await connectIk(ports()[0], { timeout: Number.NaN }).catch(codeOf)).toBe('out-of-range');
  });
});

describe('resources of a worker', () => {
  /** A server, and whether it still has the figure of a number: it answers a question of ours for a solver of it. */
  async function connected(): Promise<{
    readonly remote: RemoteIkHost;
    readonly here: End;
    readonly hasFigure: (number: number) => Promise<boolean>;
  }> {
    const [here, there] = ports();
    serveIk(there);
    const remote = await connectIk(here);
    const hasFigure = (number: number) =>
      new Promise<boolean>((resolve) => {
        const id = -1 - here.posted.length;
        here.addEventListener?.('message', (event) => {
          const { data } = event as { readonly data: { readonly id: number; readonly error?: unknown } };
          if (data.id === id) resolve(data.error === undefined);
        });
        const params = { solver: id, figure: number, goals: reach(), options: {} };
        here.postMessage({ protocol: 'poise-ik-1', id, method: 'create', params }, [] as never);
      });
    return { remote, here, hasFigure };
  }
  const figureOf = (message: unknown) => (message as { params: { figure: number; data?: unknown } }).params;

  it('keep a figure as long as one of its solvers exists', async () => {
    const { remote, here, hasFigure } = await connected();
    const solvers = await Promise.all([0, 1].map(() => remote.createIk(figure, reach())));
    const { figure: number } = figureOf(posts(here, 'create')[0]);
    await solvers[0].dispose();
    await solvers[0].dispose();
    expect(await hasFigure(number)).toBe(true);
    expect((await solvers[1].solve(createPose(figure))).result.status).toBe('converged');
    await solvers[1].dispose();
    expect(await hasFigure(number)).toBe(false);
    // It is brought again where it is needed again.
    const again = await remote.createIk(figure, reach());
    expect((await again.solve(createPose(figure))).result.status).toBe('converged');
  });

  it('keep no figure of a solver that could not be created', async () => {
    const { remote, here, hasFigure } = await connected();
    const wrong = [{ type: 'position', bone: 'nobody', target: [0, 1, 0] }] as Goal[];
    expect(await remote.createIk(figure, wrong).catch(codeOf)).toBe('unknown-name');
    const { figure: number } = figureOf(posts(here, 'create')[0]);
    expect(await hasFigure(number)).toBe(false);
    // What cannot be sent is not taken for sent.
    const odd = [{ ...reach()[0], extra: () => {} }] as unknown as Goal[];
    const both = await Promise.allSettled([remote.createIk(figure, odd), remote.createIk(figure, reach())]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  });

  it('are released by solveMany, also where one of several workers refuses or is lost', async () => {
    const [one, two] = [await connected(), await connected()];
    const settings = { figure, goals: reach(), starts: [createPose(figure), createPose(figure)] };
    expect(await solveMany([one.remote, two.remote], settings)).toHaveLength(2);
    two.remote.terminate();
    expect(await solveMany([one.remote, two.remote], settings).catch(codeOf)).toBe('worker-lost');
    const made = posts(one.here, 'create');
    expect(made).toHaveLength(2);
    const solver = (message: unknown) => (message as { params: { solver: number } }).params.solver;
    expect(posts(one.here, 'dispose').map(solver)).toEqual(made.map(solver));
    for (const message of made) expect(await one.hasFigure(figureOf(message).figure)).toBe(false);
  });
});
