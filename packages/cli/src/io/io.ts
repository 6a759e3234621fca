/** Where a command writes. Injected, so that tests run commands without a process. */
export interface Io {
  /** Results, to stdout. */
  out(text: string): void;
  /** Messages, to stderr. */
  err(text: string): void;
  /** Whether `out` shows colours. */
  readonly color: boolean;
  /** Whether `err` is a terminal, where a line can be written over. Default false. */
  readonly live?: boolean;
  /** Calls the listener when someone interrupts (Ctrl-C), once. @returns what ends that. Where it is left out, nobody can. */
  onInterrupt?(listener: () => void): () => void;
}

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const;

/** The text in a style, or as it is where there are no colours. */
export function styled(io: Io, style: keyof typeof codes, text: string): string {
  return io.color ? `\u001b[${codes[style]}m${text}\u001b[0m` : text;
}

/** One line to stdout. */
export function line(io: Io, text = ''): void {
  io.out(`${text}\n`);
}
