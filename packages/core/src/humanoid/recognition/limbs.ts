import type { Figure } from '../../figure/model/figure.js';
import type { HumanBone, HumanBoneMap } from './human-bones.js';
import { commonAncestor, isWithin, pathDown } from './tree.js';

/** Bone indices of the limbs of one body side. */
export interface SideLimbs {
  readonly shoulder?: number | undefined;
  readonly upperArm?: number | undefined;
  readonly lowerArm?: number | undefined;
  readonly hand?: number | undefined;
  readonly upperLeg?: number | undefined;
  readonly lowerLeg?: number | undefined;
  readonly foot?: number | undefined;
  readonly toes?: number | undefined;
}

/** The limbs and the head of a body; {@link nameBones} derives the trunk. */
export interface Limbs {
  readonly left: SideLimbs;
  readonly right: SideLimbs;
  readonly head?: number | undefined;
  readonly neck?: number | undefined;
  /** The bone named hips. Default: the lowest common ancestor of legs and arms. */
  readonly hips?: number | undefined;
}

/**
 * Assigns human bones to trunk and limbs: the bones between hips and neck are spine, chest and upper chest in order; of more than
 * three the first, the middle and the last. undefined where the limbs have no common ancestor.
 */
export function nameBones(figure: Figure, limbs: Limbs): HumanBoneMap<number> | undefined {
  const { left, right, head, neck } = limbs;
  const legs = [left.upperLeg, right.upperLeg].filter(isFound);
  const arms = [left.upperArm, right.upperArm].filter(isFound);
  if (legs.length < 2 || arms.length < 2) return undefined;
  const meeting = commonAncestor(figure, [...legs, ...arms]);
  const hips =
    limbs.hips !== undefined && arms.every((arm) => isWithin(figure, arm, limbs.hips as number))
      ? limbs.hips
      : meeting;
  if (hips < 0) return undefined;
  const chest = commonAncestor(figure, [left.shoulder ?? arms[0], right.shoulder ?? arms[1]]);
  const top = neck ?? head;
  const carriers = pathDown(figure, hips, chest);
  const trunk =
    top !== undefined && isWithin(figure, top, hips) ? pathDown(figure, hips, top).slice(0, -1) : carriers;
  // Use the chain to the arms where the head is not attached above them.
  const chain = trunk.length >= carriers.length ? trunk : carriers;
  if (chain.length === 0) return undefined;
  const last = chain.length - 1;
  const found: HumanBoneMap<number> = { hips, spine: chain[0] };
  if (last >= 1) found.chest = chain[last === 1 ? 1 : Math.ceil(last / 2)];
  if (last >= 2) found.upperChest = chain[last];
  if (neck !== undefined) found.neck = neck;
  if (head !== undefined) found.head = head;
  for (const [side, bones] of [
    ['left', left],
    ['right', right],
  ] as const) {
    for (const [name, bone] of Object.entries(bones)) {
      if (bone !== undefined) found[`${side}${name[0].toUpperCase()}${name.slice(1)}` as HumanBone] = bone;
    }
  }
  return found;
}

function isFound(bone: number | undefined): bone is number {
  return bone !== undefined;
}
