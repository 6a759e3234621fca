/** Puts the jobs of a batch into a queue and follows them to their end. */

import { setTimeout as wait } from 'node:timers/promises';
import type { Queue } from 'bullmq';
import type { FormatError } from 'poise';
import { type Standing, withoutOutput } from '../batch/attempts.js';
import type { BatchJob, BatchPlan } from '../batch/job.js';
import { type JobState, JobStates } from '../batch/job-states.js';
import type { JournalEvent } from '../batch/journal.js';
import { standingAt } from '../batch/run-batch.js';
import { DEFAULT_NAME, type QueueAddress } from './address.js';
import { areQueued, openQueue, type QueuedJob, queuedJob, queueId } from './batch-queue.js';
import type { Clients } from './clients.js';
import { followJournals } from './follow-journals.js';
import { createConnectionWarning, refusalOf } from './refusals.js';

/** Jobs of a batch that are in Redis at most: its memory stays flat. */
const MAX_QUEUED = 10_000;
/** Jobs that are put in at once. */
const CHUNK = 500;
/** Time between looks at the journals, ms. */
const POLL = 250;
/** Time between looks for jobs that Redis has lost, and for workers, ms. */
const CHECK = 2000;

export interface EnqueueOptions {
  readonly plan: BatchPlan;
  /** Those that are to be done, in the order of the manifest. */
  readonly jobs: AsyncIterable<BatchJob>;
  readonly address: QueueAddress;
  readonly clients: Clients;
  /** Told what a journal says of a job that is in the queue. @param isLast - It has ended. */
  onEvent(job: BatchJob, event: JournalEvent, isLast: boolean): void;
  /** Told of a job that was found ended in place of put in: its events came before it was looked for. */
  onFound(state: JobState, standing: Exclude<Standing, 'open'>): void;
  /** Told sentences for stderr. */
  onWarning(text: string): void;
  /** Ends it; the jobs in the queue stay there. */
  readonly signal: AbortSignal;
}

/**
 * Back-pressure is by what is in the queue; a job has ended when a journal says so, not when Redis does. A job that neither a journal nor Redis knows
 * was lost by Redis, and is put in again.
 *
 * @returns whether all jobs have ended; false where the signal came first.
 * @throws FormatError as {@link refusalOf}.
 */
export async function enqueueJobs(options: EnqueueOptions): Promise<boolean> {
  const { plan, address, clients, onEvent, onFound, onWarning, signal } = options;
  const jobs = options.jobs[Symbol.asyncIterator]();
  const queue = openQueue(address, clients);
  const warnOfConnection = createConnectionWarning(address, onWarning);
  let refuse: (refusal: FormatError) => void;
  const refused = new Promise<never>((_, reject) => {
    refuse = reject;
  });
  refused.catch(() => {});
  queue.on('error', (error) => {
    const refusal = refusalOf(error, address);
    if (refusal === undefined) warnOfConnection(error);
    else refuse(refusal);
  });
  const journals = followJournals(plan.out);
  const states = new JobStates();
  const queued = new Map<string, BatchJob>();
  let areAllIn = false;
  let nextCheck = Date.now() + CHECK;

  /** Waits, but no longer than the signal: a Redis that is gone keeps a command waiting for as long as it takes. */
  const aborted = new Promise<'aborted'>((resolve) => {
    if (signal.aborted) resolve('aborted');
    signal.addEventListener('abort', () => resolve('aborted'), { once: true });
  });
  const readJournals = async (): Promise<void> => {
    for await (const event of journals.read()) {
      states.record(event);
      const job = queued.get(event.id);
      if (job === undefined) continue;
      const isLast = isEnd(event, states.of(event.id));
      onEvent(job, event, isLast);
      if (isLast) queued.delete(event.id);
    }
  };
  /** Those that are to be put in; who is found ended is dropped and told. */
  const stillOpen = async (jobs: readonly BatchJob[]): Promise<BatchJob[]> => {
    const open: BatchJob[] = [];
    for (const job of jobs) {
      const state = states.of(job.id);
      const standing = await standingAt(plan.out, job, state);
      if (standing === 'open') open.push(job);
      else {
        queued.delete(job.id);
        onFound(state, standing);
      }
    }
    return open;
  };
  const fill = async (): Promise<void> => {
    while (!areAllIn && queued.size <= MAX_QUEUED - CHUNK && !signal.aborted) {
      const chunk: BatchJob[] = [];
      while (chunk.length < CHUNK && !areAllIn) {
        const next = await jobs.next();
        if (next.done) areAllIn = true;
        else chunk.push(next.value);
      }
      // Workers of an earlier run may have ended it since it was found open.
      const open = await stillOpen(chunk);
      for (const job of open) queued.set(job.id, job);
      await put(queue, plan, open);
    }
  };
  const findLost = async (): Promise<void> => {
    const before = [...queued.values()];
    const isThere = await areQueued(
      queue,
      before.map((job) => queueId(plan.out, job)),
    );
    // A job that ended meanwhile left Redis after its journal said so.
    await readJournals();
    const lost = await stillOpen(before.filter((job, k) => !isThere[k] && queued.has(job.id)));
    if (lost.length === 0) return;
    onWarning(`${address.text}: lost ${lost.length} jobs, which are put in again.`);
    await put(queue, plan, lost);
  };
  let isServed = true;
  /** Says once that nobody serves the queue, until somebody does. */
  const findWorkers = async (): Promise<void> => {
    // Some servers do not say who is connected.
    const count = await queue.getWorkersCount().catch(() => undefined);
    if (count === 0 && isServed) onWarning(noWorkerText(address));
    isServed = count !== 0;
  };
  const follow = async (): Promise<void> => {
    await readJournals();
    for (;;) {
      await fill();
      await readJournals();
      if ((areAllIn && queued.size === 0) || signal.aborted) return;
      if (Date.now() >= nextCheck) {
        await findLost();
        await findWorkers();
        nextCheck = Date.now() + CHECK;
      }
      await wait(POLL);
    }
  };
  try {
    const following = follow();
    // It may fail after the signal.
    following.catch(() => {});
    return (await Promise.race([following, aborted, refused])) !== 'aborted' && !signal.aborted;
  } catch (error) {
    throw refusalOf(error as Error, address) ?? error;
  } finally {
    await Promise.race([queue.close().catch(() => {}), wait(1000, undefined, { ref: false })]);
  }
}

/** Whether a job has ended with an event. It was open when it was put in: that it was done before says nothing. */
function isEnd({ event }: JournalEvent, state: JobState): boolean {
  if (event === 'failed') return withoutOutput(state) !== 'open';
  return event === 'done' || event === 'set-aside';
}

function noWorkerText({ text, name }: QueueAddress): string {
  const command = `poise worker --queue ${text}${name === DEFAULT_NAME ? '' : ` --name ${name}`}`;
  return `${text}: no worker serves the queue ${name}. Run '${command}' on a machine that sees the same folders.`;
}

async function put(queue: Queue<QueuedJob>, plan: BatchPlan, jobs: readonly BatchJob[]): Promise<void> {
  for (let from = 0; from < jobs.length; from += CHUNK) {
    await queue.addBulk(jobs.slice(from, from + CHUNK).map((job) => queuedJob(plan, job)));
  }
}
