/** A humanoid as retargeting sees it: its bones, their axes at rest, its legs and its soles. */

import { soleOf, solesOf } from '../../dynamics/ragdoll/foot-points.js';
import { FigureError } from '../../errors.js';
import { lowestCommonAncestorIn } from '../../figure/basis.js';
import type { Triple } from '../../figure/data/types.js';
import { jointTypes } from '../../figure/joints/joint-types.js';
import { originOf, pointIn, pointOf, type Rest, restOf } from '../../figure/kinematics/rest-pose.js';
import type { Figure } from '../../figure/model/figure.js';
import { type FindHumanoidOptions, findHumanoid, type Humanoid } from '../../humanoid/find-humanoid.js';
import type { HumanBoneMap } from '../../humanoid/recognition/human-bones.js';
import * as rigid from '../../math/geometry/rigid-transform.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { Numbers } from '../../math/linear/types.js';
import { type BodyHand, handsOf } from './hands.js';
import { alignElbows, bodyAxesOf, restAxesOf } from './rest-axes.js';

/** A leg at rest, world axes and m. */
export interface BodyLeg {
  readonly name: 'left' | 'right';
  readonly upper: number;
  readonly lower: number;
  /** -1 for a leg without a foot. */
  readonly foot: number;
  readonly toes: number;
  /** Thigh and shank. */
  readonly length: number;
  /** On the sole, frame of `foot`: the middle of the heel, and the ball, below the joint of the toes, or the tip of a foot without toes. */
  readonly heel: readonly number[];
  readonly ball: readonly number[];
  /** Where the foot stands as its heel is up, frame of `foot`: the ball, or ahead of it as far as the mesh of the foot is. */
  readonly front: readonly number[];
  /** The corners of the sole, frame of `foot`: heel left and right, front left and right. */
  readonly corners: readonly (readonly number[])[];
  /** Vertices of the toes' mesh that may touch the ground, frame of the toes: ahead of their joint and behind it; without a mesh the two tips of the sole. */
  readonly toeSole: readonly (readonly number[])[];
  readonly toeBack: readonly (readonly number[])[];
  /** Ends of the line about which the toes bend, frame of `foot`: toes with a mesh keep them `toeDepth` above the ground. None without a mesh. */
  readonly toeAxis: readonly (readonly number[])[];
  readonly toeDepth: number;
}

export interface Body {
  readonly figure: Figure;
  readonly rest: Rest;
  readonly humanoid: Humanoid;
  /** World axes from those of the body at rest: columns left, up, forward. */
  readonly axes: readonly number[];
  /** World from the axes of each human bone at rest: see {@link restAxesOf}. */
  readonly restAxes: Readonly<HumanBoneMap<readonly number[]>>;
  /** The bone that carries spine and legs: the hips, or the bone above it that the legs hang from. */
  readonly pelvis: number;
  /** Middle of the hip joints, frame of the pelvis. */
  readonly hipCenter: readonly number[];
  readonly legs: readonly BodyLeg[];
  readonly hands: readonly BodyHand[];
  /** Mean length of thigh and shank, m. */
  readonly legLength: number;
  /** Mean height of the ankles over the soles at rest, m. */
  readonly ankleHeight: number;
}

/**
 * @param path - Of the figure, for messages.
 * @param vertices - Of the mesh by bone name: the soles are at the lowest of the feet.
 * @param hasOwnElbows - Arms are rolled at rest as the hinges of their elbows say.
 * @throws FigureError `unsupported` for a figure that is not a humanoid; those of `findHumanoid`.
 */
