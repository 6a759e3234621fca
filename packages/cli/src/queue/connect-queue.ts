/** A queue that the options of a command name, looked at before it is used. */
import { type Io, warn } from '../io/io.js';
import { type QueueAddress, type QueueOptions, readQueueAddress } from './address.js';
import { checkRedis } from './check-redis.js';
import { type Clients, loadClients } from './clients.js';

export interface ConnectedQueue {
  readonly address: QueueAddress;
  readonly clients: Clients;
  /** Of Redis. */
  readonly version: string;
}

/** @throws FormatError as {@link readQueueAddress}, {@link loadClients} and {@link checkRedis}. */
export async function connectQueue(options: QueueOptions, io: Io): Promise<ConnectedQueue> {
  const address = await readQueueAddress(options, io.env ?? {});
  const clients = await loadClients();
  const { version, warnings } = await checkRedis(address, clients);
  warn(io, warnings);
  return { address, clients, version };
}
