/** The arms of a humanoid and the middle of its palms, and the sizes of parts of its body. */
import { originOf, pointIn, type Rest } from '../../figure/kinematics/rest-pose.js';
import type { Humanoid } from '../../humanoid/find-humanoid.js';
import type { HumanBone, HumanBoneMap } from '../../humanoid/recognition/human-bones.js';
import * as vec3 from '../../math/geometry/vec3.js';

/** An arm that ends in a hand. */
export interface BodyHand {
  readonly name: 'left' | 'right';
  readonly upper: number;
  readonly lower: number;
  readonly hand: number;
  /** The middle of the palm, on the skin, frame of `hand`. */
  readonly palm: readonly number[];
  /** Wrist to knuckles, m. */
  readonly size: number;
}

/** Wrist to knuckles in lengths of the forearm, where a rig has no fingers: 0.108 / 2 and 0.146 of the height (Drillis and Contini 1966). */
const HAND_IN_FOREARMS = 0.37;
/** Half the thickness of a palm in distances from wrist to knuckles: 14 mm of 88 mm. */
const HALF_THICKNESS = 0.16;

const KNUCKLES = ['IndexProximal', 'MiddleProximal', 'RingProximal', 'LittleProximal'] as const;

/** @param restAxes - Of the hands: along the hand is x (left) or -x (right), out of the palm -y. */
export function handsOf(
  rest: Rest,
  { bones }: Humanoid,
  restAxes: Readonly<HumanBoneMap<readonly number[]>>,
): BodyHand[] {
  return (['left', 'right'] as const).flatMap((name): BodyHand[] => {
    const [upper, lower, hand] = [bones[`${name}UpperArm`], bones[`${name}LowerArm`], bones[`${name}Hand`]];
    const axes = restAxes[`${name}Hand`];
    if (upper === undefined || lower === undefined || hand === undefined || axes === undefined) return [];
    const wrist = originOf(rest, hand);
    const distances = KNUCKLES.flatMap((knuckle) => {
      const bone = bones[`${name}${knuckle}`];
      return bone === undefined ? [] : [vec3.distance(wrist, originOf(rest, bone))];
    });
    const size =
      distances.length > 0
        ? distances.reduce((a, b) => a + b) / distances.length
        : HAND_IN_FOREARMS * vec3.distance(originOf(rest, lower), wrist);
    const outward = name === 'left' ? 1 : -1;
    const palm = [0, 1, 2].map(
      (k) => wrist[k] + size * (0.5 * outward * axes[3 * k] - HALF_THICKNESS * axes[3 * k + 1]),
    );
    return [{ name, upper, lower, hand, palm: pointIn(rest, hand, palm), size }];
  });
}

/** Bones between whose origins a part of the body is measured. */
const MEASURES: Readonly<Record<string, readonly [HumanBone, HumanBone]>> = {
  hips: ['leftUpperLeg', 'rightUpperLeg'],
  spine: ['leftUpperArm', 'rightUpperArm'],
  chest: ['leftUpperArm', 'rightUpperArm'],
  upperChest: ['leftUpperArm', 'rightUpperArm'],
  neck: ['hips', 'head'],
  head: ['hips', 'head'],
};
const NEXT: Readonly<Record<string, string>> = {
  Shoulder: 'UpperArm',
  UpperArm: 'LowerArm',
  LowerArm: 'Hand',
  UpperLeg: 'LowerLeg',
  LowerLeg: 'Foot',
  Foot: 'Toes',
};

/**
 * Size of a part of the body, m: the width of hips and shoulders for the trunk, the height of the trunk for neck and head, the length of a bone of a
 * limb. undefined where the figure does not say.
 */
export function partSize(
  rest: Rest,
  { bones }: Humanoid,
  hands: readonly BodyHand[],
  part: HumanBone,
): number | undefined {
  const hand = hands.find(({ name }) => part === `${name}Hand`);
  if (hand !== undefined) return hand.size;
  const side = part.startsWith('left') ? 'left' : 'right';
  const next = NEXT[part.slice(side.length)];
  const pair = MEASURES[part] ?? (next === undefined ? undefined : [part, `${side}${next}` as HumanBone]);
  if (pair === undefined) return undefined;
  const [from, to] = [bones[pair[0]], bones[pair[1]]];
  if (from === undefined || to === undefined) return undefined;
  const size = vec3.distance(originOf(rest, from), originOf(rest, to));
  return size > 0 ? size : undefined;
}
