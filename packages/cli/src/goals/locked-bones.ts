/**
 * Which joints stay as they are unless the user says otherwise. On an unlimited rig the cheapest way to bring a hand
 * somewhere is to slide or tip the whole character over: not what "reach for it" means.
 */
import type { Figure } from 'poise/figure';

/** What a goal pulls at. */
export interface Pull {
  readonly bone: number;
  /** Whether the turn of the bone's own joint changes the goal: not for a position goal on the bone's origin. */
  readonly turns: boolean;
  /** Bone that carries the target; -1 for a target in the world. */
  readonly targetBone: number;
}

/**
 * The joints that move the whole body as one: every free joint, and below it every joint that still carries all that is
 * drawn, down to where the body forks (the hips under a root that draws nothing). The first joint of a tail or a robot
 * arm is none of them, though all that is drawn hangs from it: it forks nothing, it bends.
 *
 * @param drawn - By bone, whether it moves something that is drawn.
 */
export function wholeBodyBones(figure: Figure, drawn: readonly boolean[]): Set<number> {
  const draws = drawsBelow(figure, drawn);
  const whole = new Set<number>();
  for (const { index, joint } of figure.bones) {
    if (joint.type !== 'free') continue;
    whole.add(index);
    let limbs = limbsOf(figure, draws, index);
    for (let b = index; !drawn[b] && limbs.length === 1; ) {
      b = limbs[0];
      limbs = limbsOf(figure, draws, b);
      if (limbs.length > 1 || !drawn[b]) whole.add(b);
    }
  }
  return whole;
}

/** By bone, whether it or anything that hangs from it moves something that is drawn. */
export function drawsBelow(figure: Figure, drawn: readonly boolean[]): readonly boolean[] {
  const draws = drawn.slice();
  for (let b = figure.bones.length - 1; b >= 0; b--) {
    if (draws[b] && figure.parents[b] >= 0) draws[figure.parents[b]] = true;
  }
  return draws;
}

/** Children below which something is drawn. */
function limbsOf(figure: Figure, draws: readonly boolean[], bone: number): number[] {
  return figure.bones
    .filter(({ index, parent }) => parent === bone && draws[index])
    .map(({ index }) => index);
}

/**
 * The bones to hold for these goals: those of {@link wholeBodyBones}, less
 * - those above a goal that nothing else can move: `--goal hips=...` moves the hips;
 * - those above a pin that only they could disturb, when they are above a goal as well: `--pin leftFoot` says what stays
 *   in place of the root, or it would say nothing.
 */
export function heldBones(
  figure: Figure,
  whole: ReadonlySet<number>,
  goals: readonly Pull[],
  pins: readonly Pull[],
): Set<number> {
  const held = new Set(whole);
  const free = (movers: Iterable<number>) => [...movers].filter((b) => !whole.has(b));
  const moved = new Set<number>();
  const above = new Set<number>();
  for (const goal of goals) {
    const movers = moversOf(figure, goal);
    for (const b of movers) above.add(b);
    if (free(movers).length === 0) for (const b of movers) held.delete(b);
    for (const b of free(movers)) moved.add(b);
  }
  for (const pin of pins) {
    const movers = moversOf(figure, pin);
    const limb = free(movers);
    if (limb.length === 0 || limb.some((b) => moved.has(b))) continue;
    for (const b of movers) if (above.has(b)) held.delete(b);
  }
  return held;
}

/** The bones whose joints can change a goal; where a joint follows another, the one that leads. */
export function moversOf(figure: Figure, { bone, turns, targetBone }: Pull): Set<number> {
  const carriers = new Set<number>();
  for (const start of [bone, targetBone]) {
    for (let b = start; b >= 0; b = figure.parents[b]) {
      // Above the fork both move as one.
      if (!carriers.delete(b)) carriers.add(b);
    }
  }
  const leaders = new Map(figure.mimicJoints.map((coupling) => [coupling.bone, coupling.source]));
  const movers = new Set<number>();
  for (const b of carriers) {
    const { dof, joint } = figure.bones[b];
    const reaches = b !== bone || turns || joint.type === 'free' || joint.type === 'slider';
    const mover = leaders.get(b) ?? (dof > 0 ? b : -1);
    if (reaches && mover >= 0) movers.add(mover);
  }
  return movers;
}
