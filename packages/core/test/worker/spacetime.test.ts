/** Trajectory problems solved on another thread: the same bits, progress, interrupts, errors. */
import { MessageChannel, type Worker } from 'node:worker_threads';
import { GoalError, MotionError, type PoiseError, SpacetimeError, WorkerError } from 'poise';
import { findFootPoints } from 'poise/dynamics';
import { createFigure, type Figure } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { createMotion } from 'poise/motion';
import {
  createSpacetimeProblem,
  createTrajectory,
  motionFromSolution,
  type SpacetimeData,
  sampleTrajectory,
  solveSpacetime,
} from 'poise/spacetime';
import {
  connectIk,
  connectSpacetime,
  type MessagePortLike,
  type RemoteSpacetime,
  type RemoteSpacetimeProgress,
  serveIk,
  serveSpacetime,
} from 'poise/worker';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Bundle, bundle, bytes, startWorker } from './support.js';

const NODE_WORKER = `
  import { parentPort } from 'node:worker_threads';
  import { serveIk, serveSpacetime } from 'poise/worker';
  serveSpacetime(parentPort!);
  serveIk(parentPort!);
`;

let script: Bundle;
const workers: Worker[] = [];

beforeAll(async () => {
  script = await bundle('spacetime-worker', NODE_WORKER);
});
afterAll(() => script.remove());
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.terminate()));
});

async function host(): Promise<{ worker: Worker; remote: RemoteSpacetime }> {
  const worker = startWorker(script.file);
  workers.push(worker);
  return { worker, remote: await connectSpacetime(worker) };
}

/** Two bars on hinges with a limit: inertia, bounds and a goal. */
const arm: Figure = createFigure({
  name: 'arm',
  bones: [
    bar('upper', null, [0, 0, 0]),
    { ...bar('fore', 'upper', [0, -0.4, 0]), limit: { type: 'interval', min: -2.5, max: 0 } },
  ],
});

function bar(name: string, parent: string | null, position: readonly [number, number, number]) {
  return {
    name,
    parent,
    rest: { position },
    joint: { type: 'hinge', axis: [1, 0, 0] },
    tip: [0, -0.4, 0],
    mass: 1,
    centerOfMass: [0, -0.2, 0],
    inertia: [0.014, 0.001, 0.014, 0, 0, 0],
  } as const;
}

const reach: SpacetimeData = {
  duration: 1,
  terms: [
    { type: 'pose', at: 0 },
    { type: 'velocity', at: 0 },
    {
      type: 'goal',
      at: 1,
      goal: { type: 'position', bone: 'fore', point: [0, -0.4, 0], target: [0, 0.2, 0.5] },
    },
    { type: 'velocity', at: 1 },
    { type: 'torque-limit', limit: 12 },
    { type: 'effort' },
  ],
};

/** Bits are compared wherever it stands after so many iterations. */
const some = { maxIterations: 30 };

/** From rest to rest with least effort, which is known: 12. */
const block: Figure = createFigure({
  name: 'block',
  bones: [
    { name: 'block', joint: { type: 'slider', axis: [1, 0, 0] }, mass: 1, inertia: [1, 1, 1, 0, 0, 0] },
  ],
});
const move: SpacetimeData = {
  duration: 1,
  terms: [
    { type: 'pose', at: 0, pose: [0] },
    { type: 'velocity', at: 0 },
    { type: 'pose', at: 1, pose: [1] },
    { type: 'velocity', at: 1 },
    { type: 'effort' },
  ],
};

/** Many iterations of some milliseconds each: a human, held still by nothing, waves for no reason. */
const long: SpacetimeData = {
  duration: 1,
  intervals: 8,
  locked: ['hips', 'leftUpperLeg', 'rightUpperLeg', 'leftLowerLeg', 'rightLowerLeg'],
  terms: [
    { type: 'pose', at: 0 },
    {
      type: 'goal',
      at: [0.5, 1],
      weight: 1,
      goal: { type: 'position', bone: 'leftHand', target: [0.3, 1.4, 0.4] },
    },
    { type: 'smoothness', order: 3, weight: 1e-6 },
  ],
};
const human = createHumanFigure();

/** Many seconds of work: it stands on its soles by its own forces while a hand waves. */
const longest: SpacetimeData = {
  duration: 2,
  terms: [
    { type: 'pose', at: 0 },
    ...(['leftFoot', 'rightFoot'] as const).map(
      (bone) => ({ type: 'contact', bone, points: findFootPoints(human, bone), over: [0, 2] }) as const,
    ),
    { type: 'physics' },
    {
      type: 'goal',
      at: [0.5, 2],
      weight: 1,
      goal: { type: 'position', bone: 'leftHand', target: [0.3, 1.4, 0.4] },
    },
    { type: 'effort', weight: 1e-3 },
  ],
};

