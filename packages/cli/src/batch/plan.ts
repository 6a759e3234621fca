/** The plan of a batch, from what was typed. */
import { isAbsolute, resolve } from 'node:path';
import { FormatError, GoalError } from 'poise';
import type { Io } from '../io/io.js';
import { requireOutput, rigExtension } from '../io/output.js';
import { HUMAN, loadSource, type SourceOptions } from '../io/source.js';
import { version } from '../package-files.js';
import { contactsPath } from '../retarget/contacts-file.js';
import { loadRig } from '../retarget/load-rig.js';
import { COMMANDS } from './commands.js';
import type { BatchCommand, BatchPlan, SharedFile } from './job.js';
import { fileHash } from './manifest.js';

/** What says the work; how it is done plays no part in the plan. */
export interface PlanOptions {
  readonly in: readonly string[];
  readonly target?: string;
  readonly out: string;
  readonly format?: string;
}

/**
 * The values of a command's own options. Errors are those of the command line.
 *
 * @param inputs - How many files the command is given beside its options.
 */
export type ParseOptions = (
  command: BatchCommand,
  argv: readonly string[],
  inputs: number,
) => Readonly<Record<string, unknown>>;

/** Options of a command that are for one input alone, and what a batch has in their place. */
const NOT_IN_A_BATCH: Readonly<Record<string, string>> = {
  output: 'Remove the option: outputs go into --out.',
  report:
    "Remove the option: a batch has one report, batch/report.html; 'poise retarget' makes that of a clip.",
  save: 'Remove the option.',
  resume: 'Remove the option.',
};

/**
 * Options and target are checked here, once, not by every job.
 *
 * @param argv - What was typed beside the options of the batch.
 * @throws FormatError, GoalError: the batch itself is wrong.
 */
export async function planOf(
  command: BatchCommand,
  argv: readonly string[],
  options: PlanOptions,
  parse: ParseOptions,
  io: Io,
): Promise<Omit<BatchPlan, 'jobs'>> {
  const { target, format } = options;
  const { target: wanted, outputs, fileOptions } = COMMANDS[command];
  if (wanted === 'needed' && target === undefined) {
    throw new GoalError('missing-resource', 'is missing.', {
      path: '--target',
      remedy: `Give the rig that the clips are put on: --target RIG, or --target ${HUMAN} for the built-in one.`,
    });
  }
  if (wanted === 'none' && target !== undefined) {
    throw new GoalError('unsupported', `does not apply to '${command}'.`, {
      path: `--target ${target}`,
      remedy: 'Remove the option.',
    });
  }
  const values = parse(command, argv, target === undefined ? 1 : 2);
  for (const [option, remedy] of Object.entries(NOT_IN_A_BATCH)) {
    if (values[option] !== undefined)
      throw new GoalError('unsupported', 'is for one input.', { path: `--${option}`, remedy });
  }
  const contacts = contactsPath(values as { readonly contacts?: string });
  if (contacts !== undefined) {
    throw new GoalError('unsupported', 'is of one clip.', {
      path: `--contacts ${contacts}`,
      remedy: "Use found or none; 'poise retarget' takes the contacts of a clip.",
    });
  }
  const files: Record<string, SharedFile> = {};
  for (const option of fileOptions) {
    const path = values[option.slice(2)];
    if (typeof path === 'string') files[option] = await sharedFile(path);
  }
  const isFile = target !== undefined && target !== HUMAN;
  if (isFile) files['--target'] = await sharedFile(target);
  return {
    format: 'poise-batch',
    version: 1,
    poise: version(),
    command,
    in: options.in,
    // Shards in several working folders make one manifest of absolute patterns.
    from: options.in.every((pattern) => isAbsolute(pattern)) ? '/' : process.cwd(),
    ...(target !== undefined && { target: isFile ? files['--target'].path : HUMAN }),
    options: withoutOptions(argv, fileOptions),
    files,
    extension: await extensionOf(command, target, format && requireFormat(format, outputs), values, io),
    out: resolve(options.out),
  };
}

/**
 * Refuses a plan that would be another one if it was made now.
 *
 * @throws FormatError `unsupported` where it would be another one, as `makeManifest` does; `missing-resource` for a file that is gone.
 */
export async function requireUnchanged(plan: BatchPlan): Promise<void> {
  const remedy = 'Run the command of the batch again, with --replace.';
  if (plan.poise !== version()) {
    const what = `is a batch of Poise ${plan.poise}, and this is ${version()}.`;
    throw new FormatError('unsupported', what, { path: plan.out, remedy });
  }
  for (const { path, sha256 } of Object.values(plan.files)) {
    if ((await fileHash(path)) === sha256) continue;
    throw new FormatError('unsupported', 'has changed since the batch was made.', { path, remedy });
  }
}

async function sharedFile(path: string): Promise<SharedFile> {
  return { path: resolve(path), sha256: await fileHash(path) };
}

/** @returns the extension, with its dot. */
function requireFormat(format: string, outputs: readonly string[]): string {
  const extension = `.${format.replace(/^\./, '').toLowerCase()}`;
  if (outputs.includes(extension)) return extension;
  throw new FormatError('unsupported', 'is no kind of output of this command.', {
    path: `--format ${format}`,
    remedy: `Use one of ${outputs.map((each) => each.slice(1)).join(', ')}.`,
  });
}

/** The extension of all outputs. The target is loaded, so that one that is wrong is said once. */
async function extensionOf(
  command: BatchCommand,
  target: string | undefined,
  format: string | undefined,
  values: Readonly<Record<string, unknown>>,
  io: Io,
): Promise<string> {
  const { target: wanted, extension } = COMMANDS[command];
  if (wanted === 'none') return format ?? (extension as string);
  const source =
    command === 'retarget'
      ? await loadRig(target as string, undefined, values, io)
      : await loadSource(target === HUMAN ? undefined : target, values as SourceOptions, io);
  const chosen = format ?? (source.osim === undefined ? rigExtension(source) : '.mot');
  if (chosen !== '.mot') requireOutput(source, `output${chosen}`, 'motion');
  return chosen;
}

/** The arguments without some options and their values. */
function withoutOptions(argv: readonly string[], options: readonly string[]): string[] {
  const kept: string[] = [];
  for (let k = 0; k < argv.length; k++) {
    if (options.includes(argv[k])) k++;
    else if (!options.some((option) => argv[k].startsWith(`${option}=`))) kept.push(argv[k]);
  }
  return kept;
}
