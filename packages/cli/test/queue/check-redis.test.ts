/** A Redis that cannot or must not be used is refused with what to type; passwords are in no message. */
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { selfSigned } from '@poise/test-support/certificate';
import { describeWithRedis, freePort, type PrivateRedis, startRedis } from '@poise/test-support/redis';
import type { FormatError } from 'poise';
import { afterEach, expect, test } from 'vitest';
import { readQueueAddress } from '../../src/queue/address.js';
import { checkRedis, type RedisState } from '../../src/queue/check-redis.js';
import { loadClients } from '../../src/queue/clients.js';
import { temporaryFolder } from '../support/command.js';

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
    const { url } = await redis('--appendonly', 'no');
    const { warnings } = await check(url);
    expect(warnings).toEqual([expect.stringContaining('CONFIG SET appendonly yes')]);
  });

  test('that evicts is refused', async () => {
    const { url } = await redis('--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru');
    expect(await refused(url)).toMatch(
      /^unsupported redis:.*allkeys-lru.*CONFIG SET maxmemory-policy noeviction/,
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
    expect(await refused(address.replace('rediss', 'redis'))).toMatch(/^unreachable/);
  });
});

test('a port where nothing listens, and a server that is none, are refused', async () => {
  expect(await refused(`redis://:${SECRET}@127.0.0.1:${await freePort()}`)).toMatch(
    /^unreachable redis:.*nothing listens there.*redis-cli PING/,
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
