/** The jobs of a batch in a file: line 1 the plan, then a line a job. The same inputs give the same bytes, so that processes that start at once may each write it. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { FormatError } from 'poise';
import { cannotRead } from '../io/glob.js';
import type { BatchJob, BatchPlan } from './job.js';
import { linesOf } from './lines.js';

/** The folder of a batch beside its outputs. */
export const BATCH_FOLDER = 'batch';

export function manifestPath(out: string): string {
  return join(out, BATCH_FOLDER, 'manifest.jsonl');
}

/** @returns undefined where the folder has none. @throws FormatError `unsupported` for one of another version, `invalid-file`. */
export async function readPlan(out: string): Promise<BatchPlan | undefined> {
  const path = manifestPath(out);
  for await (const line of linesOf(path)) return { ...planOf(line, path), out };
  return undefined;
}

/** @throws FormatError `missing-resource` where the folder has none; as {@link readPlan}. */
export async function requirePlan(out: string): Promise<BatchPlan> {
  const plan = await readPlan(out);
  if (plan !== undefined) return plan;
  throw new FormatError('missing-resource', 'is not the folder of a batch.', {
    path: out,
    remedy: 'Give the --out of a batch; it has a file batch/manifest.jsonl.',
  });
}

/** The jobs in order, one at a time: a manifest of a million is not held. @throws FormatError `invalid-file`. */
export async function* readJobs(out: string): AsyncGenerator<BatchJob> {
  const path = manifestPath(out);
  let number = 0;
  for await (const line of linesOf(path)) {
    if (++number === 1) continue;
    const job = parsed<BatchJob>(line, `${path}#${number}`);
    if ([job.id, job.input, job.output].every((text) => typeof text === 'string')) yield job;
    else throw new FormatError('invalid-file', 'is no job.', { path: `${path}#${number}`, remedy: REMEDY });
  }
}

/** The plan of a first line. */
function planOf(line: string, path: string): Omit<BatchPlan, 'out'> {
  const plan = parsed<Partial<BatchPlan>>(line, `${path}#1`);
  if (plan.format !== 'poise-batch') {
    throw new FormatError('invalid-file', 'is not the manifest of a batch.', { path, remedy: REMEDY });
  }
  if (plan.version !== 1) {
    throw new FormatError('unsupported', `is of version ${plan.version}, and this Poise has 1.`, {
      path,
      remedy: 'Use the Poise that made it, or another --out.',
    });
  }
  return plan as BatchPlan;
}

const REMEDY = 'Remove it: the next run makes it anew.';

function parsed<T>(line: string, path: string): T {
  const invalid = (what: string, cause?: unknown): FormatError =>
    new FormatError('invalid-file', what, { path, remedy: REMEDY, cause });
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw invalid('is not JSON.', cause);
  }
  if (typeof value !== 'object' || value === null) throw invalid('is no object.');
  return value as T;
}

/** The line of a plan; the folder of outputs may move, and is not in it. */
export function planLine({ out: _, ...plan }: BatchPlan): string {
  return `${JSON.stringify(plan)}\n`;
}

/** What outputs are made by, beside their inputs: plans of the same key make the same. */
export function planKey({
  poise,
  command,
  target,
  options,
  files,
  extension,
}: Omit<BatchPlan, 'jobs' | 'in' | 'from' | 'out'>): string {
  const shared = Object.entries(files)
    .map(([option, { sha256: content }]) => [option, content] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const builtIn = files['--target'] === undefined ? target : undefined;
  return sha256(JSON.stringify([1, poise, command, builtIn ?? null, options, shared, extension]));
}

/** @param key - Of {@link planKey}. @param inputHash - SHA-256 of the input's content. @param output - Of {@link BatchJob}. */
export function jobId(key: string, inputHash: string, output: string): string {
  return `j${sha256(JSON.stringify([key, inputHash, output])).slice(0, 32)}`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** SHA-256 of a file's content, in hexadecimal digits. @throws FormatError `missing-resource`. */
export async function fileHash(path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  } catch (cause) {
    throw cannotRead(path, cause as NodeJS.ErrnoException);
  }
  return hash.digest('hex');
}
