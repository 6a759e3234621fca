import { median } from './statistics.js';

/** Processor time in which a call warms up, and over which it is measured then, s; at least so many calls. */
const WARM_UP = 1;
const MEASURED = 1;
const MIN_CALLS = 3;

export interface Throughput<T> {
  /** Result of the last call. */
  readonly result: T;
  /** Units a second of processor time of the whole process, collections of garbage and compilation included: of the first call, and the median of warm ones. */
  readonly first: number;
  readonly warm: number;
}

/** @param units - Of work a call does, from its result. */
export function throughput<T>(call: () => T, units: (result: T) => number): Throughput<T> {
  const rates: number[] = [];
  let first = 0;
  let result: T;
  let total = 0;
  do {
    const begin = process.cpuUsage();
    result = call();
    const { user, system } = process.cpuUsage(begin);
    const seconds = (user + system) / 1e6;
    const rate = units(result) / seconds;
    if (total === 0) first = rate;
    if (total >= WARM_UP) rates.push(rate);
    total += seconds;
  } while (total < WARM_UP + MEASURED || rates.length < MIN_CALLS);
  return { result, first, warm: median(rates) };
}
