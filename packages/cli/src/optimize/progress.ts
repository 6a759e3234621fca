/** Progress of a solve: one overwritten line on a terminal, some lines elsewhere. */
import type { Io } from '../io/io.js';
import { createProgressLine } from '../io/progress-line.js';

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

/**
 * @param first - Iterations before this run.
 * @param maxIterations - Iteration limit.
 * @param now - A clock, ms.
 */
export function createProgress(io: Io, first: number, maxIterations: number, now: () => number): Progress {
  const textOf = ({ iteration, cost, violation }: Iterate): string =>
    `iteration ${iteration}: cost ${cost.toPrecision(6)}, violation ${violation.toExponential(1)}`;
  const line = createProgressLine(io, now);
  return {
    show(iterate) {
      const n = iterate.iteration - first;
      const done = Math.min(BAR_WIDTH, Math.round((BAR_WIDTH * n) / maxIterations));
      const bar = io.live ? `[${'#'.repeat(done)}${'-'.repeat(BAR_WIDTH - done)}] ` : '';
      line.show(`${bar}${textOf(iterate)}`, isMilestone(n));
    },
    end: () => line.end(),
  };
}

/** 1, 2, 5, 10, 20, 50, ... */
function isMilestone(n: number): boolean {
  const leading = n / 10 ** Math.floor(Math.log10(Math.max(1, n)) + 1e-9);
  return leading === 1 || leading === 2 || leading === 5;
}
