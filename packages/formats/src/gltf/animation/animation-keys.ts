/** Keys of one channel: as few as the error bound allows, by refinement and key reduction. */

import type { Numbers } from 'poise/math';
import { fail } from '../../text/json-checks.js';
import type { SmoothInterval } from './animation-knots.js';
import {
  type FileKey,
  type GltfAnimationPath,
  type GltfInterpolation,
  interpolate,
  rotationError,
  translationError,
  widthOf,
} from './animation-player.js';

/** Input of {@link channelKeys}. */
export interface ChannelTask {
  readonly path: GltfAnimationPath;
  readonly interpolation: GltfInterpolation;
  /** rad or m. */
  readonly tolerance: number;
  readonly intervals: readonly SmoothInterval[];
  /** Writes the value at a time of the motion. */
  readonly valueAt: (time: number, out: Float64Array) => void;
  /** Metres per unit of a translation, nine numbers. */
  readonly output: Numbers;
  /** Time in the file minus time of the motion, s. */
  readonly shift: number;
  /** For errors. */
  readonly location: string;
}

/** Keys, and the largest sampled error between them (rad or m). */
export interface ChannelKeys {
  readonly keys: readonly FileKey[];
  readonly error: number;
}

/** Error samples inside each interval. */
export const SAMPLES = 7;
/** Fraction of the tolerance allowed at the samples; between them the error may be a little larger. */
const SAFETY_FACTOR = 0.9;

/** Candidate keys are refined by this many levels more than needed, while the error is above this fraction of the tolerance: key reduction then keeps fewer. */
const EXTRA_LEVELS = 2;
const EXTRA_REFINE_ABOVE = 0.02;

/** The value of the node at a time of the file. */
interface Sample {
  readonly time: number;
  readonly value: Float64Array;
}

/** A candidate key, and the samples up to the next one. */
interface Candidate {
  readonly key: FileKey;
  readonly samples: readonly Sample[];
}

/**
 * Keys at single-precision times. Each interval is bisected until interpolation between its ends is within the bound, and a little further; then keys
 * are removed wherever interpolation over a longer interval is within the bound at every sample.
 *
 * @throws FormatError `out-of-range` where single precision cannot represent the motion within the bound.
 */
export function channelKeys(task: ChannelTask): ChannelKeys {
  const candidates = refine(task);
  return removeKeys(task, candidates);
}

function refine(task: ChannelTask): Candidate[] {
  const { path, intervals, shift } = task;
  const width = widthOf[path];
  const sampleAt = (time: number, before: Float64Array | undefined): Sample => {
    const value = new Float64Array(width);
    task.valueAt(time - shift, value);
    // Of q and -q, the same rotation, the one on the short arc from the key before.
    if (path === 'rotation' && before !== undefined && dot(value, before) < 0) {
      for (let k = 0; k < width; k++) value[k] = -value[k];
    }
    return { time, value };
  };
  const candidates: { key: KeyBuilder; samples: Sample[] }[] = [];
  let last = sampleAt(Math.fround(intervals[0].start + shift), undefined);
  candidates.push({ key: keyBuilder(last), samples: [] });
  /** Adds keys up to the file time `end`; `from` and `to` are the exact times of the last candidate and of `end` on the motion. */
  const addKeys = (end: number, from: number, to: number, extraLevels: number): void => {
    const start = last;
    const samples: Sample[] = [];
    let previous = start.value;
    for (let n = 1; n <= SAMPLES; n++) {
      const sample = sampleAt(start.time + ((end - start.time) * n) / (SAMPLES + 1), previous);
      previous = sample.value;
      samples.push(sample);
    }
    const endSample = sampleAt(end, previous);
    const begin = candidates[candidates.length - 1];
    const a = begin.key;
    const b = keyBuilder(endSample);
    if (task.interpolation === 'CUBICSPLINE') {
      a.outTangent = rateAt(task, from, to - from, start.value);
      b.inTangent = rateAt(task, to, from - to, endSample.value);
    }
    const error = errorOver(task, fileKey(a), fileKey(b), samples);
    const middle = Math.fround((start.time + end) / 2);
    const canHalve = middle > start.time && middle < end;
    const refineFurther = error > EXTRA_REFINE_ABOVE * task.tolerance && extraLevels > 0 && canHalve;
    if (error <= SAFETY_FACTOR * task.tolerance && !refineFurther) {
      begin.samples = samples;
      candidates.push({ key: b, samples: [] });
      last = endSample;
      return;
    }
    if (!canHalve) failTolerance(task, middle);
    const motionTime = middle - shift;
    addKeys(middle, from, motionTime, refineFurther ? extraLevels - 1 : extraLevels);
    addKeys(end, motionTime, to, refineFurther ? extraLevels - 1 : extraLevels);
  };
  for (const interval of intervals) {
    const end = Math.fround(interval.end + shift);
    // Two knots may coincide in single precision.
    if (end > last.time) addKeys(end, interval.start, interval.end, EXTRA_LEVELS);
  }
  if (candidates.length < 2) failTolerance(task, last.time);
  return candidates.map(({ key, samples }) => ({ key: fileKey(key), samples }));
}

