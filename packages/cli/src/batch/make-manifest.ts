/** Makes the manifest of a batch from its patterns, with what is known from the one before. */
import { randomBytes } from 'node:crypto';
import { mkdir, open, rename, stat, unlink } from 'node:fs/promises';
import { dirname, extname, join, relative, resolve, sep } from 'node:path';
import { FormatError } from 'poise';
import { foldsCase } from '../io/files-written.js';
import { cannotRead, expandFiles, isAbsent, requireMatch } from '../io/glob.js';
import { count } from '../io/parse-number.js';
import { COMMANDS } from './commands.js';
import type { BatchJob, BatchPlan } from './job.js';
import { cannotWrite } from './journal.js';
import {
  BATCH_FOLDER,
  fileHash,
  jobId,
  manifestPath,
  planKey,
  planLine,
  readJobs,
  readPlan,
} from './manifest.js';

/** What differs from the manifest before. */
export interface ManifestChanges {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

export interface Manifest {
  readonly plan: BatchPlan;
  /** Left out of a first manifest. */
  readonly changes?: ManifestChanges;
}

/** Files that are hashed at a time, and lines that are made before they are written. */
const AT_ONCE = 16;
const LINES = 256;

/**
 * @param replace - Whether a manifest of another plan may be there.
 * @param verify - Hashes inputs whose size and time are as before too.
 * @throws FormatError for patterns without a file, two inputs of one output, another plan.
 */
export async function makeManifest(
  plan: Omit<BatchPlan, 'jobs'>,
  { replace = false, verify = false }: { readonly replace?: boolean; readonly verify?: boolean },
): Promise<Manifest> {
  const { out } = plan;
  const before = await readPlan(out).catch((error) => {
    if (!replace) throw error;
    return undefined;
  });
  const isSame = before !== undefined && planKey(before) === planKey(plan);
  if (before !== undefined && !isSame && !replace) {
    throw new FormatError(
      'unsupported',
      `is the folder of another batch: ${planText(before)}. This one: ${planText(plan)}.`,
      {
        path: out,
        remedy: 'Give another --out, or --replace to go on with this one in that folder.',
      },
    );
  }
  const files = await inputsOf(plan);
  const whole: BatchPlan = { ...plan, jobs: files.length };
  const changes = { added: 0, changed: 0, removed: 0 };
  const old = isSame ? readJobs(out) : undefined;
  let was = await old?.next();
  /** The job that an input had, and whether the input is as it was. Both lists are in the order of inputs. */
  const known = async (input: string): Promise<BatchJob | undefined> => {
    while (was && !was.done && was.value.input < input) {
      changes.removed++;
      was = await old?.next();
    }
    if (!was || was.done || was.value.input !== input) return undefined;
    const { value } = was;
    was = await old?.next();
    return value;
  };
  const key = planKey(plan);
  await writeLines(manifestPath(out), planLine(whole), async function* () {
    for (let from = 0; from < files.length; from += LINES) {
      const part = files.slice(from, from + LINES);
      const previous: (BatchJob | undefined)[] = [];
      for (const { input } of part) previous.push(await known(input));
      const jobs: BatchJob[] = [];
      await inLanes(part.length, async (k) => {
        jobs[k] = await jobOf(part[k], previous[k], key, verify);
      });
      for (const [k, { id }] of jobs.entries()) {
        if (previous[k] === undefined) changes.added++;
        else if (previous[k].id !== id) changes.changed++;
      }
      yield jobs.map((job) => `${JSON.stringify(job)}\n`).join('');
    }
    while (was && !was.done) {
      changes.removed++;
      was = await old?.next();
    }
  });
  return { plan: whole, ...(isSame && { changes }) };
}

/** As one would type it. */
function planText({ command, target, options, poise }: Omit<BatchPlan, 'jobs'>): string {
  const words = [command, ...(target === undefined ? [] : ['--target', target]), ...options];
  return `'${words.join(' ')}' of Poise ${poise}`;
}

interface InputFile {
  readonly input: string;
  readonly output: string;
}

/** The inputs and their outputs, in the order of the inputs. */
async function inputsOf({
  command,
  in: patterns,
  from,
  extension,
  out,
}: Omit<BatchPlan, 'jobs'>): Promise<InputFile[]> {
  const { kinds, noun } = COMMANDS[command];
  const outputs = new Map<string, string>();
  for (const pattern of patterns) {
    const paths = pattern === '' ? [''] : await expandFiles([pattern], kinds, `${noun}s`, from);
    if (pattern === '' || paths[0] === resolve(from, pattern)) await requireFile(pattern, paths[0]);
    const base = await fixedPart(pattern, from, paths);
    for (const input of paths) {
      if (!relative(out, input).startsWith('..')) continue;
      const name = relative(base, input).split(sep).join('/');
      outputs.set(input, `${name.slice(0, name.length - extname(name).length)}${extension}`);
    }
  }
  if (outputs.size === 0) {
    throw new FormatError('missing-resource', 'has no input that is not below --out.', {
      path: `--in ${patterns.join(' ')}`,
      remedy: 'Give an --out that is not above the inputs.',
    });
  }
  await requireDistinct(outputs, out);
  return [...outputs]
    .map(([input, output]) => ({ input, output }))
    .sort((a, b) => (a.input < b.input ? -1 : 1));
}

/** Refuses what was named and is no file: neither there, nor a pattern that matches. @throws FormatError `missing-resource`. */
async function requireFile(pattern: string, path: string): Promise<void> {
  await requireMatch(pattern, path);
  const found = await stat(path).catch((cause) => {
    if (isAbsent(cause)) return undefined;
    throw cannotRead(path, cause);
  });
  if (found?.isFile()) return;
  const what = found === undefined ? 'is not there.' : 'is no file.';
  throw new FormatError('missing-resource', what, {
    path: path || "--in ''",
    remedy: 'Check the path, and that its folder is mounted.',
  });
}

/** The folder that names of outputs are relative to: of a pattern its folders without a sign of a pattern, of a folder itself. */
async function fixedPart(pattern: string, from: string, paths: readonly string[]): Promise<string> {
  const whole = resolve(from, pattern);
  if (paths.length === 1 && paths[0] === whole) return dirname(whole);
  const found = await stat(whole).catch(() => undefined);
  if (found?.isDirectory()) return whole;
  const segments = pattern.split('/');
  const first = segments.findIndex((segment) => /[*?[{]/.test(segment));
  const fixed = segments.slice(0, Math.max(first, 0)).join('/');
  return resolve(from, fixed === '' && pattern.startsWith('/') ? '/' : fixed);
}

/** @throws FormatError `duplicate-name` for two inputs of one output. */
async function requireDistinct(outputs: ReadonlyMap<string, string>, out: string): Promise<void> {
  const folds = await foldsCase(out);
  const owners = new Map<string, string>();
  for (const [input, output] of outputs) {
    const name = folds ? output.toLowerCase() : output;
    const other = owners.get(name);
    if (other !== undefined) {
      throw new FormatError('duplicate-name', `and ${other} have one output, ${output}.`, {
        path: input,
        remedy: 'Give patterns that match one of them, and the others another --out.',
      });
    }
    if (name.startsWith(`${BATCH_FOLDER}/`)) {
      throw new FormatError(
        'duplicate-name',
        `has the output ${output}, in the folder of the batch itself.`,
        {
          path: input,
          remedy: `Rename the folder '${BATCH_FOLDER}' of inputs.`,
        },
      );
    }
    owners.set(name, input);
  }
}

async function jobOf(
  { input, output }: InputFile,
  previous: BatchJob | undefined,
  key: string,
  verify: boolean,
): Promise<BatchJob> {
  const found = await stat(input).catch(() => undefined);
  // One that cannot be read fails as a job, and is looked at again each time.
  if (found === undefined)
    return { id: jobId(key, 'unreadable', output), input, output, bytes: -1, modified: 0 };
  const { size: bytes, mtimeMs: modified } = found;
  const isAsBefore =
    previous?.bytes === bytes && previous.modified === modified && previous.output === output;
  if (isAsBefore && !verify) return previous;
  const hash = await fileHash(input).catch(() => undefined);
  if (hash === undefined) return { id: jobId(key, 'unreadable', output), input, output, bytes: -1, modified };
  return { id: jobId(key, hash, output), input, output, bytes, modified };
}

/** Does each of n things, some at a time. */
async function inLanes(n: number, one: (k: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < n) await one(next++);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, n) }, lane));
}

