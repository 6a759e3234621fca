/** Several inputs of a command, as files, folders and patterns: each is done whatever becomes of the others. */
import { basename, extname, join } from 'node:path';
import { FormatError, PoiseError } from 'poise';
import { EXIT } from './exit-codes.js';
import { checkOutputs, type Output, requireExtension } from './files-written.js';
import { isDirectory, requireMatch } from './glob.js';
import { isStandardOutput, STANDARD } from './input.js';
import { type Io, json, line, warn } from './io.js';
import { count } from './parse-number.js';
import { type ErrorReport, errorReport, reportError } from './report-error.js';

/** One input that is done. */
export interface Done<R> {
  readonly report: R;
  /** Sentences for stderr. */
  readonly warnings?: readonly string[];
  /** The report as text. @param isOneOfSeveral - Short, on a line, where the command has such a text. */
  print(io: Io, isOneOfSeveral: boolean): void;
}

/** What `--json` prints of several inputs. */
export interface ListOf<R> {
  readonly format: `poise-${string}-list`;
  readonly version: 1;
  readonly done: number;
  readonly failed: number;
  /** In the order of the inputs. */
  readonly results: readonly (R | ErrorReport)[];
}

/** Inputs and the words for them. */
export interface Inputs {
  readonly paths: readonly string[];
  /** `poise-inspect-list`. */
  readonly format: ListOf<unknown>['format'];
  /** `file`, `clip`. */
  readonly noun: string;
  /** What was done to it: `inspected`. */
  readonly verb: string;
}

/** Whether the arguments are one file by name: a folder and a pattern are lists, whatever is in them. @param paths - What the arguments stand for. */
export function isOneFile(given: readonly string[], paths: readonly string[]): boolean {
  return given.length <= 1 && paths.length <= 1 && given[0] === paths[0];
}

/** Does one input. @returns the exit status. */
export async function doOne<R>(
  { report, warnings = [], print }: Done<R>,
  { json: asJson }: { readonly json?: boolean },
  io: Io,
  text = io,
): Promise<number> {
  warn(io, warnings);
  if (asJson) json(io, report);
  else print(text, false);
  return EXIT.done;
}

/**
 * Does each input.
 *
 * @param one - Gives undefined to leave this input and all after it.
 * @returns the exit status: 4 where some failed, 2 where all did.
 */
export async function doEach<R>(
  { paths, format, noun, verb }: Inputs,
  { json: asJson }: { readonly json?: boolean },
  io: Io,
  one: (path: string, k: number) => Promise<Done<R> | undefined>,
): Promise<number> {
  const progress = createProgress(io, paths.length);
  const results: (R | ErrorReport)[] = [];
  let failed = 0;
  for (const [k, path] of paths.entries()) {
    progress.show(k, path);
    try {
      await requireMatch(path);
      const given = await one(path, k);
      progress.clear();
      if (given === undefined) break;
      const { report, warnings = [], print } = given;
      results.push(report);
      warn(io, warnings);
      if (!asJson) print(io, true);
    } catch (error) {
      if (!(error instanceof PoiseError)) throw error;
      failed++;
      progress.clear();
      reportError(error, false, io);
      results.push(errorReport(error) as ErrorReport);
    }
  }
  const done = results.length - failed;
  const left = paths.length - results.length;
  if (asJson) json(io, { format, version: 1, done, failed, results } satisfies ListOf<R>);
  else
    line(
      io,
      `${count(paths.length, noun)}: ${done} ${verb}, ${failed} failed${left > 0 ? `, ${left} left` : ''}`,
    );
  return failed === 0 ? EXIT.done : done === 0 && left === 0 ? EXIT.badInput : EXIT.someFailed;
}

/** Whether an output is a folder that exists, for a file of each input. @throws FormatError `unsupported` for one file of several inputs. */
export async function isFolder(
  { option, path }: { readonly option: string; readonly path: string | undefined },
  { paths, noun }: Pick<Inputs, 'paths' | 'noun'>,
): Promise<boolean> {
  if (path !== undefined && !isStandardOutput(path) && (await isDirectory(path))) return true;
  if (path === undefined || paths.length <= 1) return false;
  throw new FormatError('unsupported', `${count(paths.length, noun)} do not go into one file.`, {
    path: `${option} ${path}`,
    remedy: `Give a folder that exists: ${option === '--output' ? '-o' : option} FOLDER.`,
  });
}

/** Refuses an extension for files of a folder where there is none. @throws FormatError `unsupported`. */
export function requireFolder(format: string | undefined, intoFolder: boolean): void {
  if (format === undefined || intoFolder) return;
  throw new FormatError('unsupported', 'is for the files of a folder.', {
    path: `--format ${format}`,
    remedy: 'Give a folder that exists, -o FOLDER; one file has its own extension.',
  });
}

/** The files of a folder that the inputs become, with their names. @param extension - With the dot. */
export function filesIn(folder: string, paths: readonly string[], extension: string): string[] {
  return paths.map((path) => {
    const name = path === STANDARD ? 'stdin' : basename(path, extname(path));
    return join(folder, `${name}${extension}`);
  });
}

const REPORTS = ['.html', '.htm'];

/** The files of `--report`, one of each input, none without it: that of one input as given, or those of a folder that exists. @throws FormatError `unsupported`. */
export async function reportsOf(
  report: string | undefined,
  inputs: Pick<Inputs, 'paths' | 'noun'>,
): Promise<string[]> {
  if (report === undefined) return [];
  const output = { option: '--report', path: report };
  if (await isFolder(output, inputs)) return filesIn(report, inputs.paths, '.html');
  if (isStandardOutput(report)) {
    throw new FormatError('unsupported', 'is no file: standard output has what the command prints.', {
      path: `--report ${report}`,
      remedy: 'Give a file: --report FILE.html.',
    });
  }
  requireExtension(output, REPORTS);
  return [report];
}

/** Refuses files of folders that would overwrite inputs or each other, before the work. @throws FormatError `cannot-write`. */
export async function checkFiles(
  files: readonly (readonly [option: string, paths: readonly string[]])[],
  inputs: readonly (string | undefined)[],
): Promise<void> {
  const outputs = files.flatMap(([option, paths]) => paths.map((path): Output => ({ option, path })));
  await checkOutputs(outputs, inputs);
}

/** On a terminal the input at work, on a line that is overwritten. */
function createProgress(io: Io, inputs: number): { show(k: number, path: string): void; clear(): void } {
  let length = 0;
  const write = (text: string): void => {
    if (!io.live) return;
    io.err(`\r${text.padEnd(length)}`);
    length = text.length;
  };
  return {
    show: (k, path) => write(`[${k + 1}/${inputs}] ${path}`),
    clear() {
      if (length === 0) return;
      write('');
      io.err('\r');
    },
  };
}
