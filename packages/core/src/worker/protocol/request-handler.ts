import { listen, type MessagePortLike, post } from './message-port.js';
import { errorToData, isOurs, type Methods, type Notice, type Request } from './messages.js';

/** A result, and the buffers to transfer. */
export interface HandlerResult {
  readonly result: object;
  readonly transfer: ArrayBuffer[];
}

/** Handles the requests of a protocol in order; errors are sent back. */
export function handleRequests<E extends Methods>(
  port: MessagePortLike,
  protocol: string,
  handle: (request: Request<E>) => HandlerResult,
): void {
  const postNotice = (notice: Notice['notice']): void => {
    post(port, { protocol, notice } satisfies Notice, []);
  };
  listen(port, {
    onMessage(data) {
      if (!isOurs(data, protocol)) return;
      const request = data as Request<E>;
      const { id } = request;
      try {
        const { result, transfer } = handle(request);
        post(port, { protocol, id, result }, transfer);
      } catch (error) {
        post(port, { protocol, id, error: errorToData(error) }, []);
      }
    },
    onUnreadable: () => postNotice('unreadable'),
    onEnd() {},
  });
  // A module with a top-level await before this call has missed earlier messages.
  postNotice('ready');
}
