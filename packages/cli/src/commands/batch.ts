/** `poise batch`: one command over many inputs, in threads, with nothing lost whatever dies. */
import { once, setMaxListeners } from 'node:events';
import { readFile, unlink, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { writeFileSafely } from '@poise/formats/node';
import { FormatError } from 'poise';
import { failureOf } from '../batch/attempts.js';
import { COMMANDS } from '../batch/commands.js';
import { type Conclusion, concludeBatch, readConclusion, writeFailed } from '../batch/conclude.js';
import type { BatchCommand, BatchJob, BatchPlan, FailureClass, JobLimits } from '../batch/job.js';
import { createJobRunner, type JobRunner } from '../batch/job-runner.js';
import { openJournal, readEvents, readStates } from '../batch/journal.js';
import { type Shard, takeLock } from '../batch/lock.js';
import { BATCH_FOLDER, readJobs, requirePlan } from '../batch/manifest.js';
import {
  type End,
  fileOf,
  sayEnd,
  sayPlan,
  sayStart,
  sayStatus,
  tellerOf,
  warnOfJobs,
} from '../batch/messages.js';
import { type ParseOptions, type PlanOptions, planOf, requireUnchanged } from '../batch/plan.js';
import {
  cancelledPath,
  type Ending,
  endedBy,
  isCancelled,
  type Prepared,
  prepareBatch,
  removeTemporaries,
  type Solved,
  sizeOf,
  solveBatch,
  standingAt,
} from '../batch/run-batch.js';
import { batchHtml, type Strip } from '../html-report/batch-report.js';
import { EXIT } from '../io/exit-codes.js';
import { errorLine, type Io, line, warn } from '../io/io.js';
import { count, significant } from '../io/parse-number.js';
import { reportError } from '../io/report-error.js';
import type { QueueOptions } from '../queue/address.js';
import { type ConnectedQueue, connectQueue } from '../queue/connect-queue.js';
import { solveOverQueue } from '../queue/solve-over-queue.js';

/** How a batch is run. */
export interface RunOptions extends QueueOptions {
  /** Jobs at a time. Default: the cores that the system gives. */
  readonly jobs?: number;
  readonly shard?: Shard;
  /** Limits of a job: s, MB, MB. */
  readonly timeLimit: number;
  readonly memoryLimit: number;
  readonly outputLimit: number;
  /** Time that jobs have to end after a signal, s. */
  readonly grace: number;
  /** Worst cases of which the report has a picture. */
  readonly strips: number;
  readonly verify?: boolean;
  readonly json?: boolean;
}

export interface BatchOptions extends RunOptions, PlanOptions {
  readonly replace?: boolean;
  readonly dryRun?: boolean;
}

/** How often it is looked whether the batch was cancelled, ms. */
const LOOK = 1000;
/** Runs `poise batch COMMAND`. @param argv - What was typed beside the options of the batch. @returns the exit status. */
export async function batch(
  command: BatchCommand,
  argv: readonly string[],
  options: BatchOptions,
  parse: ParseOptions,
  io: Io,
): Promise<number> {
  const plan = await planOf(command, argv, options, parse, io);
  return runPlan(plan, options, io);
}

/** @param begin - Done first by who has the lock. */
async function runPlan(
  plan: Omit<BatchPlan, 'jobs'>,
  options: RunOptions & Pick<BatchOptions, 'replace' | 'dryRun'>,
  io: Io,
  begin: () => Promise<void> = async () => {},
): Promise<number> {
  const shard = options.shard ?? { index: 0, count: 1 };
  const queue = await queueOf(options, io);
  try {
    const lock = await takeLock(plan.out, shard, (text) => warn(io, [text]));
    try {
      await begin();
      const prepared = await prepareBatch(plan, shard, options);
      if (options.dryRun) return await sayPlan(prepared, options, io);
      return await runPrepared(prepared, queue, options, io);
    } finally {
      await lock.release();
    }
  } catch (error) {
    if (!(error instanceof FormatError) || !mayPass(error)) throw error;
    return reportError(error, options.json === true, io, 'poise batch', EXIT.someFailed);
  }
}

/** Whether nothing is wrong with the batch: it was cancelled, the disk is full, inputs are out of reach, or another process has the lock. */
function mayPass({ code, cause }: FormatError): boolean {
  const reason = (cause as NodeJS.ErrnoException | undefined)?.code;
  // A file stands where a folder is wanted.
  const isNoFolder = reason === 'EEXIST' || reason === 'ENOTDIR';
  return (
    code === 'cancelled' ||
    (code === 'cannot-write' && !isNoFolder) ||
    (code === 'missing-resource' && typeof reason === 'string')
  );
}

/** The queue that the options name; undefined where the jobs are run here. @throws FormatError `unsupported` for a part of a batch in a queue. */
async function queueOf(options: RunOptions, io: Io): Promise<ConnectedQueue | undefined> {
  if (options.queue === undefined && options.queueFile === undefined) return undefined;
  if (options.shard !== undefined) {
    throw new FormatError('unsupported', 'cannot be combined with --queue: its workers share the jobs.', {
      path: '--shard',
      remedy: 'Remove one of them.',
    });
  }
  return connectQueue(options, io);
}

async function runPrepared(
  prepared: Prepared,
  queue: ConnectedQueue | undefined,
  options: RunOptions,
  io: Io,
): Promise<number> {
  const { plan, shard } = prepared;
  const { noun } = COMMANDS[plan.command];
  // Workers of a queue have the jobs; one thread draws what the report shows.
  const wanted = queue ? 1 : (options.jobs ?? availableParallelism());
  const threads = Math.max(1, Math.min(wanted, sizeOf(shard, plan.jobs)));
  warnOfJobs(wanted, io);
  sayStart(prepared, queue ? undefined : threads, options, io);
  const limits: JobLimits = {
    seconds: options.timeLimit,
    memory: options.memoryLimit,
    output: options.outputLimit,
  };
  const started = performance.now();
  const runner = createJobRunner({ threads, limits });
  const journal = openJournal(plan.out);
  const farewell = (reason: NonNullable<Solved['ended']>): string => {
    if (!queue) return `ends: jobs at work have ${options.grace} s; again ends them at once.`;
    return reason === 'cancelled'
      ? 'cancelled: workers end the jobs that they are at, and drop those in the queue.'
      : 'ends; workers go on with the jobs in the queue.';
  };
  const ending = endingOf(plan.out, options.grace, farewell, io);
  const teller = tellerOf(prepared, options, noun, io);
  try {
    const hashes = options.verify ? await hashesOf(plan.out) : undefined;
    const solved = queue
      ? await solveOverQueue(prepared, queue, ending, teller, (text) => warn(io, [text]), hashes)
      : await solveBatch(prepared, runner, threads, journal, ending, teller, hashes);
    teller.end();
    const conclude = async (): Promise<Conclusion> => {
      const isAlone = queue === undefined && shard.count === 1;
      const conclusion = await concludeBatch(plan, isAlone ? prepared.states : await readStates(plan.out));
      const strips =
        solved.ended === undefined ? await stripsOf(conclusion, options.strips, runner, threads) : [];
      await writeFileSafely(join(plan.out, BATCH_FOLDER, 'report.html'), batchHtml(conclusion, noun, strips));
      return conclusion;
    };
    const end = await concludedBefore(ending.signalled, conclude, solved);
    await runner.close();
    if (!ending.signalled.aborted) await removeTemporaries(plan.out, solved.folders);
    return sayEnd(prepared, end, (performance.now() - started) / 1000, options, io);
  } finally {
    ending.close();
    journal.close();
    await runner.close();
  }
}

/** Concludes, but no longer than until a signal: `poise batch status` and the same command do it later. */
async function concludedBefore(
  signal: AbortSignal,
  conclude: () => Promise<Conclusion>,
  solved: Solved,
): Promise<End> {
  const ended = (): Solved => ({ ...solved, ended: solved.ended ?? (signal.reason as Solved['ended']) });
  if (signal.aborted) return { solved: ended() };
  try {
    const concluding = conclude();
    // It may fail after the signal.
    concluding.catch(() => {});
    const conclusion = await Promise.race([concluding, once(signal, 'abort').then(() => undefined)]);
    return conclusion === undefined ? { solved: ended() } : { solved, conclusion };
  } catch (error) {
    if (!(error instanceof FormatError) || error.code !== 'cannot-write') throw error;
    return { solved: { ...solved, ended: solved.ended ?? endedBy(error) } };
  }
}

/** Signals and the file of `poise batch cancel`. A first signal ends after the jobs at work, if they end in time; a second one at once. */
function endingOf(
  out: string,
  grace: number,
  farewell: (reason: NonNullable<Solved['ended']>) => string,
  io: Io,
): Ending & {
  /** A signal has come; its name is the reason. */
  readonly signalled: AbortSignal;
  close(): void;
} {
  const stopping = new AbortController();
  const now = new AbortController();
  const signalled = new AbortController();
  // Each thread listens.
  setMaxListeners(0, stopping.signal, now.signal);
  let timer: NodeJS.Timeout | undefined;
  const stop = (reason: NonNullable<Solved['ended']>): void => {
    if (stopping.signal.aborted) {
      now.abort();
      return;
    }
    stopping.abort(reason);
    errorLine(io, farewell(reason));
    timer = setTimeout(() => now.abort(), 1000 * grace);
  };
  const off = io.onSignal?.((signal) => {
    signalled.abort(signal);
    stop(signal);
  });
  const look = setInterval(async () => {
    if (!stopping.signal.aborted && (await isCancelled(out))) stop('cancelled');
  }, LOOK);
  return {
    stopping: stopping.signal,
    now: now.signal,
    signalled: signalled.signal,
    close() {
      clearTimeout(timer);
      clearInterval(look);
      off?.();
    },
  };
}

/** SHA-256 of outputs by job, for `--verify`. */
async function hashesOf(out: string): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  for await (const event of readEvents(out)) if (event.event === 'done') hashes.set(event.id, event.sha256);
  return hashes;
}

