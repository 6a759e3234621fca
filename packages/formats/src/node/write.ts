/** Writes files atomically. */
import { randomBytes } from 'node:crypto';
import { access, constants, open, realpath, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FormatError } from 'poise';
import { reasonOf } from './reason.js';

/**
 * Writes a file atomically: to a temporary file in the same folder, flushed to disk, then renamed over the target. On failure
 * the temporary file is removed. A symbolic link is followed; the permissions of a replaced file are kept, and a read-only file is not replaced.
 * @throws FormatError `cannot-write`, with the system's reason.
 */
export async function writeFileSafely(path: string, bytes: Uint8Array): Promise<void> {
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
