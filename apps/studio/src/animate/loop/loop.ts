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

/** Shortest cycle that is looked for, s; most poses that are compared each with each. */
export const SHORTEST = 0.5;
const MOST = 240;
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
  const found: { readonly i: number; readonly j: number; readonly cost: number }[] = [];
  for (let i = 0; i + least <= last; i++)
    for (let j = i + least; j <= last; j++)
      found.push({ i, j, cost: (distance(features[i], features[j]) + little) / spread(sums, i, j) });
  const best = found.reduce((a, b) => (b.cost < a.cost ? b : a));
  const good = found.filter(({ cost }) => cost <= WORTH ** 2 * best.cost);
  const { i, j } = good.reduce((a, b) => (b.j - b.i < a.j - a.i ? b : a));
  // Whole frames, so that its poses are those of the clip.
  const frame = (time: number) => start + Math.round((time - start) * rate) / rate;
  const from = frame(times[i]);
  return { from, to: Math.min(end, Math.max(frame(times[j]), from + 1 / rate)) };
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
