/** Addresses of queues: where they are given, and that no message repeats a password. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FormatError } from 'poise';
import { describe, expect, test } from 'vitest';
import { readQueueAddress, withoutPassword } from '../../src/queue/address.js';
import { temporaryFolder } from '../support/command.js';

const folder = temporaryFolder();
const SECRET = 'hunter2-hunter2';

const refused = async (...given: Parameters<typeof readQueueAddress>): Promise<string> => {
  const error: FormatError = await readQueueAddress(...given).then(
    () => Promise.reject(new Error('was not refused')),
    (caught) => caught,
  );
  expect(JSON.stringify({ ...error, message: error.message, stack: error.stack })).not.toContain(SECRET);
  return `${error.code} ${error.message}`;
};

describe('the address of a queue', () => {
  test('is an option, the variable POISE_QUEUE, or the first line of a file', async () => {
    const url = `rediss://robot:${SECRET}@redis.example:6380`;
    const expected = {
      host: 'redis.example',
      port: 6380,
      username: 'robot',
      password: SECRET,
      tls: {},
      text: 'rediss://robot@redis.example:6380',
      name: 'poise',
    };
    expect(await readQueueAddress({ queue: true }, { POISE_QUEUE: url })).toEqual(expected);
    const queueFile = join(folder, 'queue');
    writeFileSync(queueFile, `${url}\n# of the cluster\n`);
    expect(await readQueueAddress({ queueFile }, {})).toEqual(expected);
    expect(await readQueueAddress({ queue: 'redis://[::1]', name: 'night' }, {})).toEqual({
      host: '::1',
      port: 6379,
      text: 'redis://[::1]:6379',
      name: 'night',
    });
  });

  test('on the command line has no password', async () => {
    expect(await refused({ queue: `redis://:${SECRET}@localhost` }, {})).toMatch(
      /^unsupported --queue redis:\/\/localhost:6379: has a password.*POISE_QUEUE/,
    );
  });

  test('that cannot be read is not repeated', async () => {
    for (const [text, what] of [
      [`http://x:${SECRET}@localhost`, 'begins with neither'],
      [`redis//x:${SECRET}@localhost`, 'begins with neither|is no address'],
      [`${SECRET}`, 'is no address'],
      [`redis://x:${SECRET}@localhost:99999`, 'is no address'],
      [`redis://x:${SECRET}%zz@localhost`, 'Write % as %25'],
      [`redis://x:${SECRET}@localhost/3`, 'names a database'],
      [`redis://x:${SECRET}@`, 'is no address|names no host'],
      [`redis://localhost?password=${SECRET}`, 'a part after the port'],
    ]) {
      expect(await refused({ queue: true }, { POISE_QUEUE: text })).toMatch(new RegExp(what));
    }
  });

  test('is asked for where nobody gave it; two of them, a bad name and a certificate without TLS are refused', async () => {
    expect(await refused({}, {})).toMatch(/^missing-resource --queue: has no address.*--queue-file/);
    expect(await refused({ queueFile: join(folder, 'none') }, {})).toMatch(/no such file/);
    expect(await refused({ queue: 'redis://a', queueFile: 'b' }, {})).toMatch('Give one of them');
    expect(await refused({ queue: 'redis://a', name: 'a:b' }, {})).toMatch('is no name of a queue');
    const queueCa = join(folder, 'ca.pem');
    writeFileSync(queueCa, 'PEM');
    expect(await refused({ queue: 'redis://a', queueCa }, {})).toMatch('without TLS');
    expect(await readQueueAddress({ queue: 'rediss://a', queueCa }, {})).toMatchObject({
      tls: { ca: 'PEM' },
    });
  });

  test('is hidden in what others say', async () => {
    const address = await readQueueAddress({}, { POISE_QUEUE: 'redis://:p%40ss-word@a' });
    expect(address.password).toBe('p@ss-word');
    expect(withoutPassword('AUTH p@ss-word or p%40ss-word', address)).toBe('AUTH *** or ***');
  });
});
