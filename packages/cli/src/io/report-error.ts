/** Errors of a command, as a line on stderr and, under `--json`, as an object on stdout. */
import { CommanderError } from 'commander';
import { PoiseError } from 'poise';
import { EXIT } from './exit-codes.js';
import { errorLine, type Io, json, styled } from './io.js';

/** What `--json` prints in place of a result. */
export interface ErrorReport {
  readonly format: 'poise-error';
  readonly version: 1;
  /** A code of Poise's errors, of the command line (`unknown-option`, `missing-argument`, ...), `interrupted` or `internal`. */
  readonly code: string;
  /** Location of the error: an option, or a file with the place in it. */
  readonly path: string;
  /** What is wrong, as a predicate of the path. */
  readonly what: string;
  /** How to fix it. */
  readonly remedy: string;
  /** The exit status. */
  readonly status: number;
}

/** Ended by a second interrupt before everything was written. */
export class Interrupted extends Error {}

/** The report of an error; undefined for help and version, which Commander throws as well. */
export function errorReport(error: unknown): ErrorReport | undefined {
  const base = { format: 'poise-error', version: 1 } as const;
  if (error instanceof PoiseError) {
    const { code, path, what, remedy } = error;
    return { ...base, code, path, what, remedy, status: EXIT.badInput };
  }
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return undefined;
    return {
      ...base,
      code: error.code.replace('commander.', '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
      path: 'poise',
      what: error.message.replace(/^error: /, ''),
      remedy: "'poise --help' lists the commands, 'poise COMMAND --help' has examples.",
      status: EXIT.badInput,
    };
  }
  if (error instanceof Interrupted) {
    const what = 'ended by a second interrupt.';
    return {
      ...base,
      code: 'interrupted',
      path: 'poise',
      what,
      remedy: 'Run it again.',
      status: EXIT.interrupted,
    };
  }
  return {
    ...base,
    code: 'internal',
    path: 'poise',
    what: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    remedy: 'This is an internal error of Poise: please report it.',
    status: EXIT.internal,
  };
}

/**
 * Prints an error. Commander has printed its own to stderr.
 * @returns the exit status.
 */
export function reportError(error: unknown, asJson: boolean, io: Io): number {
  const report = errorReport(error);
  if (report === undefined) return EXIT.done;
  if (error instanceof PoiseError) {
    errorLine(io, `${styled(io, 'red', `error[${error.code}]`)} ${error.message}`);
  } else if (report.code === 'internal') {
    const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
    io.err(`error[internal] an internal error of Poise, please report it:\n${trace}\n`);
  } else if (error instanceof Interrupted) {
    errorLine(io, `error[interrupted] poise: ${report.what} ${report.remedy}`);
  }
  if (asJson) json(io, report);
  return report.status;
}
