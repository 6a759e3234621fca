/** Where a time outside the range of a curve falls. */
import { MotionError } from '../../errors.js';

/**
 * What a curve does outside its range.
 *
 * - `clamp`: stands still at the value of the end.
 * - `loop`: starts again.
 * - `offset`: starts again from where it ended, as a walk does: every round adds (end - start).
 * - `mirror`: runs back, then forth again.
 * - `linear`: goes on with the velocity of the end.
 */
export type Extrapolation = 'clamp' | 'loop' | 'offset' | 'mirror' | 'linear';

/** {@link Extrapolation} on each side; one word says it for both. */
export interface OutsideRange {
  readonly before: Extrapolation;
  readonly after: Extrapolation;
}

const KINDS: readonly string[] = ['clamp', 'loop', 'offset', 'mirror', 'linear'] satisfies Extrapolation[];

/** Both sides, checked; `clamp` where nothing is said. @throws MotionError `out-of-range` for an unknown word. */
export function outsideRange(outside: Extrapolation | Partial<OutsideRange> = 'clamp'): OutsideRange {
  const sides = typeof outside === 'string' ? { before: outside, after: outside } : outside;
  const { before = 'clamp', after = 'clamp' } = sides;
  for (const [side, word] of [
    ['before', before],
    ['after', after],
  ]) {
    if (KINDS.includes(word)) continue;
    throw new MotionError('out-of-range', `'${String(word)}' is no way to go on outside the range.`, {
      path: `outside.${side}`,
      remedy: `Say one of ${KINDS.map((kind) => `'${kind}'`).join(', ')}.`,
    });
  }
  return { before, after };
}

/** A time inside the range, and what is to be done to the value there. */
export interface PlacedTime {
  /** Inside [start, end], s. */
  time: number;
  /** d(time inside)/d(time asked): 1, -1 on the way back, 0 where the curve stands still. */
  rate: number;
  /** Whole rounds whose way (end - start) is to be added; 0 but for `offset`. */
  rounds: number;
  /** Seconds past the end (before the start: negative) to go on with the end's velocity; 0 but for `linear`. */
  beyond: number;
}

/** A place for {@link placeTime} to write to. */
export function createPlacedTime(): PlacedTime {
  return { time: 0, rate: 1, rounds: 0, beyond: 0 };
}

/**
 * Brings `time` (s) into [start, end] as `outside` says. The ends themselves are inside.
 * @throws MotionError `not-finite` for a time that is NaN or infinite.
 */
export function placeTime(
  time: number,
  start: number,
  end: number,
  outside: OutsideRange,
  out: PlacedTime = createPlacedTime(),
): PlacedTime {
  out.time = time;
  out.rate = 1;
  out.rounds = 0;
  out.beyond = 0;
  if (time >= start && time <= end) return out;
  if (!Number.isFinite(time)) throw notATime(time);
  const late = time > end;
  const edge = late ? end : start;
  switch (late ? outside.after : outside.before) {
    case 'clamp':
      out.time = edge;
      out.rate = 0;
      return out;
    case 'linear':
      out.time = edge;
      out.beyond = time - edge;
      return out;
    case 'mirror':
      return wrap(time, start, end, true, out);
    case 'loop':
      wrap(time, start, end, false, out);
      out.rounds = 0;
      return out;
    case 'offset':
      return wrap(time, start, end, false, out);
  }
}

/** Takes whole rounds off; with `back`, every second round runs backwards. */
function wrap(time: number, start: number, end: number, back: boolean, out: PlacedTime): PlacedTime {
  const span = end - start;
  const rounds = Math.floor((time - start) / span);
  const within = Math.min(Math.max(time - start - rounds * span, 0), span);
  const returns = back && rounds % 2 !== 0;
  out.time = returns ? end - within : start + within;
  out.time = Math.min(Math.max(out.time, start), end);
  out.rate = returns ? -1 : 1;
  out.rounds = back ? 0 : rounds;
  return out;
}

function notATime(time: number): MotionError {
  return new MotionError('not-finite', `is ${time}, which is no moment.`, {
    path: 'time',
    remedy: 'Give a finite number of seconds.',
  });
}
