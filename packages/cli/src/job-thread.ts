/** A thread of a batch: runs one job at a time as the command line that it stands for. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import { writeFileSafely } from '@poise/formats/node';
import { FormatError } from 'poise';
import { argvOf, COMMANDS, qualityRow } from './batch/commands.js';
import type { BatchJob, BatchPlan, FailureClass, JobFailed, JobOutcome } from './batch/job.js';
import type { ThreadTask } from './batch/job-runner.js';
import { EXIT } from './io/exit-codes.js';
import { MAX_NAME, OUTPUT_LIMIT, requireOutputSize } from './io/files-written.js';
import type { Io } from './io/io.js';
import { type ErrorReport, errorReport } from './io/report-error.js';
import { run } from './run.js';

/** Rigs that stay loaded from job to job: the target alone, all else is read once. */
const kept: NonNullable<Io['kept']> = { paths: new Set(), sources: new Map() };
/** SHA-256 of the target that is kept. */
let keptContent: string | undefined;

/** Runs a job. Called by the pool. */
export default async function runJob({ plan, job, limits, attempt }: ThreadTask): Promise<JobOutcome> {
  parentPort?.postMessage(attempt);
  const started = performance.now();
  const failed = (kind: FailureClass, report: ErrorReport): JobFailed => {
    const { code, path, what, remedy } = report;
    return { result: 'failed', class: kind, code, path, what, remedy, seconds: seconds() };
  };
  const seconds = (): number => (performance.now() - started) / 1000;
  const output = join(plan.out, job.output);
  const limit = 1e6 * limits.output;
  try {
    // A folder in its place would take files of some commands in.
    if (await isBlocked(output)) throw blocked(output);
    await mkdir(dirname(output), { recursive: true });
    if (plan.target !== undefined) keepOnly(plan.target, plan.files['--target']?.sha256);
    const { status, out } = await runQuietly(argvOf(plan, job.input, output), limit);
    if (status > EXIT.notConverged) {
      const report = JSON.parse(out.toString()) as ErrorReport;
      return failed(await classOf(report, plan, job), report);
    }
    const report: unknown = JSON.parse(out.toString());
    let written = out;
    if (COMMANDS[plan.command].writes) written = await readFile(output);
    else {
      requireOutputSize([[output, out]], limit);
      await writeFileSafely(output, out);
    }
    return {
      result: 'done',
      unmet: status === EXIT.notConverged,
      seconds: seconds(),
      memory: getHeapStatistics().used_heap_size,
      bytes: written.length,
      sha256: createHash('sha256').update(written).digest('hex'),
      row: qualityRow(plan.command, report),
    };
  } catch (error) {
    const known = error instanceof Error && 'syscall' in error ? cannotMake(dirname(output), error) : error;
    const report = errorReport(known) as ErrorReport;
    return failed(await classOf(report, plan, job), report);
  }
}

/** @param content - Its SHA-256: a later batch may have another rig under the same path. */
function keepOnly(target: string, content: string | undefined): void {
  if (kept.paths.has(target) && keptContent === content) return;
  keptContent = content;
  kept.paths = new Set([target]);
  kept.sources.clear();
}

/** The status and what stands on stdout. */
async function runQuietly(
  argv: readonly string[],
  outputLimit: number,
): Promise<{ status: number; out: Buffer }> {
  const chunks: Uint8Array[] = [];
  const encoder = new TextEncoder();
  const status = await run(argv, {
    out: (text) => chunks.push(typeof text === 'string' ? encoder.encode(text) : text),
    err: () => {},
    color: false,
    kept,
    outputLimit,
  });
  return { status, out: Buffer.concat(chunks) };
}

async function classOf(
  { status, code, path }: ErrorReport,
  plan: BatchPlan,
  job: BatchJob,
): Promise<FailureClass> {
  if (status !== EXIT.badInput) return 'internal';
  if (code === 'cannot-write') {
    return (await isBlocked(join(plan.out, job.output))) ? 'bad-output' : 'cannot-write';
  }
  if (code === 'missing-resource') {
    const isShared = Object.values(plan.files).some((file) => file.path === path);
    if (isShared || (path === job.input && (await isOutOfReach(job)))) return 'cannot-read';
  }
  return code === 'over-budget' && path.startsWith(OUTPUT_LIMIT) ? 'output-size' : 'bad-input';
}

function blocked(path: string): FormatError {
  return new FormatError('cannot-write', 'is a folder or a read-only file, or its name is too long.', {
    path,
    remedy: "Move away what is there, then 'poise batch retry'; or rename the input.",
  });
}

/** Whether an output cannot be written for its own sake: by its name, or by what stands in its place. */
async function isBlocked(output: string): Promise<boolean> {
  if (Buffer.byteLength(basename(output)) > MAX_NAME) return true;
  try {
    const found = await stat(output);
    return !found.isFile() || (found.mode & 0o222) === 0;
  } catch (error) {
    return ['ENAMETOOLONG', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
}

/**
 * Whether an input that could not be read was there when the manifest was made, and may be there again: a folder that is not mounted, a file system that did
 * not answer. One that is gone while others are in its folder was removed.
 */
async function isOutOfReach({ input, bytes }: BatchJob): Promise<boolean> {
  if (bytes < 0) return false;
  const code = await stat(input).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error.code,
  );
  if (code !== 'ENOENT') return true;
  const beside = await readdir(dirname(input)).catch(() => []);
  return beside.length === 0;
}

function cannotMake(path: string, cause: Error): FormatError {
  return new FormatError('cannot-write', `cannot be made (${(cause as NodeJS.ErrnoException).code}).`, {
    path,
    remedy: 'Check the folder and the permissions.',
    cause,
  });
}
