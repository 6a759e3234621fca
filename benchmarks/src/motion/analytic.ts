import { createPrng } from '../prng.js';

export const BONES = 100;
/** Frames a second, and how many. */
export const FRAME_RATE = 60;
export const FRAMES = 10_000;
/** s */
export const DURATION = (FRAMES - 1) / FRAME_RATE;

/** One angle: two sines. */
interface Wave {
  readonly amplitude: readonly [number, number];
  readonly frequency: readonly [number, number];
  readonly phase: readonly [number, number];
}

/**
 * A smooth motion that favours neither library's interpolation: each bone turns by three angles about z, x and y, every angle a sum of two sines of up to
 * 0.6 and 0.25 rad, 0.1 to 1 and 0.5 to 2 Hz.
 */
export interface AnalyticMotion {
  /** Quaternion of a bone at time t (s) to `q`, its rate (per s) to `rate` where given: by the product rule, in plain numbers. */
  readonly evaluate: (bone: number, t: number, q: number[], rate?: number[]) => void;
}

export function analyticMotion(seed: number): AnalyticMotion {
  const { uniform } = createPrng(seed);
  const between = (a: number, b: number): number => a + (b - a) * uniform();
  const waves: Wave[][] = Array.from({ length: BONES }, () =>
    Array.from({ length: 3 }, () => ({
      amplitude: [between(0.1, 0.6), between(0.05, 0.25)],
      frequency: [2 * Math.PI * between(0.1, 1), 2 * Math.PI * between(0.5, 2)],
      phase: [between(0, 2 * Math.PI), between(0, 2 * Math.PI)],
    })),
  );
  const axes = [2, 0, 1];
  const rotation = [0, 0, 0, 1];
  const turnRate = [0, 0, 0, 0];
  const evaluate = (bone: number, t: number, q: number[], rate?: number[]): void => {
    for (let k = 0; k < 4; k++) q[k] = k === 3 ? 1 : 0;
    rate?.fill(0);
    for (const [n, { amplitude, frequency, phase }] of waves[bone].entries()) {
      let angle = 0;
      let speed = 0;
      for (let k = 0; k < 2; k++) {
        angle += amplitude[k] * Math.sin(frequency[k] * t + phase[k]);
        speed += amplitude[k] * frequency[k] * Math.cos(frequency[k] * t + phase[k]);
      }
      rotation.fill(0);
      turnRate.fill(0);
      rotation[axes[n]] = Math.sin(angle / 2);
      rotation[3] = Math.cos(angle / 2);
      turnRate[axes[n]] = 0.5 * speed * rotation[3];
      turnRate[3] = -0.5 * speed * rotation[axes[n]];
      if (rate !== undefined) {
        const left = product(rate, rotation);
        const right = product(q, turnRate);
        for (let k = 0; k < 4; k++) rate[k] = left[k] + right[k];
      }
      const next = product(q, rotation);
      for (let k = 0; k < 4; k++) q[k] = next[k];
    }
  };
  return { evaluate };
}

/** Hamilton product a b of [x, y, z, w]. */
export function product(a: readonly number[], b: readonly number[]): number[] {
  return [
    a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
    a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
    a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
    a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
  ];
}

/** Key times: `perSecond` a second, evenly, the last at the end. */
export function keyTimes(perSecond: number): number[] {
  const count = Math.round(DURATION * perSecond) + 1;
  return Array.from({ length: count }, (_, i) => (DURATION * i) / (count - 1));
}

/** Keys of all bones with their rates, quaternions of neighbours on one side. */
export interface Keys {
  readonly times: number[];
  /** By bone, four numbers a key. */
  readonly quaternions: number[][];
  readonly rates: number[][];
}

export function keysOf(motion: AnalyticMotion, times: number[]): Keys {
  const q = [0, 0, 0, 1];
  const rate = [0, 0, 0, 0];
  const quaternions: number[][] = [];
  const rates: number[][] = [];
  for (let bone = 0; bone < BONES; bone++) {
    const values: number[] = [];
    const slopes: number[] = [];
    for (const t of times) {
      motion.evaluate(bone, t, q, rate);
      const from = values.length - 4;
      const side = from < 0 ? 1 : Math.sign(q.reduce((sum, x, k) => sum + x * values[from + k], 0));
      values.push(...q.map((x) => side * x));
      slopes.push(...rate.map((x) => side * x));
    }
    quaternions.push(values);
    rates.push(slopes);
  }
  return { times, quaternions, rates };
}
