/**
 * The common interface of a Worker, a MessagePort and the global scope of a worker, in browsers and in Node's worker_threads.
 * Core has no DOM and no Node types, so it is declared here.
 */
export interface MessagePortLike {
  /**
   * Called with a list of buffers. The type is `never` because TypeScript takes the `self` of a worker for a window, whose second
   * argument differs.
   */
  postMessage(message: unknown, transfer: never): void;
  /** Browsers. */
  addEventListener?(type: string, listener: (event: unknown) => void): void;
  /** Node. */
  on?(type: string, listener: (value: unknown) => void): unknown;
  /** A browser's MessagePort queues messages until it is started. */
  start?(): void;
  /** A Worker. */
  terminate?(): unknown;
  /** A MessagePort. */
  close?(): void;
}

/** Posts a message and transfers the buffers. */
export function post(port: MessagePortLike, message: unknown, transfer: ArrayBuffer[]): void {
  (port as { postMessage(message: unknown, transfer: ArrayBuffer[]): void }).postMessage(message, transfer);
}

/** Terminates a worker, or closes a port. */
export function close(port: MessagePortLike): void {
  if (port.terminate !== undefined) port.terminate();
  else port.close?.();
}

/** Events of a port that mean that the other end is gone, in browsers or Node. */
const END_EVENTS = ['error', 'exit', 'close'];

/** Listeners of a port. */
export interface Listeners {
  readonly onMessage: (data: unknown) => void;
  /** A message could not be deserialized. */
  readonly onUnreadable: () => void;
  /** The other end is gone. */
  readonly onEnd: (how: string, detail: unknown) => void;
}

/** Adds listeners to a port. */
export function listen(port: MessagePortLike, { onMessage, onUnreadable, onEnd }: Listeners): void {
  const isNode = port.on !== undefined;
  const add = (type: string, listener: (event: unknown) => void): void => {
    if (isNode) port.on?.(type, listener);
    else port.addEventListener?.(type, listener);
  };
  add('message', isNode ? onMessage : (event) => onMessage((event as { readonly data: unknown }).data));
  add('messageerror', onUnreadable);
  for (const type of END_EVENTS) add(type, (detail) => onEnd(type, detail));
  if (!isNode) port.start?.();
}
