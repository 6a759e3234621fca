/**
 * Who works at a part of a batch: a file with host, process and heartbeat. A lock whose process is gone is taken over: on the same host that is seen by the
 * process, on another by a heartbeat that is old by the clock of the file system, since clocks of machines disagree.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { FormatError } from 'poise';
import { cannotWrite, journalFolder, journalHost } from './journal.js';
import { BATCH_FOLDER } from './manifest.js';

/** Part `index` (from 0) of `count`. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

export interface Lock {
  release(): Promise<void>;
}

interface Owner {
  /** Where process numbers are those of `pid`: the host, and on Linux its name space of processes. */
  readonly host: string;
  readonly pid: number;
  /** When the process began, in the system's words: its number may be of a later process. */
  readonly began: string;
  readonly token: string;
}

/** A heartbeat every so many ms, and how old that of a dead process is. */
export interface LockTimes {
  readonly beat: number;
  readonly dead: number;
}

const TIMES: LockTimes = { beat: 10_000, dead: 60_000 };
/** Looks at the heartbeat of another host, in each span between two beats. */
const LOOKS = 10;
/** Times that a lock is tried, each after a dead one was removed. */
const TRIES = 3;
const LOCK = /^lock-(\d+)-of-(\d+)$/;

/**
 * Waits for the lock of another host until it beats, or is dead.
 *
 * @param onWait - Told of that once, in a sentence.
 * @throws FormatError `cannot-write` where another process works at the same jobs, or the folder refuses.
 */
export async function takeLock(
  out: string,
  { index, count }: Shard,
  onWait: (text: string) => void = () => {},
  times: LockTimes = TIMES,
): Promise<Lock> {
  const folder = join(out, BATCH_FOLDER);
  const name = `lock-${index}-of-${count}`;
  const path = join(folder, name);
  const me: Owner = {
    host: thisHost(),
    pid: process.pid,
    began: beganOf(process.pid),
    token: randomBytes(8).toString('hex'),
  };
  try {
    await mkdir(folder, { recursive: true });
    await take(path, me, onWait, times);
    const others = (await liveLocks(folder, times)).filter((each) => each !== name);
    const overlap = others.find((each) => LOCK.exec(each)?.[2] !== String(count));
    if (overlap !== undefined) {
      await unlink(path);
      throw taken(join(folder, overlap), await ownerOf(join(folder, overlap)));
    }
    const beat = setInterval(() => {
      beatOnce(path, me).catch(() => undefined);
    }, times.beat);
    beat.unref();
    return {
      async release() {
        clearInterval(beat);
        if ((await ownerOf(path))?.token === me.token) await unlink(path).catch(() => undefined);
      },
    };
  } catch (error) {
    throw error instanceof FormatError ? error : cannotWrite(folder, error);
  }
}

/**
 * Writes a lock anew where it is that of its owner: by one handle, so that a file that was removed meanwhile does not come back, and one by which another process took its place
 * is not written to.
 */
async function beatOnce(path: string, me: Owner): Promise<void> {
  const file = await open(path, 'r+');
  try {
    const text = await file.readFile('utf8');
    if ((JSON.parse(text) as Owner).token === me.token) await file.write(text, 0);
  } finally {
    await file.close();
  }
}

async function take(
  path: string,
  me: Owner,
  onWait: (text: string) => void,
  times: LockTimes,
): Promise<void> {
  for (let k = 0; k < TRIES; k++) {
    if (await makeFile(path, JSON.stringify(me))) return;
    const seen = await ownerOf(path);
    if (!(await isDead(path, seen, times)) && !(await falls(path, seen, onWait, times)))
      throw taken(path, seen);
    // Of several that see a dead lock one moves it away; who moves the lock of another puts it back.
    const grave = `${path}.${me.token}`;
    await rename(path, grave).catch(() => undefined);
    const moved = await ownerOf(grave);
    if (moved !== undefined && moved.token !== seen?.token) {
      await rename(grave, path);
      throw taken(path, moved);
    }
    await unlink(grave).catch(() => undefined);
  }
  throw taken(path, await ownerOf(path));
}

/** Makes a file; on a full disk none. @returns false where there is one already. */
async function makeFile(path: string, text: string): Promise<boolean> {
  const file = await open(path, 'wx').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    return undefined;
  });
  try {
    await file?.writeFile(text);
  } catch (error) {
    await unlink(path).catch(() => undefined);
    throw error;
  } finally {
    await file?.close();
  }
  return file !== undefined;
}

/** Whether the lock of a process of another host, which may have died a moment ago, stays without a heartbeat until it counts as dead. */
async function falls(
  path: string,
  owner: Owner | undefined,
  onWait: (text: string) => void,
  times: LockTimes,
): Promise<boolean> {
  if (owner?.host === thisHost()) return false;
  onWait(
    `${path}: is held by ${ownerText(owner)}; waits for its heartbeat, ${(times.dead + times.beat) / 1000} s at most.`,
  );
  const beatAt = async () => (await stat(path).catch(() => undefined))?.mtimeMs;
  const first = await beatAt();
  const end = performance.now() + times.dead + times.beat;
  while (performance.now() < end) {
    await wait(times.beat / LOOKS);
    if (await isDead(path, await ownerOf(path), times)) return true;
    if ((await beatAt()) !== first) return false;
  }
  return false;
}

function ownerText(owner: Owner | undefined): string {
  return owner === undefined ? 'another process' : `process ${owner.pid} on ${owner.host.split(' ')[0]}`;
}

function taken(path: string, owner: Owner | undefined): FormatError {
  return new FormatError('cannot-write', `is held by ${ownerText(owner)}, which works at these jobs.`, {
    path,
    remedy: "Wait for its end, or end it: 'poise batch cancel DIR' does.",
  });
}

/** The names of the locks of live processes. */
export async function liveLocks(folder: string, times = TIMES): Promise<string[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => LOCK.test(name));
  const live: string[] = [];
  for (const name of names) {
    const path = join(folder, name);
    if (!(await isDead(path, await ownerOf(path), times))) live.push(name);
  }
  return live;
}

async function ownerOf(path: string): Promise<Owner | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Owner;
  } catch {
    return undefined;
  }
}

async function isDead(path: string, owner: Owner | undefined, { dead }: LockTimes): Promise<boolean> {
  if (owner?.host === thisHost()) {
    return !isAlive(owner.pid) || beganOf(owner.pid) !== owner.began;
  }
  const found = await stat(path).catch(() => undefined);
  return found === undefined || (await clockOf(path)) - found.mtimeMs > dead;
}

/** Whether a journal is of another process that may be alive: one of this host, or any of another host. */
export async function areOthersAtWork(out: string): Promise<boolean> {
  const names = await readdir(journalFolder(out)).catch(() => []);
  return names.some((name) => {
    const [, host, number] = /^(.*)-(\d+)-[0-9a-f]{8}\.jsonl$/.exec(name) ?? [];
    const pid = Number(number);
    return host !== journalHost() || (pid !== process.pid && isAlive(pid));
  });
}

/** The time of the file system that a path is on, ms. */
export async function clockOf(path: string): Promise<number> {
  const probe = `${path}.${randomBytes(4).toString('hex')}`;
  try {
    await writeFile(probe, '', { flag: 'wx' });
    return (await stat(probe)).mtimeMs;
  } finally {
    await unlink(probe).catch(() => undefined);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function thisHost(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

/** Clock ticks between the start of the system and that of a process; empty where the system does not say. */
function beganOf(pid: number): string {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in parentheses, may have spaces; the start is the 20th field after it.
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return '';
  }
}
