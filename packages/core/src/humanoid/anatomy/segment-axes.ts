/** The bones of a humanoid and their axes, those of the built-in human laid along the figure at rest. */

import type { Triple } from '../../figure/data/types.js';
import { originOf, pointOf, type Rest, restOf } from '../../figure/kinematics/rest-pose.js';
import type { Figure } from '../../figure/model/figure.js';
import * as mat3 from '../../math/geometry/mat3.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { Mat3, Vec3 } from '../../math/linear/types.js';
import { HUMAN_BONES, type HumanBone, type HumanBoneMap, humanParent } from '../recognition/human-bones.js';

/** What `findHumanoid` finds: the index of each human bone, and the directions of the body at rest, world axes. */
interface Recognized {
  readonly bones: Readonly<HumanBoneMap<number>>;
  readonly left: Triple;
  readonly up: Triple;
  readonly forward: Triple;
}

/** A bone of a humanoid and the bones of the built-in human that it corresponds to. */
export interface SegmentAxes {
  readonly bone: number;
  readonly human: HumanBone;
  /** Bones of the built-in human that it represents: its own, and those further out that the figure lacks. */
  readonly members: readonly HumanBone[];
  /** Index in the list of the segment above, -1 for none. */
  readonly parent: number;
  /** Origin and length of the bone of the built-in human, m. */
  readonly humanOrigin: Triple;
  readonly humanLength: number;
  /** Distance to the next bone at rest, m; undefined for a leaf. */
  readonly ownLength: number | undefined;
  /** Its direction at rest, unit, world axes: that of the human's bone where the figure does not determine it. */
  readonly worldDirection: Vec3;
  /** Bone axes from the axes of the built-in human's bone. */
  readonly boneFromHuman: Mat3;
  /**
   * World axes from those of the built-in human in T-pose: columns left, up, forward of the body; for forearms, hands and shanks
   * `worldFromHuman` of the limb above.
   */
  readonly tPose: Mat3;
  /** `tPose`, rotated by the shortest rotation that aligns the human's bone with this one. */
  readonly worldFromHuman: Mat3;
}

/** The next bone of each chain, outward. */
const NEXT: Readonly<Partial<Record<HumanBone, HumanBone>>> = Object.fromEntries(
  HUMAN_BONES.flatMap((bone) => {
    const parent = humanParent(bone);
    return parent === undefined || /Shoulder|UpperLeg/.test(bone) ? [] : [[parent, bone]];
  }),
);

/** World from the axes of the built-in human: columns left, up, forward. */
function bodyAxes({ left, up, forward }: Recognized): number[] {
  return [left[0], up[0], forward[0], left[1], up[1], forward[1], left[2], up[2], forward[2]];
}

/**
 * Axes of all recognised bones, parents first.
 *
 * @param reference - The built-in human, of the figure's height.
 * @param height - Of the figure, m: bones shorter than a thousandth of it have no direction.
 */
export function segmentAxesOf(
  rest: Rest,
  humanoid: Recognized,
  reference: Figure,
  height: number,
): SegmentAxes[] {
  const referenceRest = restOf(reference);
  const axes = bodyAxes(humanoid);
  const segments: SegmentAxes[] = [];
  for (const human of HUMAN_BONES) {
    const bone = humanoid.bones[human];
    if (bone === undefined) continue;
    const members = membersOf(human, humanoid);
    const next = nextBone(human, humanoid);
    const from = originOf(referenceRest, humanIndex(reference, human));
    const last = members
      .filter((member) => member === human || isFurtherOut(human, member))
      .at(-1) as HumanBone;
    const to =
      next === undefined
        ? tipOf(reference, referenceRest, last)
        : originOf(referenceRest, humanIndex(reference, next));
    const parent = parentIndex(human, humanoid, segments);
    // Forearms, hands and shanks are relative to the limb above them, all others to the body.
    const tPose =
      parent >= 0 && /LowerArm|Hand|LowerLeg/.test(human) ? segments[parent].worldFromHuman : axes;
    const tPoseDirection = mat3.multiplyVector(tPose, vec3.normalize(vec3.subtract(to, from)));

    let worldDirection: number[] = tPoseDirection;
    let ownLength: number | undefined;
    if (next !== undefined) {
      const along = vec3.subtract(originOf(rest, humanoid.bones[next] as number), originOf(rest, bone));
      ownLength = vec3.norm(along);
      if (ownLength > 1e-3 * height) worldDirection = vec3.normalize(along);
    }
    const worldFromHuman = mat3.multiply(rotationBetween(tPoseDirection, worldDirection), tPose);
    segments.push({
      bone,
      human,
      members,
      parent,
      humanOrigin: from,
      humanLength: vec3.distance(from, to),
      ownLength,
      worldDirection,
      boneFromHuman: inAxesOf(rest, bone, worldFromHuman),
      tPose,
      worldFromHuman,
    });
  }
  return segments;
}

/** Bones of the built-in human whose nearest ancestor in the figure is this one. */
function membersOf(human: HumanBone, { bones }: Recognized): HumanBone[] {
  return HUMAN_BONES.filter((member) => {
    let owner: HumanBone | undefined = member;
    while (owner !== undefined && bones[owner] === undefined) owner = humanParent(owner);
    return owner === human;
  });
}

function nextBone(human: HumanBone, { bones }: Recognized): HumanBone | undefined {
  let next = NEXT[human];
  while (next !== undefined && bones[next] === undefined) next = NEXT[next];
  return next;
}

function isFurtherOut(human: HumanBone, member: HumanBone): boolean {
  let next = NEXT[human];
  while (next !== undefined && next !== member) next = NEXT[next];
  return next === member;
}

function parentIndex(human: HumanBone, { bones }: Recognized, segments: readonly SegmentAxes[]): number {
  let above = humanParent(human);
  while (above !== undefined && bones[above] === undefined) above = humanParent(above);
  return segments.findIndex((segment) => segment.human === above);
}

function tipOf(reference: Figure, referenceRest: Rest, bone: HumanBone): Triple {
  const { index, tip } = reference.bones[humanIndex(reference, bone)];
  return pointOf(referenceRest, index, tip as Triple);
}

/** Index of a bone of the built-in human. */
export function humanIndex(reference: Figure, bone: HumanBone): number {
  return reference.bones.findIndex(({ name }) => name === bone);
}

/** World axes in the axes of a bone. */
function inAxesOf({ worldFromBone }: Rest, bone: number, world: Mat3): number[] {
  return mat3.multiply(mat3.transpose(worldFromBone.subarray(12 * bone, 12 * bone + 9)), world);
}

/** Matrix of the shortest rotation from one unit vector to another. */
export function rotationBetween(a: Vec3, b: Vec3): number[] {
  const c = vec3.dot(a, b);
  const v = vec3.cross(a, b);
  if (c < -1 + 1e-12) {
    const n = vec3.perpendicular(a);
    return mat3.subtract(mat3.scale(mat3.outer(n, n), 2), mat3.identity());
  }
  const skew = mat3.skew(v);
  return mat3.add(mat3.add(mat3.identity(), skew), mat3.scale(mat3.multiply(skew, skew), 1 / (1 + c)));
}
