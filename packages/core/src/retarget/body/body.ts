/** A humanoid as retargeting sees it: its bones, their axes at rest, its legs and its soles. */

import { findFootPoints } from '../../dynamics/ragdoll/foot-points.js';
import { FigureError } from '../../errors.js';
import { lowestCommonAncestorIn } from '../../figure/basis.js';
import { jointTypes } from '../../figure/joints/joint-types.js';
import { originOf, pointIn, type Rest, restOf } from '../../figure/kinematics/rest-pose.js';
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
  /** On the sole, frame of `foot`: the middle of the heel, and the ball, or the tip of a foot without toes. */
  readonly heel: readonly number[];
  readonly ball: readonly number[];
  /** The corners of the sole, frame of `foot`: heel left and right, ball left and right. */
  readonly corners: readonly (readonly number[])[];
  /** The tips of the sole in the frame of the toes, left and right; none without toes. */
  readonly toeTips: readonly (readonly number[])[];
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
  const legs = (['left', 'right'] as const).map((side) => legOf(rest, humanoid, side, vertices));
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
  vertices: Readonly<Record<string, Numbers>> | undefined,
): BodyLeg {
  const { figure } = rest;
  const upper = bones[`${side}UpperLeg`] as number;
  const lower = bones[`${side}LowerLeg`] as number;
  const foot = bones[`${side}Foot`] ?? -1;
  const toes = bones[`${side}Toes`] ?? -1;
  const none = { heel: [0, 0, 0], ball: [0, 0, 0], corners: [], toeTips: [] };
  const knee = originOf(rest, lower);
  const thigh = vec3.distance(originOf(rest, upper), knee);
  if (foot < 0) return { name: side, upper, lower, foot, toes, length: 2 * thigh, ...none };
  const length = thigh + vec3.distance(knee, originOf(rest, foot));
  const options = { bones: bones as HumanBoneMap<number>, up, ...(vertices !== undefined && { vertices }) };
  const inWorld = (bone: number, points: readonly (readonly number[])[]): number[][] =>
    points.map((point) =>
      rigid.transformPoint(rest.worldFromBone.subarray(12 * bone, 12 * bone + 12), point),
    );
  const sole = inWorld(foot, findFootPoints(figure, foot, options));
  const heel = vec3.lerp(sole[0], sole[1], 0.5);
  const ball = vec3.lerp(sole[2], sole[3], 0.5);
  const front = toes < 0 ? [] : inWorld(toes, findFootPoints(figure, toes, options));
  // A rest pose that stands on the origin has its soles there, which says more than proportions; a mesh says more than both.
  const height = vec3.dot(heel, up);
  if (vertices === undefined && Math.abs(height) < MAX_STANDING_HEIGHT * length) {
    for (const point of [heel, ball, ...sole, ...front])
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
    corners: sole.map((point) => pointIn(rest, foot, point)),
    toeTips: front.slice(2).map((point) => pointIn(rest, toes, point)),
  };
}

function ankleHeightOf(rest: Rest, { up }: Humanoid, { foot, heel }: BodyLeg): number {
  const world = rigid.transformPoint(rest.worldFromBone.subarray(12 * foot, 12 * foot + 12), heel);
  return vec3.dot(originOf(rest, foot), up) - vec3.dot(world, up);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
