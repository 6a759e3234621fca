/** Keys of a motion: as few as keep its joints, and its soles where they are. */
import { createState, forwardKinematics } from 'poise/figure';
import { rigid, vec3 } from 'poise/math';
import type { Clip, ClipKey } from '../animate/clip/clip.js';
import { errorOf } from '../animate/clip/clip-from-poses.js';
import { type Moment, poseAt } from '../animate/clip/clip-motion.js';
import { type JointGroup, jointGroups } from '../animate/clip/joint-groups.js';
import type { Character } from '../character/character.js';

/** A moment of a motion at a time of the clip, s. */
export interface Sample extends Moment {
  readonly time: number;
  /** Whether it is on a frame: keys stand between frames only where they must. */
  readonly isFrame: boolean;
}

/** Tolerance of a joint, over that of imported clips: 0.3 degrees. */
const JOINTS = 0.5;
/** That of a sole, over the size: 0.3 mm of a person 1.75 m high. */
const SOLES = 0.3e-3 / 1.75;
const MOVES_FEET = /^(root|leftLeg|rightLeg)$/;

/** Keys of a group beside the motion, and in place of those that it would have at its ends. */
export interface Neighbours {
  readonly before: readonly ClipKey[];
  readonly first: ClipKey | undefined;
  readonly last: ClipKey | undefined;
  readonly after: readonly ClipKey[];
}

/**
 * Keys through samples of a motion, at its rates: the first and the last, then between each two the worst, until all are near enough. Groups
 * that move the feet have theirs at the same times, as a key of one alone would move a foot that stands.
 */
export function fitKeys(
  clip: Clip,
  character: Character,
  samples: readonly Sample[],
  neighboursOf: (group: JointGroup) => Neighbours,
): Readonly<Record<string, readonly ClipKey[]>> {
  const { figure, size } = character;
  const groups = jointGroups(character);
  const moving = groups.filter(({ id }) => MOVES_FEET.test(id));
  const others = groups.filter((group) => !moving.includes(group));
  const solesAt = solesOf(character);
  const soles = samples.map(({ pose }) => solesAt(pose));
  const sets = [...(moving.length > 0 ? [moving] : []), ...others.map((group) => [group])];
  return Object.assign({}, ...sets.map(keysOfSet));

  function keysOfSet(set: readonly JointGroup[]): Record<string, readonly ClipKey[]> {
    for (let chosen = [0, samples.length - 1]; ; ) {
      const keys = Object.fromEntries(set.map((group) => [group.id, keysOf(group, chosen)]));
      const trial = { ...clip, keys };
      const errors = samples.map(({ time, pose: given }, k) => {
        const pose = poseAt(trial, character, time);
        const joints = set.map((group) => errorOf(figure, group, pose, given, size) / JOINTS);
        const ways = set === moving ? solesAt(pose).map((at, n) => vec3.distance(at, soles[k][n])) : [];
        return Math.max(...joints, ...ways.map((way) => way / (SOLES * size)));
      });
      const added = chosen.slice(1).flatMap((to, n) => {
        const between = samples.map((_, k) => k).slice(chosen[n] + 1, to);
        const worst = worstOf(between.filter((k) => samples[k].isFrame)) ?? worstOf(between);
        return worst ?? [];
      });
      if (added.length === 0) return keys;
      chosen = [...chosen, ...added].sort((a, b) => a - b);

      function worstOf(indices: readonly number[]): number | undefined {
        const off = indices.filter((k) => errors[k] > 1);
        return off.length === 0 ? undefined : off.reduce((a, b) => (errors[b] > errors[a] ? b : a));
      }
    }
  }

  function keysOf(group: JointGroup, chosen: readonly number[]): readonly ClipKey[] {
    const { before, first, last, after } = neighboursOf(group);
    const inner = chosen.map((k): ClipKey => {
      const { time, pose, rates } = samples[k];
      const [values, tangent] = [pose, rates].map((of) => group.coordinates.map((n) => of[n]));
      const end = k === 0 ? first : k === samples.length - 1 ? last : undefined;
      if (end === undefined) return { time, values, interpolation: 'free', tangent };
      return { ...end, time, values };
    });
    return [...before, ...inner, ...after];
  }
}

/** Corners of the soles of a human in a pose. */
function solesOf({ figure, contacts }: Character): (pose: Float64Array) => readonly number[][] {
  const state = createState(figure);
  const soles = [...(contacts?.soles ?? [])];
  return (pose) => {
    forwardKinematics(state, pose);
    return soles.flatMap(([bone, points]) => {
      const frame = state.worldFromBone.subarray(12 * bone, 12 * bone + 12);
      return points.map((point) => Array.from(rigid.transformPoint(frame, point)));
    });
  };
}
