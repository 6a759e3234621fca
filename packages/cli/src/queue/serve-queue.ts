/** Takes jobs from a queue and runs them in threads: this thread renews the locks of BullMQ and does nothing else. */

import { once, setMaxListeners } from 'node:events';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Job, Worker } from 'bullmq';
import { FormatError, PoiseError } from 'poise';
import { backOff, failureOf } from '../batch/attempts.js';
import { type BatchJob, type BatchPlan, FAULTLESS, type JobOutcome } from '../batch/job.js';
import type { JobRunner } from '../batch/job-runner.js';
import { JobStates } from '../batch/job-states.js';
import { eventOf, type Journal, openJournal } from '../batch/journal.js';
import { manifestPath, planKey, requirePlan } from '../batch/manifest.js';
import { isCancelled, standingAt } from '../batch/run-batch.js';
import { version } from '../package-files.js';
import type { QueueAddress } from './address.js';
import type { QueuedJob } from './batch-queue.js';
import { type Clients, connectionOptions, KEY_PREFIX } from './clients.js';
import { followJournals } from './follow-journals.js';
import { createConnectionWarning, refusalOf } from './refusals.js';

export interface ServeOptions {
  readonly address: QueueAddress;
  readonly clients: Clients;
  readonly runner: JobRunner;
  /** Jobs at a time: threads of the runner. */
  readonly threads: number;
  /** Time after which the jobs of a worker that is gone are given to others, s. */
  readonly lease: number;
  /** Time that jobs at work get after the signal, s. */
  readonly grace: number;
  onOutcome(plan: BatchPlan, job: BatchJob, outcome: JobOutcome): void;
  /** Told sentences for stderr. */
  onWarning(text: string): void;
  /** No new jobs; those at work get the time of grace, then they are given back. */
  readonly stopping: AbortSignal;
  /** Ends that time. */
  readonly now: AbortSignal;
}

/** Attempts are bounded by the journals, which count those of threads and shards too. */
const NO_BOUND = 1e9;
/** Time between attempts to ask a Redis that was gone, or refuses, ms. */
const RETRY = 1000;
/** Priority of jobs that were set aside. */
const LAST = 1;
/** Times that workers look for the folder of a job, and time since it was put in, ms, before it is dropped: those who see the folder may have other jobs. */
const MAX_LOOKS = 120;
const UNSEEN = 3_600_000;
/** Time that giving back takes at most, ms: a job that is not given back is given to others after the lease. */
const FAREWELL = 2000;
/** A deadline that does not keep the process when what it waits for came first. */
const UNHELD = { ref: false };

/**
 * Serves until the signal.
 *
 * @throws what keeps this machine from serving: FormatError `cannot-write` for a disk that is full, `missing-resource` for inputs out of reach, `access-denied` by a Redis that
 * has another password by now; where it has done no job as errors of {@link openBatch} for those that it found. Jobs are given back first.
 */
