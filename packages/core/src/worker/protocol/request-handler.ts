import { type IkPort, listen, post } from './message-port.js';
import { type Exchanges, errorToData, isOurs, type Notice, type Request } from './messages.js';

/** An answer, and the buffers that go with it. */
export interface Served {
  readonly answer: object;
  readonly transfer: ArrayBuffer[];
}

/** Answers the requests of a protocol, one after the other, in order; what is thrown goes back as it is. */
export function answerRequests<E extends Exchanges>(
  port: IkPort,
  protocol: string,
  serve: (request: Request<E>) => Served,
): void {
  const say = (notice: Notice['notice']): void => {
    post(port, { protocol, notice } satisfies Notice, []);
  };
  listen(port, {
    onMessage(data) {
      if (!isOurs(data, protocol)) return;
      const request = data as Request<E>;
      const { id } = request;
      try {
        const { answer, transfer } = serve(request);
        post(port, { protocol, id, answer }, transfer);
      } catch (error) {
        post(port, { protocol, id, error: errorToData(error) }, []);
      }
    },
    onUnreadable: () => say('unreadable'),
    onEnd() {},
  });
  // A module that awaits something before it comes here has missed what was sent before.
  say('ready');
}
