/** What a batch is made of: one plan, a job for each input, and what became of each. */

/** Commands that a batch runs, one input a job. */
export const BATCH_COMMANDS = [
  'retarget',
  'fit',
  'pose',
  'simulate',
  'optimize',
  'convert',
  'inspect',
] as const;

export type BatchCommand = (typeof BATCH_COMMANDS)[number];

/** What is done to every input; the first line of a manifest, but for `out`. Paths are absolute: other machines need the same mounts, not the same working folder. */
export interface BatchPlan {
  readonly format: 'poise-batch';
  readonly version: 1;
  /** Version of Poise: another one may compute other bits. */
  readonly poise: string;
  readonly command: BatchCommand;
  /** Paths and patterns of inputs, and the folder that they are relative to. */
  readonly in: readonly string[];
  readonly from: string;
  /** The rig or the model of `retarget` and `fit`, `human` for the built-in one. */
  readonly target?: string;
  /** The arguments of the command beside input, target, output and `files`. */
  readonly options: readonly string[];
  /** Files that every job reads, by the option that names them; `--target` for the target. */
  readonly files: Readonly<Record<string, SharedFile>>;
  /** Of every output, with its dot. */
  readonly extension: string;
  readonly jobs: number;
  /** The folder of outputs, which is where the manifest was found: not a part of it. */
  readonly out: string;
}

/** A file that every job reads. */
export interface SharedFile {
  readonly path: string;
  /** Of its content. */
  readonly sha256: string;
}

/** One input; a line of a manifest. */
export interface BatchJob {
  /** `j` and 32 hexadecimal digits: SHA-256 of the command, its options, the version of Poise, the contents of all files read and the name of the output. */
  readonly id: string;
  /** Absolute. */
  readonly input: string;
  /** Relative to the folder of outputs, `/` between folders. */
  readonly output: string;
  /** Size of the input, and when it was last changed (ms since 1970): its hash is kept while both stay. */
  readonly bytes: number;
  readonly modified: number;
}

/** Limits of one job. */
export interface JobLimits {
  /** Time from the start in its thread, s. */
  readonly seconds: number;
  /** Heap of its thread, MB. */
  readonly memory: number;
  /** Size of its output, MB. */
  readonly output: number;
}

/**
 * Why a job failed.
 * - `bad-input`: the input is wrong; it fails whenever it is tried.
 * - `output-size`: its output would exceed the limit, likewise.
 * - `internal`: an error of Poise, likewise.
 * - `time`, `memory`, `crash`: the thread ended with it. Tried again, a bounded number of times.
 * - `lost`: the process ended with it. Likewise.
 * - `bad-output`: its output cannot be written for its own sake: a read-only file or a folder is in its place, or its name is too long. Likewise.
 * - `cannot-write`: the disk is full or the folder refuses. No fault of the job.
 * - `cannot-read`: the input was there when the manifest was made, or a file that all jobs read: not mounted, no answer. No fault of the job.
 */
export const FAILURES = [
  'bad-input',
  'output-size',
  'internal',
  'time',
  'memory',
  'crash',
  'lost',
  'cannot-write',
  'bad-output',
  'cannot-read',
] as const;

/** Failures that no job is at fault for: they do not count, and who met one begins no more jobs. */
export const FAULTLESS: readonly FailureClass[] = ['cannot-write', 'cannot-read'];

export type FailureClass = (typeof FAILURES)[number];

/** Numbers that say how good an output is, by name ({@link quality} in commands.ts has their units). */
export type QualityRow = Readonly<Record<string, number>>;

export interface JobDone {
  readonly result: 'done';
  /** Exit status 1 of the command: written, but a goal is not met, or the solve did not converge. */
  readonly unmet: boolean;
  readonly seconds: number;
  /** Heap of the thread after the job, bytes. */
  readonly memory: number;
  /** Size and SHA-256 of the output. */
  readonly bytes: number;
  readonly sha256: string;
  readonly row: QualityRow;
}

export interface JobFailed {
  readonly result: 'failed';
  readonly class: FailureClass;
  /** As of a `PoiseError`: code, place, what is wrong there, and how to fix it. */
  readonly code: string;
  readonly path: string;
  readonly what: string;
  readonly remedy: string;
  readonly seconds: number;
}

/** What became of one attempt; `stopped` by the signal that the batch ends: it does not count. */
export type JobOutcome = JobDone | JobFailed | { readonly result: 'stopped' };
