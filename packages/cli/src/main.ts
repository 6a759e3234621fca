#!/usr/bin/env node
/**
 * The process of the command. `poise optimize` and `poise retarget --physical` run in a worker, so that this thread hears a signal while an iteration is computed: a first
 * Ctrl-C stops the solve after the iteration, a second one ends the process at once.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { EXIT } from './io/exit-codes.js';
import type { Io } from './io/io.js';
import { run } from './run.js';

/** What the main thread gives the worker. */
interface WorkerInput {
  readonly argv: readonly string[];
  readonly color: boolean;
  readonly live: boolean;
  /** Number of interrupts, and whether files are being written. */
  readonly signals: Int32Array;
}

/** What the worker says: text for a stream, a question for stdin, or the exit status. */
type Message =
  | { readonly to: 'out'; readonly text: string | Uint8Array }
  | { readonly to: 'err'; readonly text: string }
  | { readonly to: 'input' }
  | { readonly to: 'exit'; readonly status: number };

const INTERRUPTS = 0;
const WRITING = 1;

if (isMainThread) {
  const argv = process.argv.slice(2);
  const works = argv[0] === 'batch' || argv[0] === 'worker';
  handleClosedStreams(works);
  const { FORCE_COLOR: forced, NO_COLOR: refused } = process.env;
  const color = forced ? forced !== '0' : process.stdout.isTTY === true && !refused;
  const io = { color, live: process.stderr.isTTY === true };
  if (isSolve(argv)) runInWorker({ argv, ...io, signals: new Int32Array(new SharedArrayBuffer(8)) });
  else {
    const status = await run(argv, {
      ...io,
      out: (text) => process.stdout.write(text),
      err: (text) => process.stderr.write(text),
      input: readStdin,
      onSignal,
      env: process.env,
    });
    process.exitCode = status;
    // Timers of a client whose Redis is gone would keep the process.
    if (works) process.stdout.write('', () => process.exit(status));
  }
} else await answer(workerData as WorkerInput);

/** Whether the command has iterations that an interrupt ends. */
function isSolve([command, ...others]: readonly string[]): boolean {
  return command === 'optimize' || (command === 'retarget' && others.includes('--physical'));
}

function runInWorker(input: WorkerInput): void {
  const { signals } = input;
  const worker = new Worker(new URL(import.meta.url), { workerData: input });
  worker.on('message', async (message: Message) => {
    if (message.to === 'out') process.stdout.write(message.text);
    else if (message.to === 'err') process.stderr.write(message.text);
    else if (message.to === 'input') worker.postMessage(await readStdin());
    else process.exitCode = message.status;
  });
  worker.on('error', (error) => {
    process.stderr.write(`error[internal] an internal error of Poise, please report it:\n${error.stack}\n`);
    process.exitCode = EXIT.internal;
  });
  const interrupt = (): void => {
    const count = Atomics.add(signals, INTERRUPTS, 1) + 1;
    if (count === 1) {
      process.stderr.write(
        '\nstops after this iteration and writes the motion; Ctrl-C again ends at once.\n',
      );
    } else if (count > 2 || Atomics.load(signals, WRITING) === 0) process.exit(EXIT.interrupted);
    // A file that is being written is finished first; the worker writes no other.
  };
  process.on('SIGINT', interrupt);
  worker.on('exit', () => process.off('SIGINT', interrupt));
}

async function answer({ argv, color, live, signals }: WorkerInput): Promise<void> {
  const say = (message: Message): void => parentPort?.postMessage(message);
  const io: Io = {
    color,
    live,
    out: (text) => say({ to: 'out', text }),
    err: (text) => say({ to: 'err', text }),
    input: () =>
      new Promise((resolve) => {
        parentPort?.once('message', resolve);
        say({ to: 'input' });
      }),
    interrupts: () => Atomics.load(signals, INTERRUPTS),
    writing: (active) => Atomics.store(signals, WRITING, active ? 1 : 0),
  };
  say({ to: 'exit', status: await run(argv, io) });
}

function onSignal(listener: (signal: 'SIGINT' | 'SIGTERM') => void): () => void {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, listener);
  return () => {
    for (const signal of signals) process.off(signal, listener);
  };
}

async function readStdin(): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** @param works - Whether the command continues where nobody reads what it says: jobs have files of their own. */
function handleClosedStreams(works: boolean): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A closed pipe (poise inspect | head) is not an error of the command.
    if (error.code === 'EPIPE') {
      if (!works) process.exit(process.exitCode || EXIT.closedPipe);
      return;
    }
    const reason = error.code === 'ENOSPC' ? 'the disk is full' : (error.code ?? error.message);
    process.stderr.write(
      `error[cannot-write] stdout: cannot be written (${reason}). Write to another place.\n`,
    );
    process.exit(EXIT.badInput);
  });
  // Nobody reads the messages: the result is still written.
  process.stderr.on('error', () => {});
}
