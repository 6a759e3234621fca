/** Jobs over a queue: all are done, whatever becomes of workers and of Redis. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describeWithRedis, type PrivateRedis, startRedis } from '@poise/test-support/redis';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { JobOutcome } from '../../src/batch/job.js';
import { eventOf, openJournal } from '../../src/batch/journal.js';
import { manifestPath } from '../../src/batch/manifest.js';
import { openQueue, queueId } from '../../src/queue/batch-queue.js';
import type { EnqueueOptions } from '../../src/queue/enqueue-jobs.js';
import { poise, temporaryFolder } from '../support/command.js';
import {
  clients,
  countOf,
  crash,
  enqueue,
  eventsOf,
  makeBatch,
  type Running,
  runner,
  serve,
  type TestBatch,
  until,
  write,
  wrongOutputs,
} from './support.js';

const folder = temporaryFolder();
let redis: PrivateRedis;
const running: Running<unknown>[] = [];

/** Has it stopped when the test is over. */
function stopped<T>(started: Running<T>): Running<T> {
  running.push(started);
  return started;
}

const connection = () => new clients.ioredis.Redis(redis.port, '127.0.0.1');

/** Has the jobs of a batch in the queue, and nobody who follows them. */
async function enqueued(batch: TestBatch): Promise<void> {
  const before = await jobsInRedis();
  const following = enqueue(redis.url, batch);
  await until(async () => (await jobsInRedis()) === before + batch.jobs.length);
  following.stop();
  await following.ended;
}

/** Ends no job. */
const untilStopped = runner(
  (_, __, signal) =>
    new Promise((resolve) => signal?.addEventListener('abort', () => resolve({ result: 'stopped' }))),
);

/** What Redis holds of jobs. */
async function jobsInRedis(): Promise<number> {
  const client = connection();
  const keys = await client.keys('poise:poise:j*');
  client.disconnect();
  return keys.filter((key) => !key.endsWith(':lock')).length;
}

