/** Displacements that fade to zero from a given value and rates, in as many parts, so that a rate does not carry them far. */
import { type CurvePoint, createCurvePoint } from '../../motion/representation/curve.js';

/** A value, its rate and its second rate. */
type Jet = [value: number, first: number, second: number];

/** 1 - (10 s^3 - 15 s^4 + 6 s^5): from 1 to 0, with first and second derivative zero at both ends. */
function valuePart(s: number, out: Jet): Jet {
  const t = 1 - s;
  out[0] = t * t * t * (1 + 3 * s + 6 * s * s);
  out[1] = -30 * s * s * t * t;
  out[2] = -60 * s * t * (1 - 2 * s);
  return out;
}

/** Its largest rate. */
export const MAX_FADE_RATE = 1.875;

/** The integral of 1 - (3 s^2 - 2 s^3), zero at the end: rate 1 at the start that decreases to zero, second derivative zero at both ends. */
function ratePart(s: number, out: Jet): Jet {
  const t = 1 - s;
  out[0] = -0.5 * t * t * t * (1 + s);
  out[1] = t * t * (1 + 2 * s);
  out[2] = -6 * s * t;
  return out;
}
/** Minus the rate part at its start: as far as the rate carries the displacement beyond its value. */
const EXCURSION_OF_RATE_PART = 0.5;

/** s^2 (1 - s)^3 / 2: second derivative 1 at the start. */
function secondPart(s: number, out: Jet): Jet {
  const t = 1 - s;
  out[0] = 0.5 * s * s * t * t * t;
  out[1] = 0.5 * s * t * t * (2 - 5 * s);
  out[2] = t * (1 - 8 * s + 10 * s * s);
  return out;
}
/** Its largest rate, at the smaller root of 10 s^2 - 8 s + 1: s = (4 - sqrt 6) / 10. */
const MAX_RATE_OF_SECOND_PART = 0.067828;

/**
 * Duration of the rates' parts, relative to the whole: one for all coordinates, so that joints which cancel each other at a hand do so while
 * they fade. What a rate adds to the displacement then fades with the value, at 0.12 times that rate at most.
 */
const RATE_DURATION = 1 / 8;
/** How far a rate may carry a displacement beyond its value, in units of that, and at least, rad or m of a person: more is noise. */
const RELATIVE_EXCURSION = 0.2;
const EXCURSION = 0.05;
/** The share of the rate that a second rate may add to it, and at least, rad/s or m/s of a person. */
const RELATIVE_RATE = 0.1;
const RATE = 0.1;
/** Parts last a duration divided by a power of two, at most this one. */
const MAX_HALVINGS = 10;

/** Coordinates that fade together: a rotation, or one number. */
export interface FadeCoordinates {
  readonly coordinates: readonly number[];
  /** What a metre of a person is for these: 1 for angles, for lengths the figure's scale. */
  readonly unit: number;
}

interface FadeGroup {
  readonly coordinates: readonly number[];
  /** Durations of the parts, s. */
  readonly rate: number;
  readonly second: number;
}

/** A displacement that is `from` at time 0 and zero, with two derivatives, from `duration` on. */
export interface Fade {
  readonly duration: number;
  readonly from: CurvePoint;
  readonly groups: readonly FadeGroup[];
  /** Times at which a part ends, s: between them the displacement is a polynomial of degree 5. */
  readonly knots: readonly number[];
}

/**
 * @param from - Value, first and second derivative at time 0.
 * @param groups - Coordinates that fade together.
 * @param duration - s. The value fades over it; rates as much sooner as keeps them from carrying the displacement away.
 */
export function createFade(from: CurvePoint, groups: readonly FadeCoordinates[], duration: number): Fade {
  const sized = groups.map(({ coordinates, unit }): FadeGroup => {
    const norm = (numbers: CurvePoint['value']): number => Math.hypot(...coordinates.map((i) => numbers[i]));
    const [value, first, second] = [norm(from.value), norm(from.first), norm(from.second)];
    const excursion = Math.max(RELATIVE_EXCURSION * value, EXCURSION * unit);
    const rate = halved(RATE_DURATION * duration, excursion / (EXCURSION_OF_RATE_PART * first));
    const added = Math.max(RELATIVE_RATE * first, RATE * unit);
    return { coordinates, rate, second: halved(rate, added / (MAX_RATE_OF_SECOND_PART * second)) };
  });
  const knots = new Set(sized.flatMap(({ rate, second }) => [rate, second, duration]));
  return { duration, from, groups: sized, knots: [...knots].sort((a, b) => a - b) };
}

/** The duration, halved until it is at most `longest`. */
function halved(duration: number, longest: number): number {
  let half = duration;
  for (let k = 0; k < MAX_HALVINGS && half > longest; k++) half *= 0.5;
  return half;
}

const part: Jet = [0, 0, 0];

/** The displacement at a time not below zero, s. */
export function evaluateFade({ duration, from, groups }: Fade, time: number): CurvePoint<Float64Array> {
  const out = createCurvePoint(from.value.length) as CurvePoint<Float64Array>;
  const add = (i: number, amount: number, [v, v1, v2]: Jet, h: number): void => {
    out.value[i] += amount * v;
    out.first[i] += (amount * v1) / h;
    out.second[i] += (amount * v2) / (h * h);
  };
  for (const { coordinates, rate, second } of groups) {
    for (const i of coordinates) {
      const carried = from.value[i] + EXCURSION_OF_RATE_PART * rate * from.first[i];
      if (time < duration) add(i, carried, valuePart(time / duration, part), duration);
      if (time < rate) add(i, rate * from.first[i], ratePart(time / rate, part), rate);
      if (time < second) add(i, second * second * from.second[i], secondPart(time / second, part), second);
    }
  }
  return out;
}
