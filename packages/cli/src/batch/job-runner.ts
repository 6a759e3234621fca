/** Runs single attempts of jobs in threads, each with its limits: for batches on one machine and for workers of a queue alike. */
import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { Piscina } from 'piscina';
import { JOB_THREAD } from '../package-files.js';
import type { BatchJob, BatchPlan, JobFailed, JobLimits, JobOutcome } from './job.js';

export interface JobRunner {
  /**
   * One attempt. Give it no more jobs at a time than it has threads: it keeps no queue.
   *
   * @param signal - Ends the thread that is at the job: the outcome is `stopped`.
   * @returns the outcome; never throws for what a job does.
   */
  run(plan: BatchPlan, job: BatchJob, signal?: AbortSignal): Promise<JobOutcome>;
  /** Ends all threads, whatever they are at. */
  close(): Promise<void>;
}

/** What a thread is given. */
export interface ThreadTask {
  readonly plan: BatchPlan;
  readonly job: BatchJob;
  readonly limits: JobLimits;
  /** Its number in this process, which the thread says as it begins. */
  readonly attempt: number;
}

/**
 * The heap of a thread, MB: its young generation (three halves of 8) has its full size at once; the old one is collected at 48 for the first time, then when it has grown by 30 %.
 * At 24, not much more than a job keeps while it runs, collections took a quarter of the time of retargeting.
 * V8 by itself lets garbage grow to hundreds of MB where the limit is that large, and memory would grow from job to job.
 */
const YOUNG = 24;
const HEAP_FLAGS = ['--min-semi-space-size=8', '--initial-old-space-size=48', '--heap-growing-percent=30'];
/**
 * Every thread compiles for itself, on helper threads of V8. With a core for each job none is free for them, so that a function is optimized after it has run seven times as long
 * as V8 waits by itself (67,584 bytes of bytecode a tick): half the compilation, and what runs for long is optimized all the same.
 */
const FULL_FLAGS = ['--interrupt-budget=500000'];

/** @param threads - Jobs at a time. */
export function createJobRunner({
  threads,
  limits,
}: {
  readonly threads: number;
  readonly limits: JobLimits;
}): JobRunner {
  /** By number of the attempt: what starts its clock, when its thread begins. */
  const begins = new Map<number, () => void>();
  let attempts = 0;
  /** Jobs whose thread has not begun yet. */
  const waiting = new Set<AbortController>();
  // A thread that ends while it starts has no job, and the pool keeps the next one waiting: no limit would end it.
  const onError = (error: Error): void => {
    for (const each of waiting) each.abort(error);
  };
  let pool: Piscina | undefined;
  return {
    async run(plan, job, signal) {
      const ending = new AbortController();
      const stop = (): void => ending.abort('stopped');
      if (signal?.aborted) return { result: 'stopped' };
      signal?.addEventListener('abort', stop);
      const started = performance.now();
      let timer: NodeJS.Timeout | undefined;
      const attempt = ++attempts;
      waiting.add(ending);
      begins.set(attempt, () => {
        waiting.delete(ending);
        timer ??= setTimeout(() => ending.abort('time'), 1000 * limits.seconds);
      });
      // Made with the first job: a batch of which all is done starts no thread.
      pool ??= createPool(threads, limits, (begun) => begins.get(begun)?.(), onError);
      try {
        const task: ThreadTask = { plan, job, limits, attempt };
        return (await pool.run(task, { signal: ending.signal })) as JobOutcome;
      } catch (error) {
        const seconds = (performance.now() - started) / 1000;
        const { reason } = ending.signal;
        if (reason === 'stopped') return { result: 'stopped' };
        if (reason === 'time') return outOfTime(job, limits, seconds);
        return endOfThread(ending.signal.aborted ? reason : error, job, limits, seconds);
      } finally {
        clearTimeout(timer);
        begins.delete(attempt);
        waiting.delete(ending);
        signal?.removeEventListener('abort', stop);
      }
    },
    async close() {
      await pool?.destroy();
    },
  };
}

/** @param onBegin - Told the number of an attempt when its thread begins it. @param onError - Told of a thread that ends without a job. */
function createPool(
  threads: number,
  limits: JobLimits,
  onBegin: (attempt: number) => void,
  onError: (error: Error) => void,
): Piscina {
  // They count for threads that start from now on.
  const isFull = threads >= availableParallelism();
  for (const flag of [...HEAP_FLAGS, ...(isFull ? FULL_FLAGS : [])]) setFlagsFromString(flag);
  const pool = new Piscina({
    filename: JOB_THREAD,
    minThreads: threads,
    maxThreads: threads,
    idleTimeout: Number.POSITIVE_INFINITY,
    // Between jobs a thread waits for messages, not in Atomics.wait, which would hold its own asynchronous work up.
    atomics: 'disabled',
    recordTiming: false,
    resourceLimits: { maxOldGenerationSizeMb: limits.memory, maxYoungGenerationSizeMb: YOUNG },
  });
  pool.on('message', onBegin);
  pool.on('error', onError);
  return pool;
}

function outOfTime({ input }: BatchJob, { seconds: limit }: JobLimits, seconds: number): JobFailed {
  return {
    result: 'failed',
    class: 'time',
    code: 'timed-out',
    path: input,
    what: `takes more than ${limit} s.`,
    remedy:
      "Give more with --time-limit to 'poise batch retry', or to the workers of a queue, or a shorter input.",
    seconds,
  };
}

/** The thread ended by itself. */
function endOfThread(error: unknown, { input }: BatchJob, { memory }: JobLimits, seconds: number): JobFailed {
  const { code, message } = error as NodeJS.ErrnoException;
  const base = { result: 'failed', path: input, seconds } as const;
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') {
    const remedy =
      "Give more with --memory-limit to 'poise batch retry', or to the workers of a queue, or a smaller input.";
    return { ...base, class: 'memory', code: 'over-budget', what: `needs more than ${memory} MB.`, remedy };
  }
  return {
    ...base,
    class: 'crash',
    code: 'worker-lost',
    what: `ended its thread (${message}).`,
    remedy: 'This is an internal error of Poise: please report it with the input.',
  };
}
