/** Two processes at one folder: the lock of a live one is kept, that of a dead one is taken over. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { takeLock } from '../../src/batch/lock.js';
import { removeTemporaries } from '../../src/batch/run-batch.js';
import { temporaryFolder } from '../support/command.js';

const folder = temporaryFolder();
const whole = { index: 0, count: 1 };

/** A folder with the lock of another process. */
function locked(name: string, owner: object): { out: string; path: string } {
  const out = join(folder, name);
  mkdirSync(join(out, 'batch'), { recursive: true });
  const path = join(out, 'batch/lock-0-of-1');
  writeFileSync(path, JSON.stringify({ host: 'elsewhere', pid: 1, began: '1', token: 'theirs', ...owner }));
  return { out, path };
}

const ownHost = async (): Promise<string> => {
  const out = join(folder, 'own');
  const lock = await takeLock(out, whole);
  const { host } = JSON.parse(readFileSync(join(out, 'batch/lock-0-of-1'), 'utf8')) as { host: string };
  await lock.release();
  expect(readdirSync(join(out, 'batch'))).toEqual([]);
  return host;
};

test('a lock is of one process; parts have their own, and exclude the whole', async () => {
  const out = join(folder, 'parts');
  const lock = await takeLock(out, { index: 0, count: 2 });
  await expect(takeLock(out, { index: 0, count: 2 })).rejects.toMatchObject({ code: 'cannot-write' });
  const other = await takeLock(out, { index: 1, count: 2 });
  await expect(takeLock(out, whole)).rejects.toMatchObject({
    code: 'cannot-write',
    what: `is held by process ${process.pid} on ${(await ownHost()).split(' ')[0]}, which works at these jobs.`,
  });
  await other.release();
  await lock.release();
  await (await takeLock(out, whole)).release();
  expect(readdirSync(join(out, 'batch'))).toEqual([]);
});

test('the lock of a process that is gone is taken over', async () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  const { out, path } = locked('gone', { host: await ownHost(), pid });
  const lock = await takeLock(out, whole);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ pid: process.pid });
  await lock.release();
  expect(readdirSync(join(out, 'batch'))).toEqual([]);
});

describe('a heartbeat', () => {
  const often = { beat: 1, dead: 20_000 };
  const beats = () => new Promise((resolve) => setTimeout(resolve, 50));

  test('that is on its way as the lock is released does not bring it back', async () => {
    const out = join(folder, 'released');
    for (let k = 0; k < 20; k++) {
      const lock = await takeLock(out, whole, () => {}, often);
      await new Promise((resolve) => setTimeout(resolve, 2));
      await lock.release();
    }
    await beats();
    expect(readdirSync(join(out, 'batch'))).toEqual([]);
  });

  test('of a process that slept leaves the lock of the one that took it over', async () => {
    const out = join(folder, 'slept');
    const lock = await takeLock(out, whole, () => {}, often);
    const { path } = locked('slept', {});
    await beats();
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ token: 'theirs' });
    await lock.release();
    expect(existsSync(path)).toBe(true);
  });
});

const isLinux = process.platform === 'linux';

test.skipIf(!isLinux)(
  `a process of the same number that began at another time is another${isLinux ? '' : ' (skipped: the system does not say when a process began)'}`,
  async () => {
    const { out } = locked('later', { host: await ownHost(), pid: process.pid, began: '1' });
    await (await takeLock(out, whole)).release();
  },
);

describe('the lock of another host', () => {
  /** Beats, as a process that lives. */
  const beating = async (path: string, work: () => Promise<unknown>): Promise<void> => {
    const beat = setInterval(() => utimesSync(path, new Date(), new Date()), 20);
    await work().finally(() => clearInterval(beat));
  };
  const times = { beat: 50, dead: 20_000 };

  test('is kept while it beats, and one that is cut short too', async () => {
    const { out, path } = locked('host', {});
    const said: string[] = [];
    await beating(path, async () => {
      const taking = takeLock(out, whole, (text) => said.push(text), times);
      await expect(taking).rejects.toMatchObject({ what: expect.stringContaining('on elsewhere') });
    });
    expect(said).toEqual([expect.stringMatching(/lock-0-of-1: is held by process 1 on elsewhere; waits/)]);
    writeFileSync(path, '{"host"');
    await beating(path, async () => {
      const taking = takeLock(out, whole, () => {}, times);
      await expect(taking).rejects.toMatchObject({ what: expect.stringContaining('another process') });
    });
  });

  test('is taken over when its heartbeat is old, by who waits for that too', async () => {
    const { out, path } = locked('silent', {});
    const old = Date.now() / 1000 - 61;
    utimesSync(path, old, old);
    await (await takeLock(out, whole)).release();
    locked('silent', {});
    await (await takeLock(out, whole, () => {}, { beat: 100, dead: 300 })).release();
  });
});

describe('files that a killed process was writing', () => {
  const name = '.poise-0123456789ab.tmp';
  /** @param journal - Its name. */
  const written = (at: string, journal: string): { out: string; path: string } => {
    const out = join(folder, at);
    mkdirSync(join(out, 'batch/journal'), { recursive: true });
    writeFileSync(join(out, 'batch/journal', journal), '');
    writeFileSync(join(out, name), '');
    return { out, path: join(out, name) };
  };

  test('are removed at once where no other process may be at work', async () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    const { out, path } = written('alone', `${hostname()}-${pid}-01234567.jsonl`);
    await removeTemporaries(out, [out]);
    expect(existsSync(path)).toBe(false);
  });

  test('are kept for a minute where a worker may be at work', async () => {
    const { out, path } = written('shared', 'elsewhere-1-01234567.jsonl');
    await removeTemporaries(out, [out]);
    expect(existsSync(path)).toBe(true);
    const old = Date.now() / 1000 - 61;
    utimesSync(path, old, old);
    await removeTemporaries(out, [out]);
    expect(existsSync(path)).toBe(false);
  });
});
