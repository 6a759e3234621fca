/** Spans over which points are pinned, and how long: not so long that the points have to rush to them or away from them. */
import * as vec3 from '../../math/geometry/vec3.js';
import type { Vec3 } from '../../math/linear/types.js';
import { MAX_FADE_RATE } from '../clips/fade.js';
import type { PointTransform } from '../clips/planar-alignment.js';
import { SPEED_FACTOR, STILL_SPEED } from '../clips/slow-enough.js';
import type { ContactSpan } from './detect-contacts.js';
import { type Pin, pinPoint } from './pinned-paths.js';
import type { PointPath, PointPaths } from './point-paths.js';

/** Points pinned to positions over a span. */
export interface PinnedSpan {
  readonly bone: string;
  readonly points: readonly Vec3[];
  /** World, m, one for each point. */
  readonly positions: readonly Vec3[];
  readonly over: readonly [number, number];
}

/** The transform of a loop over a cycle, and its length, s. */
export interface Cycle {
  readonly length: number;
  readonly transform: PointTransform;
}

/** Step at which the fastest moment of a point is looked for, s. */
const SPEED_STEP = 1 / 60;
/** At least, m/s of a person. */
const MIN_SPEED = 0.1;
/**
 * The spans, cut where two of the same points at different positions follow each other so soon that the path between would be faster than the
 * clip ever moves these points. Those that nothing is left of are dropped.
 */
export function withTimeBetween(
  paths: PointPaths,
  over: readonly [number, number],
  spans: readonly PinnedSpan[],
  cycle: Cycle | undefined,
  unit: number,
): PinnedSpan[] {
  const cut = spans.map((span) => [...span.over] as [number, number]);
  const groups = new Map<string, number[]>();
  spans.forEach((span, k) => {
    groups.set(keyOf(span), [...(groups.get(keyOf(span)) ?? []), k]);
  });
  for (const group of groups.values()) {
    group.sort((a, b) => spans[a].over[0] - spans[b].over[0]);
    const { bone, points } = spans[group[0]];
    const speed = Math.max(MIN_SPEED * unit, ...points.map((point) => fastest(paths(bone, point), over)));
    group.forEach((k, n) => {
      const isLast = n + 1 === group.length;
      if (isLast && cycle === undefined) return;
      const next = group[isLast ? 0 : n + 1];
      const { positions } = spans[next];
      const distance = Math.max(
        ...spans[k].positions.map((position, p) => {
          const there = isLast && cycle !== undefined ? cycle.transform(positions[p], 1) : positions[p];
          return vec3.distance(position, there);
        }),
      );
      const between = spans[next].over[0] + (isLast ? (cycle as Cycle).length : 0) - spans[k].over[1];
      const lacking = (MAX_FADE_RATE * distance) / speed - between;
      if (!(distance > SAME_POSITION * unit && lacking > 0)) return;
      cut[k][1] -= 0.5 * lacking;
      cut[next][0] += 0.5 * lacking;
    });
  }
  return spans.flatMap((span, k) => (cut[k][1] > cut[k][0] ? [{ ...span, over: cut[k] }] : []));
}

/** Largest speed of a point over a span, m/s. */
function fastest(path: PointPath, [start, end]: readonly [number, number]): number {
  const count = Math.max(1, Math.ceil((end - start) / SPEED_STEP));
  const step = (end - start) / count;
  let before = path(start);
  let speed = 0;
  for (let k = 1; k <= count; k++) {
    const here = path(start + k * step);
    speed = Math.max(speed, vec3.distance(here, before) / step);
    before = here;
  }
  return speed;
}

/** A span of one point, as it is shortened. */
interface Shortened {
  over: [from: number, to: number];
  readonly positions: readonly Vec3[];
}

/**
 * The spans, shortened until no point comes to its position or leaves it faster than 1.15 times as fast as it ever is on its path. Points that
 * the clip moves while they count as in contact, as the feet of an animation on the spot, are let go before they are far from their paths. Those that nothing is
 * left of are dropped.
 */
export function withoutRush(
  paths: PointPaths,
  over: readonly [number, number],
  spans: readonly PinnedSpan[],
  { still = [], cycle }: { readonly still?: readonly ContactSpan[]; readonly cycle?: Cycle },
  unit: number,
): PinnedSpan[] {
  const shortened = spans.map((span): Shortened => ({ positions: span.positions, over: [...span.over] }));
  const groups = new Map<string, number[]>();
  spans.forEach((span, k) => {
    groups.set(keyOf(span), [...(groups.get(keyOf(span)) ?? []), k]);
  });
  for (const [key, group] of groups) {
    const { bone, points } = spans[group[0]];
    const stillSpans = still.filter((span) => keyOf(span) === key);
    const own = group.map((k) => shortened[k]);
    points.forEach((point, p) => {
      shortenFor(paths(bone, point), p, over, own, stillSpans, cycle, unit);
    });
  }
  return spans.flatMap((span, k) => {
    const [from, to] = shortened[k].over;
    return to > from ? [{ ...span, over: [from, to] as const }] : [];
  });
}

