/** Output streams of a command; injected, so that tests run commands without a process. */
import { printable, printableLines } from './printable.js';

/** Ctrl-C, the end that a system asks for, and a terminal that is gone. */
export type EndingSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

export interface Io {
  /** Results, to stdout. */
  out(text: string | Uint8Array): void;
  /** Messages, to stderr. */
  err(text: string): void;
  /** Everything on stdin. Left out: there is none. */
  input?(): Promise<Uint8Array>;
  /** Whether `out` shows colours. */
  readonly color: boolean;
  /** Whether `err` is a terminal, where a line can be overwritten. Default false. */
  readonly live?: boolean;
  /** Number of interrupts (Ctrl-C) so far. Left out: none come. */
  interrupts?(): number;
  /** Has signals that end the process told to a listener in place of ending it. Left out: none come. @returns what ends this. */
  onSignal?(listener: (signal: EndingSignal) => void): () => void;
  /** Environment. Left out: none. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Told when files are written: an interrupt then waits for the file. */
  writing?(active: boolean): void;
  /** Figures that stay loaded from one command to the next in this thread: those of some paths, by path and options. Left out: each command loads its own. */
  readonly kept?: { paths: ReadonlySet<string>; readonly sources: Map<string, Promise<unknown>> };
  /** Bytes that the files of a command have at most together. Left out: any number. */
  readonly outputLimit?: number;
}

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escapes of `styled`.
const STYLES = /(\u001b\[(?:0|1|2|31|32|33)m)/;

/** The text in a style, or unchanged without colours. */
export function styled(io: Io, style: keyof typeof codes, text: string): string {
  return io.color ? `\u001b[${codes[style]}m${printable(text)}\u001b[0m` : text;
}

/** One line to stdout; control characters of names are escaped. */
export function line(io: Io, text = ''): void {
  io.out(`${lineText(io, text)}\n`);
}

/** One line to stderr, likewise. */
export function errorLine(io: Io, text: string): void {
  io.err(`${lineText(io, text)}\n`);
}

/** A value as JSON to stdout, readable. */
export function json(io: Io, value: unknown): void {
  io.out(`${printableLines(JSON.stringify(value, null, 2))}\n`);
}

/** Warnings to stderr, one line each. */
export function warn(io: Io, warnings: readonly string[]): void {
  for (const warning of warnings) errorLine(io, `${styled(io, 'yellow', 'warning:')} ${warning}`);
}

function lineText(io: Io, text: string): string {
  if (!io.color) return printable(text);
  return text
    .split(STYLES)
    .map((part, k) => (k % 2 === 1 ? part : printable(part)))
    .join('');
}
