/** How far the velocities of a changed clip are from those of the clips that it comes from: what makes a foot kick. */
import { forwardKinematics } from '../../figure/kinematics/forward-kinematics.js';
import type { Figure } from '../../figure/model/figure.js';
import { createState, type FigureState } from '../../figure/model/state.js';
import type { Motion } from '../../motion/motion.js';
import { createMotionSampler, samplePose } from '../../motion/sampler.js';
import type { PointTransform } from './planar-alignment.js';

/** The largest change of a velocity by an edit: of the origin or the tip of a bone, between keys too. */
export interface VelocityChange {
  /** Bone whose origin or tip it is. */
  readonly bone: string;
  /** Of the result, s. */
  readonly time: number;
  /** Distance of the velocity from those of the clips then, and from all between them, m/s. */
  readonly change: number;
  /** Speed of the point, and the larger of its speeds in the clips, m/s. */
  readonly speed: number;
  readonly clipSpeed: number;
}

/** A clip that a result comes from. */
export interface ClipSource {
  readonly motion: Motion;
  /** Time of the clip at a time of the result. */
  readonly timeOf: (time: number) => number;
  /** Its transform in the result. Default: none. */
  readonly transform?: PointTransform | undefined;
  /** Times of the result for which it counts. Default: all. */
  readonly over?: readonly [from: number, to: number];
}

/** Longest step between samples, s: half the time between two frames of a recording at 120 Hz. */
const STEP = 1 / 240;

/** Positions of the origins and tips of all bones, world, m, 6 numbers a bone. */
function writeEnds({ figure, worldFromBone: w }: FigureState, out: Float64Array): void {
  for (const { index, tip } of figure.bones) {
    const o = 12 * index;
    for (let r = 0; r < 3; r++) {
      const origin = w[o + 9 + r];
      out[6 * index + r] = origin;
      out[6 * index + 3 + r] =
        tip === undefined
          ? origin
          : origin + w[o + 3 * r] * tip[0] + w[o + 3 * r + 1] * tip[1] + w[o + 3 * r + 2] * tip[2];
    }
  }
}

/** Positions of the origins and tips of all bones at a time of a clip, 6 numbers a bone. */
export type EndsAt = (time: number, out: Float64Array) => Float64Array;

export function endsOf(figure: Figure, motion: Motion): EndsAt {
  const sampler = createMotionSampler(figure, motion);
  const state = createState(figure);
  const pose = new Float64Array(figure.dof);
  return (time, out) => {
    forwardKinematics(state, samplePose(sampler, time, pose));
    writeEnds(state, out);
    return out;
  };
}

/** Largest speed of the origin and the tip of every bone over a span of a clip, m/s, sampled every 1/120 s. */
export function largestSpeeds(
  figure: Figure,
  ends: EndsAt,
  [from, to]: readonly [number, number],
): Float64Array {
  const count = Math.max(1, Math.ceil((to - from) / (2 * STEP)));
  const step = (to - from) / count;
  const positions = [new Float64Array(6 * figure.bones.length), new Float64Array(6 * figure.bones.length)];
  const speeds = new Float64Array(2 * figure.bones.length);
  ends(from, positions[0]);
  for (let k = 1; k <= count; k++) {
    const [before, here] = k % 2 === 1 ? positions : [positions[1], positions[0]];
    ends(from + k * step, here);
    for (let i = 0; i < speeds.length; i++) {
      const c = 3 * i;
      const [x, y, z] = [here[c] - before[c], here[c + 1] - before[c + 1], here[c + 2] - before[c + 2]];
      speeds[i] = Math.max(speeds[i], Math.sqrt(x * x + y * y + z * z) / step);
    }
  }
  return speeds;
}

/**
 * Mean velocities over steps of 1/240 s. Of two clips every mixture of their velocities counts as theirs, so that a blend of
 * clips changes velocities by what lies between their places alone.
 *
 * @param sources - One or two clips at every time.
 */
export function velocityChangeOf(
  figure: Figure,
  motion: Motion,
  [from, to]: readonly [number, number],
  sources: readonly ClipSource[],
): VelocityChange {
  const state = createState(figure);
  const pose = new Float64Array(figure.dof);
  const size = 6 * figure.bones.length;
  const count = Math.max(1, Math.ceil((to - from) / STEP));
  const step = (to - from) / count;
  const endsOf = ({
    motion: clip,
    timeOf,
    transform,
  }: ClipSource): ((time: number, out: Float64Array) => void) => {
    const sampler = createMotionSampler(figure, clip);
    return (time, out) => {
      forwardKinematics(state, samplePose(sampler, timeOf(time), pose));
      writeEnds(state, out);
      if (transform === undefined) return;
      for (let k = 0; k < size; k += 3) out.set(transform([out[k], out[k + 1], out[k + 2]], 1), k);
    };
  };
  const all = [{ motion, timeOf: (time: number) => time }, ...sources].map((source: ClipSource) => ({
    over: source.over ?? ([from, to] as const),
    ends: endsOf(source),
    before: new Float64Array(size),
    after: new Float64Array(size),
    isRead: false,
  }));
  const found = { bone: figure.bones[0].name, time: from, change: -1, speed: 0, clipSpeed: 0 };
  for (let n = 0; n < count; n++) {
    const [low, high] = [from + n * step, from + (n + 1) * step];
    const counted = all.filter((source) => {
      const [begin, end] = source.over;
      const counts = low >= begin - 1e-9 && high <= end + 1e-9;
      if (counts) {
        if (source.isRead) source.before.set(source.after);
        else source.ends(low, source.before);
        source.ends(high, source.after);
      }
      source.isRead = counts;
      return counts;
    });
    const [result, first, second = first] = counted;
    if (first === undefined) continue;
    for (let k = 0; k < size; k += 3) {
      let [aa, ad, dd, rr, bb, offset] = [0, 0, 0, 0, 0, 0];
      for (let r = k; r < k + 3; r++) {
        const v = result.after[r] - result.before[r];
        const a = first.after[r] - first.before[r];
        const b = second.after[r] - second.before[r];
        rr += v * v;
        aa += a * a;
        bb += b * b;
        ad += (v - a) * (b - a);
        dd += (b - a) * (b - a);
      }
      const w = dd > 0 ? Math.max(0, Math.min(1, ad / dd)) : 0;
      for (let r = k; r < k + 3; r++) {
        const a = first.after[r] - first.before[r];
        const b = second.after[r] - second.before[r];
        offset += (result.after[r] - result.before[r] - a - w * (b - a)) ** 2;
      }
      const change = Math.sqrt(offset) / step;
      if (!(change > found.change)) continue;
      found.bone = figure.bones[Math.floor(k / 6)].name;
      found.time = 0.5 * (low + high);
      found.change = change;
      found.speed = Math.sqrt(rr) / step;
      found.clipSpeed = Math.sqrt(Math.max(aa, bb)) / step;
    }
  }
  return { ...found, change: Math.max(0, found.change) };
}
