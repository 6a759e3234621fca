/** Progress as a line: overwritten on a terminal; elsewhere only milestones, a line each. */
import type { Io } from './io.js';

export interface ProgressLine {
  /** @param isMilestone - Shown where lines are not overwritten too. */
  show(text: string, isMilestone: boolean): void;
  /** Clears the line. */
  end(): void;
}

/** Shortest time between two updates of a terminal, ms. */
const MIN_INTERVAL = 80;

/** @param now - A clock, ms. */
export function createProgressLine(io: Io, now: () => number = () => performance.now()): ProgressLine {
  if (!io.live) {
    return {
      show: (text, isMilestone) => {
        if (isMilestone) io.err(`${text}\n`);
      },
      end() {},
    };
  }
  let shown = Number.NEGATIVE_INFINITY;
  let length = 0;
  const write = (text: string): void => {
    io.err(`\r${text.padEnd(length)}`);
    length = text.length;
  };
  return {
    show(text) {
      const time = now();
      if (time - shown < MIN_INTERVAL) return;
      shown = time;
      write(text);
    },
    end() {
      if (length === 0) return;
      write('');
      io.err('\r');
    },
  };
}
