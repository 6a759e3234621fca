/** A Redis that cannot or must not be used is refused with what to type; passwords are in no message. */
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { selfSigned } from '@poise/test-support/certificate';
import { describeWithRedis, freePort, type PrivateRedis, startRedis } from '@poise/test-support/redis';
import type { FormatError } from 'poise';
import { afterEach, describe, expect, test } from 'vitest';
import { readQueueAddress } from '../../src/queue/address.js';
import { checkRedis, type RedisState } from '../../src/queue/check-redis.js';
import { loadClients } from '../../src/queue/clients.js';
import { connectQueue } from '../../src/queue/connect-queue.js';
import { refusalOf, unreachable } from '../../src/queue/refusals.js';
import { temporaryFolder } from '../support/command.js';
import { until } from './support.js';

const folder = temporaryFolder();
const clients = await loadClients();
const SECRET = 'hunter2-hunter2';
const servers: PrivateRedis[] = [];

async function redis(...settings: string[]): Promise<PrivateRedis> {
  const server = await startRedis(settings);
  servers.push(server);
  return server;
}

async function check(url: string, queueCa?: string): Promise<RedisState> {
  return checkRedis(await readQueueAddress({ ...(queueCa && { queueCa }) }, { POISE_QUEUE: url }), clients);
}

async function refused(url: string, queueCa?: string): Promise<string> {
  const error: FormatError = await check(url, queueCa).then(
    () => Promise.reject(new Error('was not refused')),
    (caught) => caught,
  );
  // All that a program could print of it.
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(SECRET);
  return `${error.code} ${error.message}`;
}

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

describeWithRedis('a Redis', () => {
  test('that is append-only and does not evict is taken', async () => {
    const { url } = await redis();
    const state = await check(url);
    expect(state).toMatchObject({ warnings: [] });
    expect(Math.abs(state.timeOffset)).toBeLessThan(1);
  });

  test('that keeps nothing on disk is taken with a warning', async () => {
    const { url, port } = await redis('--appendonly', 'no');
    const { warnings } = await check(url);
    expect(warnings).toEqual([expect.stringContaining(`'redis-cli -p ${port} CONFIG SET appendonly yes'`)]);
  });

  test('that evicts is refused', async () => {
    const { url } = await redis('--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru');
    expect(await refused(url)).toMatch(
      /^unsupported redis:.*allkeys-lru.*redis-cli -p \d+ CONFIG SET maxmemory-policy noeviction/,
    );
  });

  test('with a password is refused without it and with another one, and taken with it', async () => {
    const { url, port } = await redis('--requirepass', 'right-one');
    expect(await refused(url)).toMatch(/^access-denied redis:.*asks for a password.*POISE_QUEUE/);
    expect(await refused(`redis://:${SECRET}@127.0.0.1:${port}`)).toMatch(
      /^access-denied redis:.*does not take this user and password/,
    );
    expect(await refused(`redis://nobody:${SECRET}@127.0.0.1:${port}`)).toMatch(
      /^access-denied redis:\/\/nobody@/,
    );
    expect(await check(`redis://:right-one@127.0.0.1:${port}`)).toMatchObject({ warnings: [] });
  });

  test('that is a replica is refused', async () => {
    const { url } = await redis('--replicaof', '127.0.0.1', String(await freePort()));
    expect(await refused(url)).toMatch(/^unsupported .*is a replica.*Give its master/);
  });

  test('with TLS is taken with the certificate of its authority, and refused without', async () => {
    const { key, certificate } = selfSigned();
    const [keyFile, file] = ['tls.key', 'tls.pem'].map((name) => join(folder, name));
    writeFileSync(keyFile, key);
    writeFileSync(file, certificate);
    const tls = ['--tls-key-file', keyFile, '--tls-cert-file', file, '--tls-ca-cert-file', file];
    const { url } = await redis(...tls, '--tls-auth-clients', 'no', '--requirepass', SECRET);
    const address = url.replace('//', `//:${SECRET}@`);
    expect(await check(address, file)).toMatchObject({ warnings: [] });
    expect(await refused(address)).toMatch(/^unreachable rediss:.*not trusted.*--queue-ca/);
    expect(await refused(address.replace('rediss', 'redis'))).toMatch(/^unreachable.*a port of TLS: rediss:/);
  });
});

