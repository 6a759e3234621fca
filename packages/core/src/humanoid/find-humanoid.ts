import { type FieldsOf, requireFields, shown } from '../checks.js';
import { FigureError } from '../errors.js';
import { requireTriple, unknownBone } from '../figure/data/normalize.js';
import type { Triple } from '../figure/data/types.js';
import { forwardKinematics } from '../figure/kinematics/forward-kinematics.js';
import { boneIndex, type Figure } from '../figure/model/figure.js';
import { createState } from '../figure/model/state.js';
import * as vec3 from '../math/geometry/vec3.js';
import type { Vec3 } from '../math/linear/types.js';
import {
  DETAIL_BONES,
  type DetailBone,
  ESSENTIAL_BONES,
  HUMAN_BONES,
  type HumanBone,
  type HumanBoneMap,
} from './recognition/human-bones.js';
import { matchByGeometry } from './recognition/match-by-geometry.js';
import { matchByName } from './recognition/match-by-name.js';
import { matchFingers } from './recognition/match-fingers.js';

/** The human bones of a figure, and its orientation at rest. */
export interface Humanoid {
  /** Index of each human bone of the figure, by VRM name; fingers too where they are named so. Eyes and jaw only where they are given. */
  readonly bones: Readonly<HumanBoneMap<number>>;
  /** The body's left at rest, unit, world axes; so are `up` and `forward`. */
  readonly left: Triple;
  readonly up: Triple;
  readonly forward: Triple;
}

/** Options of {@link findHumanoid}. */
export interface FindHumanoidOptions {
  /** Bones by VRM name, as names or indices of the figure, instead of recognition. */
  readonly bones?: Readonly<HumanBoneMap<string | number>>;
  /** Up direction at rest, world axes. Default `figure.up`. */
  readonly up?: Vec3;
}

/**
 * Finds the human bones of a figure: those given in `options.bones`, otherwise by bone names (VRM, Mixamo, Unreal, Biped, Rigify, Daz
 * and similar, left and right as words or letters), otherwise by the geometry of the rest pose.
 *
 * @returns undefined for a figure that is not a humanoid: hips, an upright spine, two arms and two legs with knees are required.
 * @throws FigureError `unknown-name` for names in `options.bones` that are not human bones or not bones of the figure, `wrong-size`
 *   where hips, spine, an upper arm, an upper or a lower leg is missing, `duplicate-name` for one bone given twice; `out-of-range` for
 *   an `up` of length zero.
 */
export function findHumanoid(figure: Figure, options: FindHumanoidOptions = {}): Humanoid | undefined {
  requireFields(options, FIELDS, 'options', FigureError);
  const up = unit(requireTriple(options.up ?? figure.up, 'options.up'));
  const origins = restOrigins(figure);
  const bones = options.bones
    ? givenBones(figure, options.bones)
    : [matchByName(figure), matchByGeometry(figure, origins, up)].find(
        (found) => found !== undefined && isComplete(found) && standsUpright(found, origins, up),
      );
  if (!bones) return undefined;
  // Fingers by names, beside what is recognised or given.
  const taken = Object.values(bones);
  for (const [name, bone] of Object.entries(matchFingers(figure, bones))) {
    if (!taken.includes(bone)) bones[name as DetailBone] ??= bone;
  }
  const left = leftDirection(bones, origins, up);
  return { bones, left, up, forward: triple(vec3.cross(left, up)) };
}

/**
 * {@link findHumanoid} where a human is needed.
 *
 * @param what - Predicate of the message for a figure without the bones of a human.
 * @param remedy - What to do about it.
 * @throws FigureError `unsupported` for a figure that is not a humanoid: where its bones have the names of a human's, the message says
 *   that its rest pose is not one; those of `findHumanoid`.
 */
export function requireHumanoid(
  figure: Figure,
  options: FindHumanoidOptions,
  what: string,
  remedy: string,
): Humanoid {
  const humanoid = findHumanoid(figure, options);
  if (humanoid !== undefined) return humanoid;
  const path = `figure ${figure.name}`;
  const named = matchByName(figure, true);
  if (named === undefined || !isComplete(named)) throw new FigureError('unsupported', what, { path, remedy });
  const fault = standsUpright(
    named,
    restOrigins(figure),
    unit(requireTriple(options.up ?? figure.up, 'options.up')),
  )
    ? 'it is not recognised'
    : 'its trunk is not upright';
  throw new FigureError(
    'unsupported',
    `has the bones of a human, but ${fault} in this pose, which becomes the rest pose.`,
    {
      path,
      remedy: `Make the figure before an animation plays (skeleton.pose() restores the bind pose). If it is at rest: ${remedy}`,
    },
  );
}