/** Shortens the spans of a point, sample by sample, at the end where it is fastest. */
function shortenFor(
  path: PointPath,
  p: number,
  [start, end]: readonly [number, number],
  spans: readonly Shortened[],
  still: readonly ContactSpan[],
  cycle: Cycle | undefined,
  unit: number,
): void {
  const count = Math.max(1, Math.ceil((end - start) / SPEED_STEP));
  const step = (end - start) / count;
  const times = Array.from({ length: count + 1 }, (_, k) => start + k * step);
  const here = times.map(path);
  let largest = 0;
  for (let k = 1; k <= count; k++) largest = Math.max(largest, vec3.distance(here[k], here[k - 1]) / step);
  const allowed = SPEED_FACTOR * largest + STILL_SPEED * unit;
  for (;;) {
    const left = spans.filter(({ over: [from, to] }) => to > from);
    const pins = [
      ...left.map(({ over: [from, to], positions }): Pin => ({ from, to, position: positions[p] })),
      ...still.map(({ over: [from, to] }): Pin => ({ from, to, position: undefined })),
    ];
    const separate = separatePins(repeatedPins(pins, cycle), SAME_POSITION * unit);
    const offsetAt = pinPoint(path, separate, 1e-9 * (end - start), unit);
    const placed = times.map((time, k): Vec3 => {
      const offset = offsetAt(time, here[k])?.offset ?? [0, 0, 0];
      return [here[k][0] + offset[0], here[k][1] + offset[1], here[k][2] + offset[2]];
    });
    let [fastestTime, speed] = [start, 0];
    for (let k = 1; k <= count; k++) {
      const own = vec3.distance(placed[k], placed[k - 1]) / step;
      if (own > speed) [fastestTime, speed] = [times[k] - 0.5 * step, own];
    }
    if (speed <= allowed || !shortenNearest(fastestTime, left, [start, end], cycle?.length, step)) return;
  }
}

/**
 * Shortens the span whose end is nearest to a time by a step, at that end. Ends of the whole stay: there a span continues in the clip.
 *
 * @param period - Of a loop, s.
 * @returns whether there is one.
 */
function shortenNearest(
  time: number,
  spans: readonly Shortened[],
  [start, end]: readonly [number, number],
  period: number | undefined,
  step: number,
): boolean {
  const shifts = period === undefined ? [0] : [-period, 0, period];
  const edges = spans.flatMap((span) =>
    ([0, 1] as const).flatMap((k) => {
      const edge = span.over[k];
      if (!(edge > start && edge < end)) return [];
      return [{ span, k, away: Math.min(...shifts.map((shift) => Math.abs(edge + shift - time))) }];
    }),
  );
  if (edges.length === 0) return false;
  const { span, k } = edges.reduce((a, b) => (b.away < a.away ? b : a));
  span.over[k] += k === 0 ? step : -step;
  return true;
}

/** Spans that last a part of their time: where they begin or end inside the whole, they do so later or sooner. */
export function shortenedSpans<Span extends { readonly over: readonly [number, number] }>(
  spans: readonly Span[],
  [start, end]: readonly [number, number],
  part: number,
): Span[] {
  return spans.flatMap((span) => {
    const [from, to] = span.over;
    const less = (1 - part) * (to - from);
    const [begins, ends] = [from > start, to < end];
    const share = begins && ends ? 0.5 * less : less;
    const over = [begins ? from + share : from, ends ? to - share : to] as const;
    return over[1] > over[0] ? [{ ...span, over }] : [];
  });
}

function keyOf({ bone, points }: { readonly bone: string; readonly points: readonly Vec3[] }): string {
  return `${points.map((point) => Array.from(point).join(' ')).join()} ${bone}`;
}

/** Pins of a loop, and the same one cycle earlier and later. */
export function repeatedPins(pins: readonly Pin[], cycle: Cycle | undefined): readonly Pin[] {
  if (cycle === undefined) return pins;
  const { length, transform } = cycle;
  return pins.flatMap(({ from, to, position }) =>
    ([-1, 0, 1] as const).map((k) => ({
      from: from + k * length,
      to: to + k * length,
      position: position === undefined || k === 0 ? position : transform(position, k),
    })),
  );
}

/** Ascending; where two overlap, the earlier ends. Those that touch at the same position are one. */
export function separatePins(pins: readonly Pin[], distance: number): Pin[] {
  const out: Pin[] = [];
  for (const pin of [...pins].sort((a, b) => a.from - b.from)) {
    const last = out[out.length - 1];
    if (last === undefined || pin.from > last.to) out.push(pin);
    else if (isSame(last.position, pin.position, distance))
      out[out.length - 1] = { ...last, to: Math.max(last.to, pin.to) };
    else if (pin.to > last.to) out.push({ ...pin, from: last.to });
  }
  return out;
}

/** Distance up to which two positions are one, m of a person. */
export const SAME_POSITION = 1e-9;

function isSame(a: Vec3 | undefined, b: Vec3 | undefined, distance: number): boolean {
  if (a === undefined || b === undefined) return a === b;
  return vec3.distance(a, b) < distance;
}
