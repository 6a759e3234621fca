import type { PinnedPoint } from 'poise/editing';
import { createState, forwardKinematics } from 'poise/figure';
import { rigid } from 'poise/math';
import type { Character } from '../../character/character.js';
import type { Handle } from '../../character/handles.js';
import { type Clip, keyTimes, nearestFrame } from '../clip/clip.js';
import { poseAt } from '../clip/clip-motion.js';

/** Most points of a path that are dragged, and the least time between two that are no keys, s. */
const MOST = 24;
const APART = 0.2;

/** A point of the path of a handle. */
export interface TrailPoint {
  /** s. */
  readonly time: number;
  readonly isKey: boolean;
  /** In the world of the figure, m. */
  readonly at: readonly number[];
}

/** Times at which the path of a handle is dragged, s: those of keys, unless they are many, and moments between them. */
export function trailTimes(clip: Clip): number[] {
  const { duration } = clip;
  const keys = keyTimes(clip).filter((time) => time <= duration);
  const shown = keys.length <= MOST / 2 ? keys : [];
  const apart = Math.max(APART, duration / MOST);
  const times = new Set(shown);
  for (let n = 0; n * apart <= duration + 1e-9; n++) {
    const time = nearestFrame(clip, n * apart);
    if (shown.every((key) => Math.abs(key - time) > apart / 2)) times.add(time);
  }
  return [...times].sort((a, b) => a - b);
}

/** Points of the path of a handle at some times. */
export function trailPoints(
  clip: Clip,
  character: Character,
  { bone, point }: Handle,
  times: readonly number[],
): TrailPoint[] {
  const keys = new Set(keyTimes(clip));
  const state = createState(character.figure);
  return times.map((time) => {
    forwardKinematics(state, poseAt(clip, character, time));
    const at = rigid.transformPoint(state.worldFromBone.subarray(12 * bone, 12 * bone + 12), point);
    return { time, isKey: keys.has(time), at: Array.from(at) };
  });
}

/** What stays in its path while that of a handle is dragged: ankles and toes, but of the foot that is dragged itself. */
export function pinnedWith({ figure, humanoid }: Character, { bone }: Pick<Handle, 'bone'>): PinnedPoint[] {
  if (humanoid === undefined) return [];
  const { bones } = humanoid;
  return (['left', 'right'] as const).flatMap((side) => {
    const own = [bones[`${side}Foot`], bones[`${side}Toes`]].filter((each) => each !== undefined);
    return own.includes(bone) ? [] : own.map((each) => ({ bone: figure.bones[each].name }));
  });
}