describeWithRedis('a Redis that is not there yet', () => {
  test('is waited for, and said once', async () => {
    const server = await redis();
    await server.end();
    let err = '';
    const say = (text: string) => {
      err += text;
    };
    const limit = { seconds: 600, signal: new AbortController().signal };
    const connecting = connectQueue({ queue: server.url }, { out: say, err: say, color: false }, limit);
    await until(() => err !== '');
    await server.start();
    expect(await connecting).toMatchObject({ address: { port: server.port } });
    expect(err).toMatch(
      /^warning: redis:\S+: cannot be reached \(nothing listens there\)\. Waits for it, 600 s at most\.\n$/,
    );
  });

  test('is waited for no longer than until a signal', async () => {
    const ending = new AbortController();
    const limit = { seconds: 600, signal: ending.signal };
    const io = { out: () => {}, err: () => ending.abort(), color: false };
    const connecting = connectQueue({ queue: `redis://127.0.0.1:${await freePort()}` }, io, limit);
    await expect(connecting).rejects.toMatchObject({ code: 'unreachable' });
  });
});

test('a port where nothing listens, and a server that is none, are refused', async () => {
  expect(await refused(`redis://:${SECRET}@127.0.0.1:${await freePort()}`)).toMatch(
    /^unreachable redis:.*nothing listens there.*redis-cli -p \d+ --askpass PING\.$/,
  );
  const web = await new Promise<Server>((resolve) => {
    const server = createServer((socket) => {
      socket.on('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
      socket.on('error', () => {});
    });
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
  const { port } = web.address() as { port: number };
  expect(await refused(`redis://:${SECRET}@127.0.0.1:${port}`)).toMatch(
    /^unreachable redis:.*Check the port/,
  );
  web.close();
});

describe('what Redis says no with', async () => {
  const plain = await readQueueAddress({ queue: 'redis://10.0.0.5' }, {});
  const tls = await readQueueAddress({}, { POISE_QUEUE: `rediss://robot:${SECRET}@localhost:6380` });
  test.each([
    [
      "OOM command not allowed when used memory > 'maxmemory'. script: 1",
      /^cannot-write .*is full.*'redis-cli -h 10\.0\.0\.5 CONFIG SET maxmemory/,
    ],
    [
      'MISCONF Redis is configured to save RDB snapshots, but',
      /^cannot-write .*cannot write to its own disk/,
    ],
    [
      "READONLY You can't write against a read only replica. script: 1",
      /^cannot-write .*is a replica by now/,
    ],
    [
      "NOPERM this user has no permissions to run the 'evalsha' command",
      /^access-denied .*does not let this user run EVALSHA\..*who may: redis-cli -h 10\.0\.0\.5 ACL/,
    ],
    [
      'NOPERM this user has no permissions to access one of the keys used as arguments',
      /^access-denied .*does not let this user use the keys/,
    ],
    [
      'NOAUTH HELLO must be called with the client already authenticated',
      /^access-denied .*asks for a password/,
    ],
  ])('%s', (message, expected) => {
    const error = refusalOf(new Error(message), plain);
    expect(`${error?.code} ${error?.message}`).toMatch(expected);
  });

  test('is another matter where it is no refusal', () => {
    expect(refusalOf(new Error('ERR syntax error'), plain)).toBe(undefined);
  });

  test('names the Redis that is asked, and TLS where a port without it does not answer', () => {
    const error = unreachable(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' }), tls);
    expect(error.message).toMatch(
      /redis-cli -p 6380 --tls --user robot --askpass PING\. It may be a port without TLS: redis:\/\/robot@localhost:6380\.$/,
    );
  });
});