interface KeyBuilder {
  readonly sample: Sample;
  inTangent?: Float64Array;
  outTangent?: Float64Array;
}

function keyBuilder(sample: Sample): KeyBuilder {
  return { sample };
}

/** The key in single precision. */
function fileKey({ sample, inTangent, outTangent }: KeyBuilder): FileKey {
  return {
    time: sample.time,
    value: sample.value.map(Math.fround),
    ...(inTangent && { inTangent: inTangent.map(Math.fround) }),
    ...(outTangent && { outTangent: outTangent.map(Math.fround) }),
  };
}

/** Step of the finite differences, as a fraction of an interval. */
const DIFFERENCE_STEP = 1 / 256;
/** Fourth-order forward difference: 12 h f'(0) from f(0), f(h), ..., f(4 h). */
const FORWARD_DIFFERENCE = [-25, 48, -36, 16, -3];

/**
 * One-sided derivative of the value at `time` inside the interval (`span` s long, negative backwards): the motion may have a corner there. By
 * finite differences, since below non-uniform scale there is no closed form; the error between the keys is sampled anyway.
 */
function rateAt(task: ChannelTask, time: number, span: number, previous: Float64Array): Float64Array {
  const h = DIFFERENCE_STEP * span;
  const rate = new Float64Array(previous.length);
  const value = new Float64Array(previous.length);
  for (const [n, weight] of FORWARD_DIFFERENCE.entries()) {
    task.valueAt(time + n * h, value);
    const sign = task.path === 'rotation' && dot(value, previous) < 0 ? -1 : 1;
    for (let k = 0; k < rate.length; k++) rate[k] += (sign * weight * value[k]) / (12 * h);
  }
  return rate;
}

/** Greedy key reduction: after each kept key the next one is as far as doubling and bisection find it. */
function removeKeys(task: ChannelTask, candidates: readonly Candidate[]): ChannelKeys {
  const keys = [candidates[0].key];
  const last = candidates.length - 1;
  let error = 0;
  for (let i = 0; i < last; ) {
    let accepted = i + 1;
    let acceptedError = errorFrom(task, candidates, i, accepted);
    let rejected = last + 1;
    for (let step = 2; accepted < last && rejected > last; step *= 2) {
      const j = Math.min(i + step, last);
      const e = errorFrom(task, candidates, i, j);
      if (e <= SAFETY_FACTOR * task.tolerance) {
        accepted = j;
        acceptedError = e;
      } else rejected = j;
    }
    while (rejected - accepted > 1 && rejected <= last) {
      const j = (accepted + rejected) >> 1;
      const e = errorFrom(task, candidates, i, j);
      if (e <= SAFETY_FACTOR * task.tolerance) {
        accepted = j;
        acceptedError = e;
      } else rejected = j;
    }
    error = Math.max(error, acceptedError);
    keys.push(candidates[accepted].key);
    i = accepted;
  }
  return { keys, error };
}

/** Largest error between candidates i and j without the keys between them. */
function errorFrom(task: ChannelTask, candidates: readonly Candidate[], i: number, j: number): number {
  const a = candidates[i].key;
  const b = candidates[j].key;
  let largest = 0;
  for (let k = i; k < j; k++) {
    const { key, samples } = candidates[k];
    if (k > i) largest = Math.max(largest, errorAt(task, a, b, key.time, key.value));
    largest = Math.max(largest, errorOver(task, a, b, samples));
    if (!(largest <= SAFETY_FACTOR * task.tolerance)) return largest;
  }
  return largest;
}

function errorOver(task: ChannelTask, a: FileKey, b: FileKey, samples: readonly Sample[]): number {
  let largest = 0;
  for (const { time, value } of samples) {
    const error = errorAt(task, a, b, time, value);
    // Not Math.max: NaN must count as a large error.
    if (!(error <= largest)) largest = error;
  }
  return largest;
}

const interpolated: Readonly<Record<GltfAnimationPath, Float64Array>> = {
  rotation: new Float64Array(4),
  translation: new Float64Array(3),
};

function errorAt(
  { path, interpolation, output }: ChannelTask,
  a: FileKey,
  b: FileKey,
  time: number,
  expected: Float64Array,
): number {
  const out = interpolated[path];
  interpolate(path, interpolation, a, b, time, out);
  return path === 'rotation' ? rotationError(out, expected) : translationError(output, out, expected);
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k] * b[k];
  return sum;
}

function failTolerance({ location, tolerance, path }: ChannelTask, time: number): never {
  return fail(
    'out-of-range',
    location,
    `cannot be kept within ${tolerance} ${path === 'rotation' ? 'rad' : 'm'} near ${time} s: glTF stores single precision, or the motion jumps there.`,
    'Use a larger tolerance, start the clip near 0 s, or remove the jump.',
  );
}
