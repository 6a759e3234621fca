/** Where the Redis of a queue is, and how to log in. A password is read from the environment or a file, and nothing prints it. */
import { readBytes } from '@poise/formats/node';
import { FormatError } from 'poise';

/** Options of the queue, as typed. */
export interface QueueOptions {
  /** `redis://HOST:PORT`, without a password; `true` where the option stands alone. */
  readonly queue?: string | true;
  /** A file whose first line is the address. */
  readonly queueFile?: string;
  /** Certificate of the authority that signed that of a `rediss://` server, PEM. Default: those of the system. */
  readonly queueCa?: string;
  /** Name of the queue. Default: `poise`. */
  readonly name?: string;
}

/** The address of a Redis. */
export interface QueueAddress {
  readonly host: string;
  readonly port: number;
  readonly username?: string;
  readonly password?: string;
  /** With TLS; `ca` is a certificate in PEM. */
  readonly tls?: { readonly ca?: string };
  /** The address without its password, for messages. */
  readonly text: string;
  /** Name of the queue. */
  readonly name: string;
}

/** The variable that holds an address with a password. */
export const QUEUE_VARIABLE = 'POISE_QUEUE';

/** Name of a queue without `--name`. */
export const DEFAULT_NAME = 'poise';
/** Port of an address without one. */
export const REDIS_PORT = 6379;
/** Longest name of a queue. */
const MAX_NAME = 64;

/**
 * The address of the queue that the options or the environment name.
 *
 * @param env - Environment of the process.
 * @throws FormatError `unsupported` for what is no address, and for a password among the arguments, where every user of the machine sees it;
 * `missing-resource` for a file that cannot be read or an address that nobody gave.
 */
export async function readQueueAddress(
  options: QueueOptions,
  env: Readonly<Record<string, string | undefined>>,
): Promise<QueueAddress> {
  const { queue, queueFile, queueCa, name = DEFAULT_NAME } = options;
  requireName(name);
  const ca = queueCa === undefined ? undefined : await readText(queueCa);
  if (typeof queue === 'string' && queueFile !== undefined) {
    throw new FormatError('unsupported', 'cannot be combined with --queue ADDRESS.', {
      path: `--queue-file ${queueFile}`,
      remedy: 'Give one of them.',
    });
  }
  if (queueFile !== undefined) {
    const [line] = (await readText(queueFile)).split('\n');
    return parseAddress(line.trim(), `--queue-file ${queueFile}`, name, ca);
  }
  if (typeof queue === 'string') {
    const address = parseAddress(queue, '--queue', name, ca);
    if (address.password === undefined) return address;
    throw new FormatError('unsupported', 'has a password, which every user of this machine can read there.', {
      path: `--queue ${address.text}`,
      remedy: `Put the address into the variable ${QUEUE_VARIABLE} and write --queue alone, or into a file for --queue-file. Then change the password.`,
    });
  }
  const given = env[QUEUE_VARIABLE];
  if (given !== undefined && given !== '') return parseAddress(given, QUEUE_VARIABLE, name, ca);
  throw new FormatError('missing-resource', 'has no address.', {
    path: '--queue',
    remedy: `Write --queue redis://HOST:PORT, or put the address into the variable ${QUEUE_VARIABLE} or a file for --queue-file.`,
  });
}

async function readText(path: string): Promise<string> {
  return new TextDecoder().decode(await readBytes(path));
}

/** @param path - Where the address stands. Messages have no part of what cannot be parsed: it may hold a password. */
function parseAddress(text: string, path: string, name: string, ca: string | undefined): QueueAddress {
  const refuse = (
    what: string,
    remedy = 'Write redis://HOST:PORT, or rediss://HOST:PORT with TLS.',
  ): never => {
    throw new FormatError('unsupported', what, { path, remedy });
  };
  const url = URL.canParse(text) ? new URL(text) : refuse('is no address of a Redis.');
  const { protocol, hostname, port, pathname } = url;
  if (protocol !== 'redis:' && protocol !== 'rediss:') refuse('begins with neither redis:// nor rediss://.');
  if (hostname === '') refuse('names no host.');
  if (pathname !== '' && pathname !== '/' && pathname !== '/0') {
    refuse('names a database.', 'Leave it out; --name tells queues on one Redis apart.');
  }
  if (url.search !== '' || url.hash !== '') refuse('has a part after the port.');
  const hasTls = protocol === 'rediss:';
  if (ca !== undefined && !hasTls) {
    refuse('is an address without TLS, for which --queue-ca does nothing.', 'Write rediss://HOST:PORT.');
  }
  const username = decoded(url.username) ?? refuse('has a user with a % that is not followed by two digits.');
  const password =
    decoded(url.password) ??
    refuse('has a password with a % that is not followed by two digits.', 'Write % as %25.');
  const number = port === '' ? REDIS_PORT : Number(port);
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: number,
    ...(username !== '' && { username }),
    ...(password !== '' && { password }),
    ...(hasTls && { tls: ca === undefined ? {} : { ca } }),
    text: `${protocol}//${username === '' ? '' : `${url.username}@`}${hostname}:${number}`,
    name,
  };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** @throws FormatError `unsupported`: BullMQ separates the parts of its keys by colons. */
function requireName(name: string): void {
  if (new RegExp(`^[\\w.-]{1,${MAX_NAME}}$`).test(name)) return;
  throw new FormatError('unsupported', 'is no name of a queue.', {
    path: `--name ${name}`,
    remedy: `Use letters, digits, '-', '_' and '.', ${MAX_NAME} at most.`,
  });
}

/** What is shown for a password. */
const HIDDEN = '***';

/** A message of Redis or of the system without the password of the address, whatever the message repeats. */
export function withoutPassword(text: string, { password }: QueueAddress): string {
  if (password === undefined) return text;
  return [password, encodeURIComponent(password)].reduce((left, word) => left.replaceAll(word, HIDDEN), text);
}