/** Pictures of the worst of each kind of quality, made once: none while jobs are open. */
async function stripsOf(
  { plan, tally, quality }: Conclusion,
  most: number,
  runner: JobRunner,
  threads: number,
): Promise<Strip[]> {
  if (plan.command !== 'retarget' || tally.open > 0) return [];
  const wanted = new Map<string, { job: BatchJob; why: string }>();
  const kinds = quality.filter(({ worst }) => worst.length > 0);
  for (const { name, unit, worst } of kinds) {
    if (wanted.size >= most) break;
    const [{ job, value }] = worst;
    if (wanted.has(job.id)) continue;
    wanted.set(job.id, { job, why: `worst ${name}, ${significant(value)} ${unit}`.trimEnd() });
  }
  const waiting = [...wanted.values()];
  const strips: Strip[] = [];
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { job, why } = next;
      const output = `${BATCH_FOLDER}/strips/${job.id}.svg`;
      const path = join(plan.out, output);
      const read = () => readFile(path, 'utf8').catch(() => undefined);
      // The input may be gone or changed by now: its report then has no picture.
      if ((await read()) === undefined) await runner.run({ ...plan, extension: '.svg' }, { ...job, output });
      const svg = await read();
      if (svg !== undefined) strips.push({ job, why, svg });
    }
  };
  await Promise.all(Array.from({ length: threads }, lane));
  const order = [...wanted.keys()];
  return strips.sort((a, b) => order.indexOf(a.job.id) - order.indexOf(b.job.id));
}

