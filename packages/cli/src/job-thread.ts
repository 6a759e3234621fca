/** A thread of a batch: runs one job at a time as the command line that it stands for. */
import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import { writeFileSafely } from '@poise/formats/node';
import { FormatError } from 'poise';
import { argvOf, COMMANDS, qualityRow } from './batch/commands.js';
import type { FailureClass, JobFailed, JobOutcome } from './batch/job.js';
import type { ThreadTask } from './batch/job-runner.js';
import { EXIT } from './io/exit-codes.js';
import { OUTPUT_LIMIT, requireOutputSize } from './io/files-written.js';
import type { Io } from './io/io.js';
import { type ErrorReport, errorReport } from './io/report-error.js';
import { run } from './run.js';

/** Rigs that stay loaded from job to job: the target alone, all else is read once. */
const kept: NonNullable<Io['kept']> = { paths: new Set(), sources: new Map() };

/** Runs a job. Called by the pool. */
export default async function runJob({ plan, job, limits }: ThreadTask): Promise<JobOutcome> {
  parentPort?.postMessage(job.id);
  const started = performance.now();
  const failed = (kind: FailureClass, report: ErrorReport): JobFailed => {
    const { code, path, what, remedy } = report;
    return { result: 'failed', class: kind, code, path, what, remedy, seconds: seconds() };
  };
  const seconds = (): number => (performance.now() - started) / 1000;
  const output = join(plan.out, job.output);
  const limit = 1e6 * limits.output;
  try {
    await mkdir(dirname(output), { recursive: true });
    if (plan.target !== undefined) keepOnly(plan.target);
    const { status, out } = await runQuietly(argvOf(plan, job.input, output), limit);
    if (status > EXIT.notConverged) {
      const report = JSON.parse(out.toString()) as ErrorReport;
      return failed(classOf(report), report);
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
    return failed(classOf(report), report);
  }
}

function keepOnly(target: string): void {
  if (kept.paths.has(target)) return;
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

function classOf({ status, code, path }: ErrorReport): FailureClass {
  if (status !== EXIT.badInput) return 'internal';
  if (code === 'cannot-write') return 'cannot-write';
  return code === 'over-budget' && path.startsWith(OUTPUT_LIMIT) ? 'output-size' : 'bad-input';
}

function cannotMake(path: string, cause: Error): FormatError {
  return new FormatError('cannot-write', `cannot be made (${(cause as NodeJS.ErrnoException).code}).`, {
    path,
    remedy: 'Check the folder and the permissions.',
    cause,
  });
}
