import { median } from './statistics.js';

/** Processor time of a round of calls, s, and its calls at least. */
const ROUND = 1;
const MIN_CALLS = 3;

/** Code is warm once a round is not so much faster than the one before; rounds at most. */
const WARMER = 1.02;
const MAX_ROUNDS = 10;

export interface Throughput<T> {
  /** Result of the last call. */
  readonly result: T;
  /**
   * Units a second of processor time of the whole process, collections of garbage and compilation included: of the first call, and the median of the first round
   * that is no faster than the one before it.
   */
  readonly first: number;
  readonly warm: number;
}

/** @param units - Of work a call does, from its result. */
export function throughput<T>(call: () => T, units: (result: T) => number): Throughput<T> {
  let result!: T;
  const rateOfCall = (): number => {
    const begin = process.cpuUsage();
    result = call();
    const { user, system } = process.cpuUsage(begin);
    return (1e6 * units(result)) / (user + system);
  };
  const round = (): number => {
    const rates: number[] = [];
    const begin = process.cpuUsage();
    let seconds = 0;
    while (seconds < ROUND || rates.length < MIN_CALLS) {
      rates.push(rateOfCall());
      const { user, system } = process.cpuUsage(begin);
      seconds = (user + system) / 1e6;
    }
    return median(rates);
  };
  const first = rateOfCall();
  let before = 0;
  let warm = round();
  for (let k = 1; k < MAX_ROUNDS && warm > WARMER * before; k++) {
    before = warm;
    warm = round();
  }
  return { result, first, warm };
}