/** Writes a file of lines beside its old one, and renames it over that when it is whole. @throws FormatError `cannot-write`. */
export async function writeLines(
  path: string,
  first: string,
  chunks: () => AsyncGenerator<string>,
): Promise<void> {
  const temporary = join(dirname(path), `.poise-${randomBytes(6).toString('hex')}.tmp`);
  const guarded = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (cause) {
      await unlink(temporary).catch(() => undefined);
      throw cannotWrite(path, cause);
    }
  };
  await guarded(mkdir(dirname(path), { recursive: true }));
  const file = await guarded(open(temporary, 'wx'));
  try {
    if (first !== '') await guarded(file.write(first));
    for await (const chunk of chunks()) await guarded(file.write(chunk));
    await guarded(file.sync());
  } finally {
    await file.close();
  }
  await guarded(rename(temporary, path));
}

/** A sentence on what differs. */
export function changesText({ added, changed, removed }: ManifestChanges, noun: string): string {
  const parts = [
    added > 0 ? `${added} new` : '',
    changed > 0 ? `${changed} changed` : '',
    removed > 0 ? `${removed} gone` : '',
  ].filter((part) => part !== '');
  return parts.length === 0
    ? `the same ${noun}s as before`
    : `${parts.join(', ')} ${count(added + changed + removed, noun).replace(/^\d+ /, '')} since the last run`;
}