const FIELDS: FieldsOf<FindHumanoidOptions> = { bones: true, up: true };

const ALL_BONES: readonly string[] = [...HUMAN_BONES, ...DETAIL_BONES];

function givenBones(figure: Figure, given: Readonly<HumanBoneMap<string | number>>): HumanBoneMap<number> {
  const bones: HumanBoneMap<number> = {};
  for (const [name, bone] of Object.entries(given)) {
    const path = `options.bones.${name}`;
    if (!ALL_BONES.includes(name)) {
      throw unknownBone(
        name,
        ALL_BONES,
        path,
        `Use ${HUMAN_BONES.join(', ')}; fingers, eyes and jaw as VRM 1.0.`,
      );
    }
    if (bone === undefined || bone === null) continue;
    const index = boneIndex(figure, bone, path);
    const twin = ALL_BONES.find((other) => bones[other as HumanBone] === index);
    if (twin !== undefined) {
      throw new FigureError('duplicate-name', `is ${shown(bone)}, which is ${twin} already.`, {
        path,
        remedy: 'Give each human bone a different bone, or leave it out.',
      });
    }
    bones[name as HumanBone] = index;
  }
  const missing = ESSENTIAL_BONES.filter((bone) => bones[bone] === undefined);
  if (missing.length === 0) return bones;
  throw new FigureError('wrong-size', `lacks ${missing.join(', ')}.`, {
    path: 'options.bones',
    remedy: 'Give these bones too, or leave `bones` out to find them.',
  });
}

function isComplete(bones: Readonly<HumanBoneMap<number>>): boolean {
  return ESSENTIAL_BONES.every((bone) => bones[bone] !== undefined);
}

/** Whether the trunk is vertical; rejects quadrupeds, whose bones have the names of a human's. */
function standsUpright(bones: Readonly<HumanBoneMap<number>>, origins: Float64Array, up: Vec3): boolean {
  const top = bones.head ?? bones.neck ?? bones.leftUpperArm;
  const foot = bones.leftLowerLeg;
  if (top === undefined || foot === undefined || bones.hips === undefined) return false;
  const origin = (bone: number): Float64Array => origins.subarray(3 * bone, 3 * bone + 3);
  const trunk = vec3.subtract(origin(top), origin(bones.hips));
  const leg = vec3.subtract(origin(foot), origin(bones.hips));
  return vec3.dot(trunk, up) > 0.5 * vec3.norm(trunk) && vec3.dot(leg, up) < 0;
}

/** The horizontal direction from right to left: mean over the limb bones present on both sides. */
function leftDirection(bones: Readonly<HumanBoneMap<number>>, origins: Float64Array, up: Vec3): Triple {
  const sum = [0, 0, 0];
  for (const limb of ['UpperLeg', 'LowerLeg', 'Foot', 'UpperArm'] as const) {
    const [l, r] = [bones[`left${limb}`], bones[`right${limb}`]];
    if (l === undefined || r === undefined) continue;
    for (let k = 0; k < 3; k++) sum[k] += origins[3 * l + k] - origins[3 * r + k];
  }
  const horizontal = vec3.addScaled(sum, up, -vec3.dot(sum, up));
  if (vec3.norm(horizontal) > 1e-9 * Math.max(1, vec3.norm(sum))) return unit(horizontal);
  return unit(vec3.perpendicular(up));
}

function restOrigins(figure: Figure): Float64Array {
  const state = createState(figure);
  forwardKinematics(state, new Float64Array(figure.dof));
  return Float64Array.from({ length: 3 * figure.bones.length }, (_, k) => {
    return state.worldFromBone[12 * Math.floor(k / 3) + 9 + (k % 3)];
  });
}

function unit(v: Vec3): Triple {
  if (vec3.norm(v) > 0) return triple(vec3.normalize(v));
  throw new FigureError('out-of-range', 'has length 0.', { path: 'options.up', remedy: 'Give a direction.' });
}

function triple(v: Vec3): Triple {
  return [v[0], v[1], v[2]];
}
