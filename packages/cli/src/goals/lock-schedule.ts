/**
 * Order in which joints are released. The smallest change over all joints bends the spine for every reach, since it moves a
 * hand furthest per radian; people move the arm first, and the trunk where the arm falls short. So the limb is tried alone,
 * then with its ancestors, up to all joints that are not locked.
 */
import type { Figure } from 'poise/figure';
import { affectingBones, drawnSubtrees, type GoalBones } from './locked-bones.js';

/**
 * Sets of bones to lock in each stage, the last one `locked`. Stage k frees the joints between each goal's bone
 * and the (k+1)-th branching bone above it: a bone with two or more limbs. Stages that free no joint for some goal are skipped.
 *
 * @param drawn - By bone, whether it moves visible geometry: control bones are not limbs.
 * @param goals - Without pins, which need no joint to move.
 */
export function lockStages(
  figure: Figure,
  drawn: readonly boolean[],
  goals: readonly GoalBones[],
  locked: ReadonlySet<number>,
): ReadonlySet<number>[] {
  const forks = forksOf(figure, drawn);
  const levels = goals.map((goal) => levelsOf(figure, goal, forks));
  const count = Math.max(0, ...levels.flatMap((level) => [...level.values()])) + 1;
  const stages: ReadonlySet<number>[] = [];
  for (let stage = 0; stage < count - 1; stage++) {
    const free = levels.map((level) =>
      [...level].filter(([b, l]) => l <= stage && !locked.has(b)).map(([b]) => b),
    );
    if (free.some((bones) => bones.length === 0)) continue;
    const all = new Set(free.flat());
    // A locked mimic joint would lock its source.
    for (const { bone, coordinate } of figure.mimicJoints) {
      const source = figure.boneOfCoordinate[coordinate];
      if (all.has(bone) || all.has(source)) all.add(bone).add(source);
    }
    stages.push(new Set(figure.bones.map(({ index }) => index).filter((b) => locked.has(b) || !all.has(b))));
  }
  return [...stages, locked];
}

/** By bone, whether two or more children have drawn bones in their subtree. */
function forksOf(figure: Figure, drawn: readonly boolean[]): boolean[] {
  const hasDrawn = drawnSubtrees(figure, drawn);
  const limbs = new Int32Array(figure.bones.length);
  for (const { index, parent } of figure.bones) if (parent >= 0 && hasDrawn[index]) limbs[parent]++;
  return Array.from(limbs, (n) => n > 1);
}

/** Number of branching bones between the goal and each affecting bone, inclusive. */
function levelsOf(figure: Figure, goal: GoalBones, forks: readonly boolean[]): Map<number, number> {
  const affecting = affectingBones(figure, goal);
  const levels = new Map<number, number>();
  for (const start of [goal.bone, goal.targetBone]) {
    let level = 0;
    for (let b = start; b >= 0; b = figure.parents[b]) {
      if (forks[b] && b !== start) level++;
      if (affecting.has(b) && !levels.has(b)) levels.set(b, level);
    }
  }
  return levels;
}
