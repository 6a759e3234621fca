import type { Triple } from '../../../figure/data/types.js';
import type { Figure } from '../../../figure/model/figure.js';
import type { Humanoid } from '../../../humanoid/find-humanoid.js';
import { createHumanFigure } from '../../../humanoid/human.js';
import { HUMAN_BONES, type HumanBone, humanParent } from '../../../humanoid/recognition/human-bones.js';
import * as mat3 from '../../../math/geometry/mat3.js';
import * as vec3 from '../../../math/geometry/vec3.js';
import type { Mat3, Vec3 } from '../../../math/linear/types.js';
import { type Body, mergeBodies, turnBody } from './mass-properties.js';
import { directionIn, originOf, pointOf, type Rest, restOf, triple } from './rest-pose.js';
import { type Clouds, quantile } from './vertex-sets.js';

/** A bone of a humanoid beside the part of the built-in human that it stands for. */
export interface Segment {
  readonly bone: number;
  readonly human: HumanBone;
  /** Bones of the built-in human that it stands for: itself and what the figure lacks further out. */
  readonly members: readonly HumanBone[];
  /** Which way it goes at rest, unit, bone axes. */
  readonly direction: Triple;
  /** m; that of the built-in human of the same height where the figure does not say. */
  readonly length: number;
  /** Length over that of the built-in human of the same height, at least 0.25. */
  readonly scale: number;
  /** Bone axes from the axes of the built-in human. */
  readonly turn: Mat3;
  /**
   * World axes from those of the built-in human as its T-pose would have them here: columns left, up, forward of the body; for forearms, hands
   * and shanks the lean of the limb above.
   */
  readonly base: Mat3;
  /** `base`, turned on so that the human's bone lies along this one: the shortest turn. */
  readonly lean: Mat3;
  /** Mass properties in the bone's frame. */
  readonly body: Body;
}

/** Which bone goes on from which; the last has none. */
const NEXT: Readonly<Partial<Record<HumanBone, HumanBone>>> = Object.fromEntries(
  HUMAN_BONES.flatMap((bone) => {
    const parent = humanParent(bone);
    return parent === undefined || /Shoulder|UpperLeg/.test(bone) ? [] : [[parent, bone]];
  }),
);

/** How far off the built-in human's proportions lengths taken from a mesh may be, and those of leaves without one. */
const LEAF_OF_MESH = [0.3, 3] as const;
const LEAF_OF_PARENT = [0.5, 1.5] as const;
const LEAST_SCALE = 0.25;

/** World from the axes of the built-in human: columns left, up, forward. */
function bodyAxes({ left, up, forward }: Humanoid): number[] {
  return [left[0], up[0], forward[0], left[1], up[1], forward[1], left[2], up[2], forward[2]];
}

/** Segments of all bones that were recognised, parents first. @param height, @param mass - Of the whole, m and kg. */
export function segmentsOf(
  rest: Rest,
  humanoid: Humanoid,
  clouds: Clouds,
  height: number,
  mass: number,
): Segment[] {
  const reference = createHumanFigure({ height, mass });
  const still = restOf(reference);
  const axes = bodyAxes(humanoid);
  const segments: Segment[] = [];
  for (const human of HUMAN_BONES) {
    const bone = humanoid.bones[human];
    if (bone === undefined) continue;
    const members = membersOf(human, humanoid);
    const follower = followerOf(human, humanoid);
    const from = originOf(still, indexOf(reference, human));
    const last = members.filter((member) => member === human || isAfter(human, member)).at(-1) as HumanBone;
    const to =
      follower === undefined ? tipOf(reference, still, last) : originOf(still, indexOf(reference, follower));
    const wanted = vec3.distance(from, to);
    const parent = nearestAbove(human, humanoid, segments);
    // Forearms, hands and shanks turn on from the limb above them, all else from the body.
    const base = parent && /LowerArm|Hand|LowerLeg/.test(human) ? parent.lean : axes;
    const usual = mat3.multiplyVector(base, vec3.normalize(vec3.subtract(to, from)));

    let direction: number[] = usual;
    let length = wanted;
    if (follower === undefined) {
      length = leafLength(rest, bone, clouds, direction, wanted, human, parent);
    } else {
      const along = vec3.subtract(originOf(rest, humanoid.bones[follower] as number), originOf(rest, bone));
      length = vec3.norm(along);
      if (length > 1e-3 * height) direction = vec3.normalize(along);
    }
    const lean = mat3.multiply(turnBetween(usual, direction), base);
    const turn = inAxesOf(rest, bone, lean);
    const scale = Math.max(LEAST_SCALE, length / wanted);
    const body = turnBody(
      mergeBodies(members.map((member) => bodyAt(reference, still, member, from))),
      turn,
      scale,
    );
    const local = triple(directionIn(rest, bone, direction));
    segments.push({ bone, human, members, direction: local, length, scale, turn, base, lean, body });
  }
  return segments;
}

