/** Files within folders and archives: a glTF comes with those that it names. */
import { endingOf } from '../character/files.js';

/** Most that an archive may hold, unpacked, bytes: what a stranger packed may say more than a page can hold. */
const MOST = 2 ** 29;
const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const [STORED, DEFLATED] = [0, 8];
/** Bit of an entry that nobody can read without a password. */
const LOCKED = 1;

/**
 * The files of folders that were dropped, in place of these, named by their paths.
 *
 * @param folder - What it is in, with a slash at its end.
 */
export async function filesWithin(entry: FileSystemEntry, folder = ''): Promise<File[]> {
  if (isHidden(entry.name)) return [];
  const path = folder + entry.name;
  if (!entry.isDirectory) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    return [folder === '' ? file : new File([file], path)];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: File[] = [];
  // It gives some at a time, and none at its end.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return found;
    for (const each of some) found.push(...(await filesWithin(each, `${path}/`)));
  }
}

/** The files with those of ZIP archives in place of these, named by their paths in them. @throws Error for one that cannot be read, with its name. */
export async function unpacked(files: readonly File[]): Promise<File[]> {
  const found: File[] = [];
  for (const file of files) found.push(...(endingOf(file.name) === 'zip' ? await filesOfZip(file) : [file]));
  return found;
}

async function filesOfZip(file: File): Promise<File[]> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const view = new DataView(bytes.buffer);
  const damaged = (): never => {
    throw new Error(`${file.name} is no ZIP archive that can be read: pack it again.`);
  };
  const has = (offset: number, size: number, mark: number) =>
    offset + size <= bytes.length && view.getUint32(offset, true) === mark;
  let end = bytes.length - 22;
  // A comment of up to 65,535 bytes may follow it.
  while (end >= Math.max(0, bytes.length - 22 - 0xffff) && !has(end, 22, END)) end--;
  if (!has(Math.max(0, end), 22, END)) damaged();
  const count = view.getUint16(end + 10, true);
  let o = view.getUint32(end + 16, true);
  let left = MOST;
  const found: File[] = [];
  for (let k = 0; k < count; k++) {
    if (!has(o, 46, CENTRAL)) damaged();
    const [flags, method] = [8, 10].map((at) => view.getUint16(o + at, true));
    const [packed, size] = [20, 24].map((at) => view.getUint32(o + at, true));
    const [nameSize, extra, comment] = [28, 30, 32].map((at) => view.getUint16(o + at, true));
    const start = view.getUint32(o + 42, true);
    const path = new TextDecoder().decode(bytes.subarray(o + 46, o + 46 + nameSize));
    o += 46 + nameSize + extra + comment;
    if (path.endsWith('/') || path.split('/').some(isHidden)) continue;
    left -= size;
    if (left < 0) throw new Error(`${file.name} unpacks to more than ${MOST / 2 ** 20} MB: drop its files.`);
    if ((flags & LOCKED) !== 0 || (method !== STORED && method !== DEFLATED))
      throw new Error(
        `${file.name}: ${path} is locked or packed in a way that is not read: unpack it first.`,
      );
    if (!has(start, 30, LOCAL)) damaged();
    const from = start + 30 + view.getUint16(start + 26, true) + view.getUint16(start + 28, true);
    if (from + packed > bytes.length) damaged();
    const content = bytes.slice(from, from + packed);
    const data = method === STORED ? content : await inflated(content, size).catch(damaged);
    if (data.length !== size) damaged();
    found.push(new File([data], path));
  }
  return found;
}

/** What was packed, of the size that is said: never more. */
async function inflated(packed: Uint8Array<ArrayBuffer>, size: number): Promise<Uint8Array<ArrayBuffer>> {
  const out = new Uint8Array(size);
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  for (let at = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return out.subarray(0, at);
    if (at + value.length > size) {
      await reader.cancel();
      throw new Error('more than it says');
    }
    out.set(value, at);
    at += value.length;
  }
}

/** What systems put beside the files of a folder. */
export function isHidden(name: string): boolean {
  return name.startsWith('.') || name === '__MACOSX';
}
