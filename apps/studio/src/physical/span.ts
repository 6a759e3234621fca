/** A part of a clip between two of its times, and a motion in place of it. */

import { type Clip, type ClipKey, deleteKeys, keyId, keyTimes, nearestFrame } from '../animate/clip/clip.js';
import { clipFromPoses } from '../animate/clip/clip-from-poses.js';
import { poseAt } from '../animate/clip/clip-motion.js';
import { type JointGroup, jointGroups } from '../animate/clip/joint-groups.js';
import type { Character } from '../character/character.js';
import { fitted, withEnds } from './ends.js';

/** From one time of a clip to another, s. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Of a frame: a time nearer than this is on it, and one of a span nearer to its end belongs to it. */
const NEAR = 1e-3;
/** Tolerances of the keys that are left out, over that of imported clips: 0.06 degrees for what moves the feet, 0.3 for the rest. */
const PRECISION = { feet: 0.1, rest: 0.5 } as const;
const MOVES_FEET = /^(root|leftLeg|rightLeg)$/;
const precisionOf = ({ id }: JointGroup) => (MOVES_FEET.test(id) ? PRECISION.feet : PRECISION.rest);

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

/** Poses a frame that are asked for: where feet leave the floor, keys on frames alone are off by millimetres. */
export const SAMPLES = 2;

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

/** A clip with a motion in place of what it has in a span: as few keys as keep its frames. @param poses - Evenly over the span, {@link SAMPLES} a frame or one. */
export function replaceSpan(
  clip: Clip,
  character: Character,
  { from, to }: Span,
  poses: readonly Float64Array[],
): Clip {
  const last = poses.length - 1;
  const rate = last / (to - from);
  const own = clipFromPoses(character, rate, poses, false, {
    rate: frameCount(clip, { from, to }) / (to - from),
    precisionOf,
  });
  const near = NEAR / clip.rate;
  const timeOf = (time: number): number => {
    const at = Math.min(from + time, to);
    const frame = nearestFrame(clip, at);
    return Math.abs(frame - at) < near ? frame : at;
  };
  const bounded = withEnds(clip, character, { from, to }, near);
  const samples = poses.map((pose, k) => ({ time: timeOf(((to - from) * k) / last), pose }));
  const keys: Record<string, readonly ClipKey[]> = { ...bounded.keys };
  for (const group of jointGroups(character)) {
    const made = own.keys[group.id] ?? [];
    const given = bounded.keys[group.id] ?? [];
    const before = given.filter(({ time }) => time < from - near);
    const after = given.filter(({ time }) => time > to + near);
    const inner = made.map((key, k): ClipKey => {
      const time = timeOf(key.time);
      const isEnd = (k === 0 && before.length > 0) || k === made.length - 1;
      const end = isEnd ? given.find((each) => Math.abs(each.time - time) < near) : undefined;
      if (end === undefined) return { ...key, time };
      const { interpolation, tangent } = end;
      return { ...key, time, interpolation, ...(tangent && { tangent }) };
    });
    const all = [...before, ...inner, ...after];
    const isWhole = before.length + after.length === 0;
    keys[group.id] = isWhole ? all : fitted(bounded, character, group, all, samples, precisionOf(group));
  }
  // How far feet slid is of the motion that was.
  const imported = clip.imported && { ...clip.imported, sliding: undefined };
  return { ...clip, keys, imported };
}