describeWithRedis('jobs over a queue', () => {
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.close());
  afterEach(async () => {
    for (const each of running.splice(0)) {
      each.stop();
      await each.ended.catch(() => {});
    }
    const client = connection();
    await client.flushall();
    client.disconnect();
  });

  test('of two folders are done by two workers, once each, and Redis keeps none of them', async () => {
    const batches = [makeBatch(folder, 40), makeBatch(folder, 40)];
    for (const _ of batches) stopped(serve(redis.url));
    const following = batches.map((batch) => stopped(enqueue(redis.url, batch)));
    expect(await Promise.all(following.map(({ ended }) => ended))).toEqual([true, true]);
    expect(batches.flatMap(wrongOutputs)).toEqual([]);
    expect(batches.map((batch) => [countOf(batch, 'start'), countOf(batch, 'done')])).toEqual([
      [40, 40],
      [40, 40],
    ]);
    await until(async () => (await jobsInRedis()) === 0);
  });

  test('of many threads are no leak of listeners to Node', async () => {
    const batch = makeBatch(folder, 12);
    const said: Error[] = [];
    const listen = (warning: Error) => void said.push(warning);
    process.on('warning', listen);
    let count = 0;
    let go: () => void;
    const all = new Promise<void>((resolve) => {
      go = resolve;
    });
    const run = runner(async (plan, job, signal) => {
      signal?.addEventListener('abort', () => {});
      if (++count === 12) go();
      await all;
      return write(plan, job);
    });
    stopped(serve(redis.url, { threads: 12, runner: run }));
    expect(await stopped(enqueue(redis.url, batch)).ended).toBe(true);
    process.off('warning', listen);
    expect(said).toEqual([]);
  });

  test('that Redis loses are put in again', async () => {
    const batch = makeBatch(folder, 10);
    const following = stopped(enqueue(redis.url, batch));
    await until(async () => (await jobsInRedis()) === 10);
    const client = connection();
    await client.flushall();
    client.disconnect();
    await until(() => following.warnings.length === 2);
    stopped(serve(redis.url));
    expect(await following.ended).toBe(true);
    expect(wrongOutputs(batch)).toEqual([]);
    expect(following.warnings).toEqual([
      expect.stringContaining('lost 10 jobs'),
      `${redis.url}: no worker serves the queue poise. Run 'poise worker --queue ${redis.url}' on a machine that sees the same folders.`,
    ]);
  });

  test('that ended between the look at the folder and the queue are found ended', async () => {
    const batch = makeBatch(folder, 3);
    const [first, second] = batch.jobs;
    const journal = openJournal(batch.plan.out);
    // Done by a worker of an earlier run; and done, without its output by now, and failed when it was tried anew.
    journal.append(eventOf(first.id, write(batch.plan, first)));
    journal.append(eventOf(second.id, { ...write(batch.plan, second), bytes: 1 } as JobOutcome));
    journal.append(eventOf(second.id, { ...crash, class: 'bad-input' } as JobOutcome));
    journal.close();
    const found: string[] = [];
    stopped(serve(redis.url));
    const following = stopped(enqueue(redis.url, batch, { onFound: (_, standing) => found.push(standing) }));
    expect(await following.ended).toBe(true);
    expect([found, following.warnings]).toEqual([['done', 'failed'], []]);
    expect(countOf(batch, 'start')).toBe(1);
  });

  test('whose output is gone and whose input is bad by now end as failed', async () => {
    const batch = makeBatch(folder, 1);
    const [job] = batch.jobs;
    const journal = openJournal(batch.plan.out);
    journal.append(eventOf(job.id, write(batch.plan, job)));
    journal.close();
    rmSync(join(batch.plan.out, job.output));
    const lasts: boolean[] = [];
    const bad = { ...crash, class: 'bad-input' } as JobOutcome;
    stopped(serve(redis.url, { runner: runner(async () => bad) }));
    const onEvent: EnqueueOptions['onEvent'] = (_, { event }, isLast) =>
      lasts.push(isLast && event === 'failed');
    expect(await stopped(enqueue(redis.url, batch, { onEvent })).ended).toBe(true);
    expect([lasts, countOf(batch, 'start')]).toEqual([[false, true], 1]);
  });

  test('end where Redis is full; workers wait until it has room', async () => {
    const batch = makeBatch(folder, 3);
    const client = connection();
    await client.config('SET', 'maxmemory', '1');
    const worker = stopped(serve(redis.url));
    await expect(enqueue(redis.url, batch).ended).rejects.toMatchObject({
      code: 'cannot-write',
      path: redis.url,
      what: 'is full (maxmemory), and takes no more jobs.',
    });
    await until(() => worker.warnings.length > 0);
    await client.config('SET', 'maxmemory', '0');
    expect(await stopped(enqueue(redis.url, batch)).ended).toBe(true);
    expect(worker.warnings).toEqual([expect.stringMatching(/^redis:\S+: is full .*Waits until then\.$/)]);
    // A worker that is refused asks again after a while, not at once.
    const [, refusals] = /errorstat_OOM:count=(\d+)/.exec(await client.info('errorstats')) ?? [];
    expect(Number(refusals)).toBeLessThan(50);
    client.disconnect();
  });

  test('end, and so do workers, where Redis has a password meanwhile', async () => {
    const batch = makeBatch(folder, 1);
    const worker = serve(redis.url, { runner: untilStopped, grace: 0.05 });
    const following = enqueue(redis.url, batch);
    await until(() => countOf(batch, 'start') === 1);
    const client = connection();
    await client.config('SET', 'requirepass', 'secret');
    try {
      await client.call('CLIENT', 'KILL', 'TYPE', 'normal');
      for (const { ended } of [worker, following])
        await expect(ended).rejects.toMatchObject({ code: 'access-denied', what: 'asks for a password.' });
    } finally {
      await client.config('SET', 'requirepass', '');
      client.disconnect();
    }
  });

  test('of a batch that is cancelled are dropped, which is said', async () => {
    const at = mkdtempSync(join(folder, 'cancelled-'));
    writeFileSync(join(at, 'a.json'), '{}');
    const out = join(at, 'out');
    const given = ['--in', join(at, '*.json'), '--out', out, '--queue', redis.url];
    const running = poise('batch', 'optimize', ...given);
    await until(async () => (await jobsInRedis()) === 1);
    await poise('batch', 'cancel', out);
    expect(await running).toMatchObject({
      status: 4,
      err: expect.stringMatching(
        /^cancelled: workers end the jobs that they are at, and drop those in the queue\.\n/,
      ),
    });
    stopped(serve(redis.url));
    await until(async () => (await jobsInRedis()) === 0);
  });

  test('continue after Redis was killed and came back', async () => {
    const batch = makeBatch(folder, 30);
    const following = stopped(enqueue(redis.url, batch));
    const slow = runner(async (plan, job) => {
      await wait(50);
      return write(plan, job);
    });
    const worker = stopped(serve(redis.url, { runner: slow }));
    await until(() => countOf(batch, 'done') > 5);
    await redis.end('SIGKILL');
    await wait(300);
    await redis.start();
    expect(await following.ended).toBe(true);
    expect(wrongOutputs(batch)).toEqual([]);
    expect(worker.warnings.filter((text) => text.includes('is gone'))).toHaveLength(1);
  });

  test('at work when a worker stops are given back, and do not count as tried', async () => {
    const batch = makeBatch(folder, 1);
    const following = stopped(enqueue(redis.url, batch));
    const first = serve(redis.url, {
      grace: 0.05,
      runner: untilStopped,
    });
    await until(() => countOf(batch, 'start') === 1);
    first.stop();
    await first.ended;
    expect(eventsOf(batch).map(({ event }) => event)).toEqual(['start', 'stopped']);
    const second = stopped(serve(redis.url, { lease: 60 }));
    expect(await following.ended).toBe(true);
    expect(second.warnings).toEqual([]);
    expect(wrongOutputs(batch)).toEqual([]);
  });

  test('that end their thread are set aside at the third time, whichever process counted the others', async () => {
    const batch = makeBatch(folder, 2);
    const [{ id }] = batch.jobs;
    const journal = openJournal(batch.plan.out);
    for (const attempt of [1, 2]) {
      journal.append({ event: 'start', id, attempt });
      journal.append(eventOf(id, crash));
    }
    journal.close();
    const run = runner(async (plan, job) => (job.id === id ? crash : write(plan, job)));
    stopped(serve(redis.url, { runner: run }));
    expect(await stopped(enqueue(redis.url, batch)).ended).toBe(true);
    const ofFirst = eventsOf(batch).filter((each) => each.id === id);
    expect(ofFirst.filter(({ event }) => event === 'start')).toHaveLength(3);
    expect(ofFirst.filter(({ event }) => event === 'set-aside')).toMatchObject([
      { class: 'crash', attempts: 3 },
    ]);
    expect(wrongOutputs(batch)).toEqual(['0.json']);
  });

  test('of a worker that fell silent are done by another one after the lease', async () => {
    const batch = makeBatch(folder, 1);
    const following = stopped(enqueue(redis.url, batch));
    // Takes the job and renews nothing, as a process that was killed.
    const silent = new clients.bullmq.Worker('poise', () => new Promise(() => {}), {
      connection: { host: '127.0.0.1', port: redis.port },
      prefix: 'poise',
      lockDuration: 1000,
      skipLockRenewal: true,
      skipStalledCheck: true,
    });
    await new Promise((resolve) => silent.once('active', resolve));
    await silent.close(true);
    stopped(serve(redis.url));
    expect(await following.ended).toBe(true);
    expect(wrongOutputs(batch)).toEqual([]);
  });

  test('wait outside Redis when many do: it holds no more than 10,000', async () => {
    const batch = makeBatch(folder, 11_000);
    stopped(enqueue(redis.url, batch));
    await until(async () => (await jobsInRedis()) >= 10_000);
    await wait(500);
    expect(await jobsInRedis()).toBe(10_000);
  });

  test('that a worker cannot do stay in the queue behind those of others; it ends where there are no others', async () => {
    const other = makeBatch(folder, 2, { poise: '0.0.9' });
    const newer = makeBatch(folder, 1, { version: 2 as 1 });
    const gone = makeBatch(folder, 3);
    rmSync(gone.plan.out, { recursive: true });
    // As of another user.
    const closed = makeBatch(folder, 1);
    for (const batch of [other, newer, gone, closed]) await enqueued(batch);
    rmSync(manifestPath(closed.plan.out));
    mkdirSync(manifestPath(closed.plan.out));
    const living = makeBatch(folder, 20);
    const following = stopped(enqueue(redis.url, living));
    await until(async () => (await jobsInRedis()) === 27);
    const worker = stopped(serve(redis.url));
    expect(await following.ended).toBe(true);
    // One that has done jobs goes on.
    const later = makeBatch(folder, 5);
    expect(await stopped(enqueue(redis.url, later)).ended).toBe(true);
    expect([living, later].flatMap(wrongOutputs)).toEqual([]);
    expect([...worker.warnings].sort()).toEqual(
      [
        `${other.plan.out}: is a batch of Poise 0.0.9, and this worker is`,
        `${newer.plan.out}/batch/manifest.jsonl: is of version 2`,
        `${gone.plan.out}: has no batch that this machine sees.`,
        `${closed.plan.out}: has no batch that this machine may read (EISDIR).`,
      ]
        .sort()
        .map((text) => expect.stringContaining(text)),
    );
    worker.stop();
    await worker.ended;
    expect(await jobsInRedis()).toBe(7);
    await expect(serve(redis.url).ended).rejects.toThrow(/Poise 0\.0\.9|of version 2|that this machine/);
    expect(await jobsInRedis()).toBe(7);
    expect(existsSync(gone.plan.out)).toBe(false);
  });

  test('whose folder comes back are done', async () => {
    const batch = makeBatch(folder, 3);
    await enqueued(batch);
    const hidden = `${batch.plan.out}-hidden`;
    renameSync(batch.plan.out, hidden);
    const worker = stopped(serve(redis.url, { lease: 60 }));
    await until(() => worker.warnings.length > 0);
    renameSync(hidden, batch.plan.out);
    // It rests, and is awake as soon as there is another job.
    expect(await stopped(enqueue(redis.url, makeBatch(folder, 1))).ended).toBe(true);
    await until(() => countOf(batch, 'done') === 3);
    expect(wrongOutputs(batch)).toEqual([]);
  });

  test('that a worker cannot do end no job that it has at work', async () => {
    const gone = makeBatch(folder, 1);
    rmSync(gone.plan.out, { recursive: true });
    const living = makeBatch(folder, 1);
    const following = stopped(enqueue(redis.url, living));
    await until(async () => (await jobsInRedis()) === 1);
    const quick = runner();
    let over = (): void => {};
    const isOver = new Promise<void>((resolve) => {
      over = resolve;
    });
    const worker = stopped(
      serve(redis.url, {
        runner: { ...quick, run: async (...args) => isOver.then(() => quick.run(...args)) },
      }),
    );
    await until(() => countOf(living, 'start') === 1);
    await enqueued(gone);
    // Its other thread looks for the folder, rests for the lease, and looks again.
    const client = connection();
    const id = queueId(gone.plan.out, gone.jobs[0]);
    await until(async () => Number(await client.hget(`poise:poise:${id}`, 'ats')) >= 3);
    client.disconnect();
    over();
    expect(await following.ended).toBe(true);
    expect(countOf(living, 'stopped')).toBe(0);
    worker.stop();
    await worker.ended;
  });

  test('that workers looked for in vain many times are dropped', async () => {
    const batch = makeBatch(folder, 1);
    await enqueued(batch);
    rmSync(batch.plan.out, { recursive: true });
    const client = connection();
    await client.hset(`poise:poise:${queueId(batch.plan.out, batch.jobs[0])}`, {
      ats: 1000,
      timestamp: Date.now() - 2 * 3_600_000,
    });
    client.disconnect();
    const worker = stopped(serve(redis.url));
    await until(async () => (await jobsInRedis()) === 0);
    expect(worker.warnings).toEqual([
      expect.stringContaining('workers have looked for it in vain for an hour, and its jobs are dropped'),
    ]);
  });

  test('of a plan that the folder has no more are dropped', async () => {
    const batch = makeBatch(folder, 1);
    const queue = openQueue({ host: '127.0.0.1', port: redis.port, text: '', name: 'poise' }, clients);
    await queue.add(
      'inspect',
      { out: batch.plan.out, plan: 'of yesterday', job: batch.jobs[0] },
      { jobId: 'j1' },
    );
    stopped(serve(redis.url));
    await until(async () => (await jobsInRedis()) === 0);
    expect(countOf(batch, 'start')).toBe(0);
    await queue.close();
  });
});
