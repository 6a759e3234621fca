/** `poise worker`: queues that cannot be used, and processes that serve one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWithRedis, freePort, type PrivateRedis, startRedis } from '@poise/test-support/redis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BatchJob } from '../../src/batch/job.js';
import { run } from '../../src/run.js';
import { countOf, enqueue, eventsOf, makeBatch } from '../queue/support.js';
import { builtCommand } from '../support/built-command.js';
import { temporaryFolder } from '../support/command.js';

const SECRET = 'hunter2-hunter2';
const folder = temporaryFolder();
const main = builtCommand();

/** Runs `poise worker`; all that it says. */
async function worker(argv: readonly string[], env: Record<string, string> = {}) {
  const said = { out: '', err: '' };
  const status = await run(['worker', ...argv], {
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
    color: false,
    env,
  });
  expect(said.out + said.err).not.toContain(SECRET);
  return { status, ...said };
}

describe('poise worker', () => {
  test('ends with status 2 and what to type where it has no queue', async () => {
    const port = await freePort();
    for (const [argv, env, message] of [
      [[], {}, /^error\[missing-resource] --queue: has no address/],
      [
        ['--queue', `redis://:${SECRET}@localhost`],
        {},
        /^error\[unsupported] --queue redis:\/\/localhost:6379: has a password/,
      ],
      [
        ['--queue', '--lease', '1'],
        { POISE_QUEUE: `redis://:${SECRET}@127.0.0.1:${port}` },
        /^error\[unreachable] redis:\/\/127.0.0.1:\d+: cannot be reached/,
      ],
      [
        ['--queue', `redis://127.0.0.1:${port}`, '--jobs', '1000', '--lease', '1'],
        {},
        /^warning: --jobs 1000: this machine gives \d+ cores?; .*\nerror\[unreachable]/,
      ],
      [['--queue', 'redis://a', '--jobs', '0'], {}, /^error\[out-of-range] --jobs 0/],
      [['--queue', 'redis://a', '--lease', '0'], {}, /^error\[out-of-range] --lease 0/],
    ] as const) {
      const { status, err } = await worker(argv, env);
      expect([status, err]).toEqual([2, expect.stringMatching(message)]);
    }
    const { out } = await worker(['--queue', '--json', '--lease', '1'], {
      POISE_QUEUE: `redis://:${SECRET}@127.0.0.1:${port}`,
    });
    expect(JSON.parse(out)).toMatchObject({ format: 'poise-error', code: 'unreachable', status: 2 });
  });
});

interface Process {
  said(): string;
  readonly ended: Promise<number | null>;
  stop(signal?: NodeJS.Signals): void;
}

const children: ChildProcess[] = [];

function launch(argv: readonly string[], env: Record<string, string> = {}): Process {
  const child = spawn(process.execPath, [main, ...argv], { env: { ...process.env, NO_COLOR: '1', ...env } });
  children.push(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      said += chunk;
    });
  }
  return {
    said: () => said,
    ended: new Promise((resolve) => child.on('exit', resolve)),
    stop: (signal = 'SIGTERM') => void child.kill(signal),
  };
}

describeWithRedis('processes of poise worker', () => {
  let redis: PrivateRedis;
  beforeAll(async () => {
    redis = await startRedis(['--requirepass', SECRET]);
  });
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await redis.close();
  });

  test('serve together whatever their clocks say, end in order when they are asked to, and say the password nowhere', async () => {
    const { plan, jobs } = makeBatch(folder, 8);
    // Sources of the built-in human: files that `poise inspect` reads, each of other bytes.
    const inputs = jobs.map((job): BatchJob => {
      const input = join(folder, job.output);
      writeFileSync(input, JSON.stringify({ format: 'poise-figure', version: 1, name: job.id, bones: [] }));
      return { ...job, input };
    });
    const url = `redis://:${SECRET}@127.0.0.1:${redis.port}`;
    /** An hour off, loaded before the program. */
    const shifted = (ms: number) =>
      `--import data:text/javascript,${encodeURIComponent(`const now = Date.now; Date.now = () => now() + ${ms};`)}`;
    const workers = [3.6e6, -3.6e6].map((ms) =>
      launch(['worker', '--queue', '--jobs', '1', '--lease', '2', '--grace', '1', '--json'], {
        POISE_QUEUE: url,
        NODE_OPTIONS: shifted(ms),
      }),
    );
    const batch = { plan, jobs: inputs };
    const following = enqueue(url, batch);
    expect(await following.ended).toBe(true);
    workers[0].stop();
    expect(await workers[0].ended).toBe(0);
    // Nor does one wait for a Redis that is gone.
    await redis.end();
    workers[1].stop('SIGHUP');
    expect(await workers[1].ended).toBe(0);
    expect(
      new Set(
        eventsOf(batch)
          .filter(({ event }) => event !== 'start')
          .map(({ id }) => id),
      ).size,
    ).toBe(8);
    expect(countOf(batch, 'stopped')).toBe(0);
    for (const [n, word] of ['ahead of', 'behind'].entries()) {
      expect(workers[1 - n].said()).toMatch(
        new RegExp(`its clock is 3\\d\\d\\d s ${word} that of this machine`),
      );
    }
    for (const { said } of workers) expect(said()).not.toContain(SECRET);
    expect(JSON.stringify(eventsOf(batch))).not.toContain(SECRET);
    expect(readFileSync(join(plan.out, 'batch/manifest.jsonl'), 'utf8')).not.toContain(SECRET);
  });
});
