import type { Triple } from '../../../figure/data/types.js';
import type { Figure } from '../../../figure/model/figure.js';
import type { Humanoid } from '../../../humanoid/find-humanoid.js';
import { createHumanFigure } from '../../../humanoid/human.js';
import { HUMAN_BONES, type HumanBone, humanParent } from '../../../humanoid/recognition/human-bones.js';
import * as mat3 from '../../../math/geometry/mat3.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { Mat3, Vec3 } from '../../../math/linear/types.js';
import { type Body, mergeBodies, rotateBody } from './mass-properties.js';
import { directionIn, originOf, pointOf, type Rest, restOf, triple } from './rest-pose.js';
import { quantile, type VertexSets } from './vertex-sets.js';

/** A bone of a humanoid and the bones of the built-in human that it corresponds to. */
export interface Segment {
  readonly bone: number;
  readonly human: HumanBone;
  /** Bones of the built-in human that it represents: its own, and those further out that the figure lacks. */
  readonly members: readonly HumanBone[];
  /** Its direction at rest, unit, bone axes. */
  readonly direction: Triple;
  /** m; that of the built-in human of the same height where the figure does not determine it. */
  readonly length: number;
  /** Length over that of the built-in human of the same height, at least 0.25. */
  readonly scale: number;
  /** The length that gives it its girth, m: its own; that of the built-in human if it is shorter than a quarter of that, as between coincident bones. */
  readonly girthLength: number;
  /** Bone axes from the axes of the built-in human's bone. */
  readonly boneFromHuman: Mat3;
  /**
   * World axes from those of the built-in human in T-pose: columns left, up, forward of the body; for forearms, hands and shanks
   * `worldFromHuman` of the limb above.
   */
  readonly tPose: Mat3;
  /** `base`, rotated by the shortest rotation that aligns the human's bone with this one. */
  readonly worldFromHuman: Mat3;
  /** Mass properties in the bone's frame. */
  readonly body: Body;
}

/** The next bone of each chain, outward. */
const NEXT: Readonly<Partial<Record<HumanBone, HumanBone>>> = Object.fromEntries(
  HUMAN_BONES.flatMap((bone) => {
    const parent = humanParent(bone);
    return parent === undefined || /Shoulder|UpperLeg/.test(bone) ? [] : [[parent, bone]];
  }),
);

/** Bounds of the lengths of leaf bones relative to the built-in human: from a mesh, and in proportion to the parent. */
const LEAF_RATIO_OF_MESH = [0.3, 3] as const;
const LEAF_RATIO_OF_PARENT = [0.5, 1.5] as const;
const MIN_SCALE = 0.25;

/** World from the axes of the built-in human: columns left, up, forward. */
function bodyAxes({ left, up, forward }: Humanoid): number[] {
  return [left[0], up[0], forward[0], left[1], up[1], forward[1], left[2], up[2], forward[2]];
}

