/** Output streams of a command; injected, so that tests run commands without a process. */
export interface Io {
  /** Results, to stdout. */
  out(text: string): void;
  /** Messages, to stderr. */
  err(text: string): void;
  /** Whether `out` shows colours. */
  readonly color: boolean;
  /** Whether `err` is a terminal, where a line can be overwritten. Default false. */
  readonly live?: boolean;
  /** Calls the listener once on an interrupt (Ctrl-C). @returns a function that removes it. Left out: no interrupts. */
  onInterrupt?(listener: () => void): () => void;
}

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const;

/** The text in a style, or unchanged without colours. */
export function styled(io: Io, style: keyof typeof codes, text: string): string {
  return io.color ? `\u001b[${codes[style]}m${text}\u001b[0m` : text;
}

/** One line to stdout. */
export function line(io: Io, text = ''): void {
  io.out(`${text}\n`);
}
