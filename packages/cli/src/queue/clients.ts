/** BullMQ and its client of Redis, which are installed by those who use a queue. */
import type * as Bullmq from 'bullmq';
import type * as Ioredis from 'ioredis';
import { FormatError } from 'poise';
import type { QueueAddress } from './address.js';

/** First part of all keys in Redis. */
export const KEY_PREFIX = 'poise';
/** Longest time between attempts to reach a Redis that is gone, ms. */
export const RECONNECT = 2000;
/** Longest time that a connection may take to be made, ms. */
export const CONNECT_TIMEOUT = 5000;

export interface Clients {
  readonly bullmq: typeof Bullmq;
  readonly ioredis: typeof Ioredis;
}

/** @throws FormatError `missing-resource` where they are not installed. */
export async function loadClients(): Promise<Clients> {
  try {
    const [bullmq, ioredis] = await Promise.all([import('bullmq'), import('ioredis')]);
    return { bullmq, ioredis };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new FormatError(
      'missing-resource',
      'needs the packages bullmq and ioredis, which are not installed.',
      {
        path: '--queue',
        remedy: 'Run: npm install bullmq ioredis',
        cause,
      },
    );
  }
}

/** Options of a connection that is made again for as long as it takes. */
export function connectionOptions({ host, port, username, password, tls }: QueueAddress) {
  return {
    host,
    port,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    // A certificate is chosen by the name of a host; an IP address is no name.
    ...(tls && { tls: { ...tls, ...(!/^[\d.]+$|:/.test(host) && { servername: host }) } }),
    connectTimeout: CONNECT_TIMEOUT,
    maxRetriesPerRequest: null,
    retryStrategy: (times: number) => Math.min(100 * 2 ** Math.min(times, 10), RECONNECT),
  };
}
