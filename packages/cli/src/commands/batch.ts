/** `poise batch`: one command over many inputs, in threads, with nothing lost whatever dies. */
import { once } from 'node:events';
import { readFile, unlink, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { writeFileSafely } from '@poise/formats/node';
import { FormatError } from 'poise';
import { failureOf } from '../batch/attempts.js';
import { COMMANDS } from '../batch/commands.js';
import { type Conclusion, concludeBatch } from '../batch/conclude.js';
import type { BatchCommand, BatchJob, BatchPlan, FailureClass, JobLimits } from '../batch/job.js';
import { createJobRunner, type JobRunner } from '../batch/job-runner.js';
import { openJournal, readEvents, readStates } from '../batch/journal.js';
import { type Shard, takeLock } from '../batch/lock.js';
import { BATCH_FOLDER, readJobs, requirePlan } from '../batch/manifest.js';
import { type End, sayEnd, sayPlan, sayStart, sayStatus, tellerOf } from '../batch/messages.js';
import { type ParseOptions, type PlanOptions, planOf, requireUnchanged } from '../batch/plan.js';
import {
  cancelledPath,
  type Ending,
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

async function runPlan(
  plan: Omit<BatchPlan, 'jobs'>,
  options: RunOptions & Pick<BatchOptions, 'replace' | 'dryRun'>,
  io: Io,
): Promise<number> {
  const shard = options.shard ?? { index: 0, count: 1 };
  const queue = await queueOf(options, io);
  try {
    const lock = await takeLock(plan.out, shard, (text) => warn(io, [text]));
    try {
      const prepared = await prepareBatch(plan, shard, options);
      if (options.dryRun) return await sayPlan(prepared, options, io);
      return await runPrepared(prepared, queue, options, io);
    } finally {
      await lock.release();
    }
  } catch (error) {
    // The disk is full, inputs are out of reach, or another process has the lock: nothing is wrong with the batch, and the same command may do later.
    if (!(error instanceof FormatError) || isNoFolder(error)) throw error;
    if (error.code !== 'cannot-write' && !isUnreadable(error)) throw error;
    return reportError(error, options.json === true, io, 'poise batch', EXIT.someFailed);
  }
}

/** Whether the system did not let something be read that is there. */
function isUnreadable({ code, cause }: FormatError): boolean {
  return (
    code === 'missing-resource' && typeof (cause as NodeJS.ErrnoException | undefined)?.code === 'string'
  );
}

/** Whether a file stands where a folder is wanted. */
function isNoFolder({ cause }: FormatError): boolean {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  return code === 'EEXIST' || code === 'ENOTDIR';
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
  const cores = availableParallelism();
  // Workers of a queue have the jobs; one thread draws what the report shows.
  const wanted = queue ? 1 : (options.jobs ?? cores);
  const threads = Math.max(1, Math.min(wanted, sizeOf(shard, plan.jobs)));
  if (wanted > cores)
    warn(io, [
      `--jobs ${wanted}: this machine gives ${count(cores, 'core')}; more jobs only need more memory.`,
    ]);
  sayStart(prepared, queue ? undefined : threads, options, io);
  const limits: JobLimits = {
    seconds: options.timeLimit,
    memory: options.memoryLimit,
    output: options.outputLimit,
  };
  const started = performance.now();
  const runner = createJobRunner({ threads, limits });
  const journal = openJournal(plan.out);
  const farewell = queue
    ? 'ends; workers go on with the jobs in the queue.'
    : `ends: jobs at work have ${options.grace} s; again ends them at once.`;
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
    const { code, path, what, remedy } = error;
    const full: Solved['ended'] = {
      result: 'failed',
      class: 'cannot-write',
      code,
      path,
      what,
      remedy,
      seconds: 0,
    };
    return { solved: { ...solved, ended: solved.ended ?? full } };
  }
}

/** Signals and the file of `poise batch cancel`. A first signal ends after the jobs at work, if they end in time; a second one at once. */
function endingOf(
  out: string,
  grace: number,
  farewell: string,
  io: Io,
): Ending & {
  /** A signal has come; its name is the reason. */
  readonly signalled: AbortSignal;
  close(): void;
} {
  const stopping = new AbortController();
  const now = new AbortController();
  const signalled = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const stop = (reason: NonNullable<Solved['ended']>): void => {
    if (stopping.signal.aborted) {
      now.abort();
      return;
    }
    stopping.abort(reason);
    errorLine(io, farewell);
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
  const conclusion = await concludeBatch(plan, await readStates(out));
  sayStatus(conclusion, await isCancelled(out), options, io);
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
  await unlink(cancelledPath(out)).catch(() => undefined);
  const classes = options.class;
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
  const { noun } = COMMANDS[plan.command];
  if (!options.json) line(io, `${count(again, noun)} that failed ${again === 1 ? 'is' : 'are'} tried again`);
  return runPlan(plan, options, io);
}
