/** Time windows of the edits of a clip. */
import { MotionError } from '../../errors.js';
import type { Numbers } from '../../math/linear/types.js';
import type { Motion } from '../../motion/motion.js';
import { pieceAt } from '../../motion/representation/curve.js';
import type { EditTime } from './edit-options.js';

/** A span of a clip and the edits in it, s in the clip's time. */
export interface EditSpan {
  readonly from: number;
  readonly to: number;
  /** Indices of the edits. */
  readonly edits: readonly number[];
}

/** @throws MotionError `out-of-range`, `not-finite`, `not-increasing` for a time or span outside the clip. */
export function spanOf(when: EditTime, { start, end }: Motion, path: string): readonly [number, number] {
  const [from, to] = typeof when === 'number' ? [when, when] : when;
  for (const [time, location] of [
    [from, typeof when === 'number' ? path : `${path}[0]`],
    [to, `${path}[1]`],
  ] as const) {
    if (time >= start && time <= end) continue;
    throw new MotionError(
      Number.isFinite(time) ? 'out-of-range' : 'not-finite',
      `is ${time} s; the clip goes from ${start} to ${end} s.`,
      { path: location, remedy: 'Give a time within the clip.' },
    );
  }
  if (typeof when !== 'number' && !(to > from)) {
    throw new MotionError('not-increasing', `goes from ${from} to ${to} s.`, {
      path,
      remedy: 'Give a span that ends after it begins.',
    });
  }
  return [from, to];
}

/** The spans within `reach` of edits; overlapping ones are merged. */
export function editSpans(
  times: readonly (readonly [number, number])[],
  { start, end }: Motion,
  reach: number,
): EditSpan[] {
  const order = times.map((_, k) => k).sort((a, b) => times[a][0] - times[b][0] || a - b);
  const spans: { from: number; to: number; edits: number[] }[] = [];
  for (const k of order) {
    const from = Math.max(start, times[k][0] - reach);
    const to = Math.min(end, times[k][1] + reach);
    const last = spans[spans.length - 1];
    if (last !== undefined && from < last.to) {
      last.to = Math.max(last.to, to);
      last.edits.push(k);
    } else spans.push({ from, to, edits: [k] });
  }
  return spans;
}

/** Crops a clip to a span, keeping its pieces: valid inside the span only. */
export function cropMotion(motion: Motion, from: number, to: number): Motion {
  const tracks = motion.tracks.map(({ coordinate, curve }) => {
    const { knots, controls, size, degree } = curve;
    const last = knots.length - 1;
    const first = pieceAt(knots, from);
    const end = Math.min(last, pieceAt(knots, to) + 1);
    const stride = (degree + 1) * size;
    const cropped = {
      ...curve,
      knots: typed(knots).subarray(first, end + 1),
      controls: typed(controls).subarray(first * stride, end * stride),
    };
    return { coordinate, curve: cropped };
  });
  return { ...motion, start: from, end: to, tracks, outside: { before: 'clamp', after: 'clamp' } };
}

function typed(numbers: Numbers): Float64Array {
  return numbers instanceof Float64Array ? numbers : Float64Array.from(numbers);
}
