/**
 * Joints that are locked by default. On a rig without limits the smallest change that brings a hand to a target slides or
 * tips the whole character.
 */
import type { Figure } from 'poise/figure';

/** The bones that a goal depends on. */
export interface GoalBones {
  readonly bone: number;
  /** Whether the rotation of the bone's own joint affects the goal; false for a position goal on the bone's origin. */
  readonly usesRotation: boolean;
  /** Bone of the target; -1 for a target in the world. */
  readonly targetBone: number;
}

/**
 * The joints that move the whole body: every free joint, and below it every joint with all drawn bones in its subtree, down
 * to the first branching bone (the hips under a root that draws nothing). Not the first joint of a tail or a robot arm: all
 * drawn bones are in its subtree, but it does not lead to a branching bone.
 *
 * @param drawn - By bone, whether it moves visible geometry.
 */
export function wholeBodyBones(figure: Figure, drawn: readonly boolean[]): Set<number> {
  const hasDrawn = drawnSubtrees(figure, drawn);
  const whole = new Set<number>();
  for (const { index, joint } of figure.bones) {
    if (joint.type !== 'free') continue;
    whole.add(index);
    let limbs = limbsOf(figure, hasDrawn, index);
    for (let b = index; !drawn[b] && limbs.length === 1; ) {
      b = limbs[0];
      limbs = limbsOf(figure, hasDrawn, b);
      if (limbs.length > 1 || !drawn[b]) whole.add(b);
    }
  }
  return whole;
}

/** By bone, whether it or a descendant moves visible geometry. */
export function drawnSubtrees(figure: Figure, drawn: readonly boolean[]): readonly boolean[] {
  const hasDrawn = drawn.slice();
  for (let b = figure.bones.length - 1; b >= 0; b--) {
    if (hasDrawn[b] && figure.parents[b] >= 0) hasDrawn[figure.parents[b]] = true;
  }
  return hasDrawn;
}

/** Children with drawn bones in their subtree. */
function limbsOf(figure: Figure, hasDrawn: readonly boolean[], bone: number): number[] {
  return figure.bones
    .filter(({ index, parent }) => parent === bone && hasDrawn[index])
    .map(({ index }) => index);
}

/**
 * The bones to lock for these goals: {@link wholeBodyBones}, without
 * - those that affect a goal which no other bone affects: `--goal hips=...` moves the hips;
 * - those that affect both a goal and a pin on a limb that no goal moves: `--pin leftFoot` keeps the foot in place instead of
 *   the root.
 */
export function lockedBones(
  figure: Figure,
  whole: ReadonlySet<number>,
  goals: readonly GoalBones[],
  pins: readonly GoalBones[],
): Set<number> {
  const locked = new Set(whole);
  const free = (affecting: Iterable<number>) => [...affecting].filter((b) => !whole.has(b));
  const movedByGoals = new Set<number>();
  const affectingGoals = new Set<number>();
  for (const goal of goals) {
    const affecting = affectingBones(figure, goal);
    for (const b of affecting) affectingGoals.add(b);
    if (free(affecting).length === 0) for (const b of affecting) locked.delete(b);
    for (const b of free(affecting)) movedByGoals.add(b);
  }
  for (const pin of pins) {
    const affecting = affectingBones(figure, pin);
    const limb = free(affecting);
    if (limb.length === 0 || limb.some((b) => movedByGoals.has(b))) continue;
    for (const b of affecting) if (affectingGoals.has(b)) locked.delete(b);
  }
  return locked;
}

/** The bones whose joints affect a goal; for a mimic joint its source. */
export function affectingBones(figure: Figure, { bone, usesRotation, targetBone }: GoalBones): Set<number> {
  const ancestors = new Set<number>();
  for (const start of [bone, targetBone]) {
    for (let b = start; b >= 0; b = figure.parents[b]) {
      // Common ancestors move both ends alike.
      if (!ancestors.delete(b)) ancestors.add(b);
    }
  }
  const sourceOf = new Map(figure.mimicJoints.map((mimic) => [mimic.bone, mimic.source]));
  const affecting = new Set<number>();
  for (const b of ancestors) {
    const { dof, joint } = figure.bones[b];
    const affects = b !== bone || usesRotation || joint.type === 'free' || joint.type === 'slider';
    const owner = sourceOf.get(b) ?? (dof > 0 ? b : -1);
    if (affects && owner >= 0) affecting.add(owner);
  }
  return affecting;
}