/** Segments of all recognised bones, parents first. @param height - Of the figure, m. @param mass - Of the figure, kg. */
export function segmentsOf(
  rest: Rest,
  humanoid: Humanoid,
  vertexSets: VertexSets,
  height: number,
  mass: number,
): Segment[] {
  const reference = createHumanFigure({ height, mass });
  const referenceRest = restOf(reference);
  const axes = bodyAxes(humanoid);
  const segments: Segment[] = [];
  for (const human of HUMAN_BONES) {
    const bone = humanoid.bones[human];
    if (bone === undefined) continue;
    const members = membersOf(human, humanoid);
    const next = nextBone(human, humanoid);
    const from = originOf(referenceRest, indexOf(reference, human));
    const last = members
      .filter((member) => member === human || isFurtherOut(human, member))
      .at(-1) as HumanBone;
    const to =
      next === undefined
        ? tipOf(reference, referenceRest, last)
        : originOf(referenceRest, indexOf(reference, next));
    const humanLength = vec3.distance(from, to);
    const parent = parentSegment(human, humanoid, segments);
    // Forearms, hands and shanks are relative to the limb above them, all others to the body.
    const tPose = parent && /LowerArm|Hand|LowerLeg/.test(human) ? parent.worldFromHuman : axes;
    const tPoseDirection = mat3.multiplyVector(tPose, vec3.normalize(vec3.subtract(to, from)));

    let direction: number[] = tPoseDirection;
    let length = humanLength;
    if (next === undefined) {
      length = leafLength(rest, bone, vertexSets, direction, humanLength, human, parent);
    } else {
      const along = vec3.subtract(originOf(rest, humanoid.bones[next] as number), originOf(rest, bone));
      length = vec3.norm(along);
      if (length > 1e-3 * height) direction = vec3.normalize(along);
    }
    const worldFromHuman = mat3.multiply(rotationBetween(tPoseDirection, direction), tPose);
    const boneFromHuman = inAxesOf(rest, bone, worldFromHuman);
    const scale = Math.max(MIN_SCALE, length / humanLength);
    const girthLength = length < MIN_SCALE * humanLength ? humanLength : length;
    const body = rotateBody(
      mergeBodies(members.map((member) => bodyAt(reference, referenceRest, member, from))),
      boneFromHuman,
      scale,
    );
    const local = triple(directionIn(rest, bone, direction));
    segments.push({
      bone,
      human,
      members,
      direction: local,
      length,
      scale,
      girthLength,
      boneFromHuman,
      tPose,
      worldFromHuman,
      body,
    });
  }
  return segments;
}

/** Bones of the built-in human whose nearest ancestor in the figure is this one. */
function membersOf(human: HumanBone, { bones }: Humanoid): HumanBone[] {
  return HUMAN_BONES.filter((member) => {
    let owner: HumanBone | undefined = member;
    while (owner !== undefined && bones[owner] === undefined) owner = humanParent(owner);
    return owner === human;
  });
}

function nextBone(human: HumanBone, { bones }: Humanoid): HumanBone | undefined {
  let next = NEXT[human];
  while (next !== undefined && bones[next] === undefined) next = NEXT[next];
  return next;
}

function isFurtherOut(human: HumanBone, member: HumanBone): boolean {
  let next = NEXT[human];
  while (next !== undefined && next !== member) next = NEXT[next];
  return next === member;
}

function parentSegment(
  human: HumanBone,
  { bones }: Humanoid,
  segments: readonly Segment[],
): Segment | undefined {
  let above = humanParent(human);
  while (above !== undefined && bones[above] === undefined) above = humanParent(above);
  return segments.find((segment) => segment.human === above);
}

/** Length of a leaf: the extent of its mesh, or in proportion to its parent. */
function leafLength(
  rest: Rest,
  bone: number,
  vertexSets: VertexSets,
  direction: Vec3,
  humanLength: number,
  human: HumanBone,
  parent: Segment | undefined,
): number {
  const along = directionIn(rest, bone, direction);
  const extents = Float64Array.from(vertexSets[bone], (point) => vec3.dot(point, along)).sort();
  if (extents.length >= 8) return clamp(quantile(extents, 0.98), humanLength, LEAF_RATIO_OF_MESH);
  if (human === 'head' || !parent) return humanLength;
  return clamp(humanLength * parent.scale, humanLength, LEAF_RATIO_OF_PARENT);
}

function clamp(length: number, humanLength: number, [min, max]: readonly [number, number]): number {
  return Math.min(Math.max(length, min * humanLength), max * humanLength);
}

function bodyAt(reference: Figure, referenceRest: Rest, member: HumanBone, from: Vec3): Body {
  const {
    index,
    mass = 0,
    centerOfMass = [0, 0, 0],
    inertia = [0, 0, 0, 0, 0, 0],
  } = reference.bones[indexOf(reference, member)];
  return { mass, center: triple(vec3.subtract(pointOf(referenceRest, index, centerOfMass), from)), inertia };
}

function tipOf(reference: Figure, referenceRest: Rest, bone: HumanBone): Triple {
  const { index, tip } = reference.bones[indexOf(reference, bone)];
  return pointOf(referenceRest, index, tip as Triple);
}

function indexOf(reference: Figure, bone: HumanBone): number {
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
