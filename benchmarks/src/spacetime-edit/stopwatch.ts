/** Wall time and processor time of the same runs. */
import { median } from '../statistics.js';

/** Of each run, ms. */
export interface Times {
  readonly wallTime: number[];
  /** User and system, all threads of the engine. */
  readonly processor: number[];
}

export function timeOnce(work: () => void, { wallTime, processor }: Times): void {
  const cpu = process.cpuUsage();
  const begun = performance.now();
  work();
  wallTime.push(performance.now() - begun);
  const { user, system } = process.cpuUsage(cpu);
  processor.push((user + system) / 1e3);
}

/** Median, least and most. */
export function spread(milliseconds: readonly number[]): string[] {
  const [low, high] = [Math.min(...milliseconds), Math.max(...milliseconds)];
  return [median(milliseconds).toFixed(0), `${low.toFixed(0)} to ${high.toFixed(0)}`];
}
