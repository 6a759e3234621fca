/**
 * Paths of points that are pinned over spans: their offset from the clip is what it takes to pin them, and fades before and after it.
 */
import type { Vec3 } from '../../math/linear/types.js';
import { createFade, evaluateFade, type Fade } from '../clips/fade.js';
import { type PointPath, velocityOf } from './point-paths.js';

/** A span over which a point stays at a position, world, m; without one it stays on the path that the clip gives it. */
export interface Pin {
  readonly from: number;
  readonly to: number;
  readonly position: Vec3 | undefined;
}

/** Least and largest duration of a fade, s. */
const LEAST_FADE = 0.2;
export const LONGEST_FADE = 0.5;
/** A fade moves a point at this speed where it may take longer than the least duration, m/s for a figure of human size. */
const FADE_SPEED = 0.25;
/** Shortest fade, s. */
const SHORTEST_FADE = 1e-3;
const XYZ = [[0, 1, 2]] as const;

interface FadingPin extends Pin {
  /** The offset before the span, of the time until it, and after it, of the time since. */
  readonly before: Fade | undefined;
  readonly after: Fade | undefined;
}

/** A pinned point at a time. */
export interface PinOffset {
  /** From its path in the clip, world, m. */
  readonly offset: Vec3;
  /** 0 where it is pinned there, 1 where the clip takes over. */
  readonly freedom: number;
}

/** The offset of a point at a time and its position in the clip then; undefined where it is zero. */
export type OffsetAt = (time: number, here: Vec3) => PinOffset | undefined;

/**
 * The offset is continuous with its rate: it fades over 0.2 s, longer where it is large and as there is time until the next span.
 *
 * @param pins - Ascending, apart from each other.
 * @param tolerance - Times this far outside a span count as inside, s.
 */
export function pinPoint(path: PointPath, pins: readonly Pin[], tolerance: number): OffsetAt {
  const spans = pins.map((pin, k): FadingPin => {
    if (pin.position === undefined) return { ...pin, before: undefined, after: undefined };
    const room = [
      k > 0 ? pin.from - pins[k - 1].to : Number.POSITIVE_INFINITY,
      k + 1 < pins.length ? pins[k + 1].from - pin.to : Number.POSITIVE_INFINITY,
    ];
    const fade = (at: number, direction: 1 | -1, longest: number): Fade => {
      const here = path(at);
      const velocity = velocityOf(path, at, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
      const value = Float64Array.from(pin.position as ArrayLike<number>, (x, r) => x - here[r]);
      const first = Float64Array.from(velocity as ArrayLike<number>, (x) => -direction * x);
      const wanted = Math.hypot(...value) / FADE_SPEED;
      const duration = Math.min(longest, Math.max(LEAST_FADE, Math.min(LONGEST_FADE, wanted)));
      return createFade(
        { value, first, second: new Float64Array(3) },
        XYZ,
        Math.max(duration, SHORTEST_FADE),
      );
    };
    return { ...pin, before: fade(pin.from, -1, room[0]), after: fade(pin.to, 1, room[1]) };
  });
  return (time, here) => {
    const offset: [number, number, number] = [0, 0, 0];
    let freedom = 1;
    for (const { from, to, position, before, after } of spans) {
      if (time >= from - tolerance && time <= to + tolerance) {
        if (position === undefined) return undefined;
        return {
          offset: [position[0] - here[0], position[1] - here[1], position[2] - here[2]],
          freedom: 0,
        };
      }
      const fade = time < from ? before : after;
      const away = time < from ? from - time : time - to;
      if (fade === undefined || away >= fade.duration) continue;
      freedom = Math.min(freedom, away / fade.duration);
      const { value } = evaluateFade(fade, away);
      for (let r = 0; r < 3; r++) offset[r] += value[r];
    }
    return freedom < 1 ? { offset, freedom: freedom * freedom } : undefined;
  };
}
