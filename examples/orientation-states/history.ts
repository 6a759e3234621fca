import { type Seen, worsen } from './watch.js';

/** Largest number of values of a line; then neighbours are merged in pairs. */
const CAPACITY = 900;
/** Initial interval of values, s. */
const FINEST = 0.004;

/** Measurements of several bodies over time: the worst in each interval, so that short peaks are kept. */
export interface History {
  readonly times: number[];
  /** One value an interval for each body; undefined once it has stopped. */
  readonly seen: (Seen | undefined)[][];
  clear(): void;
  /** Records a measurement of all bodies; undefined for one that has stopped. */
  add(time: number, all: readonly (Seen | undefined)[]): void;
}

export function createHistory(bodies: number): History {
  const times: number[] = [];
  const seen: (Seen | undefined)[][] = Array.from({ length: bodies }, () => []);
  let interval = FINEST;

  function halve(): void {
    interval *= 2;
    const kept = times.length >> 1;
    for (let k = 0; k < kept; k++) times[k] = times[2 * k + 1];
    times.length = kept;
    for (const line of seen) {
      for (let k = 0; k < kept; k++) {
        const [one, other] = [line[2 * k], line[2 * k + 1]];
        if (one !== undefined && other !== undefined) worsen(other, one);
        line[k] = other;
      }
      line.length = kept;
    }
  }

  return {
    times,
    seen,
    clear() {
      times.length = 0;
      for (const line of seen) line.length = 0;
      interval = FINEST;
    },
    add(time, all) {
      const before = times.length > 1 ? times[times.length - 2] : -Infinity;
      const isSame = times.length > 0 && time < before + interval;
      if (isSame) times[times.length - 1] = time;
      else {
        if (times.length >= CAPACITY) halve();
        times.push(time);
      }
      all.forEach((now, b) => {
        if (!isSame) seen[b].push(now && { ...now });
        else {
          const last = seen[b][times.length - 1];
          if (last && now) worsen(last, now);
        }
      });
    },
  };
}
