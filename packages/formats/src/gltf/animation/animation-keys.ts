/** Keys of one channel: as few as the error bound allows, found by looking between them. */

import type { Numbers } from 'poise/math';
import { fail } from '../../text/json-checks.js';
import type { Stretch } from './animation-knots.js';
import {
  type FileKey,
  type GltfAnimationPath,
  type GltfInterpolation,
  play,
  rotationError,
  translationError,
  widthOf,
} from './animation-player.js';

/** What a channel must follow. */
export interface ChannelTask {
  readonly path: GltfAnimationPath;
  readonly interpolation: GltfInterpolation;
  /** rad or m. */
  readonly tolerance: number;
  readonly stretches: readonly Stretch[];
  /** Value at a moment of the motion, to `out`. */
  readonly valueAt: (moment: number, out: Float64Array) => void;
  /** Metres per unit of a translation, nine numbers. */
  readonly output: Numbers;
  /** Time in the file less moment of the motion, s. */
  readonly shift: number;
  /** Place for errors. */
  readonly place: string;
}

/** Keys, and the largest error seen between them (rad or m). */
export interface ChannelKeys {
  readonly keys: readonly FileKey[];
  readonly error: number;
}

/** Moments looked at inside each stretch: a polynomial of degree 7 that meets the keys and these is the line between the keys. */
export const LOOKS = 7;
/** Part of the tolerance that may be used at the moments looked at; between them the error may be a little larger. */
const IN_HAND = 0.9;

/** Keys are offered closer together than they need to be, halved up to so often while the error is above this part, so that fewer are kept. */
const SPARE = 2;
const FINER = 0.02;

/** A moment and where the node is then. */
interface Look {
  readonly time: number;
  readonly value: Float64Array;
}

/** A key that may be left out, and the looks up to the next. */
interface Candidate {
  readonly key: FileKey;
  readonly looks: readonly Look[];
}

/**
 * Keys at single-precision times. First each stretch is halved until the keys at its ends are enough, and a little further; then keys are left out wherever a longer
 * way between two of them is within the bound at every moment looked at.
 *
 * @throws FormatError `out-of-range` where single precision cannot hold the bound.
 */
export function channelKeys(task: ChannelTask): ChannelKeys {
  const candidates = refine(task);
  return thin(task, candidates);
}

function refine(task: ChannelTask): Candidate[] {
  const { path, stretches, shift } = task;
  const width = widthOf[path];
  const lookAt = (time: number, before: Float64Array | undefined): Look => {
    const value = new Float64Array(width);
    task.valueAt(time - shift, value);
    if (path === 'rotation' && before !== undefined && dot(value, before) < 0) {
      for (let k = 0; k < width; k++) value[k] = -value[k];
    }
    return { time, value };
  };
  const candidates: { key: Builder; looks: Look[] }[] = [];
  let last = lookAt(Math.fround(stretches[0].start + shift), undefined);
  candidates.push({ key: builder(last), looks: [] });
  /** The stretch from the last candidate to `end`, whose exact moment on the motion is `to`; `from` is the last candidate's. */
  const go = (end: number, from: number, to: number, spare: number): void => {
    const start = last;
    const looks: Look[] = [];
    let near = start.value;
    for (let n = 1; n <= LOOKS; n++) {
      const look = lookAt(start.time + ((end - start.time) * n) / (LOOKS + 1), near);
      near = look.value;
      looks.push(look);
    }
    const there = lookAt(end, near);
    const begin = candidates[candidates.length - 1];
    const a = begin.key;
    const b = builder(there);
    if (task.interpolation === 'CUBICSPLINE') {
      a.leaving = slope(task, from, to - from, start.value);
      b.arriving = slope(task, to, from - to, there.value);
    }
    const error = errorOver(task, fileKey(a), fileKey(b), looks);
    const middle = Math.fround((start.time + end) / 2);
    const divides = middle > start.time && middle < end;
    const finer = error > FINER * task.tolerance && spare > 0 && divides;
    if (error <= IN_HAND * task.tolerance && !finer) {
      begin.looks = looks;
      candidates.push({ key: b, looks: [] });
      last = there;
      return;
    }
    if (!divides) tooFine(task, middle);
    const moment = middle - shift;
    go(middle, from, moment, finer ? spare - 1 : spare);
    go(end, moment, to, finer ? spare - 1 : spare);
  };
  for (const stretch of stretches) {
    const end = Math.fround(stretch.end + shift);
    // Two knots may be one moment in single precision.
    if (end > last.time) go(end, stretch.start, stretch.end, SPARE);
  }
  if (candidates.length < 2) tooFine(task, last.time);
  return candidates.map(({ key, looks }) => ({ key: fileKey(key), looks }));
}

