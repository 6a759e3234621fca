import type { Worker } from 'node:worker_threads';
import { MessageChannel } from 'node:worker_threads';
import { FigureError, GoalError, PoiseError, WorkerError } from 'poise';
import { createPose } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { createIk, type Goal, positionGoal, solveIk } from 'poise/ik';
import { connectIk, type MessagePortLike, type RemoteIkHost, serveIkWith } from 'poise/worker';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { testRandom } from '../support/random-figure.js';
import { randomProblem } from './problems.js';
import { type Bundle, bundle, bytes, NODE_WORKER, startWorker } from './support.js';

let script: Bundle;
const workers: Worker[] = [];

beforeAll(async () => {
  script = await bundle('worker', NODE_WORKER);
});
afterAll(() => script.remove());
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.terminate()));
});

/** A host on a thread of its own. */
async function host(): Promise<{ worker: Worker; remote: RemoteIkHost }> {
  const worker = startWorker(script.file);
  workers.push(worker);
  return { worker, remote: await connectIk(worker) };
}

const figure = createHumanFigure();
const reach = (): Goal[] => [
  { type: 'position', bone: 'leftHand', target: new Float64Array([0.3, 1.2, 0.4]) },
];
/** Far off, so that the solver has work for some time. */
const slow = (): Goal[] => [
  { type: 'position', bone: 'leftHand', target: [3, 3, 3] },
  { type: 'orientation', bone: 'rightFoot', target: [1, 0, 0, 0] },
];

const codeOf = (error: unknown): string => (error as PoiseError).code;

