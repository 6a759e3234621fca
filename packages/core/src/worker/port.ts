/**
 * One end of a channel: what a Worker, a MessagePort and the global scope of a worker have in common, in browsers and in Node's
 * worker_threads. Core has no DOM and no Node types, so it says itself what it needs.
 */
export interface IkPort {
  /**
   * Called with a list of buffers. Declared so because TypeScript takes the `self` of a worker for a window, whose second
   * argument is another.
   */
  postMessage(message: unknown, transfer: never): void;
  /** Browsers. */
  addEventListener?(type: string, listener: (event: unknown) => void): void;
  /** Node. */
  on?(type: string, listener: (value: unknown) => void): unknown;
  /** A browser's MessagePort keeps its messages until it is started. */
  start?(): void;
  /** A Worker. */
  terminate?(): unknown;
  /** A MessagePort. */
  close?(): void;
}

/** Sends a message; the buffers go with it and are gone here. */
export function post(port: IkPort, message: unknown, transfer: ArrayBuffer[]): void {
  (port as { postMessage(message: unknown, transfer: ArrayBuffer[]): void }).postMessage(message, transfer);
}

/** Events by which a port says that the other end is gone, in browsers or Node. */
const ENDINGS = ['error', 'messageerror', 'exit', 'close'];

/** Calls `onMessage` with the data of each message, and `onEnd` when the other end is gone. */
export function listen(
  port: IkPort,
  onMessage: (data: unknown) => void,
  onEnd: (how: string, detail: unknown) => void = () => {},
): void {
  if (port.on !== undefined) {
    port.on('message', onMessage);
    for (const type of ENDINGS) port.on(type, (detail) => onEnd(type, detail));
    return;
  }
  port.addEventListener?.('message', (event) => onMessage((event as { readonly data: unknown }).data));
  for (const type of ENDINGS) port.addEventListener?.(type, (event) => onEnd(type, event));
  port.start?.();
}