interface Builder {
  readonly look: Look;
  arriving?: Float64Array;
  leaving?: Float64Array;
}

function builder(look: Look): Builder {
  return { look };
}

/** The key as the file holds it. */
function fileKey({ look, arriving, leaving }: Builder): FileKey {
  return {
    time: look.time,
    value: look.value.map(Math.fround),
    ...(arriving && { arriving: arriving.map(Math.fround) }),
    ...(leaving && { leaving: leaving.map(Math.fround) }),
  };
}

/** Part of a stretch that the differences for a rate step over. */
const STEP = 1 / 256;
/** f'(0) from f(0), f(h), ..., f(4 h), times 12 h: one-sided, of fourth order. */
const ONE_SIDED = [-25, 48, -36, 16, -3];

/**
 * Rate of the value at `moment`, looking into the stretch (`span` s long, negative backwards): the motion may have a corner there. By
 * differences, since below non-uniform scale there is no formula; what counts is the error between the keys, and that is looked at.
 */
function slope(task: ChannelTask, moment: number, span: number, near: Float64Array): Float64Array {
  const h = STEP * span;
  const rate = new Float64Array(near.length);
  const value = new Float64Array(near.length);
  for (const [n, weight] of ONE_SIDED.entries()) {
    task.valueAt(moment + n * h, value);
    const side = task.path === 'rotation' && dot(value, near) < 0 ? -1 : 1;
    for (let k = 0; k < rate.length; k++) rate[k] += (side * weight * value[k]) / (12 * h);
  }
  return rate;
}

/** Keys left out from the front: from each kept key the next is as far away as doubling and halving find it. */
function thin(task: ChannelTask, candidates: readonly Candidate[]): ChannelKeys {
  const keys = [candidates[0].key];
  const last = candidates.length - 1;
  let error = 0;
  for (let i = 0; i < last; ) {
    let good = i + 1;
    let goodError = errorFrom(task, candidates, i, good);
    let bad = last + 1;
    for (let step = 2; good < last && bad > last; step *= 2) {
      const j = Math.min(i + step, last);
      const e = errorFrom(task, candidates, i, j);
      if (e <= IN_HAND * task.tolerance) {
        good = j;
        goodError = e;
      } else bad = j;
    }
    while (bad - good > 1 && bad <= last) {
      const j = (good + bad) >> 1;
      const e = errorFrom(task, candidates, i, j);
      if (e <= IN_HAND * task.tolerance) {
        good = j;
        goodError = e;
      } else bad = j;
    }
    error = Math.max(error, goodError);
    keys.push(candidates[good].key);
    i = good;
  }
  return { keys, error };
}

/** Largest error between candidates i and j with none between them. */
function errorFrom(task: ChannelTask, candidates: readonly Candidate[], i: number, j: number): number {
  const a = candidates[i].key;
  const b = candidates[j].key;
  let largest = 0;
  for (let k = i; k < j; k++) {
    const { key, looks } = candidates[k];
    if (k > i) largest = Math.max(largest, errorAt(task, a, b, key.time, key.value));
    largest = Math.max(largest, errorOver(task, a, b, looks));
    if (!(largest <= IN_HAND * task.tolerance)) return largest;
  }
  return largest;
}

function errorOver(task: ChannelTask, a: FileKey, b: FileKey, looks: readonly Look[]): number {
  let largest = 0;
  for (const { time, value } of looks) {
    const error = errorAt(task, a, b, time, value);
    // Not Math.max: what is no number is no small error.
    if (!(error <= largest)) largest = error;
  }
  return largest;
}

const played: Readonly<Record<GltfAnimationPath, Float64Array>> = {
  rotation: new Float64Array(4),
  translation: new Float64Array(3),
};

function errorAt(
  { path, interpolation, output }: ChannelTask,
  a: FileKey,
  b: FileKey,
  time: number,
  wanted: Float64Array,
): number {
  const out = played[path];
  play(path, interpolation, a, b, time, out);
  return path === 'rotation' ? rotationError(out, wanted) : translationError(output, out, wanted);
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k] * b[k];
  return sum;
}

function tooFine({ place, tolerance, path }: ChannelTask, time: number): never {
  return fail(
    'out-of-range',
    place,
    `cannot be kept within ${tolerance} ${path === 'rotation' ? 'rad' : 'm'} near ${time} s: the numbers of glTF are single precision, or the motion jumps there.`,
    'Ask for less, begin the clip near 0 s, or take the jump out.',
  );
}
