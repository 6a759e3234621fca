import type { Figure, FigureState } from 'poise/figure';
import type { HumanBone, Humanoid } from 'poise/humanoid';
import { mat3, rigid, type Vec3, vec3 } from 'poise/math';

/** What a pin keeps of a handle. */
export type Holds = 'place' | 'rotation' | 'both';

/** A point of a bone that can be dragged and pinned, with a name. */
export interface Handle {
  readonly id: string;
  readonly label: string;
  /** Index. */
  readonly bone: number;
  /** In the bone's frame, m. */
  readonly point: Vec3;
  /** What is between the ends is drawn smaller. */
  readonly size: 'large' | 'small';
  /** What a pin holds at first: a planted foot stays flat. */
  readonly holds: Holds;
  /** Whether the bone can be turned: no chain of sliders. */
  readonly rotates: boolean;
  /** Bone that its rings turn in place of its own: at the shoulder, whose blade hardly turns, the arm. */
  readonly turns?: number | undefined;
  /** Whether a drag keeps the bone's orientation as far as possible, so that dragging the pelvis down does not twist it. */
  readonly dragsUpright: boolean;
}

const LARGE = { size: 'large', holds: 'place', rotates: true, dragsUpright: false } as const;
const SMALL = { ...LARGE, size: 'small' } as const;
/** Distances from joints to the middle of the head, the palm and the ball of the foot, over stature. */
const HEAD = { up: 0.035, forward: 0.012 };
const PALM = 0.045;
const FOOT = { up: -0.012, forward: 0.03 };
/** The handle of the chest, from its joint to that of the neck. */
const CHEST = 0.5;
/** Most handles at the ends of the chains of a figure that is no human. */
const MOST_ENDS = 24;

/** The handles of a human at rest. @param stature - m. */
export function humanHandles(
  { bones: figureBones }: Figure,
  humanoid: Humanoid,
  rest: FigureState,
  stature: number,
): Handle[] {
  const { bones, up, forward } = humanoid;
  const tips = figureBones.map(({ tip }) => tip);
  const at = (amounts: { up: number; forward: number }): Vec3 =>
    vec3.addScaled(vec3.scale(up, amounts.up * stature), forward, amounts.forward * stature);
  const handle = (
    id: string,
    label: string,
    human: HumanBone,
    offset: Vec3,
    kind: Omit<Handle, 'id' | 'label' | 'bone' | 'point'>,
  ): Handle[] => {
    const bone = bones[human];
    return bone === undefined ? [] : [{ id, label, bone, point: toBone(rest, bone, offset), ...kind }];
  };
  const hand = (side: 'left' | 'right'): Vec3 => {
    const [arm, palm] = [bones[`${side}LowerArm`], bones[`${side}Hand`]];
    if (arm === undefined || palm === undefined) return [0, 0, 0];
    const along = vec3.subtract(originOf(rest, palm), originOf(rest, arm));
    return vec3.scale(along, (PALM * stature) / Math.max(vec3.norm(along), 1e-9));
  };
  const none: Vec3 = [0, 0, 0];
  const between = (a: HumanBone, b: HumanBone): Vec3 => {
    const [from, to] = [bones[a], bones[b]];
    return from === undefined || to === undefined
      ? none
      : vec3.subtract(originOf(rest, to), originOf(rest, from));
  };
  const tip = (human: HumanBone): Vec3 => {
    const bone = bones[human];
    const point = bone === undefined ? undefined : tips[bone];
    if (bone === undefined || point === undefined) return none;
    return mat3.multiplyVector(rest.worldFromBone.subarray(12 * bone, 12 * bone + 9), point) as Vec3;
  };
  const shoulder = (side: 'left' | 'right', label: string): Handle[] => {
    const arm: HumanBone = `${side}UpperArm`;
    const blade: HumanBone = `${side}Shoulder`;
    const on = bones[blade] === undefined ? arm : blade;
    return handle(blade, label, on, between(on, arm), { ...SMALL, turns: bones[arm] });
  };
  const chest = bones.upperChest === undefined ? 'chest' : 'upperChest';
  return [
    ...handle('head', 'Head', 'head', at(HEAD), LARGE),
    ...handle('leftHand', 'Left hand', 'leftHand', hand('left'), LARGE),
    ...handle('rightHand', 'Right hand', 'rightHand', hand('right'), LARGE),
    ...handle('hips', 'Hips', 'hips', none, { ...LARGE, dragsUpright: true }),
    ...handle('leftFoot', 'Left foot', 'leftFoot', at(FOOT), { ...LARGE, holds: 'both' }),
    ...handle('rightFoot', 'Right foot', 'rightFoot', at(FOOT), { ...LARGE, holds: 'both' }),
    ...handle('leftElbow', 'Left elbow', 'leftLowerArm', none, SMALL),
    ...handle('rightElbow', 'Right elbow', 'rightLowerArm', none, SMALL),
    ...handle('leftKnee', 'Left knee', 'leftLowerLeg', none, SMALL),
    ...handle('rightKnee', 'Right knee', 'rightLowerLeg', none, SMALL),
    ...handle('chest', 'Chest', chest, vec3.scale(between(chest, 'neck'), CHEST), SMALL),
    ...shoulder('left', 'Left shoulder'),
    ...shoulder('right', 'Right shoulder'),
    ...handle('leftToes', 'Left toes', 'leftToes', tip('leftToes'), SMALL),
    ...handle('rightToes', 'Right toes', 'rightToes', tip('rightToes'), SMALL),
  ];
}

