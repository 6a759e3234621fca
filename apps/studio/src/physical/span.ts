/** A part of a clip between two of its times, and a motion in place of it. */

import type { Motion } from 'poise/motion';
import { type Clip, deleteKeys, keyId, keyTimes, nearestFrame } from '../animate/clip/clip.js';
import { momentOf, poseAt } from '../animate/clip/clip-motion.js';
import type { Character } from '../character/character.js';
import { withEnds } from './ends.js';
import { fitKeys, type Sample } from './fit-keys.js';

/** From one time of a clip to another, s. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Of a frame: a time nearer than this is on it, and one of a span nearer to its end belongs to it. */
const NEAR = 1e-3;

/** Times with keys within a clip. */
export function timesWithKeys(clip: Clip): number[] {
  return keyTimes(clip).filter((time) => time <= clip.duration + NEAR / clip.rate);
}

/** Of some times the one that is nearest to another; undefined of none. */
export function nearestOf(times: readonly number[], to: number): number | undefined {
  return times.reduce<number | undefined>(
    (near, time) => (near === undefined || Math.abs(time - to) < Math.abs(near - to) ? time : near),
    undefined,
  );
}

/** Moments a frame that keys may stand at: where feet leave the floor, keys on frames alone are off by millimetres. */
const SAMPLES = 4;

/** Frames after the first of a span: as many as the clip has. */
export function frameCount({ rate }: Pick<Clip, 'rate'>, { from, to }: Span): number {
  return Math.max(1, Math.round(rate * (to - from)));
}

/** A clip without its keys at some times: between those beside them it goes as they lead. */
export function withoutKeysAt(clip: Clip, times: ReadonlySet<number>): Clip {
  const ids = Object.entries(clip.keys).flatMap(([group, keys]) =>
    keys.filter(({ time }) => times.has(time)).map(({ time }) => keyId(group, time)),
  );
  return ids.length === 0 ? clip : deleteKeys(clip, new Set(ids));
}

/** Poses of a clip at the frames of a span. */
export function posesIn(clip: Clip, character: Character, span: Span): Float64Array[] {
  const count = frameCount(clip, span);
  return Array.from({ length: count + 1 }, (_, k) =>
    poseAt(clip, character, span.from + ((span.to - span.from) * k) / count),
  );
}

/** A clip with a motion in place of what it has in a span: as few keys as keep it. @param motion - As long as the span. */
export function replaceSpan(clip: Clip, character: Character, { from, to }: Span, motion: Motion): Clip {
  const near = NEAR / clip.rate;
  const bounded = withEnds(clip, character, { from, to }, near);
  const last = SAMPLES * frameCount(clip, { from, to });
  const samples = Array.from({ length: last + 1 }, (_, k): Sample => {
    const share = k / last;
    const at = Math.min(from + share * (to - from), to);
    const frame = nearestFrame(clip, at);
    return {
      ...momentOf(motion, character.figure, motion.start + share * (motion.end - motion.start)),
      time: Math.abs(frame - at) < near ? frame : at,
      isFrame: k % SAMPLES === 0,
    };
  });
  const fitted = fitKeys(clip, character, samples, ({ id }) => {
    const given = bounded.keys[id] ?? [];
    const before = given.filter(({ time }) => time < from - near);
    const after = given.filter(({ time }) => time > to + near);
    const keyAt = (end: number) => given.find(({ time }) => Math.abs(time - end) <= near);
    // What is beyond an end stays as it was.
    const first = before.length > 0 ? keyAt(from) : undefined;
    return { before, first, last: after.length > 0 ? keyAt(to) : undefined, after };
  });
  // How far feet slid is of the motion that was.
  const imported = clip.imported && { ...clip.imported, sliding: undefined };
  return { ...clip, keys: { ...bounded.keys, ...fitted }, imported };
}
