/** The way of the centre of mass through the air: a parabola, and what another time in the air does to the keys. */
import { centerOfMass, createState, type Figure, forwardKinematics } from 'poise/figure';
import { vec3 } from 'poise/math';
import { CLIP_SECONDS } from '../animate/clip/bounds.js';
import type { Clip, ClipKey } from '../animate/clip/clip.js';
import type { Span } from './span.js';

export interface Arc {
  readonly span: Span;
  /** Centre of mass where it leaves the floor and where it comes down, m. */
  readonly start: readonly number[];
  readonly end: readonly number[];
  readonly up: readonly number[];
  /** Magnitude, m/s^2. */
  readonly gravity: number;
}

/** Shortest and longest time in the air, s. */
export const AIR = { min: 0.12, max: 2 } as const;

/** The arc of a flight. @param massive - With masses. */
export function arcOf(
  massive: Figure,
  gravity: readonly number[],
  span: Span,
  poseOf: (time: number) => Float64Array,
): Arc {
  const state = createState(massive);
  const at = (time: number): number[] => {
    forwardKinematics(state, poseOf(time));
    return Array.from(centerOfMass(state));
  };
  const [start, end] = [at(span.from), at(span.to)];
  return { span, start, end, up: massive.up, gravity: vec3.norm(gravity) };
}

/** Velocity up at the start that brings it to its end in time. */
function riseOf({ span, start, end, up, gravity }: Arc): number {
  const seconds = span.to - span.from;
  return vec3.dot(vec3.subtract(end, start), up) / seconds + 0.5 * gravity * seconds;
}

/** Where it is after a time from the start of the flight. */
export function pointOf(arc: Arc, time: number): number[] {
  const { span, start, end, up, gravity } = arc;
  const share = time / (span.to - span.from);
  const rise = 0.5 * gravity * time * (span.to - span.from - time);
  return start.map((x, k) => x + share * (end[k] - x) + rise * up[k]);
}

/** Time from the start of the flight at which it is highest. */
export function topTime(arc: Arc): number {
  return Math.min(Math.max(riseOf(arc) / arc.gravity, 0), arc.span.to - arc.span.from);
}

/** How far the top is over the start, m. */
export function heightOf(arc: Arc): number {
  return Math.max(0, riseOf(arc)) ** 2 / (2 * arc.gravity);
}

/** Time in the air that a jump of a height takes: up by g, and down to where it ends. */
export function secondsFor({ start, end, up, gravity }: Arc, height: number): number {
  const step = vec3.dot(vec3.subtract(end, start), up);
  const top = Math.max(height, step, 0);
  const seconds = Math.sqrt((2 * top) / gravity) + Math.sqrt((2 * (top - step)) / gravity);
  return Math.min(Math.max(seconds, AIR.min), AIR.max);
}

/** A clip with another time in the air: keys of the flight are spread over it, those after it move, in whole frames. */
export function withFlight(clip: Clip, { from, to }: Span, seconds: number): Clip {
  const { rate } = clip;
  const by = Math.round((seconds - (to - from)) * rate) / rate;
  const factor = (to - from + by) / (to - from);
  const duration = Math.min(clip.duration + by, CLIP_SECONDS.max);
  if (by === 0 || !(factor > 0)) return clip;
  const moved = (time: number): number => {
    if (time <= from) return time;
    const at = time < to ? from + factor * (time - from) : time + by;
    const frame = Math.round(at * rate) / rate;
    // Keys stay on frames, and keys between them where they are.
    return Math.abs(time * rate - Math.round(time * rate)) < 1e-3 ? frame : at;
  };
  const keys = Object.fromEntries(
    Object.entries(clip.keys).map(([id, own]) => {
      const byTime = new Map(own.map((key) => [moved(key.time), key]));
      const inTime = (key: ClipKey): ClipKey =>
        key.tangent !== undefined && key.time > from && key.time < to
          ? { ...key, tangent: key.tangent.map((rate) => rate / factor) }
          : key;
      return [id, [...byTime].sort(([a], [b]) => a - b).map(([time, key]) => ({ ...inTime(key), time }))];
    }),
  );
  return { ...clip, duration, keys };
}
