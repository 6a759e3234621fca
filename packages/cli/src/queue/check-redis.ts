/** What a Redis must be like before jobs are trusted to it. */
import { FormatError } from 'poise';
import type { QueueAddress } from './address.js';
import { type Clients, CONNECT_TIMEOUT, connectionOptions } from './clients.js';
import { redisCli, refusalOf, unreachable } from './refusals.js';

/** What is known of a Redis that may be used. */
export interface RedisState {
  readonly version: string;
  /** Time of Redis minus that of this process, s. */
  readonly timeOffset: number;
  /** Sentences for stderr. */
  readonly warnings: readonly string[];
}

/** Oldest version that BullMQ is meant for. */
const OLDEST = [6, 2];
/** Difference of clocks that is worth a word, s. */
const CLOCK_TOLERANCE = 2;

/**
 * Connects, logs in and looks at the settings: a Redis that evicts keys loses jobs; one that is not append-only loses them when it ends.
 *
 * @throws FormatError `unreachable`, `access-denied`, or `unsupported` for one that is too old, evicts, is a replica or a cluster.
 */
export async function checkRedis(address: QueueAddress, clients: Clients): Promise<RedisState> {
  const redis = new clients.ioredis.Redis({
    ...connectionOptions(address),
    lazyConnect: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
  });
  // The first says why; those that follow, only that the connection is closed.
  let reason: Error | undefined;
  redis.on('error', (error) => {
    reason ??= error;
  });
  const timer = setTimeout(() => {
    reason ??= Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' });
    redis.disconnect();
  }, CONNECT_TIMEOUT);
  try {
    await redis.connect();
    const before = Date.now();
    const [seconds, microseconds] = await redis.time();
    const now = (before + Date.now()) / 2000;
    const info = parseInfo(await redis.info());
    const timeOffset = Number(seconds) + Number(microseconds) / 1e6 - now;
    return {
      version: requireSettings(info, address),
      timeOffset,
      warnings: warningsOf(info, timeOffset, address),
    };
  } catch (error) {
    if (error instanceof FormatError) throw error;
    const why = reason ?? (error as Error);
    throw refusalOf(why, address) ?? unreachable(why, address);
  } finally {
    clearTimeout(timer);
    redis.disconnect();
  }
}

/** The lines `name:value` of INFO. */
function parseInfo(text: string): ReadonlyMap<string, string> {
  const lines = text.split(/\r?\n/).filter((line) => line.includes(':'));
  return new Map(
    lines.map((line): [string, string] => [
      line.slice(0, line.indexOf(':')),
      line.slice(line.indexOf(':') + 1),
    ]),
  );
}

/** @returns the version. @throws FormatError `unsupported`. */
function requireSettings(info: ReadonlyMap<string, string>, address: QueueAddress): string {
  const refuse = (what: string, remedy: string): never => {
    throw new FormatError('unsupported', what, { path: address.text, remedy });
  };
  const version = info.get('redis_version') ?? '0';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
    refuse(
      `is Redis ${version}, and a queue needs ${OLDEST.join('.')} or later.`,
      'Install a newer one: apt-get install redis-server.',
    );
  }
  const policy = info.get('maxmemory_policy') ?? 'noeviction';
  if (policy !== 'noeviction') {
    refuse(
      `evicts keys when its memory is full (maxmemory-policy ${policy}), and jobs would be lost.`,
      `Run '${redisCli(address)} CONFIG SET maxmemory-policy noeviction', and write 'maxmemory-policy noeviction' into redis.conf.`,
    );
  }
  if (info.get('cluster_enabled') === '1') {
    refuse(
      'is a node of a Redis Cluster.',
      'Give a single Redis; more queues on more of them share the work.',
    );
  }
  if (info.get('role') !== 'master') {
    refuse(
      'is a replica, which takes no jobs.',
      `Give its master, ${info.get('master_host') ?? 'HOST'}:${info.get('master_port') ?? 'PORT'}.`,
    );
  }
  return version;
}

function warningsOf(info: ReadonlyMap<string, string>, timeOffset: number, address: QueueAddress): string[] {
  const { text } = address;
  const warnings: string[] = [];
  if (info.get('aof_enabled') !== '1') {
    warnings.push(
      `${text}: is not append-only: jobs that wait are lost when it ends, and enqueued again by 'poise batch'. ` +
        `Run '${redisCli(address)} CONFIG SET appendonly yes', and write 'appendonly yes' into redis.conf.`,
    );
  }
  if (Math.abs(timeOffset) > CLOCK_TOLERANCE) {
    const way = timeOffset > 0 ? 'ahead of' : 'behind';
    warnings.push(
      `${text}: its clock is ${Math.abs(timeOffset).toFixed(0)} s ${way} that of this machine. No job depends on it; times in journals do. Set both by NTP.`,
    );
  }
  return warnings;
}