describe('a solver in a worker', () => {
  it('agrees with a local solver bit for bit: 150 random figures, goals and starts', async () => {
    const { remote } = await host();
    const random = testRandom(2024);
    const options = { restarts: 2, maxIterations: 40 };
    for (let n = 0; n < 150; n++) {
      const { figure, goals, start } = randomProblem(random);
      const here = start.slice();
      const expected = solveIk(createIk(figure, goals, options), here);
      const ik = await remote.createIk(figure, goals, options);
      const { pose, result } = await ik.solve(start);
      expect(bytes(pose), `${n}`).toEqual(bytes(here));
      expect(result, `${n}`).toEqual(expected);
      await ik.dispose();
    }
  });

  it('has one host for each worker, shared by connections', async () => {
    const { worker, remote } = await host();
    const again = await connectIk(worker);
    expect(again).toBe(remote);
    const left = await remote.createIk(figure, reach());
    await again.createIk(figure, [{ type: 'position', bone: 'rightHand', target: [-0.3, 1.2, 0.4] }]);
    const { result } = await left.solve(createPose(figure));
    expect(result.residuals[0].bone).toBe('leftHand');
  });

  it('refuses a pose that is queued already, and stays usable', async () => {
    const { remote } = await host();
    const ik = await remote.createIk(figure, slow());
    const first = ik.solve(createPose(figure));
    const pose = createPose(figure);
    const second = ik.solve(pose);
    const twice: unknown = await ik.solve(pose).catch((error: unknown) => error);
    expect(codeOf(twice)).toBe('unsupported');
    expect((await first).pose.length).toBe(figure.dof);
    expect((await second).pose.length).toBe(figure.dof);
    expect((await ik.solve(createPose(figure))).pose.length).toBe(figure.dof);
  });

  it('reads changed targets, weights and target values, as a local solver does', async () => {
    const { remote } = await host();
    const target = new Float64Array([0.3, 1.2, 0.4]);
    const plane = { point: [0, 0.2, 0], normal: [0, 1, 0] };
    const hand: Goal = { type: 'position', bone: 'leftHand', target };
    const apart: Goal = { type: 'distance', bone: 'rightHand', target: { bone: 'leftHand' }, distance: 0.5 };
    const foot: Goal = { type: 'plane', bone: 'leftFoot', target: plane };
    const goals = [hand, apart, foot];
    const ik = await remote.createIk(figure, goals);
    const local = createIk(figure, goals);
    let pose = createPose(figure);
    const here = createPose(figure);
    for (let frame = 0; frame < 30; frame++) {
      target[0] = 0.3 * Math.cos(frame / 5);
      target[1] = 1.1 + 0.01 * frame;
      apart.distance = 0.3 + 0.02 * frame;
      plane.point[1] = 0.01 * frame;
      hand.weight = 1 + (frame % 3);
      const expected = solveIk(local, here);
      const answer = await ik.solve(pose);
      pose = answer.pose;
      expect(bytes(pose)).toEqual(bytes(here));
      expect(answer.result).toEqual(expected);
    }
  });

  it('transfers the buffer of a pose there and back without a copy', async () => {
    const { remote } = await host();
    const ik = await remote.createIk(figure, reach());
    const pose = createPose(figure);
    const solving = ik.solve(pose);
    expect(pose.length).toBe(0);
    const answer = await solving;
    expect(answer.pose.length).toBe(figure.dof);
    expect(answer.pose.buffer.byteLength).toBe(8 * figure.dof);
    expect(answer.result.status).toBe('converged');
  });

  it('holds several solvers, and one figure once', async () => {
    const posted: unknown[] = [];
    const { worker } = await host();
    const port: MessagePortLike = {
      on: (event, listener) => worker.on(event, listener),
      postMessage: (message, transfer) => {
        posted.push(message);
        worker.postMessage(message, transfer);
      },
    };
    const remote = await connectIk(port);
    const goals = (['leftHand', 'rightHand', 'head', 'leftFoot'] as const).map((bone, n): Goal[] => [
      { type: 'position', bone, target: [0.1 * n, 1, 0.3] },
    ]);
    const solvers = await Promise.all(goals.map((list) => remote.createIk(figure, list)));
    const answers = await Promise.all(solvers.map((ik) => ik.solve(createPose(figure))));
    goals.forEach((list, n) => {
      const here = createPose(figure);
      expect(answers[n].result).toEqual(solveIk(createIk(figure, list), here));
      expect(bytes(answers[n].pose)).toEqual(bytes(here));
    });
    const creations = posted.filter((message) => (message as { method: string }).method === 'create');
    expect(creations.map((message) => 'data' in (message as { params: object }).params)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it('serves over a MessagePort, with no more than the goal types it is given', async () => {
    const { port1, port2 } = new MessageChannel();
    serveIkWith(port2, { goalTypes: { position: positionGoal } });
    const remote = await connectIk(port1);
    const ik = await remote.createIk(figure, reach());
    const here = createPose(figure);
    solveIk(createIk(figure, reach()), here);
    expect(bytes((await ik.solve(createPose(figure))).pose)).toEqual(bytes(here));
    const refused = await remote.createIk(figure, [{ type: 'posture' }]).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(GoalError);
    // What others say on the same port is left alone.
    port1.postMessage('hello');
    port2.postMessage({ id: 1 });
    expect((await ik.solve(createPose(figure))).result.status).toBe('converged');
    remote.terminate();
  });
});

describe('requests in a drag', () => {
  it('solves the first and the last, and resolves those between as superseded, poses unchanged', async () => {
    const { remote } = await host();
    const target = new Float64Array([0.3, 1.2, 0.4]);
    const ik = await remote.createIk(figure, [{ type: 'position', bone: 'leftHand', target }]);
    const sent = Array.from({ length: 6 }, (_, n) => {
      target[1] = 1.2 + 0.02 * n;
      const pose = createPose(figure);
      pose[5] = 0.01 * n;
      return ik.solve(pose, { latest: true });
    });
    const answers = await Promise.all(sent);
    expect(answers.map(({ superseded }) => superseded)).toEqual([false, true, true, true, true, false]);
    answers.slice(1, 5).forEach(({ pose }, n) => {
      expect(pose[5]).toBe(0.01 * (n + 1));
      expect(pose.length).toBe(figure.dof);
    });
    // The last with its own target and start.
    const here = createPose(figure);
    here[5] = 0.05;
    const expected = solveIk(
      createIk(figure, [{ type: 'position', bone: 'leftHand', target: [0.3, 1.3, 0.4] }]),
      here,
    );
    const last = answers[5];
    expect(bytes(last.pose)).toEqual(bytes(here));
    expect(!last.superseded && last.result).toEqual(expected);
  });

  it('solves all requests without `latest` in order, and drops only those with it', async () => {
    const { remote } = await host();
    const ik = await remote.createIk(figure, reach());
    const order: number[] = [];
    const ask = async (n: number, latest: boolean): Promise<boolean> => {
      const { superseded } = latest
        ? await ik.solve(createPose(figure), { latest: true })
        : await ik.solve(createPose(figure));
      order.push(n);
      return superseded;
    };
    const superseded = await Promise.all([
      ask(0, false),
      ask(1, true),
      ask(2, false),
      ask(3, true),
      ask(4, false),
    ]);
    expect(superseded).toEqual([false, true, false, true, false]);
    expect(order.filter((n) => n % 2 === 0)).toEqual([0, 2, 4]);
  });

  it('cancels unsent requests and resolves sent ones', async () => {
    const { remote } = await host();
    const ik = await remote.createIk(figure, reach());
    const poses = [0, 1, 2].map(() => createPose(figure));
    const sent = poses.map((pose) => ik.solve(pose).then(() => 'solved', codeOf));
    expect(ik.cancel()).toBe(2);
    expect(await Promise.all(sent)).toEqual(['solved', 'cancelled', 'cancelled']);
    expect(poses.map((pose) => pose.length)).toEqual([0, figure.dof, figure.dof]);
    expect(await ik.solve(poses[1]).then(() => 'solved')).toBe('solved');
    await ik.dispose();
    expect(await ik.solve(poses[2]).catch(codeOf)).toBe('cancelled');
  });
});

describe('errors keep their class', () => {
  const nan = Number.NaN;
  const goalsOf = (goal: object): Goal[] => [goal as Goal];
  const cases: [title: string, goals: Goal[], options?: object][] = [
    ['an unknown bone', goalsOf({ type: 'position', bone: 'leftHnad', target: [0, 0, 0] })],
    ['an unknown type', goalsOf({ type: 'positon', bone: 'leftHand', target: [0, 0, 0] })],
    ['no goals', []],
    ['an immovable goal', goalsOf({ type: 'position', bone: 'head', target: { bone: 'head' } })],
    ['an unknown option', reach(), { restart: 1 }],
    ['a locked bone that is not there', reach(), { locked: ['hisp'] }],
  ];
  for (const [title, goals, options = {}] of cases) {
    it(`createIk with ${title}: class, code, path, remedy and message`, async () => {
      const { remote } = await host();
      const there: unknown = await remote.createIk(figure, goals, options).catch((error: unknown) => error);
      let here: unknown;
      try {
        createIk(figure, goals, options);
      } catch (error) {
        here = error;
      }
      expect(here).toBeInstanceOf(PoiseError);
      expect(there).toBeInstanceOf((here as PoiseError).constructor);
      const { name, message, code, path, remedy } = here as PoiseError;
      expect(there).toMatchObject({ name, message, code, path, remedy });
      // And the worker lives on.
      expect((await (await remote.createIk(figure, reach())).solve(createPose(figure))).result.status).toBe(
        'converged',
      );
    });
  }

  it('solve with a target that is not finite, and the solver remains usable', async () => {
    const { remote } = await host();
    const target = [0.3, 1.2, 0.4];
    const ik = await remote.createIk(figure, [{ type: 'position', bone: 'leftHand', target }]);
    target[1] = nan;
    const error: unknown = await ik.solve(createPose(figure)).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(GoalError);
    expect(codeOf(error)).toBe('not-finite');
    target[1] = 1.2;
    expect((await ik.solve(createPose(figure))).result.status).toBe('converged');
  });

  it('solve with a pose that cannot be sent: refused locally, the pose unchanged', async () => {
    const { remote } = await host();
    const ik = await remote.createIk(figure, reach());
    const shared = new Float64Array(2 * figure.dof).subarray(0, figure.dof);
    const odd: [unknown, string][] = [
      [new Float64Array(3), 'wrong-size'],
      [createPose(figure).fill(nan), 'not-finite'],
      [shared, 'unsupported'],
      [new Float64Array(new SharedArrayBuffer(8 * figure.dof)), 'unsupported'],
      [[1, 2, 3], 'wrong-size'],
    ];
    for (const [pose, code] of odd) {
      const error: unknown = await ik.solve(pose as Float64Array).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(FigureError);
      expect(codeOf(error)).toBe(code);
    }
    expect(shared.length).toBe(figure.dof);
  });

  it('an observer, and goals that are not plain data, are refused before they are sent', async () => {
    const { remote } = await host();
    const options = { onIterate: () => {} } as object;
    expect(await remote.createIk(figure, reach(), options).catch(codeOf)).toBe('unsupported');
    const goals = [
      { type: 'position', bone: 'leftHand', target: [0, 1, 0], extra: () => {} },
    ] as unknown as Goal[];
    expect(await remote.createIk(figure, goals).catch(codeOf)).toBe('unsupported');
    // The figure did not get there: the next one still sends it.
    expect((await (await remote.createIk(figure, reach())).solve(createPose(figure))).result.status).toBe(
      'converged',
    );
  });
});

describe('a lost worker', () => {
  it('rejects pending, queued and later requests with worker-lost when it is terminated', async () => {
    const { remote } = await host();
    const ik = await remote.createIk(figure, slow());
    const sent = [0, 1, 2].map(() => ik.solve(createPose(figure)).catch((error: unknown) => error));
    remote.terminate();
    for (const error of await Promise.all(sent)) {
      expect(error).toBeInstanceOf(WorkerError);
      expect(codeOf(error)).toBe('worker-lost');
    }
    expect(await ik.solve(createPose(figure)).catch(codeOf)).toBe('worker-lost');
    expect(await remote.createIk(figure, reach()).catch(codeOf)).toBe('worker-lost');
  });

  it('likewise when it dies by itself', async () => {
    const { worker, remote } = await host();
    const ik = await remote.createIk(figure, slow());
    const sent = [0, 1].map(() => ik.solve(createPose(figure)).catch(codeOf));
    await worker.terminate();
    expect(await Promise.all(sent)).toEqual(['worker-lost', 'worker-lost']);
  });

  it('rejects the connection when its script throws', async () => {
    const broken = await bundle('broken', `throw new Error('no luck');`);
    const worker = startWorker(broken.file);
    const error: unknown = await connectIk(worker).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(WorkerError);
    expect((error as WorkerError).message).toContain('no luck');
    broken.remove();
  });
});
