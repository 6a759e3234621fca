/** Writing to disk, whole or not at all. */
import { randomBytes } from 'node:crypto';
import { open, realpath, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { FormatError } from 'poise';
import { reasonOf } from './reason.js';

/**
 * Writes a file so that it is either the old one or the new one, never a part: into a new file beside it, flushed to the
 * disk, then renamed over it. On failure nothing is left behind. A symbolic link is followed, the rights of a file that
 * is replaced are kept.
 * @throws FormatError `cannot-write`, with the system's reason.
 */
export async function writeFileSafely(path: string, bytes: Uint8Array): Promise<void> {
  let beside: string | undefined;
  try {
    const target = await realpath(path).catch(() => path);
    const old = await stat(target).catch(() => undefined);
    if (old && !old.isFile()) throw Object.assign(new Error('not a plain file'), { code: 'EISDIR' });
    const candidate = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.tmp`);
    const file = await open(candidate, 'wx', old ? old.mode & 0o777 : 0o666);
    beside = candidate;
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, target);
  } catch (cause) {
    if (beside) await unlink(beside).catch(() => undefined);
    throw new FormatError('cannot-write', `cannot be written (${reasonOf(cause)}).`, {
      path,
      remedy: 'Check the folder and the rights; the file was not touched.',
      cause,
    });
  }
}
