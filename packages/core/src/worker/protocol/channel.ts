import { type PoiseError, WorkerError } from '../../errors.js';
import { listen, type MessagePortLike, post } from './message-port.js';
import { errorFromData, isOurs, type Methods, type Response } from './messages.js';

/** Requests over a port, each with a promise of its result. */
export interface Channel<E extends Methods> {
  /**
   * @throws (synchronously) the error that ended the channel; WorkerError `unsupported` for data that cannot be
   * cloned.
   */
  request<K extends keyof E & string>(
    method: K,
    params: E[K]['params'],
    transfer?: ArrayBuffer[],
  ): Promise<E[K]['result']>;
  /** Ends the channel: pending and later requests reject with the error. */
  end(error: PoiseError): void;
}

/** Other listeners of a channel. */
export interface ChannelListeners {
  /** An event of the server: a message that is neither a result nor a notice. */
  readonly onEvent?: (event: object) => void;
  readonly onEnd?: (error: PoiseError) => void;
}

interface Pending {
  readonly method: string;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Opens a channel. It ends when the port reports that the other end is gone. The server must handle `hello`. */
export function openChannel<E extends Methods>(
  port: MessagePortLike,
  protocol: string,
  { onEvent, onEnd }: ChannelListeners = {},
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
  const request: Channel<E>['request'] = (method, params, transfer = []) => {
    if (ended !== undefined) throw ended;
    const id = next++;
    try {
      post(port, { protocol, id, method, params }, transfer);
    } catch (error) {
      throw notCloneable(method, error);
    }
    return new Promise((resolve, reject) => {
      pending.set(id, { method, resolve, reject });
    });
  };
  /**
   * Rejects lost requests. A lost message cannot be identified, but messages arrive and are answered in order: once a later
   * `hello` is answered, requests before it that are still pending were lost, or their results were.
   */
  const rejectLost = (): void => {
    if (pending.size === 0 || ended !== undefined) return;
    const before = next;
    request('hello', {}).then(
      () => {
        for (const [id, { method, resolve, reject }] of pending) {
          if (id >= before) continue;
          pending.delete(id);
          if (method === 'hello') resolve({} as never);
          else reject(unreadable(method));
        }
      },
      // The channel ended, or this `hello` was lost too: then the next `messageerror` checks again.
      () => {},
    );
  };
  listen(port, {
    onMessage(data) {
      if (!isOurs(data, protocol)) return;
      if ('notice' in data) {
        // `ready`: earlier requests may have been missed. `unreadable`: a request could not be deserialized and
        // has no result.
        rejectLost();
        return;
      }
      if ('event' in data) {
        onEvent?.(data);
        return;
      }
      const { id, result, error } = data as unknown as Response;
      const entry = pending.get(id);
      pending.delete(id);
      if (error !== undefined) entry?.reject(errorFromData(error));
      else entry?.resolve(result as never);
    },
    onUnreadable: rejectLost,
    onEnd: (how, detail) => end(connectionLost(how, detail)),
  });
  return { request, end };
}

/** The error for data that cannot be cloned and were not sent. */
function notCloneable(method: string, cause: unknown): WorkerError {
  return new WorkerError('unsupported', `cannot be sent (${String(cause)}).`, {
    path: method,
    remedy: 'Give figures, goals and options as plain data: numbers, words, arrays.',
    cause,
  });
}

/** The error for a request or result that could not be deserialized. */
function unreadable(method: string): WorkerError {
  return new WorkerError('worker-failed', 'could not be read at the other end of the port.', {
    path: method,
    remedy: 'Give figures, goals and options as plain data; a pose that was sent with it is lost.',
  });
}

/** The error for a worker that is gone, with the message of its error event. */
function connectionLost(how: string, detail: unknown): WorkerError {
  const message = (detail as { readonly message?: unknown } | undefined)?.message;
  const why = typeof message === 'string' && message !== '' ? ` (${message})` : '';
  return new WorkerError('worker-lost', `is gone: ${how}${why}.`, {
    path: 'worker',
    remedy: 'Start another worker and connect to it; what was pending has no result.',
    cause: detail,
  });
}
