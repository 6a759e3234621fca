/** Keys of one channel: as few as the error bound allows, by refinement and key reduction. */

import type { Numbers } from 'poise/math';
import { fail } from '../../text/json-checks.js';
import type { SmoothInterval } from './animation-knots.js';
import {
  type FileKey,
  type GltfAnimationPath,
  type GltfInterpolation,
  KeySpan,
  largestSlerpError,
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
  /** That of the task, or `STEP` where the value is constant between jumps. */
  readonly interpolation: GltfInterpolation | 'STEP';
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

/** A candidate key, and the samples up to the next one. */
interface Candidate {
  readonly key: KeyBuilder;
  samples: Samples;
}

/** Times of the file and the values of the node there: SAMPLES times, then as many values. Plain: small typed arrays have memory of their own outside the heap. */
type Samples = number[];

const NO_SAMPLES: Samples = [];

/**
 * Keys at single-precision times. Each interval is bisected until interpolation between its ends is within the bound, and a little further; then keys
 * are removed wherever interpolation over a longer interval is within the bound at every sample. Where the motion jumps a key is on each side, at neighbouring
 * single-precision times.
 *
 * @throws FormatError `out-of-range` where single precision cannot represent the motion within the bound.
 */
export function channelKeys(task: ChannelTask): ChannelKeys {
  const channel = createChannel(task);
  for (const interval of task.intervals) channel.add(interval);
  return channel.finish();
}

/** A channel whose keys are found interval by interval, so that several channels of one pose can ask for the same times one after the other. */
export interface Channel {
  /** The next of `task.intervals`. */
  add(interval: SmoothInterval): void;
  /** The keys, as of {@link channelKeys}. */
  finish(): ChannelKeys;
}

/** @throws FormatError, as do its functions, like {@link channelKeys}. */
export function createChannel(task: ChannelTask): Channel {
  const { path, intervals, shift } = task;
  const width = widthOf[path];
  /** The value at a time; of q and -q, the same rotation, the one on the short arc from `before`. */
  const writeValueAt = (time: number, before: Float64Array | undefined, value: Float64Array): void => {
    task.valueAt(time - shift, value);
    if (path === 'rotation' && before !== undefined && dot(value, before) < 0) {
      for (let k = 0; k < width; k++) value[k] = -value[k];
    }
  };
  const errors = new SpanErrors(task);
  /** Samples of the interval at hand, of which most are refined further: those that stay are copied. */
  const samples: Samples = Array.from({ length: SAMPLES * (1 + width) }, () => 0.5);
  const [even, odd] = [new Float64Array(width), new Float64Array(width)];
  /** The last key that is kept, and the candidates after it. */
  let candidates: Candidate[] = [];
  const keys: KeyBuilder[] = [];
  let error = 0;
  /** Candidates without which the next key is not known. */
  let needed = 2;
  /** Time and value of the last candidate. */
  let lastTime = Math.fround(intervals[0].start + shift);
  let lastValue = new Float64Array(width);
  let endValue = new Float64Array(width);
  writeValueAt(lastTime, undefined, lastValue);
  candidates.push({ key: keyOf(lastTime, lastValue), samples: NO_SAMPLES });
  keys.push(candidates[0].key);
  const push = (key: KeyBuilder): void => {
    candidates.push({ key, samples: NO_SAMPLES });
    lastTime = key.time;
    [lastValue, endValue] = [endValue, lastValue];
  };
  /** Adds keys up to the file time `end`; `from` and `to` are the exact times of the last candidate and of `end` on the motion. */
  const addKeys = (end: number, from: number, to: number, extraLevels: number): void => {
    const start = lastTime;
    let previous = lastValue;
    for (let n = 1; n <= SAMPLES; n++) {
      const time = start + ((end - start) * n) / (SAMPLES + 1);
      const value = n % 2 === 0 ? even : odd;
      writeValueAt(time, previous, value);
      samples[n - 1] = time;
      for (let k = 0; k < width; k++) samples[SAMPLES + width * (n - 1) + k] = value[k];
      previous = value;
    }
    writeValueAt(end, previous, endValue);
    const begin = candidates[candidates.length - 1];
    const a = begin.key;
    const b = keyOf(end, endValue);
    if (task.interpolation === 'CUBICSPLINE') {
      a.outTangent = rounded(rateAt(task, from, to - from, lastValue));
      b.inTangent = rounded(rateAt(task, to, from - to, endValue));
    }
    const error = errors.between(a, b).over(samples);
    const middle = Math.fround((start + end) / 2);
    const canHalve = middle > start && middle < end;
    const refineFurther = error > EXTRA_REFINE_ABOVE * task.tolerance && extraLevels > 0 && canHalve;
    if (error <= SAFETY_FACTOR * task.tolerance && !refineFurther) {
      begin.samples = samples.slice();
      push(b);
      return;
    }
    if (!canHalve) {
      if (!isJump(task, a, b, samples)) failTolerance(task, middle);
      a.jumps = true;
      if (task.interpolation === 'CUBICSPLINE') {
        a.outTangent = new Float64Array(width);
        b.inTangent = new Float64Array(width);
      }
      push(b);
      return;
    }
    const motionTime = middle - shift;
    addKeys(middle, from, motionTime, refineFurther ? extraLevels - 1 : extraLevels);
    addKeys(end, motionTime, to, refineFurther ? extraLevels - 1 : extraLevels);
  };
  /** Greedy key reduction. @param isLast - Whether there are no more candidates. */
  const keep = (isLast: boolean): void => {
    while (candidates.length >= (isLast ? 2 : needed)) {
      const next = farthestKey(task, errors, candidates, isLast);
      needed = next.needed;
      if (needed > candidates.length) return;
      error = Math.max(error, next.error);
      keys.push(candidates[next.index].key);
      candidates = candidates.slice(next.index);
    }
  };
  return {
    add(interval) {
      const end = Math.fround(interval.end + shift);
      // Two knots may coincide in single precision.
      if (end > lastTime) addKeys(end, interval.start, interval.end, EXTRA_LEVELS);
      keep(false);
    },
    finish() {
      keep(true);
      if (keys.length < 2) failTolerance(task, lastTime);
      const steps = stepKeys(keys);
      return steps === undefined
        ? { interpolation: task.interpolation, keys, error }
        : { interpolation: 'STEP', keys: steps, error };
    },
  };
}

/** A key in single precision, whose tangents come later. */
interface KeyBuilder extends FileKey {
  /** Whether the motion jumps between this key and the next. */
  jumps?: boolean;
  inTangent?: Float64Array;
  outTangent?: Float64Array;
}

function keyOf(time: number, value: Float64Array): KeyBuilder {
  return { time, value: rounded(value) };
}

/** In single precision. */
function rounded(value: Float64Array): Float64Array {
  const out = new Float64Array(value.length);
  for (let k = 0; k < out.length; k++) out[k] = Math.fround(value[k]);
  return out;
}

/** Whether the motion has only the values of two keys between them. */
function isJump(task: ChannelTask, a: FileKey, b: FileKey, samples: Samples): boolean {
  const { path, output, tolerance } = task;
  const width = a.value.length;
  for (let n = 0; n < SAMPLES; n++) {
    const value = samples.slice(SAMPLES + width * n, SAMPLES + width * (n + 1));
    const isNear = [a, b].some((key) => {
      const error =
        path === 'rotation' ? rotationError(key.value, value) : translationError(output, key.value, value);
      return error <= SAFETY_FACTOR * tolerance;
    });
    if (!isNear) return false;
  }
  return true;
}

/** The keys of a channel that is constant between its jumps: the first, those after a jump, and the last. Undefined for another. */
function stepKeys(keys: readonly KeyBuilder[]): FileKey[] | undefined {
  const isAfterJump = (k: number): boolean => keys[k - 1]?.jumps === true;
  const isStepped = keys.every(
    ({ value }, k) => k === 0 || isAfterJump(k) || value.every((x, i) => x === keys[k - 1].value[i]),
  );
  if (!isStepped || !keys.some((_, k) => isAfterJump(k))) return undefined;
  return keys
    .filter((_, k) => k === 0 || isAfterJump(k) || k === keys.length - 1)
    .map(({ time, value }) => ({ time, value }));
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

/**
 * The key after the first candidate: as far as doubling and bisection find it.
 *
 * @returns its index, the error up to it, and how many candidates had to be there: where that is more than there are, it is not known yet.
 */
function farthestKey(
  task: ChannelTask,
  errors: SpanErrors,
  candidates: readonly Candidate[],
  isLast: boolean,
): { readonly index: number; readonly error: number; readonly needed: number } {
  const last = candidates.length - 1;
  const isWithin = (j: number): boolean => {
    const error = errorUpTo(task, errors, candidates, j);
    if (!(error <= SAFETY_FACTOR * task.tolerance)) return false;
    accepted = j;
    acceptedError = error;
    return true;
  };
  let accepted = 1;
  let acceptedError = errorUpTo(task, errors, candidates, 1);
  let rejected = last + 1;
  for (let step = 2; rejected > last && (accepted < last || !isLast); step *= 2) {
    if (step > last && !isLast) return { index: accepted, error: acceptedError, needed: step + 1 };
    const j = Math.min(step, last);
    if (!isWithin(j)) rejected = j;
  }
  while (rejected - accepted > 1 && rejected <= last) {
    const j = (accepted + rejected) >> 1;
    if (!isWithin(j)) rejected = j;
  }
  return { index: accepted, error: acceptedError, needed: 2 };
}

/** Largest error between the first candidate and the one at `end` without the keys between them. */
function errorUpTo(
  { tolerance }: ChannelTask,
  errors: SpanErrors,
  candidates: readonly Candidate[],
  end: number,
): number {
  errors.between(candidates[0].key, candidates[end].key);
  let largest = errors.over(candidates[end >> 1].samples);
  // The middle first: where the span is too long, the error is mostly there.
  if (!(largest <= SAFETY_FACTOR * tolerance)) return largest;
  for (let k = 0; k < end; k++) {
    const { key, samples } = candidates[k];
    if (k > 0) largest = Math.max(largest, errors.at(key.time, key.value));
    largest = Math.max(largest, errors.over(samples));
    if (!(largest <= SAFETY_FACTOR * tolerance)) return largest;
  }
  return largest;
}

/** Errors of a channel between two keys. */
class SpanErrors {
  readonly #task: ChannelTask;
  readonly #span: KeySpan;
  #a!: FileKey;
  #b!: FileKey;
  readonly #out: Float64Array;
  readonly #expected: Float64Array;

  constructor(task: ChannelTask) {
    const width = widthOf[task.path];
    this.#task = task;
    this.#span = new KeySpan(task.path, task.interpolation);
    this.#out = new Float64Array(width);
    this.#expected = new Float64Array(width);
  }

  between(a: FileKey, b: FileKey): this {
    this.#a = a;
    this.#b = b;
    this.#span.between(a, b);
    return this;
  }

  at(time: number, expected: Float64Array): number {
    const { path, output } = this.#task;
    const out = this.#out;
    this.#span.writeAt(time, out);
    return path === 'rotation' ? rotationError(out, expected) : translationError(output, out, expected);
  }

  /** The largest at samples. */
  over(samples: Samples): number {
    const { path, interpolation } = this.#task;
    if (path === 'rotation' && interpolation === 'LINEAR')
      return largestSlerpError(this.#a, this.#b, samples, SAMPLES);
    const expected = this.#expected;
    const width = expected.length;
    let largest = 0;
    for (let n = 0; n < SAMPLES; n++) {
      for (let k = 0; k < width; k++) expected[k] = samples[SAMPLES + width * n + k];
      const error = this.at(samples[n], expected);
      // Not Math.max: NaN must count as a large error.
      if (!(error <= largest)) largest = error;
    }
    return largest;
  }
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
    `cannot be kept within ${tolerance} ${path === 'rotation' ? 'rad' : 'm'} near ${time} s: glTF stores single precision.`,
    'Use a larger tolerance, or start the clip near 0 s.',
  );
}
