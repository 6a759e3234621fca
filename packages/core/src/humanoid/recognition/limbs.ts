import type { Figure } from '../../figure/model/figure.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { Vec3 } from '../../math/linear/types.js';
import type { HumanBone, HumanBoneMap } from './human-bones.js';
import { COINCIDENT, type RestForm } from './rest-form.js';
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
  /** The bone of the pelvis. Default: the lowest common ancestor of legs and arms. */
  readonly pelvis?: number | undefined;
}

/**
 * Assigns human bones to trunk and limbs: the bones between hips and neck are spine, chest and upper chest in order; of more than
 * three the first, the middle and the last; up to three hinges in series are one joint. Where the chest carries the pelvis (the root is the
 * torso of a robot) the trunk is read upwards from the pelvis. undefined where the limbs have no common ancestor.
 */
export function nameBones(
  figure: Figure,
  limbs: Limbs,
  form: RestForm,
  up: Vec3,
): HumanBoneMap<number> | undefined {
  const { left, right, head, neck } = limbs;
  const legs = [left.upperLeg, right.upperLeg].filter(isFound);
  const arms = [left.upperArm, right.upperArm].filter(isFound);
  if (legs.length < 2 || arms.length < 2) return undefined;
  const meeting = commonAncestor(figure, [...legs, ...arms]);
  if (meeting < 0) return undefined;
  const given = limbs.pelvis;
  const isPelvis = given !== undefined && arms.every((arm) => isWithin(figure, arm, given));
  const pelvis = commonAncestor(figure, legs);
  const height = (bone: number): number => vec3.dot(form.at(bone), up);
  const isReversed =
    pelvis !== meeting && height(meeting) - height(legs[0]) > height(arms[0]) - height(meeting);
  const hips = isReversed ? pelvis : isPelvis ? given : meeting;
  const chest = commonAncestor(figure, [left.shoulder ?? arms[0], right.shoulder ?? arms[1]]);
  const top = neck ?? head;
  const from = isReversed ? meeting : hips;
  const carriers = pathDown(figure, from, chest);
  const trunk =
    top !== undefined && isWithin(figure, top, from)
      ? pathDown(figure, from, hingesAbove(figure, form, top, COINCIDENT * form.extent(up))).slice(0, -1)
      : carriers;
  // Use the chain to the arms where the head is not attached above them.
  const upper = trunk.length >= carriers.length ? trunk : carriers;
  const lower = isReversed ? [...pathDown(figure, meeting, pelvis).slice(0, -1).reverse(), meeting] : [];
  const chain = gathered(
    figure,
    [...lower, ...upper].filter((bone) => !form.isJointAlone(bone)),
  );
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

/** The bones of a chain upwards, of up to three hinges in series the one alone that moves with what they carry. */
function gathered(figure: Figure, chain: readonly number[]): number[] {
  const found: number[] = [];
  let hinges = 0;
  chain.forEach((bone, k) => {
    const before = chain[k - 1];
    const isHinge = figure.bones[bone].joint.type === 'hinge';
    const isUp = figure.parents[bone] === before;
    const isInSeries = isHinge && hinges > 0 && hinges < 3 && (isUp || figure.parents[before] === bone);
    hinges = isInSeries ? hinges + 1 : isHinge ? 1 : 0;
    if (isInSeries && !isUp) return;
    if (isInSeries) found.pop();
    found.push(bone);
  });
  return found;
}

/** The first of the hinges in series that end with a bone. */
function hingesAbove(figure: Figure, form: RestForm, bone: number, coincident: number): number {
  let first = bone;
  const isHinge = (b: number): boolean => figure.bones[b].joint.type === 'hinge';
  while (isHinge(first) && form.length[first] <= coincident && isHinge(figure.parents[first]))
    first = figure.parents[first];
  return first;
}

function isFound(bone: number | undefined): bone is number {
  return bone !== undefined;
}