export function bodyOf(
  figure: Figure,
  options: FindHumanoidOptions,
  vertices: Readonly<Record<string, Numbers>> | undefined,
  path: string,
  hasOwnElbows = false,
): Body {
  const humanoid = findHumanoid(figure, options);
  if (humanoid === undefined) {
    throw new FigureError('unsupported', `'${figure.name}' is not recognised as a humanoid.`, {
      path,
      remedy: `Name its bones in options.${path}Bones, { hips: 'Pelvis', spine: ..., leftUpperLeg: ... }.`,
    });
  }
  const rest = restOf(figure);
  const { bones } = humanoid;
  const hips = originOf(rest, bones.hips as number);
  const size = Math.max(...figure.bones.map(({ index }) => vec3.distance(originOf(rest, index), hips)));
  const pelvis = pelvisOf(figure, bones);
  const hasFeet = bones.leftFoot !== undefined || bones.rightFoot !== undefined;
  const soles = hasFeet
    ? solesOf(figure, {
        bones: bones as HumanBoneMap<number>,
        up: humanoid.up,
        ...(vertices !== undefined && { vertices }),
      })
    : new Map<number, Triple[]>();
  const legs = (['left', 'right'] as const).map((side) => legOf(rest, humanoid, side, soles, vertices));
  const middle = vec3.lerp(originOf(rest, legs[0].upper), originOf(rest, legs[1].upper), 0.5);
  const heights = legs.flatMap((leg) => (leg.foot < 0 ? [] : [ankleHeightOf(rest, humanoid, leg)]));
  const restAxes = restAxesOf(rest, humanoid, size);
  if (hasOwnElbows) alignElbows(rest, humanoid, restAxes);
  return {
    figure,
    rest,
    humanoid,
    axes: bodyAxesOf(humanoid),
    restAxes,
    pelvis,
    hipCenter: pointIn(rest, pelvis, middle),
    legs,
    hands: handsOf(rest, humanoid, restAxes),
    legLength: mean(legs.map(({ length }) => length)),
    ankleHeight: heights.length > 0 ? mean(heights) : 0,
  };
}

/** The lowest bone above both legs and the spine, if it rotates; else the hips. */
function pelvisOf(
  figure: Figure,
  { hips = 0, spine, leftUpperLeg, rightUpperLeg }: HumanBoneMap<number>,
): number {
  let common = hips;
  for (const bone of [spine, leftUpperLeg, rightUpperLeg]) {
    if (bone !== undefined && common >= 0) common = lowestCommonAncestorIn(figure.parents, common, bone);
  }
  return common >= 0 && jointTypes[figure.bones[common].joint.type].dof >= 3 ? common : hips;
}

/** Height of a sole at rest over the origin, in leg lengths, up to which the rest pose stands on it. */
const MAX_STANDING_HEIGHT = 0.15;

function legOf(
  rest: Rest,
  { bones, up }: Humanoid,
  side: 'left' | 'right',
  soles: ReadonlyMap<number, Triple[]>,
  vertices: Readonly<Record<string, Numbers>> | undefined,
): BodyLeg {
  const { figure } = rest;
  const upper = bones[`${side}UpperLeg`] as number;
  const lower = bones[`${side}LowerLeg`] as number;
  const foot = bones[`${side}Foot`] ?? -1;
  const toes = bones[`${side}Toes`] ?? -1;
  const none = {
    heel: [0, 0, 0],
    ball: [0, 0, 0],
    front: [0, 0, 0],
    corners: [],
    toeSole: [],
    toeBack: [],
    toeAxis: [],
    toeDepth: 0,
  };
  const knee = originOf(rest, lower);
  const thigh = vec3.distance(originOf(rest, upper), knee);
  if (foot < 0) return { name: side, upper, lower, foot, toes, length: 2 * thigh, ...none };
  const length = thigh + vec3.distance(knee, originOf(rest, foot));
  const inWorld = (bone: number, points: readonly (readonly number[])[]): number[][] =>
    points.map((point) =>
      rigid.transformPoint(rest.worldFromBone.subarray(12 * bone, 12 * bone + 12), point),
    );
  const sole = inWorld(foot, soleOf(figure, soles, foot));
  const heel = vec3.lerp(sole[0], sole[1], 0.5);
  const front = vec3.lerp(sole[2], sole[3], 0.5);
  const ball = vec3.copy(front);
  const mesh = toes < 0 ? undefined : vertices?.[figure.bones[foot].name];
  if (mesh !== undefined && mesh.length > 0) {
    // The box ends where the mesh of the foot does, over the toes or before them.
    const forward = vec3.normalize(vec3.subtract(front, heel));
    const below = originOf(rest, toes);
    vec3.addScaled(below, up, vec3.dot(heel, up) - vec3.dot(below, up), ball);
    const ahead =
      aheadOf(rest, foot, mesh, ball, forward, up) - vec3.dot(vec3.subtract(front, ball), forward);
    for (const point of [sole[2], sole[3], front]) vec3.addScaled(point, forward, ahead, point);
  }
  const tips = toes < 0 ? [] : inWorld(toes, soleOf(figure, soles, toes));
  // A rest pose that stands on the origin has its soles there, which says more than proportions; a mesh says more than both.
  const height = vec3.dot(heel, up);
  if (vertices === undefined && Math.abs(height) < MAX_STANDING_HEIGHT * length) {
    for (const point of [heel, ball, front, ...sole, ...tips])
      vec3.addScaled(point, up, -vec3.dot(point, up), point);
  }
  return {
    name: side,
    upper,
    lower,
    foot,
    toes,
    length,
    heel: pointIn(rest, foot, heel),
    ball: pointIn(rest, foot, ball),
    front: pointIn(rest, foot, front),
    corners: sole.map((point) => pointIn(rest, foot, point)),
    ...toesOf(
      rest,
      { foot, toes, tips: tips.slice(2) },
      heel,
      front,
      vertices?.[figure.bones[toes]?.name],
      up,
    ),
  };
}

