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

/** A node over a motion. */
export interface NodeValues {
  /** Writes its rotation (four numbers) or its translation (three) at a time of the motion, s. */
  valueAt(time: number, path: GltfAnimationPath, out: Float64Array): void;
}

/** Input of {@link channelKeys}. */
export interface ChannelTask {
  readonly path: GltfAnimationPath;
  readonly interpolation: GltfInterpolation;
  /** rad or m. */
  readonly tolerance: number;
  readonly intervals: readonly SmoothInterval[];
  readonly node: NodeValues;
  /** Of the motion, s: times that single precision rounds beyond have the values there. */
  readonly start: number;
  readonly end: number;
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
  key: KeyBuilder;
  readonly samples: Samples;
}

/** A key in single precision, whose tangents come later. */
interface KeyBuilder extends FileKey {
  time: number;
  /** Whether the motion jumps between this key and the next. */
  jumps?: boolean;
  inTangent?: Float64Array;
  outTangent?: Float64Array;
}

/** Times of the file and the values of the node there: SAMPLES times, then as many values. Plain: small typed arrays have memory of their own outside the heap. */
type Samples = number[];

/**
 * Keys at single-precision times. Each interval is bisected until interpolation between its ends is within the bound, and a little further; then keys
 * are removed wherever interpolation over a longer interval is within the bound at every sample. Where the motion jumps a key is on each side, at neighbouring
 * single-precision times.
 *
 * @throws FormatError `out-of-range` where single precision cannot represent the motion within the bound.
 */
export function channelKeys(task: ChannelTask): ChannelKeys {
  const channel = new Channel(task);
  for (const interval of task.intervals) channel.add(interval);
  return channel.finish();
}

/**
 * A channel whose keys are found interval by interval, so that several channels of one pose can ask for the same times one after the other.
 *
 * A class and not closures: V8 drops the machine code of closures that are gone, and would compile them for the next animation again.
 */
export class Channel {
  readonly #task: ChannelTask;
  readonly #errors: SpanErrors;
  readonly #keys: KeyBuilder[] = [];
  #error = 0;
  /** The last key that is kept, and the candidates after it; and those left out, for the next. */
  readonly #candidates: Candidate[] = [];
  readonly #spare: Candidate[] = [];
  /** The search of the next key by doubling: the farthest candidate that is within the bound (0: none was tried), its error, and the one to try next. */
  #accepted = 0;
  #acceptedError = 0;
  #tried = 1;
  /** Time and value of the last candidate. */
  #lastTime: number;
  #lastValue: Float64Array;
  #endValue: Float64Array;
  readonly #even: Float64Array;
  readonly #odd: Float64Array;

  /** @throws FormatError, as do its functions, like {@link channelKeys}. */
  constructor(task: ChannelTask) {
    const { path, intervals, shift } = task;
    const width = widthOf[path];
    this.#task = task;
    this.#errors = new SpanErrors(task);
    this.#lastTime = Math.fround(intervals[0].start + shift);
    this.#lastValue = new Float64Array(width);
    this.#endValue = new Float64Array(width);
    this.#even = new Float64Array(width);
    this.#odd = new Float64Array(width);
    this.#writeValueAt(this.#lastTime, undefined, this.#lastValue);
    this.#candidates.push(this.#candidateAt(this.#lastTime, this.#lastValue));
  }

