import type { Quat, Vec3 } from 'poise/math';
import type { Runner } from './runners.js';

/** Rounds of the median. */
const ROUNDS = 41;
/** Shortest round, ms: browser timers are coarse. */
const LONG_ENOUGH = 2;
const STEP = 0.001;

export interface Cost {
  /** One round of the next runner, a few milliseconds. */
  measure(): void;
  /** Median time of a step, us, and of how many rounds. */
  of(runner: number): { readonly median: number; readonly rounds: number };
}

/** Measures separate runners in alternation, each round from the start. */
export function createCost(runners: readonly Runner[], attitude: Quat, spin: Vec3): Cost {
  const rounds: number[][] = runners.map(() => []);
  const steps = runners.map(() => 1000);
  let next = 0;
  return {
    measure() {
      const r = next;
      next = (next + 1) % runners.length;
      const runner = runners[r];
      runner.reset(attitude, spin);
      const before = performance.now();
      for (let k = 0; k < steps[r]; k++) runner.step(STEP);
      const ms = performance.now() - before;
      // The first rounds determine the number of steps.
      if (ms < LONG_ENOUGH) steps[r] *= 2;
      else {
        rounds[r].push((1000 * ms) / steps[r]);
        if (rounds[r].length > ROUNDS) rounds[r].shift();
      }
    },
    of(r) {
      const sorted = [...rounds[r]].sort((a, b) => a - b);
      return { median: sorted[sorted.length >> 1] ?? Number.NaN, rounds: sorted.length };
    },
  };
}