/** Steps of pitch and roll, rad, in which the vertices that touch the ground are looked for: pitch up to a right angle. */
const PITCH_STEP = Math.PI / 18;
const ROLLS = [-0.4, -0.2, 0, 0.2, 0.4];

/** What of the toes touches the ground. */
function toesOf(
  rest: Rest,
  { foot, toes, tips }: Pick<BodyLeg, 'foot' | 'toes'> & { readonly tips: readonly number[][] },
  heel: readonly number[],
  front: readonly number[],
  mesh: Numbers | undefined,
  up: readonly number[],
): Pick<BodyLeg, 'toeSole' | 'toeBack' | 'toeAxis' | 'toeDepth'> {
  if (mesh === undefined || mesh.length === 0)
    return { toeSole: tips.map((tip) => pointIn(rest, toes, tip)), toeBack: [], toeAxis: [], toeDepth: 0 };
  const joint = originOf(rest, toes);
  const forward = vec3.normalize(vec3.subtract(front, heel));
  const left = vec3.cross(up, forward);
  const own = Array.from({ length: mesh.length / 3 }, (_, v) => {
    const point = [mesh[3 * v], mesh[3 * v + 1], mesh[3 * v + 2]];
    const offset = vec3.subtract(pointOf(rest, toes, point), joint);
    return { point, along: [left, up, forward].map((axis) => vec3.dot(offset, axis)) };
  });
  const chosen = new Set<(typeof own)[number]>();
  for (let pitch = -Math.PI / 2; pitch < Math.PI / 2 + 1e-9; pitch += PITCH_STEP) {
    for (const roll of ROLLS) {
      const [x, y, z] = [Math.sin(roll), Math.cos(roll) * Math.cos(pitch), Math.cos(roll) * Math.sin(pitch)];
      const heightOf = ({ along }: (typeof own)[number]): number =>
        x * along[0] + y * along[1] + z * along[2];
      chosen.add(own.reduce((low, each) => (heightOf(each) < heightOf(low) ? each : low)));
    }
  }
  const sole = [...chosen];
  const sides = tips.map((tip) => vec3.dot(vec3.subtract(tip, joint), left));
  return {
    toeSole: sole.filter(({ along }) => along[2] > 0).map(({ point }) => point),
    toeBack: sole.filter(({ along }) => along[2] <= 0).map(({ point }) => point),
    toeAxis: sides.map((side) => pointIn(rest, foot, vec3.addScaled(joint, left, side))),
    toeDepth: Math.max(0, ...sole.map(({ along }) => -along[1])),
  };
}

/** Tilt of a foot at which its mesh ahead of the ball is measured: heels rise so far as the ball is down, rad. */
const STANDING_TILT = 0.5;

/** Distance ahead of the ball at which a foot that is tilted forward stands on its mesh; 0 for a mesh that ends at the ball. */
function aheadOf(
  rest: Rest,
  foot: number,
  mesh: Numbers,
  ball: readonly number[],
  forward: readonly number[],
  up: readonly number[],
): number {
  const ahead = Float64Array.from({ length: mesh.length / 3 }, (_, v) => {
    const point = vec3.subtract(pointOf(rest, foot, [mesh[3 * v], mesh[3 * v + 1], mesh[3 * v + 2]]), ball);
    return vec3.dot(point, forward) - vec3.dot(point, up) / Math.tan(STANDING_TILT);
  });
  return ahead.reduce((most, each) => Math.max(most, each), 0);
}

function ankleHeightOf(rest: Rest, { up }: Humanoid, { foot, heel }: BodyLeg): number {
  const world = rigid.transformPoint(rest.worldFromBone.subarray(12 * foot, 12 * foot + 12), heel);
  return vec3.dot(originOf(rest, foot), up) - vec3.dot(world, up);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
