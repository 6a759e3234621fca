import { requirePositive } from '../../checks.js';
import { WorkerError } from '../../errors.js';
import type { Channel } from './channel.js';
import type { Methods } from './messages.js';

const TIMEOUT = 30;
/** Largest delay of a timer, ms. */
const MAX_DELAY = 2 ** 31 - 1;

/** Timers are part of browsers and Node, not of the language. */
declare const setTimeout: (listener: () => void, milliseconds: number) => unknown;
declare const clearTimeout: (timer: unknown) => void;

/**
 * Handshake: sends `hello` and waits for the response.
 *
 * @param connect, serve - Names of the functions at both ends, for error messages.
 * @param timeout - Seconds; Infinity waits forever.
 * @throws (rejects) WorkerError `timed-out`, which ends the channel; `worker-lost`; `out-of-range` for an invalid
 * timeout.
 */
export async function handshake<E extends Methods>(
  channel: Channel<E>,
  connect: string,
  serve: string,
  timeout: number = TIMEOUT,
): Promise<void> {
  requirePositive(timeout, 'options.timeout', WorkerError, 's', true);
  const hello = channel.request('hello', {});
  const milliseconds = 1000 * timeout;
  if (milliseconds > MAX_DELAY) {
    await hello;
    return;
  }
  const timer = setTimeout(() => {
    channel.end(
      new WorkerError('timed-out', `has not responded in ${timeout} s.`, {
        path: 'worker',
        remedy: `See that its script calls ${serve}, or give more time: ${connect}(worker, { timeout }).`,
      }),
    );
  }, milliseconds);
  try {
    await hello;
  } finally {
    clearTimeout(timer);
  }
}

/** The error of pending requests when their worker is terminated by the caller. */
export function terminated(): WorkerError {
  return new WorkerError('worker-lost', 'has been terminated.', {
    path: 'worker',
    remedy: 'Await what is pending before terminate(), or expect this.',
  });
}