const codeOf = (error: unknown): string => (error as PoiseError).code;

describe('a trajectory problem in a worker', () => {
  it('agrees with a local solve bit for bit', async () => {
    const { remote } = await host();
    const here = solveSpacetime(createSpacetimeProblem(arm, reach), some);
    expect(here.iterations).toBeGreaterThan(10);
    const there = await remote.solve(arm, reach, some).result;
    const { trajectory, ...plain } = here;
    expect(bytes(there.save.unknowns)).toEqual(bytes(plain.save.unknowns));
    expect(bytes(there.save.multipliers)).toEqual(bytes(plain.save.multipliers));
    expect(there).toEqual({ ...plain, motion: motionFromSolution(here) });
    // What cannot be sent can be made again.
    const again = createTrajectory(createSpacetimeProblem(arm, reach), there.save.unknowns);
    expect(sampleTrajectory(again, 0.37)).toEqual(sampleTrajectory(trajectory, 0.37));
  });

  it('may start from a motion, which is cloned exactly', async () => {
    const { remote } = await host();
    const reference = createMotion(arm, {
      tracks: [{ coordinate: 0, keys: { times: [0, 0.4, 1], values: [0, 0, 1, -0.5, 2, -1] } }],
    });
    const data: SpacetimeData = {
      duration: 1,
      reference,
      unknowns: 'displacement',
      terms: [
        { type: 'tracking' },
        { type: 'goal', at: 0.5, goal: { type: 'joint-value', bone: 'upper', value: 1.5 } },
        { type: 'smoothness', weight: 1e-3 },
      ],
    };
    const here = solveSpacetime(createSpacetimeProblem(arm, data), some);
    const there = await remote.solve(arm, data, some).result;
    expect(bytes(there.save.unknowns)).toEqual(bytes(here.save.unknowns));
  });

  it('reports progress with the motion, and not before the last event is acknowledged', async () => {
    const { remote } = await host();
    const seen: RemoteSpacetimeProgress[] = [];
    const onProgress = (progress: RemoteSpacetimeProgress) => seen.push(progress);
    const { result } = remote.solve(arm, reach, { ...some, onProgress, progressInterval: 0 });
    const { iterations, duration } = await result;
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.length).toBeLessThanOrEqual(iterations);
    seen.forEach(({ iteration, cost, violation, motion }, k) => {
      expect(iteration).toBeGreaterThan(k === 0 ? 0 : seen[k - 1].iteration);
      expect(Number.isFinite(cost) && Number.isFinite(violation)).toBe(true);
      expect([motion.dof, motion.start, motion.end]).toEqual([2, 0, duration]);
    });
  });

  it('reports no more often than the interval, and nothing without a listener', async () => {
    const [here, there] = ports();
    const heard: string[] = [];
    there.onPost = (message) => {
      if ('event' in message) heard.push(String(message.event));
    };
    serveSpacetime(there);
    const remote = await connectSpacetime(here);
    await remote.solve(block, move).result;
    expect(heard).toEqual(['done']);
    let calls = 0;
    const slowly = { onProgress: () => calls++, progressInterval: 1e6 };
    await remote.solve(block, move, slowly).result;
    expect(calls).toBe(1);
    expect(heard).toEqual(['done', 'progress', 'done']);
  });

  it('is interrupted, saves, and resumes to the same solution', async () => {
    const { remote } = await host();
    const run = remote.solve(human, long, {
      onProgress: () => run.interrupt(),
      maxIterations: 1e6,
      gain: 1e-300,
    });
    const first = await run.result;
    expect(first.status).toBe('interrupted');
    expect(first.save.iterations).toBe(first.iterations);
    const local = createSpacetimeProblem(human, long);
    const options = { start: first.save, maxIterations: 2 };
    const on = await remote.solve(human, long, options).result;
    const here = solveSpacetime(local, options);
    expect(on.iterations).toBe(here.iterations);
    expect(bytes(on.save.unknowns)).toEqual(bytes(here.save.unknowns));
  });

  it('is interrupted by an observer that returns false', async () => {
    const { remote } = await host();
    const { result } = remote.solve(human, long, {
      onProgress: () => false,
      maxIterations: 1e6,
      gain: 1e-300,
    });
    expect((await result).status).toBe('interrupted');
  });

  it('runs concurrently with others of the same worker, and with IK', async () => {
    const { worker, remote } = await host();
    const slow = remote.solve(human, longest, { maxIterations: 1e6, gain: 1e-300, tolerance: 1e-300 });
    const quick = await remote.solve(block, move).result;
    expect(quick.status).toBe('converged');
    expect(quick.cost).toBeCloseTo(12, 7);
    const ik = await (await connectIk(worker)).createIk(human, [
      { type: 'position', bone: 'leftHand', target: [0.3, 1.2, 0.4] },
    ]);
    const { result } = await ik.solve(new Float64Array(human.dof));
    expect(result.status).toBe('converged');
    slow.interrupt();
    expect((await slow.result).status).toBe('interrupted');
    expect(await connectSpacetime(worker)).toBe(remote);
  });
});

