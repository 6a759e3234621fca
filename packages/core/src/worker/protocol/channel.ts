import { type PoiseError, WorkerError } from '../../errors.js';
import { type IkPort, listen, post } from './message-port.js';
import { type Exchanges, errorFromData, isOurs, type Response } from './messages.js';

/** Requests over a port, each answered by a promise. */
export interface Channel<E extends Exchanges> {
  /** @throws (at once) what ended the channel; WorkerError `unsupported` for what cannot be sent. */
  ask<K extends keyof E & string>(
    name: K,
    ask: E[K]['ask'],
    transfer?: ArrayBuffer[],
  ): Promise<E[K]['answer']>;
  /** Ends the channel: what is pending and what comes later rejects with the error. */
  end(error: PoiseError): void;
}

/** What else is heard on a channel. */
export interface ChannelListeners {
  /** Something that the other end says unasked, and that is no notice. */
  readonly onNews?: (news: object) => void;
  readonly onEnd?: (error: PoiseError) => void;
}

interface Pending {
  readonly name: string;
  readonly resolve: (answer: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Opens a channel. It ends by itself when the port says that the other end is gone. The other end has to answer `hello`. */
export function openChannel<E extends Exchanges>(
  port: IkPort,
  protocol: string,
  { onNews, onEnd }: ChannelListeners = {},
): Channel<E> {
  const pending = new Map<number, Pending>();
  let next = 1;
  let ended: PoiseError | undefined;

  const end = (error: PoiseError): void => {
    if (ended !== undefined) return;
    ended = error;
    for (const { reject } of pending.values()) reject(error);
    pending.clear();
    onEnd?.(error);
  };
  const ask: Channel<E>['ask'] = (name, ask, transfer = []) => {
    if (ended !== undefined) throw ended;
    const id = next++;
    try {
      post(port, { protocol, id, name, ask }, transfer);
    } catch (error) {
      throw notPlain(name, error);
    }
    return new Promise((resolve, reject) => {
      pending.set(id, { name, resolve, reject });
    });
  };
  /**
   * Which message was lost, nobody knows; but they arrive in order and are answered in order. So what is still pending when a
   * later question is answered never got there, or its answer never got here.
   */
  const sweep = (): void => {
    if (pending.size === 0 || ended !== undefined) return;
    const before = next;
    ask('hello', {}).then(
      () => {
        for (const [id, { name, resolve, reject }] of pending) {
          if (id >= before) continue;
          pending.delete(id);
          if (name === 'hello') resolve({} as never);
          else reject(unreadable(name));
        }
      },
      // Ended, or lost itself: then it is another sweep that finds out.
      () => {},
    );
  };
  listen(port, {
    onMessage(data) {
      if (!isOurs(data, protocol)) return;
      if ('notice' in data) {
        // Whoever is ready may not have heard what came before; whoever could not read it answers no more.
        sweep();
        return;
      }
      if ('news' in data) {
        onNews?.(data);
        return;
      }
      const { id, answer, error } = data as unknown as Response;
      const asked = pending.get(id);
      pending.delete(id);
      if (error !== undefined) asked?.reject(errorFromData(error));
      else asked?.resolve(answer as never);
    },
    onUnreadable: sweep,
    onEnd: (how, detail) => end(lost(how, detail)),
  });
  return { ask, end };
}

/** The error for what cannot be cloned: it was never sent. */
function notPlain(name: string, cause: unknown): WorkerError {
  return new WorkerError('unsupported', `cannot be sent (${String(cause)}).`, {
    path: name,
    remedy: 'Give figures, goals and options as plain data: numbers, words, arrays.',
    cause,
  });
}

/** The error for a request or its answer that could not be made objects again at the other end. */
function unreadable(name: string): WorkerError {
  return new WorkerError('worker-failed', 'could not be read at the other end of the port.', {
    path: name,
    remedy: 'Give figures, goals and options as plain data; a pose that was sent with it is lost.',
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
