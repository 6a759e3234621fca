/** Extrapolation: maps a time outside a curve's range into it. */
import { requireFields, requireOneOf } from '../../checks.js';
import { MotionError } from '../../errors.js';

/**
 * Extrapolation of a curve outside its range.
 *
 * - `clamp`: constant at the value of the end.
 * - `loop`: repeats.
 * - `offset`: repeats with offset: every cycle adds (end - start), as a walk does.
 * - `mirror`: ping-pong, forwards and backwards in turn.
 * - `linear`: continues with the velocity of the end.
 */
export type Extrapolation = 'clamp' | 'loop' | 'offset' | 'mirror' | 'linear';

/** {@link Extrapolation} before the start and after the end; a single value applies to both. */
export interface OutsideRange {
  readonly before: Extrapolation;
  readonly after: Extrapolation;
}

const KINDS: readonly string[] = ['clamp', 'loop', 'offset', 'mirror', 'linear'] satisfies Extrapolation[];

/** Both ends, checked; `clamp` by default. @throws MotionError `unsupported` for an unknown value. */
export function outsideRange(outside: Extrapolation | Partial<OutsideRange> = 'clamp'): OutsideRange {
  if (typeof outside === 'string') {
    requireOneOf(outside, KINDS, 'outside', MotionError);
    return { before: outside, after: outside };
  }
  requireFields(outside, { before: true, after: true }, 'outside', MotionError);
  const { before = 'clamp', after = 'clamp' } = outside;
  requireOneOf(before, KINDS, 'outside.before', MotionError);
  requireOneOf(after, KINDS, 'outside.after', MotionError);
  return { before, after };
}

/** A time mapped into the range, and the remaining correction to the value there. */
export interface WrappedTime {
  /** Inside [start, end], s. */
  time: number;
  /** d(mapped time)/d(given time): 1, -1 on a mirrored cycle, 0 where clamped. */
  rate: number;
  /** Cycles for which (end - start) is added; 0 except for `offset`. */
  cycles: number;
  /** Seconds past the end (negative before the start) of linear extrapolation; 0 except for `linear`. */
  beyond: number;
}

/** An output for {@link wrapTime}. */
export function createWrappedTime(): WrappedTime {
  return { time: 0, rate: 1, cycles: 0, beyond: 0 };
}

/**
 * Maps `time` (s) into [start, end] as `outside` says. Both ends are inside.
 * @throws MotionError `not-finite` for a time that is NaN or infinite.
 */
export function wrapTime(
  time: number,
  start: number,
  end: number,
  outside: OutsideRange,
  out: WrappedTime = createWrappedTime(),
): WrappedTime {
  out.time = time;
  out.rate = 1;
  out.cycles = 0;
  out.beyond = 0;
  if (time >= start && time <= end) return out;
  if (!Number.isFinite(time)) throw notFinite(time);
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
      out.cycles = 0;
      return out;
    case 'offset':
      return wrap(time, start, end, false, out);
  }
}

/** Subtracts whole cycles; with `mirrored`, every second cycle runs backwards. */
function wrap(time: number, start: number, end: number, mirrored: boolean, out: WrappedTime): WrappedTime {
  const span = end - start;
  const cycles = Math.floor((time - start) / span);
  const local = Math.min(Math.max(time - start - cycles * span, 0), span);
  const reversed = mirrored && cycles % 2 !== 0;
  out.time = reversed ? end - local : start + local;
  out.time = Math.min(Math.max(out.time, start), end);
  out.rate = reversed ? -1 : 1;
  out.cycles = mirrored ? 0 : cycles;
  return out;
}

function notFinite(time: number): MotionError {
  return new MotionError('not-finite', `is ${time}.`, {
    path: 'time',
    remedy: 'Give a finite number of seconds.',
  });
}
