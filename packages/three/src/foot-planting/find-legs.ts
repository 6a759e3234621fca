/** The legs of a humanoid as objects, with the points of its soles. */
import { FigureError } from 'poise';
import { findFootPoints } from 'poise/dynamics';
import { createState, type Figure, forwardKinematics } from 'poise/figure';
import { type HumanBone, type HumanBoneMap, type Humanoid, requireHumanoid } from 'poise/humanoid';
import { affine, rigid, vec3 } from 'poise/math';
import { type Object3D, Vector3 } from 'three';
import type { FigureBinding } from '../binding/bind-figure.js';
import type { LegObjects } from './leg.js';

/** Ball of a foot without toes of its own, from the heel, over the length of the sole. */
const BALL_FRACTION = 0.72;
/** Length of the toes over the distance from heel to ball. */
const TOES_FRACTION = 0.35;
/** Angle between thigh and shank at rest up to which a bone beside the leg is its foot, rad. */
const MAX_SHANK_ANGLE = 0.6;

/** Heights at rest over the origin of the character, in leg lengths; over the heel for a rest pose that does not stand there. */
export interface RestHeights {
  readonly ball: number;
  readonly heel: number;
}

/** What the planter needs of a character. */
export interface FoundLegs {
  readonly legs: readonly LegObjects[];
  readonly restHeights: readonly RestHeights[];
  /** The object that carries both legs: it is lowered. */
  readonly body: Object3D;
  /** Bones of the figure: thigh, shin and foot of each leg. */
  readonly bones: readonly number[];
}

/** @throws FigureError for a figure that is not a humanoid, or lacks feet or their objects. */
export function findLegs(
  binding: FigureBinding,
  given: Readonly<HumanBoneMap<string | number>> | undefined,
): FoundLegs {
  const { figure } = binding;
  const humanoid = requireHumanoid(
    figure,
    given === undefined ? {} : { bones: given },
    'is not recognised as a human: no two legs with knees were found.',
    'Name its bones in `options.humanoid`: hips, leftUpperLeg, leftLowerLeg, leftFoot and so on.',
  );
  const state = createState(figure);
  forwardKinematics(state, new Float64Array(figure.dof));
  const rest = state.worldFromBone;
  const humanBones = withFeet(figure, humanoid, rest);
  const origin = (bone: number): Float64Array => rest.subarray(12 * bone + 9, 12 * bone + 12);
  const legs: LegObjects[] = [];
  const restHeights: RestHeights[] = [];
  const bones: number[] = [];
  for (const side of ['left', 'right'] as const) {
    const [upper, lower, foot] = (['UpperLeg', 'LowerLeg', 'Foot'] as const).map((part) =>
      requireBone(binding, humanBones, `${side}${part}`),
    );
    bones.push(upper, lower, foot);
    const corners = findFootPoints(figure, foot, { bones: humanBones });
    const toes = humanBones[`${side}Toes`];
    const heel = vec3.lerp(corners[0], corners[1], 0.5);
    const front = vec3.lerp(corners[2], corners[3], 0.5);
    const worldFromFoot = rest.subarray(12 * foot, 12 * foot + 12);
    // With toes the joint about which the heel rises, over the sole.
    const ball =
      toes === undefined
        ? vec3.lerp(heel, front, BALL_FRACTION)
        : rigid.inverseTransformPoint(worldFromFoot, origin(toes));
    const tip = toes === undefined ? front : vec3.lerp(heel, front, 1 + TOES_FRACTION);
    const axis = rigid.inverseTransformVector(rest.subarray(12 * upper, 12 * upper + 12), humanoid.left);
    const inObject = (bone: number, point: ArrayLike<number>): Vector3 =>
      new Vector3(...affine.transformPoint(affine.inverse(fromObject(binding, bone)), Array.from(point)));
    legs.push({
      side,
      upper: binding.objects[upper] as Object3D,
      lower: binding.objects[lower] as Object3D,
      foot: binding.objects[foot] as Object3D,
      kneeAxis: inObject(upper, axis)
        .sub(inObject(upper, [0, 0, 0]))
        .normalize(),
      heel: inObject(foot, heel),
      ball: inObject(foot, ball),
      tip: inObject(foot, tip),
    });
    const length = vec3.distance(origin(upper), origin(lower)) + vec3.distance(origin(lower), origin(foot));
    const [ballHeight, heelHeight] = [ball, heel].map(
      (point) => vec3.dot(rigid.transformPoint(worldFromFoot, point), figure.up) / length,
    );
    const isStanding = Math.abs(heelHeight) < MAX_REST_HEIGHT;
    restHeights.push(
      isStanding ? { ball: ballHeight, heel: heelHeight } : { ball: ballHeight - heelHeight, heel: 0 },
    );
  }
  return { legs, restHeights, body: bodyOf(binding, humanBones, legs), bones };
}

