/**
 * A batch in stages: prepare (manifest, journals, what a killed process left), solve (threads), conclude (failed.jsonl, report). Other engines take the
 * place of the second.
 */
import { readdir, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FormatError } from 'poise';
import { backOff, failureOf, standingOf } from './attempts.js';
import type { BatchJob, BatchPlan, FailureClass, JobFailed, JobOutcome } from './job.js';
import type { JobRunner } from './job-runner.js';
import type { JobStates } from './job-states.js';
import { eventOf, type Journal, readStates } from './journal.js';
import type { Lock, Shard } from './lock.js';
import { type ManifestChanges, makeManifest } from './make-manifest.js';
import { BATCH_FOLDER, fileHash, readJobs } from './manifest.js';

export interface Prepared {
  readonly plan: BatchPlan;
  readonly shard: Shard;
  readonly states: JobStates;
  /** Left out of a first manifest. */
  readonly changes?: ManifestChanges;
}

/**
 * The manifest, made anew, and the states of its jobs.
 *
 * @throws FormatError: the batch is wrong or cancelled, see {@link makeManifest}.
 */
export async function prepareBatch(
  plan: Omit<BatchPlan, 'jobs'>,
  shard: Shard,
  { others }: Pick<Lock, 'others'>,
  options: { readonly replace?: boolean; readonly verify?: boolean },
): Promise<Prepared> {
  const { out } = plan;
  if (await isCancelled(out)) {
    throw new FormatError('cancelled', 'was cancelled.', {
      path: out,
      remedy: `Go on with 'poise batch retry ${out}'.`,
    });
  }
  // Others that work at the folder make the same bytes of the same inputs.
  const made = await makeManifest(plan, options);
  if (!others) await removeTemporaries([join(out, BATCH_FOLDER)], shard);
  return { shard, states: await readStates(out), ...made };
}

/** The file that says that a batch was cancelled. */
export function cancelledPath(out: string): string {
  return join(out, BATCH_FOLDER, 'cancelled');
}

export async function isCancelled(out: string): Promise<boolean> {
  return (await stat(cancelledPath(out)).catch(() => undefined)) !== undefined;
}

/** Jobs whose outputs are looked for at a time. */
const LOOKED_AT = 64;

/**
 * The jobs of a shard in order, with whether each is to be done. What is done is said by a journal and by the output: one that is not there, or not of its size,
 * is done again.
 *
 * @param verify - The content of outputs has to be that of the journal too.
 */
export async function* jobsOf(
  { plan, shard, states }: Pick<Prepared, 'plan' | 'shard' | 'states'>,
  hashes?: ReadonlyMap<string, string>,
): AsyncGenerator<{ readonly job: BatchJob; readonly standing: ReturnType<typeof standingOf> }> {
  const look = async (job: BatchJob) => {
    const state = states.of(job.id);
    const standing = standingOf(state);
    if (standing !== 'done') return { job, standing };
    const path = join(plan.out, job.output);
    const found = await stat(path).catch(() => undefined);
    let isThere = found?.size === state.bytes;
    if (isThere && hashes !== undefined) isThere = (await fileHash(path)) === hashes.get(job.id);
    return { job, standing: isThere ? standing : 'open' } as const;
  };
  let index = 0;
  let part: BatchJob[] = [];
  for await (const job of readJobs(plan.out)) {
    if (index++ % shard.count !== shard.index) continue;
    part.push(job);
    if (part.length < LOOKED_AT) continue;
    yield* await Promise.all(part.map(look));
    part = [];
  }
  yield* await Promise.all(part.map(look));
}

/** Jobs of a shard of so many. */
export function sizeOf({ index, count }: Shard, jobs: number): number {
  return Math.floor((jobs - index + count - 1) / count);
}

export interface Solved {
  /** Jobs done in this run, and those done before. */
  readonly done: number;
  readonly before: number;
  readonly unmet: number;
  /** Failed or set aside, in this run or before, by class. */
  readonly failed: ReadonlyMap<FailureClass, number>;
  /** Folders of the outputs that were worked at. */
  readonly folders: ReadonlySet<string>;
  /** Why the run ended before its jobs: a signal, `cancelled`, or what could not be written. */
  readonly ended?: 'SIGINT' | 'SIGTERM' | 'cancelled' | JobFailed | undefined;
}

/** Told of what happens. */
export interface Listener {
  outcome(job: BatchJob, outcome: JobOutcome, isLast: boolean, solved: Solved): void;
}

export interface Ending {
  /** No more jobs are begun. */
  readonly stopping: AbortSignal;
  /** Threads are ended. */
  readonly now: AbortSignal;
}

/**
 * Runs the jobs that are to be done, as many at a time as there are threads. A job that ends its thread is tried again after a while, then set aside.
 *
 * @param ending - Its reason is that of {@link Solved.ended}.
 */
