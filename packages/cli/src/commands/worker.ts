/** `poise worker`: serves the jobs of a queue until it is asked to end. */
import { availableParallelism } from 'node:os';
import type { BatchJob, BatchPlan, JobOutcome } from '../batch/job.js';
import { createJobRunner } from '../batch/job-runner.js';
import { warnOfJobs } from '../batch/messages.js';
import type { Ending } from '../batch/run-batch.js';
import { EXIT } from '../io/exit-codes.js';
import { type Io, line, warn } from '../io/io.js';
import { count } from '../io/parse-number.js';
import type { QueueOptions } from '../queue/address.js';
import { type ConnectedQueue, connectQueue } from '../queue/connect-queue.js';
import { isAway } from '../queue/refusals.js';
import { serveQueue } from '../queue/serve-queue.js';

export interface WorkerOptions extends QueueOptions {
  /** Jobs at a time. */
  readonly jobs?: number;
  /** Limits of a job: s, MB, MB. */
  readonly timeLimit: number;
  readonly memoryLimit: number;
  readonly outputLimit: number;
  /** Time after which the jobs of a worker that is gone are given to others, s. */
  readonly lease: number;
  /** Time that jobs at work get when it is asked to end, s. */
  readonly grace: number;
  readonly json?: boolean;
}

/** Time between lines that count, ms. */
const LINE_EVERY = 10_000;

/** Runs `poise worker`. A Redis that is not there yet is waited for as long as a lease: it is restarted, or its machine starts beside this one. @returns the exit status. */
export async function worker(options: WorkerOptions, io: Io): Promise<number> {
  const { jobs: threads = availableParallelism(), lease } = options;
  warnOfJobs(threads, io);
  const stopping = new AbortController();
  const now = new AbortController();
  const off = io.onSignal?.(() => (stopping.signal.aborted ? now : stopping).abort());
  try {
    const limit = { seconds: lease, signal: stopping.signal };
    const queue = await connectQueue(options, io, limit);
    return await serve(queue, threads, { stopping: stopping.signal, now: now.signal }, options, io);
  } catch (error) {
    // Asked to end while it waited for Redis.
    if (isAway(error) && stopping.signal.aborted) return EXIT.done;
    throw error;
  } finally {
    off?.();
  }
}

async function serve(
  { address, clients, version }: ConnectedQueue,
  threads: number,
  ending: Ending,
  { lease, grace, json, timeLimit, memoryLimit, outputLimit }: WorkerOptions,
  io: Io,
): Promise<number> {
  const say = (value: object): void => io.out(`${JSON.stringify(value)}\n`);
  const where = `${address.text}, queue ${address.name}`;
  if (json) say({ event: 'serving', redis: address.text, version, queue: address.name, threads });
  else line(io, `serves ${where}, ${count(threads, 'job')} at a time (Redis ${version})`);

  const counts = { done: 0, failed: 0 };
  let said = 0;
  const sayCounts = (): void => {
    said = counts.done + counts.failed;
    if (!json) line(io, `${counts.done} done, ${counts.failed} failed`);
  };
  const timer = setInterval(() => {
    if (counts.done + counts.failed > said) sayCounts();
  }, LINE_EVERY);
  const onOutcome = ({ out }: BatchPlan, { input, output }: BatchJob, outcome: JobOutcome): void => {
    if (outcome.result === 'stopped') return;
    counts[outcome.result]++;
    const { result, seconds } = outcome;
    if (json)
      say({
        event: result,
        input,
        out,
        output,
        seconds,
        ...(result === 'failed' && { class: outcome.class }),
      });
  };
  const runner = createJobRunner({
    threads,
    limits: { seconds: timeLimit, memory: memoryLimit, output: outputLimit },
  });
  try {
    const onWarning = (text: string): void => warn(io, [text]);
    await serveQueue({ address, clients, runner, threads, lease, grace, onOutcome, onWarning, ...ending });
  } finally {
    clearInterval(timer);
    await runner.close();
  }
  sayCounts();
  return EXIT.done;
}
