import { type PoiseError, WorkerError } from '../errors.js';
import {
  type ExchangeName,
  type Exchanges,
  errorFromData,
  isOurs,
  PROTOCOL,
  type Response,
} from './messages.js';
import { type IkPort, listen, post } from './port.js';

/** Requests over a port, each answered by a promise. */
export interface Channel {
  ask<K extends ExchangeName>(
    name: K,
    ask: Exchanges[K]['ask'],
    transfer?: ArrayBuffer[],
  ): Promise<Exchanges[K]['answer']>;
  /** Ends the channel: what is pending and what comes later rejects with the error. */
  end(error: PoiseError): void;
  /** The error that ended it. */
  readonly ended: () => PoiseError | undefined;
}

interface Pending {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Opens a channel. It ends by itself when the port says that the other end is gone. */
export function openChannel(port: IkPort): Channel {
  const pending = new Map<number, Pending>();
  let next = 1;
  let ended: PoiseError | undefined;

  const end = (error: PoiseError): void => {
    if (ended !== undefined) return;
    ended = error;
    for (const { reject } of pending.values()) reject(error);
    pending.clear();
  };
  listen(
    port,
    (data) => {
      if (!isOurs(data)) return;
      const { id, answer, error } = data as unknown as Response;
      const asked = pending.get(id);
      pending.delete(id);
      if (error !== undefined) asked?.reject(errorFromData(error));
      else asked?.resolve(answer as never);
    },
    (how, detail) => end(lost(how, detail)),
  );
  return {
    ask: (name, ask, transfer = []) =>
      new Promise((resolve, reject) => {
        if (ended !== undefined) {
          reject(ended);
          return;
        }
        const id = next++;
        try {
          post(port, { protocol: PROTOCOL, id, name, ask }, transfer);
        } catch (error) {
          reject(notPlain(name, error));
          return;
        }
        pending.set(id, { resolve, reject });
      }),
    end,
    ended: () => ended,
  };
}

/** The error for what cannot be cloned: it was never sent. */
function notPlain(name: ExchangeName, cause: unknown): WorkerError {
  return new WorkerError('unsupported', `cannot be sent (${String(cause)}).`, {
    path: name,
    remedy: 'Give figures, goals and options as plain data: numbers, words, arrays.',
    cause,
  });
}

/** The error for a worker that is gone; an error event says why. */
function lost(how: string, detail: unknown): WorkerError {
  const message = (detail as { readonly message?: unknown } | undefined)?.message;
  const why = typeof message === 'string' && message !== '' ? ` (${message})` : '';
  return new WorkerError('worker-lost', `is gone: ${how}${why}.`, {
    path: 'worker',
    remedy: 'Start another worker and connect to it; what was pending has no answer.',
    cause: detail,
  });
}
