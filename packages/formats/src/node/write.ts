/** Writes files atomically. */
import { randomBytes } from 'node:crypto';
import { access, constants, open, realpath, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FormatError } from 'poise';
import { type FieldsOf, requireFields, requireList, requireString } from 'poise/internal/checks';
import { reasonOf } from './reason.js';

/** Options of `writeFileSafely`. */
export interface WriteFileOptions {
  /** Files that the content was made from: none of them is written over, by whatever name. Default: none, and any file is replaced. */
  readonly inputs?: readonly string[];
}

const FIELDS: FieldsOf<WriteFileOptions> = { inputs: true };

/** What makes two paths the same file, device and inode; undefined where there is no file. */
export async function fileIdentity(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found && `${found.dev}:${found.ino}`;
}

/**
 * Writes a file atomically: to a temporary file in the same folder, flushed to disk, then renamed over the target. On failure
 * the temporary file is removed. A symbolic link is followed; the permissions of a replaced file are kept. A file that is there is replaced, unless it is read-only or one of `inputs`.
 * @throws FormatError `cannot-write`, with the system's reason.
 */
export async function writeFileSafely(
  path: string,
  bytes: Uint8Array,
  options: WriteFileOptions = {},
): Promise<void> {
  requireFields(options, FIELDS, 'options', FormatError);
  const { inputs = [] } = options;
  requireList(inputs, 'options.inputs', FormatError, 'Give a list of paths.');
  for (const [n, input] of inputs.entries()) requireString(input, `options.inputs[${n}]`, FormatError);
  await requireNoInput(path, inputs);
  let temporary: string | undefined;
  try {
    const target = await realpath(path).catch(() => path);
    const old = await stat(target).catch(() => undefined);
    if (old && !old.isFile()) throw Object.assign(new Error('not a plain file'), { code: 'EISDIR' });
    // Renaming over a file asks only for the permissions of its folder, and a superuser has all of them.
    if (old && (old.mode & 0o222) === 0) {
      throw Object.assign(new Error('no permission to write'), { code: 'READ_ONLY' });
    }
    if (old) await access(target, constants.W_OK);
    // Short, whatever the length of the file's own name.
    const candidate = join(dirname(target), `.poise-${randomBytes(6).toString('hex')}.tmp`);
    const file = await open(candidate, 'wx', old ? old.mode & 0o777 : 0o666);
    temporary = candidate;
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, target);
  } catch (cause) {
    if (temporary) await unlink(temporary).catch(() => undefined);
    throw new FormatError('cannot-write', `cannot be written (${reasonOf(cause)}).`, {
      path,
      remedy: 'Check the folder and the permissions; the file was not changed.',
      cause,
    });
  }
}

async function requireNoInput(path: string, inputs: readonly string[]): Promise<void> {
  if (inputs.length === 0) return;
  const target = await fileIdentity(path);
  if (target === undefined) return;
  for (const input of inputs) {
    if ((await fileIdentity(input)) !== target) continue;
    throw new FormatError('cannot-write', 'is an input, which it would overwrite.', {
      path,
      remedy: 'Give the output another name.',
    });
  }
}
