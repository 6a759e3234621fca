/** How far a batch is: one overwritten line on a terminal, a line now and then elsewhere, events as JSON. */
import { errorLine, type Io } from '../io/io.js';
import { count as countOf } from '../io/parse-number.js';

export interface Counts {
  readonly total: number;
  /** Done in this run, and in runs before. */
  readonly done: number;
  readonly before: number;
  /** Failed or set aside, in this run or before. */
  readonly failed: number;
}

/** Shortest time between two updates of a terminal, and between two lines elsewhere, ms. */
const TERMINAL = 100;
const LINES = 10_000;
/** The rate is that of the jobs that ended in so many ms. */
const WINDOW = 30_000;

export interface BatchProgress {
  /** One more job has ended. */
  step(counts: Counts): void;
  end(): void;
}

/** @param now - A clock, ms. */
export function createBatchProgress(io: Io, noun: string, now: () => number): BatchProgress {
  const started = now();
  let shown = io.live ? Number.NEGATIVE_INFINITY : started;
  let length = 0;
  /** When jobs ended, at most one entry a second, with how many had by then. */
  const ends: [time: number, count: number][] = [[started, 0]];
  const write = (text: string): void => {
    io.err(`\r${text.padEnd(length)}`);
    length = text.length;
  };
  return {
    step(counts) {
      const time = now();
      const ended = counts.done + counts.failed;
      if (time - ends[ends.length - 1][0] >= 1000) ends.push([time, ended]);
      while (ends.length > 1 && time - ends[0][0] > WINDOW) ends.shift();
      if (time - shown < (io.live ? TERMINAL : LINES)) return;
      shown = time;
      const [from, count] = ends[0];
      const rate = time > from ? (1000 * (ended - count)) / (time - from) : 0;
      const text = progressText(counts, rate, noun);
      if (io.live) write(text);
      else errorLine(io, text);
    },
    end() {
      if (length === 0) return;
      write('');
      io.err('\r');
    },
  };
}

/** @param rate - Jobs a second. */
function progressText({ total, done, before, failed }: Counts, rate: number, noun: string): string {
  const left = total - done - before - failed;
  const time = rate > 0 ? `, ${durationText(left / rate)} left` : '';
  return `${done + before} of ${countOf(total, noun)} done, ${failed} failed, ${rateText(rate)}${time}`;
}

/** `12.3 a second`, `4.1 a minute`. */
export function rateText(rate: number): string {
  return rate >= 1 ? `${rate.toFixed(1)} a second` : `${(60 * rate).toFixed(1)} a minute`;
}

/** `8 s`, `3 min`, `2 h 5 min`. */
export function durationText(seconds: number): string {
  if (seconds < 100) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 100 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