describe('errors', () => {
  it('keep their class, and the worker remains usable', async () => {
    const { remote } = await host();
    const errorOf = (data: SpacetimeData, options = {}): Promise<unknown> =>
      remote.solve(arm, data, options).result.catch((error: unknown) => error);
    const cases: readonly [SpacetimeData, unknown, string, string][] = [
      [{ ...reach, duration: 0 }, SpacetimeError, 'out-of-range', 'duration'],
      [{ ...reach, terms: [] }, SpacetimeError, 'wrong-size', 'terms'],
      [{ ...reach, terms: [{ type: 'pose', at: 2 }] }, SpacetimeError, 'out-of-range', 'terms[0].at'],
    ];
    for (const [data, type, code, path] of cases) {
      const error = (await errorOf(data)) as PoiseError;
      expect(error).toBeInstanceOf(type);
      expect([error.code, error.path]).toEqual([code, path]);
      let here: unknown;
      try {
        createSpacetimeProblem(arm, data);
      } catch (caught) {
        here = caught;
      }
      expect(error.message).toBe((here as Error).message);
    }
    const goal = { type: 'joint-value', bone: 'fore', value: Number.NaN } as const;
    expect(await errorOf({ duration: 1, terms: [{ type: 'goal', at: 1, goal }] })).toBeInstanceOf(GoalError);
    const foreign = createMotion(human, {
      tracks: [{ bone: 'leftLowerArm', keys: { times: [0, 1], values: [0, 1] } }],
    });
    expect(await errorOf({ ...reach, reference: foreign })).toBeInstanceOf(MotionError);
    const short = { ...(await remote.solve(block, move).result).save, unknowns: new Float64Array(3) };
    const start = (await errorOf(reach, { start: short })) as PoiseError;
    expect([start.code, start.path]).toEqual(['wrong-size', 'start']);
  });

  it('of an observer reject the result, and the run ends', async () => {
    const { remote } = await host();
    const onProgress = () => {
      throw new Error('mine');
    };
    const { result } = remote.solve(human, long, { onProgress, maxIterations: 1e6, gain: 1e-300 });
    await expect(result).rejects.toThrow('mine');
    expect((await remote.solve(block, move).result).status).toBe('converged');
  });

  it('for data that cannot be sent, and an invalid interval', async () => {
    const { remote } = await host();
    const functions = { ...reach, gravity: (() => 0) as never };
    expect(await remote.solve(arm, functions).result.catch(codeOf)).toBe('unsupported');
    const options = { onProgress() {}, progressInterval: Number.NaN };
    const error: unknown = await remote.solve(arm, reach, options).result.catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(SpacetimeError);
    expect((error as PoiseError).path).toBe('options.progressInterval');
  });

  it('of a lost worker: pending and later requests', async () => {
    const { remote } = await host();
    const run = remote.solve(human, long, { maxIterations: 1e6, gain: 1e-300 });
    const ending = run.result.catch((error: unknown) => error);
    await new Promise((resolve) => setTimeout(resolve, 30));
    remote.terminate();
    const error = await ending;
    expect(error).toBeInstanceOf(WorkerError);
    expect(codeOf(error)).toBe('worker-lost');
    run.interrupt();
    expect(await remote.solve(block, move).result.catch(codeOf)).toBe('worker-lost');
  });

  it('of a worker with another protocol: timed-out', async () => {
    const [here, there] = ports();
    serveIk(there);
    const error: unknown = await connectSpacetime(here, { timeout: 0.05 }).catch((caught: unknown) => caught);
    expect(codeOf(error)).toBe('timed-out');
    expect((error as Error).message).toContain('serveSpacetime');
    serveSpacetime(there);
    const remote = await connectSpacetime(here);
    expect((await remote.solve(block, move).result).status).toBe('converged');
  });
});

interface Watched extends MessagePortLike {
  onPost: (message: object) => void;
}

/** Two ends on this thread, one of which can be listened to. */
function ports(): readonly [MessagePortLike, Watched] {
  const { port1, port2 } = new MessageChannel();
  const watched: Watched = {
    onPost() {},
    postMessage(message: unknown, transfer: never) {
      watched.onPost(message as object);
      port2.postMessage(message, transfer);
    },
    on: (type, listener) => port2.on(type, listener),
    close: () => port2.close(),
  };
  open.push(() => port1.close());
  return [port1, watched];
}

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});
