/** A batch and workers in this process, with jobs that write their name. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { BatchJob, BatchPlan, JobOutcome } from '../../src/batch/job.js';
import type { JobRunner } from '../../src/batch/job-runner.js';
import { jobId, manifestPath, planKey, planLine } from '../../src/batch/manifest.js';
import { version } from '../../src/package-files.js';
import { readQueueAddress } from '../../src/queue/address.js';
import { loadClients } from '../../src/queue/clients.js';
import { type EnqueueOptions, enqueueJobs } from '../../src/queue/enqueue-jobs.js';
import { type ServeOptions, serveQueue } from '../../src/queue/serve-queue.js';

export const clients = await loadClients();

export interface TestBatch {
  readonly plan: BatchPlan;
  readonly jobs: readonly BatchJob[];
}

/** A folder with the manifest of a batch. @param inside - Where the folder is made. */
export function makeBatch(inside: string, count: number, change: Partial<BatchPlan> = {}): TestBatch {
  const out = mkdtempSync(join(inside, 'batch-'));
  const plan: BatchPlan = {
    ...{ format: 'poise-batch', version: 1, poise: version(), command: 'inspect', in: ['clips'], from: '/' },
    ...{ options: [], files: {}, extension: '.json', jobs: count, out, ...change },
  };
  const jobs = Array.from({ length: count }, (_, n): BatchJob => {
    const output = `${n}.json`;
    return {
      id: jobId(planKey(plan), String(n), output),
      input: `/clips/${n}.bvh`,
      output,
      bytes: 1,
      modified: 0,
    };
  });
  mkdirSync(join(out, 'batch'));
  writeFileSync(manifestPath(out), planLine(plan) + jobs.map((job) => `${JSON.stringify(job)}\n`).join(''));
  return { plan, jobs };
}

/** Does a job: its output is its name. */
export function write({ out }: BatchPlan, { id, output }: BatchJob): JobOutcome {
  writeFileSync(join(out, output), id);
  const sha256 = createHash('sha256').update(id).digest('hex');
  return { result: 'done', unmet: false, seconds: 0, memory: 0, bytes: id.length, sha256, row: {} };
}

/** A runner without threads. */
export function runner(run: JobRunner['run'] = async (plan, job) => write(plan, job)): JobRunner {
  return { run, close: async () => {} };
}

/** A failure that ends its thread. */
export const crash: JobOutcome = {
  ...{
    result: 'failed',
    class: 'crash',
    code: 'worker-lost',
    path: 'clip',
    what: 'ended.',
    remedy: 'Report it.',
  },
  seconds: 0,
};

export interface Running<T> {
  readonly ended: Promise<T>;
  stop(): void;
  readonly warnings: readonly string[];
}

/** Starts a worker. */
export function serve(url: string, change: Partial<ServeOptions> = {}): Running<void> {
  return start(url, (base) =>
    serveQueue({
      ...base,
      ...{ stopping: base.signal, now: new AbortController().signal, runner: runner() },
      ...{ threads: 2, lease: 1, grace: 1, onOutcome: () => {}, ...change },
    }),
  );
}

/** Enqueues a batch and follows it. */
export function enqueue(
  url: string,
  batch: TestBatch,
  change: Partial<EnqueueOptions> = {},
): Running<boolean> {
  const jobs = (async function* () {
    yield* batch.jobs;
  })();
  return start(url, (base) =>
    enqueueJobs({ ...base, plan: batch.plan, jobs, onEvent: () => {}, onFound: () => {}, ...change }),
  );
}

function start<T>(
  url: string,
  run: (base: Pick<EnqueueOptions, 'address' | 'clients' | 'signal' | 'onWarning'>) => Promise<T>,
): Running<T> {
  const stopping = new AbortController();
  const warnings: string[] = [];
  const ended = readQueueAddress({}, { POISE_QUEUE: url }).then((address) =>
    run({ address, clients, signal: stopping.signal, onWarning: (text) => warnings.push(text) }),
  );
  ended.catch(() => {});
  return { ended, stop: () => stopping.abort(), warnings };
}

/** Waits until something holds. @throws Error after two minutes. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 120_000; Date.now() < end; await wait(20)) if (await holds()) return;
  throw new Error('never came to hold');
}

/** The outputs that are not there or are not those of their jobs. */
export function wrongOutputs({ plan, jobs }: TestBatch): string[] {
  return jobs
    .filter(({ id, output }) => {
      const path = join(plan.out, output);
      return !existsSync(path) || readFileSync(path, 'utf8') !== id;
    })
    .map(({ output }) => output);
}

/** All events of the journals of a batch, parsed here. */
export function eventsOf({ plan }: TestBatch): { event: string; id: string; class?: string }[] {
  const folder = join(plan.out, 'batch/journal');
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  );
}

export function countOf(batch: TestBatch, event: string): number {
  return eventsOf(batch).filter((each) => each.event === event).length;
}