/** Bones of the built-in human that have this one as the nearest that the figure has. */
function membersOf(human: HumanBone, { bones }: Humanoid): HumanBone[] {
  return HUMAN_BONES.filter((member) => {
    let owner: HumanBone | undefined = member;
    while (owner !== undefined && bones[owner] === undefined) owner = humanParent(owner);
    return owner === human;
  });
}

function followerOf(human: HumanBone, { bones }: Humanoid): HumanBone | undefined {
  let next = NEXT[human];
  while (next !== undefined && bones[next] === undefined) next = NEXT[next];
  return next;
}

function isAfter(human: HumanBone, member: HumanBone): boolean {
  let next = NEXT[human];
  while (next !== undefined && next !== member) next = NEXT[next];
  return next === member;
}

function nearestAbove(
  human: HumanBone,
  { bones }: Humanoid,
  segments: readonly Segment[],
): Segment | undefined {
  let above = humanParent(human);
  while (above !== undefined && bones[above] === undefined) above = humanParent(above);
  return segments.find((segment) => segment.human === above);
}

/** A leaf is as long as its mesh goes, or in proportion to what carries it. */
function leafLength(
  rest: Rest,
  bone: number,
  clouds: Clouds,
  direction: Vec3,
  wanted: number,
  human: HumanBone,
  parent: Segment | undefined,
): number {
  const along = directionIn(rest, bone, direction);
  const reached = Float64Array.from(clouds[bone], (point) => vec3.dot(point, along)).sort();
  if (reached.length >= 8) return clamp(quantile(reached, 0.98), wanted, LEAF_OF_MESH);
  if (human === 'head' || !parent) return wanted;
  return clamp(wanted * parent.scale, wanted, LEAF_OF_PARENT);
}

function clamp(length: number, wanted: number, [least, most]: readonly [number, number]): number {
  return Math.min(Math.max(length, least * wanted), most * wanted);
}

function bodyAt(reference: Figure, still: Rest, member: HumanBone, from: Vec3): Body {
  const {
    index,
    mass = 0,
    centerOfMass = [0, 0, 0],
    inertia = [0, 0, 0, 0, 0, 0],
  } = reference.bones[indexOf(reference, member)];
  return { mass, center: triple(vec3.subtract(pointOf(still, index, centerOfMass), from)), inertia };
}

function tipOf(reference: Figure, still: Rest, bone: HumanBone): Triple {
  const { index, tip } = reference.bones[indexOf(reference, bone)];
  return pointOf(still, index, tip as Triple);
}

function indexOf(reference: Figure, bone: HumanBone): number {
  return reference.bones.findIndex(({ name }) => name === bone);
}

/** Axes in the world as axes in a bone. */
function inAxesOf({ worldFromBone }: Rest, bone: number, world: Mat3): number[] {
  return mat3.multiply(mat3.transpose(worldFromBone.subarray(12 * bone, 12 * bone + 9)), world);
}

/** The shortest turn that takes one unit vector to another. */
export function turnBetween(a: Vec3, b: Vec3): number[] {
  const c = vec3.dot(a, b);
  const v = vec3.cross(a, b);
  if (c < -1 + 1e-12) {
    const n = vec3.perpendicular(a);
    return mat3.subtract(mat3.scale(mat3.outer(n, n), 2), mat3.identity());
  }
  const skew = mat3.skew(v);
  return mat3.add(mat3.add(mat3.identity(), skew), mat3.scale(mat3.multiply(skew, skew), 1 / (1 + c)));
}
