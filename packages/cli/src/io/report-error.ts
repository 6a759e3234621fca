/** Errors of a command, as a line on stderr and, under `--json`, as an object on stdout. */
import { CommanderError } from 'commander';
import { PoiseError } from 'poise';
import { commandText } from './cures.js';
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

/**
 * The report of an error; undefined for help and version, which Commander throws as well.
 *
 * @param command - The command as typed, `poise pose`, for errors of its arguments.
 */
export function errorReport(error: unknown, command = 'poise'): ErrorReport | undefined {
  const base = { format: 'poise-error', version: 1 } as const;
  if (error instanceof PoiseError) {
    const { code, path, what } = error;
    return { ...base, code, path, what, remedy: commandText(error.remedy), status: EXIT.badInput };
  }
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return undefined;
    if (error.code === 'commander.help') {
      const remedy = "'poise --help' lists the commands.";
      return {
        ...base,
        code: 'unknown-command',
        path: command,
        what: 'names no command.',
        remedy,
        status: EXIT.badInput,
      };
    }
    // Commander appends its suggestion as a line: (Did you mean --json?)
    const [what, suggestion] = error.message.replace(/^error: /, '').split('\n');
    const help =
      command === 'poise'
        ? "'poise --help' lists the commands."
        : `'${command} --help' lists the options and has examples.`;
    const near = /^\(Did you mean (.*)\?\)$/.exec(suggestion ?? '')?.[1];
    return {
      ...base,
      code: error.code.replace('commander.', '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
      path: command,
      what: what.endsWith('.') ? what : `${what}.`,
      remedy: near === undefined ? help : `Did you mean '${near}'? ${help}`,
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
 * Prints an error.
 *
 * @param command - As in {@link errorReport}.
 * @param status - In place of that of the error.
 * @returns the exit status.
 */
export function reportError(
  error: unknown,
  asJson: boolean,
  io: Io,
  command?: string,
  status?: number,
): number {
  const known = errorReport(error, command);
  if (known === undefined) return EXIT.done;
  const report = { ...known, ...(status !== undefined && { status }) };
  if (report.code === 'internal') {
    const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
    io.err(`error[internal] an internal error of Poise, please report it:\n${trace}\n`);
  } else {
    const { code, path, what, remedy } = report;
    errorLine(io, `${styled(io, 'red', `error[${code}]`)} ${path}: ${what} ${remedy}`);
  }
  if (asJson) json(io, report);
  return report.status;
}
