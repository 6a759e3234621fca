/**
 * A batch in stages: prepare (manifest, journals, what a killed process left), solve (threads), conclude (failed.jsonl, report). Other engines take the
 * place of the second.
 */
import { readdir, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FormatError } from 'poise';
import type { EndingSignal } from '../io/io.js';
import { backOff, failureOf, type Standing, standingOf, withoutOutput } from './attempts.js';
import {
  type BatchJob,
  type BatchPlan,
  FAULTLESS,
  type FailureClass,
  type JobFailed,
  type JobOutcome,
} from './job.js';
import type { JobRunner } from './job-runner.js';
import type { JobState, JobStates } from './job-states.js';
import { eventOf, type Journal, readStates } from './journal.js';
import { areOthersAtWork, clockOf, liveLocks, type Shard } from './lock.js';
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
  await removeTemporaries(out, [join(out, BATCH_FOLDER)]);
  return { shard, states: await readStates(out), ...made };
}

/** The file that says that a batch was cancelled. */
export function cancelledPath(out: string): string {
  return join(out, BATCH_FOLDER, 'cancelled');
}

export async function isCancelled(out: string): Promise<boolean> {
  return (await stat(cancelledPath(out)).catch(() => undefined)) !== undefined;
}

/** The standing of a job by its state and by its output, which has to be there with its size. */
export async function standingAt(
  out: string,
  { output }: Pick<BatchJob, 'output'>,
  state: JobState,
): Promise<Standing> {
  if (!state.done) return standingOf(state);
  const found = await stat(join(out, output)).catch(() => undefined);
  return found?.isFile() && found.size === state.bytes ? 'done' : withoutOutput(state);
}

/** Jobs whose outputs are looked for at a time. */
const LOOKED_AT = 64;

/**
 * The jobs of a shard in order, with whether each is to be done. What is done is said by a journal and by the output: one that is not there, or not of its size,
 * is done again.
 *
 * @param hashes - By job: the content of outputs has to be that of the journal too. One of another content is removed: whoever looks at it later sees that it is not done.
 */
export async function* jobsOf(
  { plan, shard, states }: Pick<Prepared, 'plan' | 'shard' | 'states'>,
  hashes?: ReadonlyMap<string, string>,
): AsyncGenerator<{ readonly job: BatchJob; readonly standing: Standing }> {
  const look = async (job: BatchJob) => {
    const state = states.of(job.id);
    const standing = await standingAt(plan.out, job, state);
    if (standing !== 'done' || hashes === undefined) return { job, standing };
    const path = join(plan.out, job.output);
    if ((await fileHash(path)) === hashes.get(job.id)) return { job, standing };
    await unlink(path).catch(() => undefined);
    return { job, standing: withoutOutput(state) };
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
  /** Why the run ended before its jobs: a signal, `cancelled`, or what could not be written or read. */
  readonly ended?: EndingSignal | 'cancelled' | JobFailed | undefined;
}

/** Why a batch ended that could not write. */
export function endedBy({ code, path, what, remedy }: FormatError): JobFailed {
  return { result: 'failed', class: 'cannot-write', code, path, what, remedy, seconds: 0 };
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
          if (!folders.has(folder)) await removeTemporaries(plan.out, [folder]);
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
      const standing = withoutOutput(state);
      if (FAULTLESS.includes(outcome.class)) solved.ended ??= outcome;
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
      solved.ended ??= endedBy(error);
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

/**
 * Removes files that a process or a thread was writing when it was killed: at once where no other process may be at work in the batch, else those that are old by
 * the clock of the file system.
 *
 * @param out - Of the batch, which the folders are in.
 */
export async function removeTemporaries(out: string, folders: Iterable<string>): Promise<void> {
  const batch = join(out, BATCH_FOLDER);
  for (const folder of folders) {
    const paths = (await readdir(folder).catch(() => []))
      .filter((name) => TEMPORARY.test(name))
      .map((name) => join(folder, name));
    if (paths.length === 0) continue;
    // Looked at after the files: who wrote one had its lock or its journal before.
    const isShared = (await liveLocks(batch)).length > 1 || (await areOthersAtWork(out));
    const now = isShared ? await clockOf(join(batch, 'clock')).catch(() => 0) : Number.POSITIVE_INFINITY;
    for (const path of paths) {
      const found = await stat(path).catch(() => undefined);
      if (found !== undefined && now - found.mtimeMs > STALE) await unlink(path).catch(() => undefined);
    }
  }
}
