import type { Motion } from 'poise/motion';
import type { Character } from '../../character/character.js';
import type { Clip, ClipKey } from '../clip/clip.js';
import { errorOf } from '../clip/clip-from-poses.js';
import { type Moment, momentOf, poseAt } from '../clip/clip-motion.js';
import { type JointGroup, jointGroups } from '../clip/joint-groups.js';
import { isCurved } from '../clip/tangents.js';
import { tangentOf } from '../curves/curve-edit.js';

/** Change, over what a key is allowed to be off, below which a group has not moved. */
const MOVED = 1e-3;

/**
 * A clip with what an edit made of its motion. Keys within the span get the values and rates that are there then, and there are as many more as
 * keep its frames within 0.6 degrees a joint. Groups that do not move keep their keys, and all keep their curves before and after.
 *
 * @param at - When it was edited: a key of each group that moves, s.
 * @param span - Where the motion is another, s.
 */
export function editedClip(
  clip: Clip,
  character: Character,
  edited: Motion,
  at: number,
  [from, to]: readonly [number, number],
): Clip {
  const { figure, size } = character;
  const moments = new Map<number, Moment>();
  const momentAt = (time: number): Moment => {
    const moment = moments.get(time) ?? momentOf(edited, figure, time);
    moments.set(time, moment);
    return moment;
  };

  const keys = Object.fromEntries(
    jointGroups(character).flatMap((group) => {
      const own = clip.keys[group.id] ?? [];
      const isMoved = framesOf(clip, from, to).some(
        (time) => errorOf(figure, group, poseAt(clip, character, time), momentAt(time).pose, size) > MOVED,
      );
      const keys = isMoved ? bentKeys(group, own) : own;
      return keys.length === 0 ? [] : [[group.id, keys]];
    }),
  );
  return { ...clip, keys };

  function keyAt({ coordinates }: JointGroup, time: number, before?: ClipKey): ClipKey {
    const { pose, rates } = momentAt(time);
    const values = coordinates.map((n) => pose[n]);
    if (before !== undefined && !isCurved(before.interpolation)) return { ...before, values };
    return { time, values, interpolation: 'free', tangent: coordinates.map((n) => rates[n]) };
  }

  function bentKeys(group: JointGroup, own: readonly ClipKey[]): readonly ClipKey[] {
    const before = own.filter(({ time }) => time <= from).at(-1);
    const after = own.find(({ time }) => time >= to);
    let keys: readonly ClipKey[] = own.map((key) => {
      if (key.time > from && key.time < to) return keyAt(group, key.time, key);
      // On its other side it continues as it was.
      return (key === before || key === after) && isCurved(key.interpolation)
        ? { ...key, interpolation: 'free', tangent: tangentOf(clip, character, group.id, key) }
        : key;
    });
    const put = (times: readonly number[]) => {
      const added = times.filter((time) => keys.every((key) => key.time !== time));
      const between = (time: number): ClipKey => {
        const made = keyAt(group, time);
        const last = own.filter((key) => key.time < time).at(-1);
        // What holds or goes straight does so on.
        return last === undefined || isCurved(last.interpolation)
          ? made
          : { time, values: made.values, interpolation: last.interpolation };
      };
      keys = [...keys, ...added.map(between)].sort((a, b) => a.time - b.time);
    };
    // At the ends of the span nothing moves: keys there leave what is beyond as it was.
    put([Math.max(0, from), at, Math.min(clip.duration, to)]);
    const frames = framesOf(clip, from, to);
    for (let added = worstFrames(group, keys, frames); added.length > 0; ) {
      put(added);
      added = worstFrames(group, keys, frames);
    }
    return keys;
  }

  /** Between each two keys the frame that is farthest off, where it is too far. */
  function worstFrames(group: JointGroup, keys: readonly ClipKey[], frames: readonly number[]): number[] {
    const trial = { ...clip, keys: { ...clip.keys, [group.id]: keys } };
    const worst = new Map<number, { readonly time: number; readonly error: number }>();
    for (const time of frames) {
      const next = keys.findIndex((key) => key.time > time);
      const last = keys[next - 1];
      if (last === undefined || last.time === time || last.interpolation === 'step') continue;
      const error = errorOf(figure, group, poseAt(trial, character, time), momentAt(time).pose, size);
      if (error > Math.max(1, worst.get(next)?.error ?? 0)) worst.set(next, { time, error });
    }
    return [...worst.values()].map(({ time }) => time);
  }
}

/** Frames of a clip between two times, s. */
function framesOf({ rate, duration }: Clip, from: number, to: number): number[] {
  const first = Math.max(0, Math.ceil(from * rate));
  const last = Math.floor(Math.min(to, duration) * rate);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, n) => (first + n) / rate);
}
