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

/** s (1 - s)^3: rate 1 at the start. Its largest value is 0.105, its rate never below -1/4. */
function ratePart(s: number, out: Jet): Jet {
  const t = 1 - s;
  out[0] = s * t * t * t;
  out[1] = t * t * (1 - 4 * s);
  out[2] = -6 * t * (1 - 2 * s);
  return out;
}
const MAX_OF_RATE_PART = 27 / 256;
/** Second derivative of the rate part at its start. */
const BEND_OF_RATE_PART = -6;

/** s^2 (1 - s)^3 / 2: second derivative 1 at the start. Its rate is never above 0.067. */
function secondPart(s: number, out: Jet): Jet {
  const t = 1 - s;
  out[0] = 0.5 * s * s * t * t * t;
  out[1] = 0.5 * s * t * t * (2 - 5 * s);
  out[2] = t * (1 - 8 * s + 10 * s * s);
  return out;
}
const MAX_RATE_OF_SECOND_PART = 0.067;

/** How far a rate may carry a displacement beyond its value, in units of that, and at least, rad or m. */
const RELATIVE_EXCURSION = 0.2;
const EXCURSION = 0.01;
/** The share of the rate that a second rate may add to it, and at least, rad/s or m/s. */
const RELATIVE_RATE = 0.1;
const RATE = 0.1;
/** Parts last a duration divided by a power of two, at most this one. */
const MAX_HALVINGS = 10;

/** Coordinates that fade together: a rotation, or one number. */
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
export function createFade(from: CurvePoint, groups: readonly (readonly number[])[], duration: number): Fade {
  const sized = groups.map((coordinates): FadeGroup => {
    const norm = (numbers: CurvePoint['value']): number => Math.hypot(...coordinates.map((i) => numbers[i]));
    const [value, first] = [norm(from.value), norm(from.first)];
    const excursion = Math.max(RELATIVE_EXCURSION * value, EXCURSION);
    const rate = halved(duration, excursion / (MAX_OF_RATE_PART * first));
    // The second rate, less what the rate part brings of it.
    const second = Math.hypot(...coordinates.map((i) => secondOf(from, i, rate)));
    const added = Math.max(RELATIVE_RATE * first, RATE);
    return { coordinates, rate, second: halved(rate, added / (MAX_RATE_OF_SECOND_PART * second)) };
  });
  const knots = new Set(sized.flatMap(({ rate, second }) => [rate, second, duration]));
  return { duration, from, groups: sized, knots: [...knots].sort((a, b) => a - b) };
}

function secondOf({ first, second }: CurvePoint, i: number, duration: number): number {
  return second[i] - (BEND_OF_RATE_PART * first[i]) / duration;
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
      if (time < duration) add(i, from.value[i], valuePart(time / duration, part), duration);
      if (time < rate) add(i, rate * from.first[i], ratePart(time / rate, part), rate);
      if (time < second)
        add(i, second * second * secondOf(from, i, rate), secondPart(time / second, part), second);
    }
  }
  return out;
}
