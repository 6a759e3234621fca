import { type ContactPoints, loopMotion } from 'poise/editing';
import type { Figure } from 'poise/figure';
import { createMotionSampler, type Motion, samplePose } from 'poise/motion';

/** A part of a clip, s. */
export interface LoopSpan {
  readonly from: number;
  readonly to: number;
}

/** A clip that is to repeat without a seam. Plain data. */
export interface LoopRequest {
  readonly figure: Figure;
  readonly motion: Motion;
  /** Frames a second. */
  readonly rate: number;
  /** The part that repeats; undefined for the one whose ends are most alike. */
  readonly span: LoopSpan | undefined;
  /** What stays where it stands. */
  readonly contactPoints: readonly ContactPoints[];
  /** Height of the floor, m. */
  readonly floor: number;
}

export interface LoopAnswer {
  readonly span: LoopSpan;
  /** One cycle, at frames from its start to its end. */
  readonly poses: readonly Float64Array[];
}

/** Shortest cycle that is looked for, s; most poses that are compared each with each: a minute at 30 frames a second. */
export const SHORTEST = 0.5;
const MOST = 1800;
/** Time that counts as much as an angle: rates are compared too, s. */
const REACH = 0.1;
/** A shorter cycle is taken before a better one that is not better by this factor: one step pair rather than two. */
const WORTH = 1.25;

/** Change of a whole motion that is as good as none. */
const LITTLE = 1e-3;

/** Makes a part of a clip repeat. @throws MotionError for a part that has no length. */
export function makeLoop({ figure, motion, rate, span, contactPoints, floor }: LoopRequest): LoopAnswer {
  const { from, to } = span ?? findCycle(figure, motion, rate);
  const looped = loopMotion(figure, motion, { from, to, contactPoints, ground: floor });
  const sampler = createMotionSampler(figure, looped.motion);
  const count = Math.max(1, Math.round((to - from) * rate));
  const poses = Array.from({ length: count + 1 }, (_, k) =>
    samplePose(sampler, ((to - from) * k) / count, new Float64Array(figure.dof)),
  );
  return { span: { from, to }, poses };
}

/**
 * The part of a motion whose end is most like its start: the difference of angles and rates, over how much they change within the part, is
 * least. Where the root is in the plane and where it heads do not count. All of a motion that is too short.
 */
export function findCycle(figure: Figure, motion: Motion, rate: number): LoopSpan {
  const { start, end } = motion;
  if (end - start <= SHORTEST) return { from: start, to: end };
  const coarse = Math.min(rate, MOST / (end - start));
  const last = Math.max(2, Math.floor((end - start) * coarse));
  const times = Array.from({ length: last + 1 }, (_, k) => start + ((end - start) * k) / last);
  const features = featuresAt(figure, motion, times);
  const least = Math.ceil((SHORTEST * last) / (end - start));
  const sums = runningSums(features);
  // Where little changes ends are alike, and nothing repeats.
  const little = LITTLE * spread(sums, 0, last + 1);
  if (little === 0) return { from: start, to: end };
  /** By start, then by length. */
  const costs = Array.from({ length: last - least + 1 }, (_, i) =>
    Float64Array.from(
      { length: last - least - i + 1 },
      (__, k) => (distance(features[i], features[i + least + k]) + little) / spread(sums, i, i + least + k),
    ),
  );
  const best = costs.reduce(
    (most, row) => row.reduce((a, b) => Math.min(a, b), most),
    Number.POSITIVE_INFINITY,
  );
  const isGood = (cost: number) => cost <= WORTH ** 2 * best;
  let [i, j] = [0, Number.POSITIVE_INFINITY];
  costs.forEach((row, from) => {
    const k = row.findIndex(isGood);
    if (k >= 0 && least + k < j - i) [i, j] = [from, from + least + k];
  });
  return nearestEnds(figure, motion, rate, times[i], times[j], (end - start) / last);
}

/** The ends of a part that are most alike, at whole frames near those given: its poses are those of the clip. @param reach - How far they may be, s. */
function nearestEnds(
  figure: Figure,
  motion: Motion,
  rate: number,
  from: number,
  to: number,
  reach: number,
): LoopSpan {
  const { start, end } = motion;
  const around = (time: number) => {
    const middle = Math.round((time - start) * rate);
    const most = Math.floor((end - start) * rate + 1e-6);
    const count = Math.ceil(reach * rate);
    const frames = Array.from({ length: 2 * count + 1 }, (_, k) => middle - count + k);
    return frames.filter((frame) => frame >= 0 && frame <= most);
  };
  const [begins, ends] = [from, to].map(around);
  const [first, second] = [begins, ends].map((frames) =>
    featuresAt(
      figure,
      motion,
      frames.map((frame) => start + frame / rate),
    ),
  );
  const shortest = Math.ceil(SHORTEST * rate - 1e-6);
  let best = { from, to, cost: Number.POSITIVE_INFINITY };
  begins.forEach((i, a) => {
    ends.forEach((j, b) => {
      const cost = distance(first[a], second[b]);
      if (j - i >= shortest && cost < best.cost)
        best = { from: start + i / rate, to: start + j / rate, cost };
    });
  });
  return { from: best.from, to: best.to };
}

/** Angles and rates of what is no root, rad. */
function featuresAt(figure: Figure, motion: Motion, times: readonly number[]): Float64Array[] {
  const sampler = createMotionSampler(figure, motion);
  const coordinates = figure.bones.flatMap(({ joint, coordinate, dof }) =>
    joint.type === 'free' ? [] : Array.from({ length: dof }, (_, n) => coordinate + n),
  );
  const step = 0.5 * REACH;
  const at = (time: number) =>
    samplePose(sampler, Math.min(Math.max(time, motion.start), motion.end), new Float64Array(figure.dof));
  return times.map((time) => {
    const [before, now, after] = [time - step, time, time + step].map(at);
    return Float64Array.from([
      ...coordinates.map((n) => now[n]),
      ...coordinates.map((n) => after[n] - before[n]),
    ]);
  });
}

interface Sums {
  readonly sum: readonly Float64Array[];
  readonly square: readonly number[];
}

function runningSums(features: readonly Float64Array[]): Sums {
  const sum = [new Float64Array(features[0].length)];
  const square = [0];
  features.forEach((feature, k) => {
    sum.push(sum[k].map((x, n) => x + feature[n]));
    square.push(square[k] + feature.reduce((total, x) => total + x * x, 0));
  });
  return { sum, square };
}

/** Mean square of what differs from the mean between two moments. */
function spread({ sum, square }: Sums, i: number, j: number): number {
  const count = j - i;
  let mean = 0;
  for (let n = 0; n < sum[0].length; n++) mean += ((sum[j][n] - sum[i][n]) / count) ** 2;
  return Math.max(0, (square[j] - square[i]) / count - mean);
}

function distance(a: Float64Array, b: Float64Array): number {
  let total = 0;
  for (let n = 0; n < a.length; n++) total += (a[n] - b[n]) ** 2;
  return total;
}
