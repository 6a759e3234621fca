/** Runs single attempts of jobs in threads, each with its limits: for batches on one machine and for workers of a queue alike. */
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
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
}

/** Young generation of a thread's heap, MB: retargeting makes much garbage that dies young. */
const YOUNG = 64;

/** @param threads - Jobs at a time. */
export function createJobRunner({
  threads,
  limits,
}: {
  readonly threads: number;
  readonly limits: JobLimits;
}): JobRunner {
  /** By id: what starts the clock of a job, when its thread begins. */
  const begins = new Map<string, () => void>();
  let pool: Piscina | undefined;
  return {
    async run(plan, job, signal) {
      const ending = new AbortController();
      const stop = (): void => ending.abort('stopped');
      if (signal?.aborted) return { result: 'stopped' };
      signal?.addEventListener('abort', stop);
      const started = performance.now();
      let timer: NodeJS.Timeout | undefined;
      begins.set(job.id, () => {
        timer ??= setTimeout(() => ending.abort('time'), 1000 * limits.seconds);
      });
      // Made with the first job: a batch of which all is done starts no thread.
      pool ??= createPool(threads, limits, (id) => begins.get(id)?.());
      try {
        const task: ThreadTask = { plan, job, limits };
        return (await pool.run(task, { signal: ending.signal })) as JobOutcome;
      } catch (error) {
        const seconds = (performance.now() - started) / 1000;
        const { reason } = ending.signal;
        if (reason === 'stopped') return { result: 'stopped' };
        return reason === 'time' ? outOfTime(job, limits, seconds) : endOfThread(error, job, limits, seconds);
      } finally {
        clearTimeout(timer);
        begins.delete(job.id);
        signal?.removeEventListener('abort', stop);
      }
    },
    async close() {
      await pool?.destroy();
    },
  };
}

/** @param onBegin - Told the id of a job when its thread begins it. */
function createPool(threads: number, limits: JobLimits, onBegin: (id: string) => void): Piscina {
  const pool = new Piscina({
    filename: fileURLToPath(new URL('../job-thread.js', import.meta.url)),
    minThreads: threads,
    maxThreads: threads,
    idleTimeout: Number.POSITIVE_INFINITY,
    // Between jobs a thread waits for messages, not in Atomics.wait, which would hold its own asynchronous work up.
    atomics: 'disabled',
    recordTiming: false,
    resourceLimits: { maxOldGenerationSizeMb: limits.memory, maxYoungGenerationSizeMb: YOUNG },
  });
  pool.on('message', onBegin);
  // A thread that ends between jobs is replaced.
  pool.on('error', () => {});
  return pool;
}

function outOfTime({ input }: BatchJob, { seconds: limit }: JobLimits, seconds: number): JobFailed {
  return {
    result: 'failed',
    class: 'time',
    code: 'timed-out',
    path: input,
    what: `takes more than ${limit} s.`,
    remedy: 'Give more with --time-limit, or a shorter input.',
    seconds,
  };
}

/** The thread ended by itself. */
function endOfThread(error: unknown, { input }: BatchJob, { memory }: JobLimits, seconds: number): JobFailed {
  const { code, message } = error as NodeJS.ErrnoException;
  const base = { result: 'failed', path: input, seconds } as const;
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') {
    const remedy = 'Give more with --memory-limit, or a smaller input.';
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