  /** The next of `task.intervals`. */
  add(interval: SmoothInterval): void {
    const end = Math.fround(interval.end + this.#task.shift);
    // Two knots may coincide in single precision.
    if (end > this.#lastTime) this.#addKeys(end, interval.start, interval.end, EXTRA_LEVELS);
    this.#keep(false);
  }

  /** The keys, as of {@link channelKeys}. */
  finish(): ChannelKeys {
    this.#keep(true);
    const keys = [...this.#keys, this.#candidates[0].key];
    if (keys.length < 2) failTolerance(this.#task, this.#lastTime);
    const steps = stepKeys(keys);
    return steps === undefined
      ? { interpolation: this.#task.interpolation, keys, error: this.#error }
      : { interpolation: 'STEP', keys: steps, error: this.#error };
  }

  /** Adds keys up to the file time `end`; `from` and `to` are the exact times of the last candidate and of `end` on the motion. */
  #addKeys(end: number, from: number, to: number, extraLevels: number): void {
    const task = this.#task;
    const start = this.#lastTime;
    const begin = this.#candidates[this.#candidates.length - 1];
    const a = begin.key;
    this.#sample(start, end, begin.samples);
    const next = this.#candidateAt(end, this.#endValue);
    const b = next.key;
    if (task.interpolation === 'CUBICSPLINE') {
      a.outTangent = rateAt(task, from, to - from, this.#lastValue);
      b.inTangent = rateAt(task, to, from - to, this.#endValue);
    }
    const error = this.#errors.between(a, b).over(begin.samples);
    const middle = Math.fround((start + end) / 2);
    const canHalve = middle > start && middle < end;
    const refineFurther = error > EXTRA_REFINE_ABOVE * task.tolerance && extraLevels > 0 && canHalve;
    if (error <= SAFETY_FACTOR * task.tolerance && !refineFurther) {
      this.#append(next);
      return;
    }
    if (!canHalve) {
      if (!isJump(task, a, b, begin.samples)) failTolerance(task, middle);
      a.jumps = true;
      if (task.interpolation === 'CUBICSPLINE') {
        a.outTangent = new Float64Array(a.value.length);
        b.inTangent = new Float64Array(b.value.length);
      }
      // Over a jump no interpolation is within any bound.
      begin.samples.fill(Number.NaN);
      this.#append(next);
      return;
    }
    this.#spare.push(next);
    const motionTime = middle - task.shift;
    this.#addKeys(middle, from, motionTime, refineFurther ? extraLevels - 1 : extraLevels);
    this.#addKeys(end, motionTime, to, refineFurther ? extraLevels - 1 : extraLevels);
  }

  /** Writes samples between the last candidate and `end`, and the value there. */
  #sample(start: number, end: number, samples: Samples): void {
    const width = this.#lastValue.length;
    let previous = this.#lastValue;
    for (let n = 1; n <= SAMPLES; n++) {
      const time = start + ((end - start) * n) / (SAMPLES + 1);
      const value = n % 2 === 0 ? this.#even : this.#odd;
      this.#writeValueAt(time, previous, value);
      samples[n - 1] = time;
      for (let k = 0; k < width; k++) samples[SAMPLES + width * (n - 1) + k] = value[k];
      previous = value;
    }
    this.#writeValueAt(end, previous, this.#endValue);
  }

  /** The value at a time; of q and -q, the same rotation, the one on the short arc from `before`. */
  #writeValueAt(time: number, before: Float64Array | undefined, value: Float64Array): void {
    const { node, path, shift, start, end } = this.#task;
    node.valueAt(Math.min(Math.max(time - shift, start), end), path, value);
    if (path === 'rotation' && before !== undefined && dot(value, before) < 0) {
      for (let k = 0; k < value.length; k++) value[k] = -value[k];
    }
  }

  /** A candidate without samples. */
  #candidateAt(time: number, value: Float64Array): Candidate {
    const width = value.length;
    const candidate = this.#spare.pop() ?? {
      key: { time, value: new Float64Array(width) },
      samples: Array.from({ length: SAMPLES * (1 + width) }, unset),
    };
    // Without the tangents and the jump that it had.
    candidate.key = { time, value: candidate.key.value };
    for (let k = 0; k < width; k++) candidate.key.value[k] = Math.fround(value[k]);
    return candidate;
  }

  #append(candidate: Candidate): void {
    this.#candidates.push(candidate);
    this.#lastTime = candidate.key.time;
    const value = this.#lastValue;
    this.#lastValue = this.#endValue;
    this.#endValue = value;
  }

  /** Greedy key reduction: keeps the next key as far as doubling and bisection find it. @param isLast - Whether there are no more candidates. */
  #keep(isLast: boolean): void {
    while (this.#candidates.length > 1) {
      const last = this.#candidates.length - 1;
      if (this.#accepted === 0) {
        this.#accepted = 1;
        this.#acceptedError = this.#errorUpTo(1);
        this.#tried = 2;
      }
      let rejected = last + 1;
      for (; rejected > last && (this.#accepted < last || !isLast); this.#tried *= 2) {
        // Known with more candidates only.
        if (this.#tried > last && !isLast) return;
        const j = Math.min(this.#tried, last);
        if (!this.#isWithin(j)) rejected = j;
      }
      while (rejected - this.#accepted > 1 && rejected <= last) {
        const j = (this.#accepted + rejected) >> 1;
        if (!this.#isWithin(j)) rejected = j;
      }
      this.#error = Math.max(this.#error, this.#acceptedError);
      const left = this.#candidates.splice(0, this.#accepted);
      const [kept] = left;
      this.#keys.push(kept.key);
      kept.key = { time: 0, value: new Float64Array(kept.key.value.length) };
      for (const candidate of left) this.#spare.push(candidate);
      this.#accepted = 0;
    }
  }

  /** Whether no key is needed before a candidate; it is accepted then. */
  #isWithin(end: number): boolean {
    const error = this.#errorUpTo(end);
    if (!(error <= SAFETY_FACTOR * this.#task.tolerance)) return false;
    this.#accepted = end;
    this.#acceptedError = error;
    return true;
  }

  /** Largest error between the first candidate and the one at `end` without the keys between them. */
  #errorUpTo(end: number): number {
    const bound = SAFETY_FACTOR * this.#task.tolerance;
    const candidates = this.#candidates;
    const errors = this.#errors.between(candidates[0].key, candidates[end].key);
    // The middle first: where the span is too long, the error is mostly there.
    let largest = errors.over(candidates[end >> 1].samples);
    if (!(largest <= bound)) return largest;
    for (let k = 0; k < end; k++) {
      const { key, samples } = candidates[k];
      if (k > 0) largest = Math.max(largest, errors.at(key.time, key.value));
      largest = Math.max(largest, errors.over(samples));
      if (!(largest <= bound)) return largest;
    }
    return largest;
  }
}

/** Of doubles from the start. */
function unset(): number {
  return Number.NaN;
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
 * finite differences, since below non-uniform scale there is no closed form; the error between the keys is sampled anyway. In single precision.
 */
function rateAt(task: ChannelTask, time: number, span: number, previous: Float64Array): Float64Array {
  const { node, path, start, end } = task;
  const h = DIFFERENCE_STEP * span;
  const rate = new Float64Array(previous.length);
  const value = new Float64Array(previous.length);
  for (const [n, weight] of FORWARD_DIFFERENCE.entries()) {
    node.valueAt(Math.min(Math.max(time + n * h, start), end), path, value);
    const sign = path === 'rotation' && dot(value, previous) < 0 ? -1 : 1;
    for (let k = 0; k < rate.length; k++) rate[k] += (sign * weight * value[k]) / (12 * h);
  }
  return rate.map(Math.fround);
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
