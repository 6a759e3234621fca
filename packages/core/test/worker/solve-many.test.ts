import { createHash } from 'node:crypto';
import type { Worker } from 'node:worker_threads';
import { type PoiseError, WorkerError } from 'poise';
import { createPose } from 'poise/figure';
import { createHumanFigure } from 'poise/humanoid';
import { createIk, type Goal, solveIk } from 'poise/ik';
import { connectIk, type RemoteIkHost, type SolvedClip, solveMany } from 'poise/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomPose, testRandom } from '../support/random-figure.js';
import { type Bundle, bundle, bytes, NODE_WORKER, startWorker } from './support.js';

let script: Bundle;
let workers: Worker[] = [];
let hosts: RemoteIkHost[] = [];

beforeAll(async () => {
  script = await bundle('worker', NODE_WORKER);
  workers = [0, 1, 2, 3].map(() => startWorker(script.file));
  hosts = await Promise.all(workers.map((worker) => connectIk(worker)));
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.terminate()));
  script.remove();
});

const figure = createHumanFigure();
const target = new Float64Array(3);
const goals: Goal[] = [
  { type: 'position', bone: 'leftHand', target },
  { type: 'points-at', bone: 'head', axis: [0, 0, 1], target },
];
const options = { restarts: 2 };

/** Where the target is at a frame of a clip. */
function setGoals(clip: number, frame: number): void {
  target[0] = 0.3 * Math.cos(clip + 0.1 * frame);
  target[1] = 1.2 + 0.2 * Math.sin(2 * clip);
  target[2] = 0.4 + 0.01 * frame;
}

/** The bits of all poses and results in one word. */
function hashOf(clips: readonly SolvedClip[]): string {
  const hash = createHash('sha256');
  for (const { poses, results } of clips) hash.update(bytes(poses)).update(JSON.stringify(results));
  return hash.digest('hex');
}

describe('solveMany', () => {
  const random = testRandom(77);
  const starts = Array.from({ length: 90 }, () => randomPose(figure, random, 0.5));
  const frames = starts.map((_, clip) => clip % 5);

  it('agrees with solveIk clip by clip, frame by frame, bit for bit', async () => {
    const solved = await solveMany(hosts, { figure, goals, options, starts, frames, setGoals });
    expect(solved).toHaveLength(starts.length);
    const ik = createIk(figure, goals, options);
    solved.forEach(({ poses, results }, clip) => {
      const pose = starts[clip].slice();
      expect(results).toHaveLength(frames[clip]);
      for (let frame = 0; frame < frames[clip]; frame++) {
        setGoals(clip, frame);
        expect(results[frame]).toEqual(solveIk(ik, pose));
        expect(bytes(poses.subarray(frame * figure.dof, (frame + 1) * figure.dof))).toEqual(bytes(pose));
      }
    });
  });

  it('has the same hash on 1, 2 and 4 workers', async () => {
    const hashes = [];
    for (const count of [1, 2, 4]) {
      const before = starts.map((start) => start.slice());
      const settings = { figure, goals, options, starts, frames, setGoals };
      hashes.push(hashOf(await solveMany(hosts.slice(0, count), settings)));
      expect(starts).toEqual(before);
    }
    expect(new Set(hashes).size).toBe(1);
  });

  it('solves single poses for the current goals by default', async () => {
    setGoals(1, 0);
    const solved = await solveMany(hosts, { figure, goals, starts: [createPose(figure)] });
    const pose = createPose(figure);
    const result = solveIk(createIk(figure, goals), pose);
    expect(solved).toEqual([{ poses: pose, results: [result] }]);
    expect(await solveMany(hosts, { figure, goals, starts: [] })).toEqual([]);
  });

  it('rejects with the error of the first clip that has one, and the workers remain usable', async () => {
    const failing = (clip: number, frame: number): void => {
      setGoals(clip, frame);
      if (clip === 40 || clip === 70) target[1] = Number.NaN;
    };
    const settings = { figure, goals, options, starts, setGoals: failing };
    const error: unknown = await solveMany(hosts, settings).catch((caught: unknown) => caught);
    expect((error as PoiseError).code).toBe('not-finite');
    const thrown = new Error('from the caller');
    const broken = {
      ...settings,
      setGoals: () => {
        throw thrown;
      },
    };
    expect(await solveMany(hosts, broken).catch((caught: unknown) => caught)).toBe(thrown);
    expect(await solveMany(hosts, { ...settings, setGoals })).toHaveLength(starts.length);
  });

  it('refuses no workers, starts that do not fit and odd counts', async () => {
    const codeOf = (error: unknown): string => (error as PoiseError).code;
    expect(await solveMany([], { figure, goals, starts }).catch((error: unknown) => error)).toBeInstanceOf(
      WorkerError,
    );
    expect(await solveMany(hosts, { figure, goals, starts: [new Float64Array(2)] }).catch(codeOf)).toBe(
      'wrong-size',
    );
    expect(await solveMany(hosts, { figure, goals, starts, frames: 1.5 }).catch(codeOf)).toBe('out-of-range');
    expect(await solveMany(hosts, { figure, goals, starts, frames: [1] }).catch(codeOf)).toBe('out-of-range');
  });

  it('rejects with worker-lost when one of the workers dies', async () => {
    const extra = startWorker(script.file);
    const mixed = [hosts[0], await connectIk(extra)];
    const many = Array.from({ length: 2000 }, (_, n) => starts[n % starts.length]);
    const solving = solveMany(mixed, { figure, goals, options, starts: many, setGoals }).catch(
      (error: unknown) => error,
    );
    await extra.terminate();
    expect(((await solving) as PoiseError).code).toBe('worker-lost');
    expect(await solveMany(hosts, { figure, goals, starts: [createPose(figure)] })).toHaveLength(1);
  });
});