export async function solveBatch(
  { plan, shard, states }: Prepared,
  runner: JobRunner,
  threads: number,
  journal: Journal,
  { stopping, now }: Ending,
  listener: Listener,
  hashes?: ReadonlyMap<string, string>,
): Promise<Solved> {
  const failed = new Map<FailureClass, number>();
  const folders = new Set<string>();
  const solved = { done: 0, before: 0, unmet: 0, failed, folders, ended: undefined as Solved['ended'] };
  const count = (kind: FailureClass): void => {
    failed.set(kind, (failed.get(kind) ?? 0) + 1);
  };
  const queue = jobsOf({ plan, shard, states }, hashes);
  const retries: { readonly job: BatchJob; readonly due: number }[] = [];
  const isEnding = (): boolean => stopping.aborted || solved.ended !== undefined;

  let reading: Promise<unknown> = Promise.resolve();
  /** The next job of the manifest; lanes take turns. */
  const nextOpen = (): Promise<BatchJob | undefined> => {
    const next = reading.then(async () => {
      for (;;) {
        if (isEnding()) return undefined;
        const { value, done } = await queue.next();
        if (done) return undefined;
        const { job, standing } = value;
        const state = states.of(job.id);
        if (standing === 'open') {
          const folder = dirname(join(plan.out, job.output));
          // What a process that was killed has left is nobody's.
          if (!folders.has(folder)) await removeTemporaries([folder], shard);
          folders.add(folder);
          return job;
        }
        if (standing === 'done') solved.before++;
        else count(failureOf(state));
        if (standing === 'done' && state.unmet) solved.unmet++;
      }
    });
    reading = next.catch(() => undefined);
    return next;
  };
  const take = async (): Promise<BatchJob | undefined> => {
    for (;;) {
      const due = retries.findIndex((retry) => retry.due <= performance.now());
      if (due >= 0) return retries.splice(due, 1)[0].job;
      const job = await nextOpen();
      if (job !== undefined || isEnding() || retries.length === 0) return job;
      const wait = Math.min(...retries.map((retry) => retry.due)) - performance.now();
      await sleep(Math.max(wait, 1), undefined, { signal: stopping }).catch(() => undefined);
      if (isEnding()) return undefined;
    }
  };
  const attempt = async (job: BatchJob): Promise<void> => {
    const { kills, lost } = states.of(job.id);
    const record = (event: Parameters<Journal['append']>[0]): void => {
      journal.append(event);
      states.record(event);
    };
    record({ event: 'start', id: job.id, attempt: 1 + kills + lost });
    const outcome = await runner.run(plan, job, now);
    record(eventOf(job.id, outcome));
    let isLast = true;
    if (outcome.result === 'done') {
      solved.done++;
      if (outcome.unmet) solved.unmet++;
    } else if (outcome.result === 'failed') {
      const state = states.of(job.id);
      const standing = standingOf(state);
      if (outcome.class === 'cannot-write') solved.ended ??= outcome;
      else if (standing === 'open') {
        isLast = false;
        retries.push({ job, due: performance.now() + 1000 * backOff(job.id, state) });
      } else {
        if (standing === 'set-aside') {
          record({
            event: 'set-aside',
            id: job.id,
            class: outcome.class,
            attempts: state.kills + state.lost,
          });
        }
        count(failureOf(state));
      }
    }
    listener.outcome(job, outcome, isLast, solved);
  };
  const lane = async (): Promise<void> => {
    try {
      for (let job = await take(); job !== undefined; job = await take()) await attempt(job);
    } catch (error) {
      // The journal cannot be written: nothing more is begun.
      if (!(error instanceof FormatError)) throw error;
      const { code, path, what, remedy } = error;
      solved.ended ??= { result: 'failed', class: 'cannot-write', code, path, what, remedy, seconds: 0 };
    }
  };
  await Promise.all(Array.from({ length: threads }, lane));
  await queue.return(undefined);
  if (stopping.aborted) solved.ended ??= stopping.reason as Solved['ended'];
  return solved;
}

/** Age at which a temporary file is nobody's any more, where other processes write to the same folder, ms. */
const STALE = 60_000;
const TEMPORARY = /^\.poise-[0-9a-f]+\.tmp$/;

/** Removes files that a process or a thread was writing when it was killed. */
export async function removeTemporaries(folders: Iterable<string>, { count }: Shard): Promise<void> {
  for (const folder of folders) {
    for (const name of await readdir(folder).catch(() => [])) {
      if (!TEMPORARY.test(name)) continue;
      const path = join(folder, name);
      const found = await stat(path).catch(() => undefined);
      const isStale = count === 1 || (found !== undefined && Date.now() - found.mtimeMs > STALE);
      if (isStale) await unlink(path).catch(() => undefined);
    }
  }
}
