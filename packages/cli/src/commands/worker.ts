/** `poise worker`: serves the jobs of a queue until it is asked to end. */
import { availableParallelism } from 'node:os';
import { type BatchJob, type BatchPlan, DEFAULT_LIMITS, type JobOutcome } from '../batch/job.js';
import { createJobRunner } from '../batch/job-runner.js';
import { EXIT } from '../io/exit-codes.js';
import { type Io, line, warn } from '../io/io.js';
import { count } from '../io/parse-number.js';
import { type QueueOptions, readQueueAddress } from '../queue/address.js';
import { checkRedis } from '../queue/check-redis.js';
import { loadClients } from '../queue/clients.js';
import { serveQueue } from '../queue/serve-queue.js';

export interface WorkerOptions extends QueueOptions {
  /** Jobs at a time. */
  readonly jobs?: number;
  /** s */
  readonly timeLimit?: number;
  /** MB */
  readonly memoryLimit?: number;
  /** MB */
  readonly outputLimit?: number;
  /** Time after which the jobs of a worker that is gone are given to others, s. */
  readonly lease: number;
  /** Time that jobs at work get when it is asked to end, s. */
  readonly grace: number;
  readonly json?: boolean;
}

/** Time between lines that count, ms. */
const LINE_EVERY = 10_000;

export async function worker(options: WorkerOptions, io: Io): Promise<number> {
  const { jobs: threads = availableParallelism(), lease, grace, json } = options;
  const { seconds, memory, output } = DEFAULT_LIMITS;
  const { timeLimit = seconds, memoryLimit = memory, outputLimit = output } = options;
  const address = await readQueueAddress(options, io.env ?? {});
  const clients = await loadClients();
  const { version, warnings } = await checkRedis(address, clients);
  warn(io, warnings);
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
  const signal = io.stop ?? new AbortController().signal;
  try {
    const onWarning = (text: string): void => warn(io, [text]);
    await serveQueue({ address, clients, runner, threads, lease, grace, onOutcome, onWarning, signal });
  } finally {
    clearInterval(timer);
    await runner.close();
  }
  sayCounts();
  return EXIT.done;
}