/** Height of the heels at rest, in leg lengths, up to which the rest pose stands on the origin. */
const MAX_REST_HEIGHT = 0.15;

function fromObject(binding: FigureBinding, bone: number): Float64Array {
  return binding.boneFromObject(bone, binding.objects[bone] as Object3D, true);
}

function requireBone(binding: FigureBinding, bones: Readonly<HumanBoneMap<number>>, name: HumanBone): number {
  const bone = bones[name];
  const { figure } = binding;
  if (bone === undefined) {
    throw new FigureError('unsupported', `has no ${name}.`, {
      path: `figure ${figure.name}`,
      remedy: `Name the bone in \`options.humanoid\`: { ..., ${name}: 'its name' }.`,
    });
  }
  if (binding.objects[bone] !== undefined) return bone;
  throw new FigureError('unsupported', `'${figure.bones[bone].name}' has no object.`, {
    path: `figure ${figure.name}`,
    remedy: 'Bind an object to it: see `objects` of bindFigure.',
  });
}

/**
 * The human bones, with feet that stand beside the legs: some rigs parent them to the root, for their clips to place. The foot is the bone
 * that makes the straightest leg, with a shank of 0.5 to 2 thighs.
 */
function withFeet(figure: Figure, { bones }: Humanoid, rest: Float64Array): HumanBoneMap<number> {
  const found: HumanBoneMap<number> = { ...bones };
  const origin = (bone: number): Float64Array => rest.subarray(12 * bone + 9, 12 * bone + 12);
  for (const side of ['left', 'right'] as const) {
    const [upper, lower] = [bones[`${side}UpperLeg`], bones[`${side}LowerLeg`]];
    if (found[`${side}Foot`] !== undefined || upper === undefined || lower === undefined) continue;
    const thigh = vec3.subtract(origin(lower), origin(upper));
    const taken = new Set(Object.values(found));
    const [nearest] = figure.bones
      .filter(({ index, parent }) => !taken.has(index) && parent >= 0)
      .map(({ index }) => {
        const shank = vec3.subtract(origin(index), origin(lower));
        const length = vec3.norm(shank) / vec3.norm(thigh);
        const angle = Math.acos(vec3.dot(vec3.normalize(shank), vec3.normalize(thigh)));
        return { index, angle, length };
      })
      .filter(({ angle, length }) => angle < MAX_SHANK_ANGLE && length > 0.5 && length < 2)
      .sort((x, y) => x.angle - y.angle);
    if (nearest) found[`${side}Foot`] = nearest.index;
  }
  return found;
}

/** The hips, if both legs hang from them; else the nearest object that both hang from. */
function bodyOf(
  { objects }: FigureBinding,
  bones: Readonly<HumanBoneMap<number>>,
  legs: readonly LegObjects[],
): Object3D {
  const above = legs.map(({ upper }) => {
    const list: Object3D[] = [];
    for (let at = upper.parent; at !== null; at = at.parent) list.push(at);
    return list;
  });
  const hips = bones.hips === undefined ? undefined : objects[bones.hips];
  if (hips !== undefined && above.every((list) => list.includes(hips))) return hips;
  return above[0].find((object) => above.every((list) => list.includes(object))) as Object3D;
}
