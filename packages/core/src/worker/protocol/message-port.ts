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

/** Ends a worker, or closes a port. */
export function close(port: IkPort): void {
  if (port.terminate !== undefined) port.terminate();
  else port.close?.();
}

/** Events by which a port says that the other end is gone, in browsers or Node. */
const ENDINGS = ['error', 'exit', 'close'];

/** What is heard on a port. */
export interface Listeners {
  readonly onMessage: (data: unknown) => void;
  /** Something came that cannot be made an object again: what it was, nobody knows. */
  readonly onUnreadable: () => void;
  /** The other end is gone. */
  readonly onEnd: (how: string, detail: unknown) => void;
}

/** Listens to a port. */
export function listen(port: IkPort, { onMessage, onUnreadable, onEnd }: Listeners): void {
  const isNode = port.on !== undefined;
  const add = (type: string, listener: (event: unknown) => void): void => {
    if (isNode) port.on?.(type, listener);
    else port.addEventListener?.(type, listener);
  };
  add('message', isNode ? onMessage : (event) => onMessage((event as { readonly data: unknown }).data));
  add('messageerror', onUnreadable);
  for (const type of ENDINGS) add(type, (detail) => onEnd(type, detail));
  if (!isNode) port.start?.();
}
