/**
 * Paths of points that are pinned over spans: their offset from the clip is what it takes to pin them, and fades before and after it.
 */
import type { Vec3 } from '../../math/linear/types.js';
import { type CurvePoint, createCurvePoint } from '../../motion/representation/curve.js';
import { createFade, evaluateFade, type Fade } from '../clips/fade.js';
import { type PointPath, velocityOf } from './point-paths.js';

/** A span over which a point stays at a position, world, m; without one it stays on the path that the clip gives it. */
export interface Pin {
  readonly from: number;
  readonly to: number;
  readonly position: Vec3 | undefined;
}

/** Least and largest duration of a fade, s. */
const MIN_FADE = 0.2;
export const MAX_FADE = 0.5;
/** A fade moves a point at this speed where it may take longer than the least duration, m/s of a person. */
const FADE_SPEED = 0.25;
/** Where two spans leave no time between, s. */
const MIN_ROOM = 1e-3;

interface FadingPin extends Pin {
  /** The offset before the span, of the time until it, and after it, of the time since. */
  readonly before: Fade;
  readonly after: Fade;
}

/** A pinned point at a time. */
export interface PinOffset {
  /** From its path in the clip, world, m. */
  readonly offset: Vec3;
  /** 0 where it is pinned there or on its path, 1 where the clip takes over. */
  readonly freedom: number;
  /** 1 where it is pinned to a position, 0 where none is near. */
  readonly stiffness: number;
}

/** The offset of a point at a time and its position in the clip then; undefined where it is zero. */
export type OffsetAt = (time: number, here: Vec3) => PinOffset | undefined;

/**
 * The offset is continuous with its rate: it fades over 0.2 s, longer where it is large and as there is time until the next span.
 *
 * @param pins - Ascending, apart from each other.
 * @param tolerance - Times this far outside a span count as inside, s.
 * @param unit - A metre of a person, m.
 */
export function pinPoint(path: PointPath, pins: readonly Pin[], tolerance: number, unit: number): OffsetAt {
  const spans = pins.map((pin, k): FadingPin => {
    const room = [
      k > 0 ? pin.from - pins[k - 1].to : Number.POSITIVE_INFINITY,
      k + 1 < pins.length ? pins[k + 1].from - pin.to : Number.POSITIVE_INFINITY,
    ];
    const fade = (at: number, direction: 1 | -1, longest: number): Fade => {
      const offset =
        pin.position === undefined ? createCurvePoint(3) : offsetOf(path, at, pin.position, direction);
      const wanted = Math.hypot(...Array.from(offset.value)) / (FADE_SPEED * unit);
      const duration = Math.min(longest, Math.max(MIN_FADE, Math.min(MAX_FADE, wanted)));
      return createFade(offset, [{ coordinates: [0, 1, 2], unit }], Math.max(duration, MIN_ROOM));
    };
    return { ...pin, before: fade(pin.from, -1, room[0]), after: fade(pin.to, 1, room[1]) };
  });
  return (time, here) => {
    const offset: [number, number, number] = [0, 0, 0];
    let [freedom, stiffness] = [1, 0];
    for (const { from, to, position, before, after } of spans) {
      if (time >= from - tolerance && time <= to + tolerance) {
        if (position === undefined) return { offset, freedom: 0, stiffness };
        for (let r = 0; r < 3; r++) offset[r] = position[r] - here[r];
        return { offset, freedom: 0, stiffness: 1 };
      }
      const fade = time < from ? before : after;
      const away = time < from ? from - time : time - to;
      if (away >= fade.duration) continue;
      const part = away / fade.duration;
      freedom = Math.min(freedom, part);
      if (position !== undefined) stiffness = Math.max(stiffness, (1 - part * part) ** 2);
      const { value } = evaluateFade(fade, away);
      for (let r = 0; r < 3; r++) offset[r] += value[r];
    }
    return freedom < 1 ? { offset, freedom: freedom * freedom, stiffness } : undefined;
  };
}

/** The offset of a position from a path at a time, and its rate in a direction of time. */
function offsetOf(path: PointPath, at: number, position: Vec3, direction: 1 | -1): CurvePoint {
  const here = path(at);
  const velocity = velocityOf(path, at, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
  return {
    value: Float64Array.from(position as ArrayLike<number>, (x, r) => x - here[r]),
    first: Float64Array.from(velocity, (x) => -direction * x),
    second: new Float64Array(3),
  };
}
