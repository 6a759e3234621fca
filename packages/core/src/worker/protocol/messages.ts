import {
  DomainError,
  FigureError,
  FormatError,
  GoalError,
  MotionError,
  PoiseError,
  type PoiseErrorCode,
  SpacetimeError,
  WorkerError,
} from '../../errors.js';
import type { Figure } from '../../figure/model/figure.js';
import type { Goal } from '../../ik/goals/types/goal.js';
import type { IkResult } from '../../ik/problem/status.js';
import type { IkOptions } from '../../ik/types.js';

/** Methods of a protocol by name, with parameters and result. */
export type Methods = {
  readonly [name: string]: { readonly params: object; readonly result: object };
};

/** Protocol name and version, equal at both ends; messages of other protocols on the same port are ignored. */
export const PROTOCOL = 'poise-ik-1';

/** Options that can be sent to a worker: all but `onIterate`, a function. */
export type RemoteIkOptions = Omit<IkOptions, 'onIterate'>;

/** A clip request: several frames, each solved from the one before. */
export interface ClipRequest {
  /** Start pose of the first frame. */
  readonly start: Float64Array;
  /** Goals of each frame. */
  readonly goals: readonly (readonly Goal[])[];
}

/** Methods of an IK worker. */
export type IkMethods = {
  readonly hello: { readonly params: object; readonly result: object };
  /**
   * Creates a solver under an id chosen by the client. A figure is sent once, and referred to by its id until it is
   * disposed of.
   */
  readonly create: {
    readonly params: {
      readonly solver: number;
      readonly figure: number;
      readonly data?: Figure;
      readonly goals: readonly Goal[];
      readonly options: RemoteIkOptions;
    };
    readonly result: object;
  };
  /** The pose's buffer is transferred there and back. */
  readonly solve: {
    readonly params: {
      readonly solver: number;
      readonly pose: Float64Array;
      readonly goals: readonly Goal[];
    };
    readonly result: { readonly pose: Float64Array; readonly result: IkResult };
  };
  readonly solveClips: {
    readonly params: { readonly solver: number; readonly clips: readonly ClipRequest[] };
    readonly result: { readonly clips: readonly SolvedClip[] };
  };
  readonly dispose: { readonly params: { readonly solver: number }; readonly result: object };
  /** Releases a figure. */
  readonly disposeFigure: { readonly params: { readonly figure: number }; readonly result: object };
};

/** A solved clip. */
export interface SolvedClip {
  /** Frame after frame, `figure.dof` numbers each. */
  readonly poses: Float64Array;
  readonly results: readonly IkResult[];
}

/** A request message. */
export type Request<E extends Methods> = {
  readonly [K in keyof E & string]: {
    readonly protocol: string;
    readonly id: number;
    readonly method: K;
    readonly params: E[K]['params'];
  };
}[keyof E & string];

/** A response message: `result` or `error`. */
export interface Response {
  readonly protocol: string;
  readonly id: number;
  readonly result?: object;
  readonly error?: ErrorData;
}

/** A notice of a server, without a request. */
export interface Notice {
  readonly protocol: string;
  /**
   * `ready`: it listens from now on; earlier messages may be lost. `unreadable`: a message could not be deserialized, a request
   * or one of another protocol.
   */
  readonly notice: 'ready' | 'unreadable';
}

/** Whether a message is of a protocol. */
export function isOurs(data: unknown, protocol: string): data is { readonly protocol: string } {
  return (
    typeof data === 'object' &&
    data !== null &&
    (data as { readonly protocol?: unknown }).protocol === protocol
  );
}

/** An error as plain data: structured clone keeps neither class nor code. */
export interface ErrorData {
  readonly class: string;
  readonly code: PoiseErrorCode;
  readonly what: string;
  readonly path: string;
  readonly remedy: string;
  readonly stack?: string;
}

const classes = {
  PoiseError,
  FigureError,
  GoalError,
  MotionError,
  SpacetimeError,
  DomainError,
  FormatError,
  WorkerError,
};

/** An error as data. Anything but a PoiseError is a bug in Poise or in its environment. */
export function errorToData(error: unknown): ErrorData {
  const stack = error instanceof Error ? error.stack : undefined;
  const trace = stack === undefined ? {} : { stack };
  if (!(error instanceof PoiseError)) {
    return {
      class: 'WorkerError',
      code: 'worker-failed',
      what: `threw ${String(error)}.`,
      path: 'worker',
      remedy: 'Please report it.',
      ...trace,
    };
  }
  const { code, path, what, remedy } = error;
  const name = Object.entries(classes).find(([, type]) => error.constructor === type)?.[0] ?? 'PoiseError';
  return { class: name, code, what, path, remedy, ...trace };
}

/** Restores an error with its class; the stack of the other end becomes the cause. */
export function errorFromData(data: ErrorData): PoiseError {
  const { code, what, path, remedy, stack } = data;
  const ErrorClass = Object.hasOwn(classes, data.class)
    ? classes[data.class as keyof typeof classes]
    : PoiseError;
  return new ErrorClass(code, what, { path, remedy, ...(stack === undefined ? {} : { cause: stack }) });
}