/** Handles at the ends of the chains of any other figure, those of the longest first, and at its root where that is free. */
export function endHandles({ bones }: Figure, rest: FigureState): Handle[] {
  const hasChild = new Set(bones.map(({ parent }) => parent));
  const lengths = new Map<number, number>();
  for (const { index, parent } of bones) {
    const link = parent < 0 ? 0 : vec3.distance(originOf(rest, parent), originOf(rest, index));
    lengths.set(index, (lengths.get(parent) ?? 0) + link);
  }
  const ends = bones
    .filter(({ index }) => !hasChild.has(index) && moves(bones, index))
    .sort((a, b) => (lengths.get(b.index) ?? 0) - (lengths.get(a.index) ?? 0))
    .slice(0, MOST_ENDS)
    .sort((a, b) => a.index - b.index)
    .map(
      ({ index, name, tip }): Handle => ({
        id: name,
        label: name,
        bone: index,
        point: tip ?? [0, 0, 0],
        ...LARGE,
        rotates: moves(bones, index, turns),
      }),
    );
  const root = bones.find(({ joint }) => joint.type === 'free');
  if (root === undefined || ends.some(({ bone }) => bone === root.index)) return ends;
  return [
    ...ends,
    { id: root.name, label: root.name, bone: root.index, point: [0, 0, 0], ...LARGE, dragsUpright: true },
  ];
}

/** Whether any joint from the root to a bone moves, or is one of some kind. */
export function moves(
  bones: Figure['bones'],
  index: number,
  is: (bone: Figure['bones'][number]) => boolean = ({ dof }) => dof > 0,
): boolean {
  for (let bone = index; bone >= 0; bone = bones[bone].parent) if (is(bones[bone])) return true;
  return false;
}

const turns = ({ dof, joint }: Figure['bones'][number]): boolean => dof > 0 && joint.type !== 'slider';

function originOf({ worldFromBone }: FigureState, bone: number): Vec3 {
  return rigid.toPosition(worldFromBone.subarray(12 * bone, 12 * bone + 12));
}

/** A direction of the world at rest in the axes of a bone. */
function toBone({ worldFromBone }: FigureState, bone: number, offset: Vec3): Vec3 {
  const rotation = worldFromBone.subarray(12 * bone, 12 * bone + 9);
  return mat3.transposeMultiplyVector(rotation, offset) as [number, number, number];
}
