/** What a Redis says no with, in words. */
import { FormatError, type PoiseErrorCode } from 'poise';
import { type QueueAddress, REDIS_PORT, withoutPassword } from './address.js';

/** `redis-cli` as it is typed for an address; it asks for the password. */
export function redisCli({ host, port, username, password, tls }: QueueAddress): string {
  return [
    'redis-cli',
    ...(['localhost', '127.0.0.1'].includes(host) ? [] : ['-h', host]),
    ...(port === REDIS_PORT ? [] : ['-p', String(port)]),
    ...(tls ? ['--tls'] : []),
    ...(username === undefined ? [] : ['--user', username]),
    ...(password === undefined ? [] : ['--askpass']),
  ].join(' ');
}

const WORD = /\b(OOM|MISCONF|READONLY|NOPERM|NOAUTH|WRONGPASS|DENIED) /;

/**
 * The error of a command that Redis refuses: `cannot-write` for what may pass, `access-denied` for what is set wrong. Never the error of the client itself: it holds the
 * command, with the password.
 *
 * @returns undefined for another error.
 */
export function refusalOf({ message }: Error, address: QueueAddress): FormatError | undefined {
  const make = (code: PoiseErrorCode, what: string, remedy: string): FormatError =>
    new FormatError(code, what, { path: address.text, remedy });
  const cli = redisCli(address);
  const login =
    'Put redis://USER:PASSWORD@HOST:PORT into the variable POISE_QUEUE, or into a file for --queue-file; without USER it is that of requirepass.';
  switch (/^ERR.*AUTH/.test(message) ? 'WRONGPASS' : WORD.exec(message)?.[1]) {
    case 'OOM':
      return make(
        'cannot-write',
        'is full (maxmemory), and takes no more jobs.',
        `Give it more ('${cli} CONFIG SET maxmemory 1gb', and 'maxmemory 1gb' in redis.conf), or remove what others keep there.`,
      );
    case 'MISCONF':
      return make(
        'cannot-write',
        'cannot write to its own disk, and takes no more jobs.',
        'Make room there; the log of Redis says more.',
      );
    case 'READONLY':
      return make(
        'cannot-write',
        'is a replica by now, which takes no jobs.',
        `Give its master, which '${cli} INFO replication' names.`,
      );
    case 'NOPERM': {
      const command = /'([^']+)' command/.exec(message)?.[1];
      // This user may not.
      const { username: _, ...others } = address;
      const what = command === undefined ? 'use the keys of a queue' : `run ${command.toUpperCase()}`;
      return make(
        'access-denied',
        `does not let this user ${what}.`,
        `Give a user who may: ${redisCli(others)} ACL SETUSER NAME on '>PASSWORD' '~poise:*' +@all.`,
      );
    }
    case 'NOAUTH':
      return make('access-denied', 'asks for a password.', login);
    case 'WRONGPASS':
      return make('access-denied', 'does not take this user and password.', login);
    case 'DENIED':
      return make(
        'access-denied',
        'takes connections of its own machine alone (protected mode).',
        'Set a password: requirepass in redis.conf.',
      );
    default:
      return undefined;
  }
}

/** The error for a connection that was not made. Its cause is the code of the system, where it has words. */
export function unreachable(error: Error, address: QueueAddress): FormatError {
  const { text: path, tls } = address;
  const { message } = error;
  const code = 'code' in error ? String(error.code) : '';
  const make = (what: string, remedy: string): FormatError =>
    new FormatError('unreachable', what, { path, remedy, ...(code in REASONS && { cause: code }) });
  const words = REASONS[code];
  if (words === undefined && /RESP|Protocol error|WRONG_VERSION_NUMBER|SSL|TLS/i.test(`${message} ${code}`)) {
    return make('does not speak as a Redis does.', 'Check the port, and redis:// against rediss:// (TLS).');
  }
  if (/CERT|SELF_SIGNED|ISSUER|ALTNAME/.test(code)) {
    const remedy = 'Give the certificate of its authority: --queue-ca FILE.pem.';
    return make(`has a certificate that is not trusted (${code}).`, remedy);
  }
  // A server without TLS waits for more; one with TLS closes what is none.
  const swapped = tls
    ? code === 'ETIMEDOUT' && 'redis'
    : /ECONNRESET|is closed/.test(code + message) && 'rediss';
  const other = swapped
    ? ` It may be a port ${tls ? 'without' : 'of'} TLS: ${path.replace(/^rediss?/, swapped)}.`
    : '';
  return make(
    `cannot be reached (${words ?? (code || withoutPassword(message, address))}).`,
    `Check host and port, and whether Redis runs: ${redisCli(address)} PING.${other}`,
  );
}

/** A listener of the errors of a connection that says each once, until `back` is called: that Redis is gone, what it refuses, and others as they come. */
export function createConnectionWarning(
  address: QueueAddress,
  onWarning: (text: string) => void,
): ((error: Error) => void) & { back(): void } {
  let last: string | undefined;
  const listen = (error: Error): void => {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    const isGone = /^E[A-Z]+$/.test(code) || /Connection is closed|LOADING/.test(error.message);
    const refusal = refusalOf(error, address);
    const text = isGone
      ? 'is gone; waits until it is back.'
      : refusal
        ? `${refusal.what} ${refusal.remedy} Waits until then.`
        : withoutPassword(error.message, address);
    if (text === last) return;
    last = text;
    onWarning(`${address.text}: ${text}`);
  };
  return Object.assign(listen, {
    back() {
      last = undefined;
    },
  });
}

/** Whether an error is of a Redis that may be there in a moment: it starts, or its host does. */
export function isAway(error: unknown): error is FormatError {
  return error instanceof FormatError && error.code === 'unreachable' && error.cause !== undefined;
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
