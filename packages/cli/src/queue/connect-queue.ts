/** A queue that the options of a command name, looked at before it is used. */
import { setTimeout as wait } from 'node:timers/promises';
import { type Io, warn } from '../io/io.js';
import { type QueueAddress, type QueueOptions, readQueueAddress } from './address.js';
import { checkRedis, type RedisState } from './check-redis.js';
import { type Clients, loadClients } from './clients.js';
import { isAway } from './refusals.js';

export interface ConnectedQueue {
  readonly address: QueueAddress;
  readonly clients: Clients;
  /** Of Redis. */
  readonly version: string;
}

/** Time between attempts to reach a Redis that is not there yet, ms. */
const RETRY = 1000;

/** How long a Redis that is not there yet is waited for. */
export interface WaitLimit {
  readonly seconds: number;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** @throws FormatError as {@link readQueueAddress}, {@link loadClients} and {@link checkRedis}. */
export async function connectQueue(
  options: QueueOptions,
  io: Io,
  limit?: WaitLimit,
): Promise<ConnectedQueue> {
  const address = await readQueueAddress(options, io.env ?? {});
  const clients = await loadClients();
  const { version, warnings } = await waitForRedis(address, clients, io, limit);
  warn(io, warnings);
  return { address, clients, version };
}

async function waitForRedis(
  address: QueueAddress,
  clients: Clients,
  io: Io,
  { seconds = 0, signal }: Partial<WaitLimit> = {},
): Promise<RedisState> {
  const end = performance.now() + 1000 * seconds;
  for (let said = false; ; said = true) {
    try {
      return await checkRedis(address, clients);
    } catch (error) {
      if (!isAway(error) || performance.now() + RETRY > end || signal?.aborted) throw error;
      if (!said) warn(io, [`${error.path}: ${error.what} Waits for it, ${seconds} s at most.`]);
    }
    await wait(RETRY, undefined, { signal }).catch(() => {});
  }
}
