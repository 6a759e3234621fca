import { WorkerError } from '../../errors.js';
import type { Channel } from './channel.js';
import type { Exchanges } from './messages.js';

const TIMEOUT = 30;
/** What a timer can count, ms. */
const LONGEST = 2 ** 31 - 1;

/** Timers, which browsers and Node have and the language has not. */
declare const setTimeout: (listener: () => void, milliseconds: number) => unknown;
declare const clearTimeout: (timer: unknown) => void;

/**
 * Waits until the other end answers.
 *
 * @param connect, serve - Names of the functions at both ends, for messages.
 * @param timeout - Seconds; Infinity waits as long as it takes.
 * @throws (rejects) WorkerError `timed-out`, after which the channel is at its end; `worker-lost`; `out-of-range` for a timeout that is none.
 */
export async function greet<E extends Exchanges>(
  channel: Channel<E>,
  connect: string,
  serve: string,
  timeout: number = TIMEOUT,
): Promise<void> {
  if (!(timeout > 0)) {
    throw new WorkerError('out-of-range', `is ${timeout}.`, {
      path: 'options.timeout',
      remedy: 'Give seconds, more than 0; Infinity for no end.',
    });
  }
  const hello = channel.ask('hello', {});
  const milliseconds = 1000 * timeout;
  if (milliseconds > LONGEST) {
    await hello;
    return;
  }
  const timer = setTimeout(() => {
    channel.end(
      new WorkerError('timed-out', `has not answered in ${timeout} s.`, {
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

/** The error for what is pending when its worker is ended on purpose. */
export function terminated(): WorkerError {
  return new WorkerError('worker-lost', 'has been terminated.', {
    path: 'worker',
    remedy: 'Await what is pending before terminate(), or expect this.',
  });
}