export async function serveQueue(options: ServeOptions): Promise<void> {
  const { address, clients, runner, threads, lease, grace, onOutcome, onWarning } = options;
  const batches = new Map<string, Promise<OpenBatch>>();
  /** No new jobs; and, later, an end to those at work. */
  const stopping = new AbortController();
  const ending = new AbortController();
  // Each thread listens.
  setMaxListeners(0, ending.signal);
  const connectionWarning = createConnectionWarning(address, onWarning);
  let failure: unknown;
  const end = (error: unknown): void => {
    failure ??= error;
    stopping.abort();
  };

  /** @throws FormatError for a batch that this worker cannot serve: as {@link openBatch}. */
  const batchOf = (out: string, plan: string): Promise<OpenBatch> => {
    const opened = (batches.get(out) ?? openBatch(out)).then(async (batch) => {
      const isThere = batch.key === plan && (await isFile(manifestPath(out)));
      return isThere ? batch : openBatch(out, batch.journal);
    });
    batches.set(out, opened);
    opened.catch(() => batches.delete(out));
    return opened;
  };

  const process = async (queued: Job<QueuedJob>, token?: string): Promise<void> => {
    try {
      connectionWarning.back();
      const { out, plan, job } = queued.data;
      const batch = await batchOf(out, plan).catch((error: unknown) => {
        if (!(error instanceof PoiseError)) throw error;
        return error;
      });
      if (batch instanceof PoiseError) {
        const isOld = queued.attemptsStarted > MAX_LOOKS && Date.now() - queued.timestamp > UNSEEN;
        if (batch.code === 'missing-resource' && isOld) {
          sayOnce(
            `${out}: workers have looked for it in vain for an hour, and its jobs are dropped. 'poise batch' puts them in again.`,
          );
          return;
        }
        await setAside(queued, batch, token);
        throw new clients.bullmq.WaitingError();
      }
      // The folder has another plan by now, or the batch was cancelled: nobody waits for this job.
      if (batch.key !== plan || (await isCancelled(out))) return;
      const isFirst = queued.attemptsStarted <= 1 && !(await isFile(join(out, job.output)));
      hasServed = true;
      const ending = await runJob(batch, job, isFirst);
      if (ending !== 'stopped') return;
    } catch (error) {
      if (error instanceof clients.bullmq.WaitingError) throw error;
      end(error);
    }
    await queued.moveToWait(token);
    throw new clients.bullmq.WaitingError();
  };

  /** All attempts of a job that this process makes. */
  const runJob = async (batch: OpenBatch, job: BatchJob, isFirst: boolean): Promise<'ended' | 'stopped'> => {
    const { plan, journal, states } = batch;
    for (let isKnown = !isFirst; ; isKnown = true) {
      if (isKnown) await batch.catchUp();
      const state = states.of(job.id);
      const standing = isKnown ? await standingAt(plan.out, job, state) : 'open';
      if (standing === 'failed' || standing === 'done') return 'ended';
      const attempts = state.failures + state.kills + state.lost;
      if (standing === 'set-aside') {
        journal.append({ event: 'set-aside', id: job.id, class: failureOf(state), attempts });
        return 'ended';
      }
      const delay = isKnown ? backOff(job.id, state) : 0;
      if (delay > 0) await wait(1000 * delay, undefined, { signal: ending.signal }).catch(() => {});
      if (ending.signal.aborted) return 'stopped';
      journal.append({ event: 'start', id: job.id, attempt: attempts + 1 });
      const outcome = await runner.run(plan, job, ending.signal);
      journal.append(eventOf(job.id, outcome));
      if (outcome.result === 'stopped') return 'stopped';
      onOutcome(plan, job, outcome);
      if (outcome.result === 'done') return 'ended';
      if (!FAULTLESS.includes(outcome.class)) continue;
      // Its file was taken away by who saw the job done elsewhere.
      await batch.catchUp();
      if ((await standingAt(plan.out, job, states.of(job.id))) === 'done') return 'ended';
      throw new FormatError(
        outcome.class === 'cannot-write' ? 'cannot-write' : 'missing-resource',
        outcome.what,
        outcome,
      );
    }
  };

  const said = new Set<string>();
  const sayOnce = (text: string): void => {
    if (!said.has(text)) onWarning(text);
    said.add(text);
  };
  /** Jobs that it has set aside since it last rested. */
  const aside = new Set<string>();
  let rests = 0;
  let hasServed = false;
  /**
   * Gives a job of a batch that it cannot serve to others, behind all jobs that nobody has set aside: BullMQ takes jobs of a priority after those without one, and
   * those of one priority in turn. When one comes again there are no others.
   */
  const setAside = async (queued: Job<QueuedJob>, error: PoiseError, token?: string): Promise<void> => {
    const id = queued.id as string;
    sayOnce(`${error.message} Its jobs are left to other workers.`);
    const isAgain = aside.has(id);
    aside.add(id);
    await queued.moveToWait(token);
    // Another worker may have it by now, and even have done it.
    await queued.changePriority({ priority: LAST }).catch(() => {});
    if (!isAgain || isResting) return;
    if (rests > 0 && !hasServed) end(error);
    else rest(untilOthers());
  };
  /** Until there are jobs that nobody has set aside, or for a lease. */
  const untilOthers = async (): Promise<void> => {
    const client = await worker.getBackend().client;
    for (const over = performance.now() + 1000 * lease; performance.now() < over; ) {
      await wait(RETRY, undefined, { signal: stopping.signal });
      if ((await client.llen(worker.toKey('wait'))) > 0) break;
    }
    aside.clear();
    rests++;
  };

  let isResting = false;
  /** Takes no jobs until then; those at work continue. */
  const rest = async (until: Promise<unknown>): Promise<void> => {
    if (isResting) return;
    isResting = true;
    await worker.pause(true);
    await until.catch(() => {});
    isResting = false;
    if (!stopping.signal.aborted) await worker.resume();
  };

  const worker: Worker<QueuedJob> = new clients.bullmq.Worker<QueuedJob>(address.name, process, {
    connection: connectionOptions(address),
    prefix: KEY_PREFIX,
    concurrency: threads,
    lockDuration: 1000 * lease,
    stalledInterval: 500 * lease,
    maxStalledCount: NO_BOUND,
    runRetryDelay: RETRY,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
  });
  worker.on('error', (error) => {
    const refusal = refusalOf(error, address);
    if (refusal?.code === 'access-denied') {
      end(refusal);
      return;
    }
    connectionWarning(error);
    // BullMQ asks again at once.
    if (refusal !== undefined) rest(wait(RETRY, undefined, { signal: stopping.signal }));
  });
  for (const [from, to] of [
    [options.stopping, stopping],
    [options.now, ending],
  ] as const) {
    if (from.aborted) to.abort();
    from.addEventListener('abort', () => to.abort(), { once: true });
  }
  await aborted(stopping.signal);
  const closing = worker.close().catch(() => {});
  await Promise.race([closing, wait(1000 * grace, undefined, UNHELD), aborted(ending.signal)]);
  ending.abort();
  await Promise.race([closing, wait(FAREWELL, undefined, UNHELD)]);
  for (const batch of batches.values()) await batch.then(({ journal }) => journal.close()).catch(() => {});
  if (failure !== undefined) throw failure;
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/** A batch that a worker has jobs of. */
interface OpenBatch {
  readonly plan: BatchPlan;
  readonly key: string;
  readonly journal: Journal;
  /** As of the last {@link OpenBatch.catchUp}; most jobs are the first attempt, and ask nobody. */
  readonly states: JobStates;
  /** Reads what all processes have written since. */
  catchUp(): Promise<void>;
}

/** @param journal - Of this process, where it has one already. @throws FormatError `missing-resource`, `access-denied`, `unsupported`. */
async function openBatch(out: string, journal = openJournal(out)): Promise<OpenBatch> {
  const plan = await requirePlan(out).catch((error: unknown) => {
    if (!(error instanceof PoiseError)) {
      const { code } = error as NodeJS.ErrnoException;
      throw new FormatError('access-denied', `has no batch that this machine may read (${code}).`, {
        path: out,
        remedy: 'Give the user of the worker the rights of the folder.',
      });
    }
    if (error.code !== 'missing-resource') throw error;
    throw new FormatError('missing-resource', 'has no batch that this machine sees.', {
      path: out,
      remedy: 'Give this machine the same folder under the same path, if the batch is not gone for good.',
    });
  });
  if (plan.poise !== version()) {
    throw new FormatError(
      'unsupported',
      `is a batch of Poise ${plan.poise}, and this worker is ${version()}.`,
      {
        path: out,
        remedy: `Install the same here: npm install @poise/cli@${plan.poise}.`,
      },
    );
  }
  const states = new JobStates();
  const journals = followJournals(out);
  let reading: Promise<void> = Promise.resolve();
  return {
    plan,
    key: planKey(plan),
    journal,
    states,
    catchUp() {
      // One reader at a time: each event is counted once.
      reading = reading.then(async () => {
        for await (const event of journals.read()) states.record(event);
      });
      return reading;
    },
  };
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() === true;
}
