/**
 * Which joints may move first. Least change over all joints bends the spine for every reach, since it moves a hand
 * furthest per radian; people move the arm, and the trunk where the arm falls short. So the limb is tried alone, then
 * with what carries it, up to all joints that are not held.
 */
import type { Figure } from 'poise/figure';
import { drawsBelow, moversOf, type Pull } from './locked-bones.js';

/**
 * Sets of bones to lock, one after the other, the last being `held`. Stage k frees the joints between each goal's bone
 * and the (k+1)-th fork above it: a bone with two or more limbs. Stages that free nothing for some goal are left out.
 *
 * @param drawn - By bone, whether it moves something that is drawn: controls fork nothing.
 * @param goals - Those that need a joint to move; pins do not.
 */
export function lockStages(
  figure: Figure,
  drawn: readonly boolean[],
  goals: readonly Pull[],
  held: ReadonlySet<number>,
): ReadonlySet<number>[] {
  const forks = forksOf(figure, drawn);
  const levels = goals.map((goal) => levelsOf(figure, goal, forks));
  const count = Math.max(0, ...levels.flatMap((level) => [...level.values()])) + 1;
  const stages: ReadonlySet<number>[] = [];
  for (let stage = 0; stage < count - 1; stage++) {
    const free = levels.map((level) =>
      [...level].filter(([b, l]) => l <= stage && !held.has(b)).map(([b]) => b),
    );
    if (free.some((bones) => bones.length === 0)) continue;
    const all = new Set(free.flat());
    // A joint that follows another moves with it: locked, it would lock its leader.
    for (const { bone, coordinate } of figure.mimicJoints) {
      const leader = figure.boneOfCoordinate[coordinate];
      if (all.has(bone) || all.has(leader)) all.add(bone).add(leader);
    }
    stages.push(new Set(figure.bones.map(({ index }) => index).filter((b) => held.has(b) || !all.has(b))));
  }
  return [...stages, held];
}

/** By bone, whether two or more of its children lead to something drawn. */
function forksOf(figure: Figure, drawn: readonly boolean[]): boolean[] {
  const draws = drawsBelow(figure, drawn);
  const limbs = new Int32Array(figure.bones.length);
  for (const { index, parent } of figure.bones) if (parent >= 0 && draws[index]) limbs[parent]++;
  return Array.from(limbs, (n) => n > 1);
}

/** How many forks lie between the goal and each bone that moves it; the fork itself counts as above. */
function levelsOf(figure: Figure, goal: Pull, forks: readonly boolean[]): Map<number, number> {
  const movers = moversOf(figure, goal);
  const levels = new Map<number, number>();
  for (const start of [goal.bone, goal.targetBone]) {
    let level = 0;
    for (let b = start; b >= 0; b = figure.parents[b]) {
      if (forks[b] && b !== start) level++;
      if (movers.has(b) && !levels.has(b)) levels.set(b, level);
    }
  }
  return levels;
}
