/** Output files: checked before the work, written after it. */
import { access, constants, opendir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { fileIdentity, writeFileSafely } from '@poise/formats/node';
import { FormatError } from 'poise';
import { isStandardOutput, STANDARD } from './input.js';
import type { Io } from './io.js';
import { Interrupted } from './report-error.js';

/** An output of a command. */
export interface Output {
  /** The option that names it: `--output`. */
  readonly option: string;
  readonly path: string;
}

/** Longest name of a file on common systems, bytes. */
export const MAX_NAME = 255;

/**
 * Refuses outputs that would overwrite an input or each other (by any name: links, and upper and lower case where the file system does not tell
 * them apart), read-only files, folders that do not exist and names that are too long.
 *
 * @param inputs - Paths of files that the command reads; undefined for one that was not given.
 * @throws FormatError `cannot-write`.
 */
export async function checkOutputs(
  outputs: readonly Output[],
  inputs: readonly (string | undefined)[],
): Promise<void> {
  const owners = new Map<string, string>();
  for (const input of inputs) {
    const isFile = input !== undefined && input !== STANDARD;
    const identity = isFile ? await fileIdentity(input) : undefined;
    if (identity !== undefined) owners.set(identity, 'is an input of this command, which it would overwrite');
  }
  for (const { option, path } of outputs) {
    const location = `${option} ${path}`;
    if (isStandardOutput(path)) {
      claim(owners, STANDARD, location, `is already the output of ${option}`);
      continue;
    }
    await requireWritable(path, location);
    const identity = (await fileIdentity(path)) ?? (await newIdentity(path));
    claim(owners, identity, location, `is already the output of ${option}`);
  }
}

function claim(owners: Map<string, string>, identity: string, location: string, owned: string): void {
  const before = owners.get(identity);
  if (before !== undefined) refuse(location, `${before}.`, 'Give the output another name.');
  owners.set(identity, owned);
}

function refuse(path: string, what: string, remedy: string): never {
  throw new FormatError('cannot-write', what, { path, remedy });
}

/** Checks the folder, the length of the name and the permissions of a file that is there. */
async function requireWritable(path: string, location: string): Promise<void> {
  const folder = await stat(dirname(resolve(path))).catch(() => undefined);
  if (!folder?.isDirectory()) {
    refuse(location, 'is in a folder that does not exist.', 'Create the folder first.');
  }
  if (Buffer.byteLength(basename(path)) > MAX_NAME) {
    refuse(location, `has a name of more than ${MAX_NAME} bytes.`, 'Give a shorter name.');
  }
  const old = await stat(path).catch(() => undefined);
  if (old === undefined) return;
  if (!old.isFile()) refuse(location, 'is not a plain file.', 'Give the name of a file.');
  // A superuser may write everything: the permissions themselves count.
  const allowed = (old.mode & 0o222) !== 0 && (await access(path, constants.W_OK).then(...YES_OR_NO));
  if (!allowed) refuse(location, 'is a read-only file.', 'Give another name, or make the file writable.');
}

const YES_OR_NO = [() => true, () => false] as const;

/** Of a file that is not there yet: its folder and its name. */
async function newIdentity(path: string): Promise<string> {
  const folder = dirname(resolve(path));
  const name = basename(path).normalize('NFC');
  const folded = (await foldsCase(folder)) ? name.toLowerCase() : name;
  return `${await fileIdentity(folder)}/${folded}`;
}

/** Whether a folder takes upper and lower case for the same name, seen at an entry of it; an empty one is like its parent. */
export async function foldsCase(folder: string, depth = 0): Promise<boolean> {
  const entry = await entryWithCase(folder);
  if (entry === undefined) {
    const parent = dirname(folder);
    return parent !== folder && depth < 64 && foldsCase(parent, depth + 1);
  }
  const own = await fileIdentity(join(folder, entry));
  return own !== undefined && own === (await fileIdentity(join(folder, swapCase(entry))));
}

/** An entry of a folder whose name has a case: a folder of a million files is not read as a whole. */
async function entryWithCase(folder: string): Promise<string | undefined> {
  try {
    for await (const { name } of await opendir(folder)) if (swapCase(name) !== name) return name;
  } catch {
    // No folder, or none that may be read.
  }
  return undefined;
}

function swapCase(text: string): string {
  return text.replace(/\p{L}/gu, (letter) => {
    const upper = letter.toUpperCase();
    return upper === letter ? letter.toLowerCase() : upper;
  });
}

/** The checks of the one output of a command before its work. @throws FormatError `unsupported`, `cannot-write`. */
export async function checkOutput(
  options: OutputOptions,
  extensions: readonly string[],
  inputs: readonly (string | undefined)[],
): Promise<void> {
  const { output } = options;
  requireOutputName(options, extensions);
  if (output !== undefined) await checkOutputs([{ option: '--output', path: output }], inputs);
}

interface OutputOptions {
  readonly output?: string;
  readonly json?: boolean;
}

/** The checks of the one output that need no file system. @throws FormatError `unsupported`. */
export function requireOutputName({ output, json }: OutputOptions, extensions: readonly string[]): void {
  if (output === undefined) return;
  requireSingleStdout(output, json);
  requireExtension({ option: '--output', path: output }, extensions);
}

/** Both would stand on stdout. @throws FormatError `unsupported`. */
export function requireSingleStdout(output: string | undefined, asJson: boolean | undefined): void {
  if (output === undefined || !isStandardOutput(output) || !asJson) return;
  throw new FormatError('unsupported', 'cannot be combined with --json: both are for stdout.', {
    path: `--output ${output}`,
    remedy: 'Remove one of them, or give the output a name.',
  });
}

/** Where a readable report goes: to stderr if the output has stdout. */
export function reportIo(io: Io, output: string | undefined): Io {
  return output !== undefined && isStandardOutput(output)
    ? { ...io, out: (text) => io.err(String(text)) }
    : io;
}

/** Refuses an output of the wrong extension. @throws FormatError `unsupported`. */
export function requireExtension(output: Output, extensions: readonly string[]): void {
  if (output.path === STANDARD) return;
  const ending = extname(output.path).toLowerCase();
  if (extensions.includes(ending)) return;
  throw new FormatError(
    'unsupported',
    ending === '' ? 'has no file extension.' : `cannot be written as '${ending}'.`,
    { path: `${output.option} ${output.path}`, remedy: `Use one of ${extensions.join(', ')}.` },
  );
}

/** @param limit - Bytes at most; undefined for any number. @throws FormatError `over-budget` for files that are larger together. */
export function requireOutputSize(
  files: readonly (readonly [path: string, bytes: Uint8Array])[],
  limit: number | undefined,
): void {
  const bytes = files.reduce((sum, [, { length }]) => sum + length, 0);
  if (limit === undefined || bytes <= limit) return;
  throw new FormatError(
    'over-budget',
    `would be ${megabytes(bytes)} MB, and ${megabytes(limit)} MB are allowed.`,
    {
      path: `${OUTPUT_LIMIT} ${files[0][0]}`,
      remedy:
        "Give more with --output-limit to 'poise batch retry', or to the workers of a queue, or a shorter input.",
    },
  );
}

/** The option of the limit, with which the place of its error begins. */
export const OUTPUT_LIMIT = '--output-limit';

function megabytes(bytes: number): string {
  return String(Number((bytes / 1e6).toPrecision(3)));
}

/**
 * Writes files, each whole or not at all, and stdout last.
 *
 * @throws FormatError `cannot-write`; `over-budget`, see {@link requireOutputSize}. Interrupted before a file, on a second Ctrl-C.
 */
export async function writeOutputs(
  files: readonly (readonly [path: string, bytes: Uint8Array])[],
  io: Io,
): Promise<void> {
  requireOutputSize(files, io.outputLimit);
  try {
    io.writing?.(true);
    for (const [path, bytes] of files) {
      if ((io.interrupts?.() ?? 0) > 1) throw new Interrupted();
      if (!isStandardOutput(path)) await writeFileSafely(path, bytes);
    }
  } finally {
    io.writing?.(false);
  }
  for (const [path, bytes] of files) if (isStandardOutput(path)) io.out(bytes);
}
