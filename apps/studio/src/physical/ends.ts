/** Keys at the ends of a part of a clip, so that what is beside the part stays as it is. */
import { type Clip, type ClipKey, hasKeys } from '../animate/clip/clip.js';
import { curvesOf, momentOf } from '../animate/clip/clip-motion.js';
import { type JointGroup, jointGroups } from '../animate/clip/joint-groups.js';
import { isCurved } from '../animate/clip/tangents.js';
import { tangentOf } from '../animate/curves/curve-edit.js';
import type { Character } from '../character/character.js';

/**
 * The same motion with a key at each end of a span in every group that has keys beyond it. It and the one next to it outside keep the rates that
 * they have, whatever comes within the span.
 *
 * @param near - Difference of times that are one, s.
 */
export function withEnds(
  clip: Clip,
  character: Character,
  { from, to }: { readonly from: number; readonly to: number },
  near: number,
): Clip {
  if (!hasKeys(clip)) return clip;
  const motion = curvesOf(clip, character);
  const keys = Object.fromEntries(
    Object.entries(clip.keys).map(([id, own]) => {
      const group = jointGroups(character).find((each) => each.id === id);
      const before = own.filter(({ time }) => time < from - near).at(-1);
      const after = own.find(({ time }) => time > to + near);
      if (group === undefined) return [id, own];
      const ends = [...(before ? [from] : []), ...(after ? [to] : [])];
      const added = ends.filter((end) => own.every(({ time }) => Math.abs(time - end) > near));
      const freed = own.map((key) => {
        const stays = key === before || key === after || ends.some((end) => Math.abs(key.time - end) <= near);
        return stays && isCurved(key.interpolation)
          ? { ...key, interpolation: 'free' as const, tangent: tangentOf(clip, character, id, key) }
          : key;
      });
      return [
        id,
        [...freed, ...added.map((time) => keyAt(group, own, time))].sort((a, b) => a.time - b.time),
      ];
    }),
  );
  return { ...clip, keys };

  function keyAt({ coordinates }: JointGroup, own: readonly ClipKey[], time: number): ClipKey {
    const { pose, rates } = momentOf(motion, character.figure, time);
    const values = coordinates.map((n) => pose[n]);
    // Before the first key nothing moves.
    const { interpolation } = own.filter((key) => key.time < time).at(-1) ?? { interpolation: 'linear' };
    return isCurved(interpolation)
      ? { time, values, interpolation: 'free', tangent: coordinates.map((n) => rates[n]) }
      : { time, values, interpolation };
  }
}
