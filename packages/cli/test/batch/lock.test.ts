/** Two processes at one folder: the lock of a live one is kept, that of a dead one is taken over. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { takeLock } from '../../src/batch/lock.js';
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
  expect(lock.others).toBe(false);
  await expect(takeLock(out, { index: 0, count: 2 })).rejects.toMatchObject({ code: 'cannot-write' });
  const other = await takeLock(out, { index: 1, count: 2 });
  expect(other.others).toBe(true);
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

const isLinux = process.platform === 'linux';

test.skipIf(!isLinux)(
  `a process of the same number that began at another time is another${isLinux ? '' : ' (skipped: the system does not say when a process began)'}`,
  async () => {
    const { out } = locked('later', { host: await ownHost(), pid: process.pid, began: '1' });
    await (await takeLock(out, whole)).release();
  },
);

test('the lock of another host is kept while its heartbeat is young, and one that is cut short too', async () => {
  const { out, path } = locked('host', {});
  await expect(takeLock(out, whole)).rejects.toMatchObject({ what: expect.stringContaining('on elsewhere') });
  writeFileSync(path, '{"host"');
  await expect(takeLock(out, whole)).rejects.toMatchObject({
    what: expect.stringContaining('another process'),
  });
  const old = Date.now() / 1000 - 61;
  utimesSync(path, old, old);
  await (await takeLock(out, whole)).release();
});
