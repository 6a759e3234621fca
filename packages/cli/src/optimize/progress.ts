/** Says how far a solve is: one line that is written over on a terminal, some lines where there is none. */
import type { Io } from '../io/io.js';

/** An iteration that is over. */
export interface Iterate {
  readonly iteration: number;
  readonly cost: number;
  readonly violation: number;
}

export interface Progress {
  show(iterate: Iterate): void;
  /** Takes the line away. */
  end(): void;
}

/** Of the bar, characters. */
const WIDTH = 24;
/** A terminal is written to no oftener, ms. */
const PAUSE = 80;

/**
 * @param first - Iterations before this run.
 * @param most - Iterations that it may take.
 * @param now - A clock, ms.
 */
export function createProgress(io: Io, first: number, most: number, now: () => number): Progress {
  const textOf = ({ iteration, cost, violation }: Iterate): string =>
    `iteration ${iteration}: cost ${cost.toPrecision(6)}, violation ${violation.toExponential(1)}`;
  if (!io.live) {
    return {
      show: (iterate) => {
        if (isMilestone(iterate.iteration - first)) io.err(`${textOf(iterate)}\n`);
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
    show(iterate) {
      const time = now();
      if (time - shown < PAUSE) return;
      shown = time;
      const done = Math.min(WIDTH, Math.round((WIDTH * (iterate.iteration - first)) / most));
      write(`[${'#'.repeat(done)}${'-'.repeat(WIDTH - done)}] ${textOf(iterate)}`);
    },
    end() {
      if (length === 0) return;
      write('');
      io.err('\r');
    },
  };
}

/** 1, 2, 5, 10, 20, 50, ... */
function isMilestone(n: number): boolean {
  const leading = n / 10 ** Math.floor(Math.log10(Math.max(1, n)) + 1e-9);
  return leading === 1 || leading === 2 || leading === 5;
}
