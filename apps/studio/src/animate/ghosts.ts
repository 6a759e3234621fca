import { createState, type Figure, type FigureState, forwardKinematics } from 'poise/figure';
import type { Humanoid } from 'poise/humanoid';
import { rigid } from 'poise/math';
import type { Character } from '../character/character.js';
import type { Handle } from '../character/handles.js';
import { type Clip, keyTimes, nearestFrame } from './clip/clip.js';
import { frameTimes, poseAt } from './clip/clip-motion.js';

/** Ghosts on each side of what is shown, and their distance in time, s. */
const GHOSTS = 3;
const APART = 0.1;
/** Most points of a trail. */
const TRAIL_POINTS = 600;

/** The bones of a pose as lines, in the world of the figure, m: two points each. */
export interface Ghost {
  /** -1 for the farthest before, 1 for the farthest after. */
  readonly side: number;
  readonly lines: readonly number[];
}

/** Poses before and after a time, within the clip. */
export function ghostsOf(clip: Clip, character: Character, time: number): Ghost[] {
  const frames = Math.max(1, Math.round(APART * clip.rate));
  const state = createState(character.figure);
  const ghosts: Ghost[] = [];
  for (let n = -GHOSTS; n <= GHOSTS; n++) {
    const at = time + (n * frames) / clip.rate;
    if (n === 0 || at < 0 || at > clip.duration) continue;
    forwardKinematics(state, poseAt(clip, character, nearestFrame(clip, at)));
    ghosts.push({ side: n / GHOSTS, lines: boneLines(character.figure, state, character.humanoid) });
  }
  return ghosts;
}

/** Bones as lines, and their tips: two points a bone, in the world of the figure, m; of a human its own bones, without controls of its rig. */
export function boneLines(
  { bones, parents }: Figure,
  { worldFromBone }: FigureState,
  humanoid: Humanoid | undefined,
): number[] {
  const drawn = new Set(humanoid ? Object.values(humanoid.bones) : bones.keys());
  const frameOf = (bone: number) => worldFromBone.subarray(12 * bone, 12 * bone + 12);
  const above = (bone: number): number => {
    let parent = parents[bone];
    while (parent >= 0 && !drawn.has(parent)) parent = parents[parent];
    return parent;
  };
  // What is below a human's last bone is not drawn, and its tip is all that there is of it.
  const ends = humanoid && new Set(drawn);
  for (const bone of drawn) ends?.delete(above(bone));
  return bones.flatMap(({ index, tip }) => {
    if (!drawn.has(index)) return [];
    const parent = above(index);
    return [
      ...(parent < 0 ? [] : [...rigid.toPosition(frameOf(parent)), ...rigid.toPosition(frameOf(index))]),
      ...(tip === undefined || ends?.has(index) === false
        ? []
        : [...rigid.toPosition(frameOf(index)), ...rigid.transformPoint(frameOf(index), tip)]),
    ];
  });
}

/** The path of a handle through the clip, and where it is at its keys, in the world of the figure, m. */
export function trailOf(
  clip: Clip,
  character: Character,
  { bone, point }: Handle,
): { readonly path: readonly number[]; readonly keys: readonly number[] } {
  const state = createState(character.figure);
  const at = (time: number): number[] => {
    forwardKinematics(state, poseAt(clip, character, time));
    return [...rigid.transformPoint(state.worldFromBone.subarray(12 * bone, 12 * bone + 12), point)];
  };
  const times = frameTimes(clip);
  const every = Math.ceil(times.length / TRAIL_POINTS);
  return {
    path: times.filter((_, n) => n % every === 0).flatMap(at),
    keys: keyTimes(clip)
      .filter((time) => time <= clip.duration)
      .slice(0, TRAIL_POINTS)
      .flatMap(at),
  };
}
