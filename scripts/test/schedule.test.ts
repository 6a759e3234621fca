import { expect, test } from 'vitest';
import { schedule } from '../lib/schedule.mjs';

/** Runs tasks that take so many turns of the queue, and tells when each began and ended. */
async function trace(room: number, tasks: { name: string; turns?: number; after?: string[] }[]) {
  const log: string[] = [];
  await schedule(tasks, room, async ({ name, turns = 1 }) => {
    log.push(`+${name}`);
    for (let n = 0; n < turns; n++) await new Promise(setImmediate);
    log.push(`-${name}`);
  });
  return log.join(' ');
}

test('one at a time, in order', async () => {
  expect(await trace(1, [{ name: 'a', turns: 2 }, { name: 'b' }, { name: 'c' }])).toBe('+a -a +b -b +c -c');
});

test('as many at a time as there is room for', async () => {
  expect(await trace(2, [{ name: 'a', turns: 9 }, { name: 'b' }, { name: 'c' }])).toBe('+a +b -b +c -c -a');
});

test('none before those it comes after, and others meanwhile', async () => {
  const tasks = [{ name: 'a', turns: 9 }, { name: 'b', after: ['a', 'c'] }, { name: 'c' }];
  expect(await trace(2, tasks)).toBe('+a +c -c -a +b -b');
});

test('a task that is not there is no reason to wait', async () => {
  expect(await trace(2, [{ name: 'a', after: ['z'] }])).toBe('+a -a');
  expect(await trace(2, [])).toBe('');
});

test('fails where a task throws, and where tasks wait for each other', async () => {
  await expect(schedule([{ name: 'a' }], 1, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  const circle = [
    { name: 'a', after: ['b'] },
    { name: 'b', after: ['a'] },
  ];
  await expect(schedule(circle, 2, async () => {})).rejects.toThrow('a, b come after each other');
});
