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

/** Kinds of requests, by name: what each asks for, and what it is answered with. */
export type Exchanges = {
  readonly [name: string]: { readonly ask: object; readonly answer: object };
};

/** Both ends must speak the same; messages of others on the same port are left alone. */
export const PROTOCOL = 'poise-ik-1';

/** Options that can go to a worker: all but the observer, which is a function. */
export type RemoteIkOptions = Omit<IkOptions, 'onIterate'>;

/** Several frames, each solved from the one before. */
export interface ClipRequest {
  /** Where the first frame starts. */
  readonly start: Float64Array;
  /** The goals at each frame. */
  readonly goals: readonly (readonly Goal[])[];
}

/** What each request asks for, and what it is answered with. */
export type IkExchanges = {
  readonly hello: { readonly ask: object; readonly answer: object };
  /**
   * Makes a solver under a number that the asker gives. A figure is sent once and named by its number after, until it is
   * forgotten.
   */
  readonly create: {
    readonly ask: {
      readonly solver: number;
      readonly figure: number;
      readonly data?: Figure;
      readonly goals: readonly Goal[];
      readonly options: RemoteIkOptions;
    };
    readonly answer: object;
  };
  /** The pose's buffer goes there and back. */
  readonly solve: {
    readonly ask: { readonly solver: number; readonly pose: Float64Array; readonly goals: readonly Goal[] };
    readonly answer: { readonly pose: Float64Array; readonly result: IkResult };
  };
  readonly clips: {
    readonly ask: { readonly solver: number; readonly clips: readonly ClipRequest[] };
    readonly answer: { readonly clips: readonly SolvedClip[] };
  };
  readonly dispose: { readonly ask: { readonly solver: number }; readonly answer: object };
  /** Frees a figure. */
  readonly forget: { readonly ask: { readonly figure: number }; readonly answer: object };
};

/** A clip solved. */
export interface SolvedClip {
  /** Frame after frame, `figure.dof` numbers each. */
  readonly poses: Float64Array;
  readonly results: readonly IkResult[];
}

/** A request as it goes over the port. */
export type Request<E extends Exchanges> = {
  readonly [K in keyof E & string]: {
    readonly protocol: string;
    readonly id: number;
    readonly name: K;
    readonly ask: E[K]['ask'];
  };
}[keyof E & string];

/** An answer as it comes back. */
export interface Response {
  readonly protocol: string;
  readonly id: number;
  readonly answer?: object;
  readonly error?: ErrorData;
}

/** What a server says unasked. */
export interface Notice {
  readonly protocol: string;
  /**
   * `ready`: it listens from now on; what was sent before may be lost. `unreadable`: something came that could not be read, a
   * request or a message of others.
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

/** An error as plain data: structured clones keep no class and no code. */
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

/** What was thrown, as data. What Poise did not throw itself is a fault in it or in what it runs on. */
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

/** The error as it was thrown at the other end, with its class; the other end's stack is the cause's. */
export function errorFromData(data: ErrorData): PoiseError {
  const { code, what, path, remedy, stack } = data;
  const ErrorClass = Object.hasOwn(classes, data.class)
    ? classes[data.class as keyof typeof classes]
    : PoiseError;
  return new ErrorClass(code, what, { path, remedy, ...(stack === undefined ? {} : { cause: stack }) });
}
