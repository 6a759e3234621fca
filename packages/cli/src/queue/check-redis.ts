/** What a Redis must be like before jobs are trusted to it. */
import { FormatError, type PoiseErrorCode } from 'poise';
import { type QueueAddress, withoutPassword } from './address.js';
import { type Clients, CONNECT_TIMEOUT, connectionOptions } from './clients.js';

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
  const { text } = address;
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
      version: requireSettings(info, text),
      timeOffset,
      warnings: warningsOf(info, timeOffset, text),
    };
  } catch (error) {
    if (error instanceof FormatError) throw error;
    throw refusal(reason ?? (error as Error), address);
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
function requireSettings(info: ReadonlyMap<string, string>, path: string): string {
  const refuse = (what: string, remedy: string): never => {
    throw new FormatError('unsupported', what, { path, remedy });
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
      "Run 'redis-cli CONFIG SET maxmemory-policy noeviction', and write 'maxmemory-policy noeviction' into redis.conf.",
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

function warningsOf(info: ReadonlyMap<string, string>, timeOffset: number, text: string): string[] {
  const warnings: string[] = [];
  if (info.get('aof_enabled') !== '1') {
    warnings.push(
      `${text}: is not append-only: jobs that wait are lost when it ends, and enqueued again by 'poise batch'. ` +
        "Run 'redis-cli CONFIG SET appendonly yes', and write 'appendonly yes' into redis.conf.",
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

/** The error for a connection that was not made. Never the error of the client itself: it holds the command that failed, with the password. */
function refusal(error: Error, address: QueueAddress): FormatError {
  const make = (code: PoiseErrorCode, what: string, remedy: string): FormatError =>
    new FormatError(code, what, { path: address.text, remedy });
  const { message } = error;
  const code = 'code' in error ? String(error.code) : '';
  const login =
    'Put redis://USER:PASSWORD@HOST:PORT into the variable POISE_QUEUE, or into a file for --queue-file; without USER it is that of requirepass.';
  if (/^NOAUTH/.test(message)) return make('access-denied', 'asks for a password.', login);
  if (/^WRONGPASS|^ERR.*AUTH/.test(message))
    return make('access-denied', 'does not take this user and password.', login);
  if (/^NOPERM/.test(message)) {
    const remedy = 'Give a user who may: ACL SETUSER NAME on >PASSWORD ~poise:* +@all.';
    return make('access-denied', 'does not let this user read its settings.', remedy);
  }
  if (/^DENIED/.test(message)) {
    return make(
      'access-denied',
      'takes connections of its own machine alone (protected mode).',
      'Set a password: requirepass in redis.conf.',
    );
  }
  if (/RESP|Protocol error|WRONG_VERSION_NUMBER|SSL|TLS/i.test(`${message} ${code}`)) {
    return make(
      'unreachable',
      'does not speak as a Redis does.',
      'Check the port, and redis:// against rediss:// (TLS).',
    );
  }
  if (/CERT|SELF_SIGNED|ISSUER|ALTNAME/.test(code)) {
    const remedy = 'Give the certificate of its authority: --queue-ca FILE.pem.';
    return make('unreachable', `has a certificate that is not trusted (${code}).`, remedy);
  }
  const words = REASONS[code] ?? (code || withoutPassword(message, address));
  return make(
    'unreachable',
    `cannot be reached (${words}).`,
    'Check host and port, and whether Redis runs: redis-cli PING.',
  );
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host is not resolved',
  ETIMEDOUT: 'no answer',
  ECONNRESET: 'the connection was closed',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the network',
};