/** Runs `poise batch status`. @returns the exit status. */
export async function batchStatus(
  folder: string,
  options: { readonly json?: boolean },
  io: Io,
): Promise<number> {
  const out = resolve(folder);
  const plan = await requirePlan(out);
  const conclusion = await readConclusion(plan, await readStates(out));
  sayStatus(conclusion, await isCancelled(out), options, io);
  // Who may only read the folder has the counts all the same.
  try {
    await writeFailed(conclusion);
    if (!options.json && conclusion.failed.length > 0) line(io, `wrote ${fileOf(out, 'failed.jsonl')}`);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    if (conclusion.failed.length > 0) warn(io, [`${error.path}: ${error.what}`]);
  }
  return EXIT.done;
}

/** Runs `poise batch cancel`: who works at the batch ends within seconds. @returns the exit status. */
export async function batchCancel(folder: string, io: Io): Promise<number> {
  const out = resolve(folder);
  await requirePlan(out);
  await writeFile(cancelledPath(out), '').catch((cause: NodeJS.ErrnoException) => {
    throw new FormatError('cannot-write', `cannot be written (${cause.code}).`, {
      path: cancelledPath(out),
      remedy: 'Check the permissions.',
      cause,
    });
  });
  line(io, `cancelled: jobs at work end first; 'poise batch retry ${folder}' continues.`);
  return EXIT.done;
}

export interface RetryOptions extends RunOptions {
  readonly class?: readonly FailureClass[];
}

/** Runs `poise batch retry`: lifts a cancel, has jobs tried anew that failed, those of bad input only where asked for, and continues. @returns the exit status. */
export async function batchRetry(folder: string, options: RetryOptions, io: Io): Promise<number> {
  const out = resolve(folder);
  const plan = await requirePlan(out);
  await requireUnchanged(plan);
  return runPlan(plan, options, io, async () => {
    await unlink(cancelledPath(out)).catch(() => undefined);
    const again = await voidFailures(out, options.class);
    const { noun } = COMMANDS[plan.command];
    if (!options.json)
      line(io, `${count(again, noun)} that failed ${again === 1 ? 'is' : 'are'} tried again`);
  });
}

/** Has failed jobs tried anew. @param classes - Default: all but bad input. @returns how many. */
async function voidFailures(out: string, classes: RetryOptions['class']): Promise<number> {
  const states = await readStates(out);
  const journal = openJournal(out);
  let again = 0;
  try {
    for await (const job of readJobs(out)) {
      const { id } = job;
      const state = states.of(id);
      const standing = await standingAt(out, job, state);
      if (standing === 'done' || standing === 'open') continue;
      const kind = failureOf(state);
      if (classes === undefined ? kind === 'bad-input' : !classes.includes(kind)) continue;
      const { failures: failed, kills, lost } = states.voidsOf(id);
      journal.append({ event: 'retry', id, failures: failed, kills, lost });
      again++;
    }
  } finally {
    journal.close();
  }
  return again;
}
