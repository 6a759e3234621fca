/** Progress of a solve: one overwritten line on a terminal, some lines elsewhere. */
import type { Io } from '../io/io.js';

/** A finished iteration. */
export interface Iterate {
  readonly iteration: number;
  readonly cost: number;
  readonly violation: number;
}

export interface Progress {
  show(iterate: Iterate): void;
  /** Clears the line. */
  end(): void;
}

/** Width of the bar, characters. */
const BAR_WIDTH = 24;
/** Shortest time between two updates of a terminal, ms. */
const MIN_INTERVAL = 80;

/**
 * @param first - Iterations before this run.
 * @param maxIterations - Iteration limit.
 * @param now - A clock, ms.
 */
export function createProgress(io: Io, first: number, maxIterations: number, now: () => number): Progress {
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
      if (time - shown < MIN_INTERVAL) return;
      shown = time;
      const done = Math.min(BAR_WIDTH, Math.round((BAR_WIDTH * (iterate.iteration - first)) / maxIterations));
      write(`[${'#'.repeat(done)}${'-'.repeat(BAR_WIDTH - done)}] ${textOf(iterate)}`);
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
