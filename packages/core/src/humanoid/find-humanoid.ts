import { type FieldsOf, requireFields, shown } from '../checks.js';
import { FigureError } from '../errors.js';
import { requireTriple, unknownBone } from '../figure/data/normalize.js';
import type { Triple } from '../figure/data/types.js';
import { originOf, type Rest, restOf } from '../figure/kinematics/rest-pose.js';
import { boneIndex, type Figure } from '../figure/model/figure.js';
import * as vec3 from '../math/geometry/vec3.js';
import type { Vec3 } from '../math/linear/types.js';
import {
  DETAIL_BONES,
  type DetailBone,
  ESSENTIAL_BONES,
  HUMAN_BONES,
  type HumanBone,
  type HumanBoneMap,
  humanParent,
} from './recognition/human-bones.js';
import { matchFace, matchFingers } from './recognition/match-fingers.js';
import { isComplete, namedHumanStands, recognise } from './recognition/recognise.js';
import { isWithin, pathDown } from './recognition/tree.js';

/** The human bones of a figure, and its orientation at rest. */
export interface Humanoid {
  /**
   * Index of each human bone of the figure, by VRM name; fingers, eyes and jaw where they are named so. It is the bone that moves with the
   * part of the body: the last of a robot's hinges in series.
   */
  readonly bones: Readonly<HumanBoneMap<number>>;
  /**
   * The bones whose joints lie between each human bone and the human bone above it, the upper ones first: twist bones, helpers and hinges in
   * series, and the bone itself. Where the torso of a robot carries its pelvis, they lie on the way up from the pelvis.
   */
  readonly joints: Readonly<HumanBoneMap<readonly number[]>>;
  /** How sure each bone is, 0 to 1: 1 as given, 0.95 where name and form say the same, 0.4 where one speaks against the other. */
  readonly confidence: Readonly<HumanBoneMap<number>>;
  /** Why each bone is that one, in words. */
  readonly reasons: Readonly<HumanBoneMap<readonly string[]>>;
  /** The body's left at rest, unit, world axes; so are `up` and `forward`. `up` is another axis than the figure's for a body that lies. */
  readonly left: Triple;
  readonly up: Triple;
  readonly forward: Triple;
}

/** Options of {@link findHumanoid}. */
export interface FindHumanoidOptions {
  /**
   * Bones by VRM name, as names or indices of the figure; null for one it has none of. The others are recognised around them; a map of
   * all that a humanoid must have (hips, spine, upper arms, legs) is taken as it is, an empty one is none.
   */
  readonly bones?: Readonly<HumanBoneMap<string | number | null>>;
  /** Up direction at rest, world axes. Default `figure.up`, or the axis along which the body stands. */
  readonly up?: Vec3;
}

/**
 * Finds the human bones of a figure by bone names (VRM, Mixamo, Unreal, Unity, Biped, Rigify, Daz, CMU, MakeHuman, Kinect, SMPL, robots and
 * similar, left and right as words or letters) and by the form of the rest pose, each checked by the other.
 *
 * @returns undefined for a figure that is not a humanoid: hips, an upright spine, two arms and two legs with knees are required.
 * @throws FigureError `unknown-name` for names in `options.bones` that are not human bones or not bones of the figure, `wrong-size`
 *   where hips, spine, an upper arm, an upper or a lower leg is missing and not found around those given, `duplicate-name` for one bone
 *   given twice; `out-of-range` for an `up` of length zero.
 */
export function findHumanoid(figure: Figure, options: FindHumanoidOptions = {}): Humanoid | undefined {
  requireFields(options, FIELDS, 'options', FigureError);
  const up = unit(requireTriple(options.up ?? figure.up, 'options.up'));
  const given = givenBones(figure, options.bones ?? {});
  const found = isComplete(given.bones)
    ? { ...asGiven(given.bones), up }
    : recognise(figure, up, options.up !== undefined, given.known);
  if (!found) {
    if (Object.keys(given.known).length > 0) throw lacking(given.bones);
    return undefined;
  }
  const { bones, confidence, reasons } = found;
  for (const human of given.absent) delete bones[human];
  // Those given stand, and what was taken for something else is nothing.
  for (const [human, bone] of Object.entries(given.bones)) {
    for (const other of ALL_BONES) if (bones[other] === bone) delete bones[other];
    bones[human as HumanBone] = bone;
    confidence[human as HumanBone] = 1;
    reasons[human as HumanBone] = ['as given'];
  }
  if (!isComplete(bones)) throw lacking(bones);
  // Fingers, eyes and jaw by names, beside what is recognised or given.
  const taken = new Set(Object.values(bones));
  for (const [name, bone] of Object.entries({
    ...matchFingers(figure, bones),
    ...matchFace(figure, bones),
  })) {
    const human = name as DetailBone;
    if (taken.has(bone) || bones[human] !== undefined || given.absent.includes(human)) continue;
    bones[human] = bone;
    confidence[human] = 0.75;
    reasons[human] = [`name '${figure.bones[bone].name}'`];
  }
  for (const human of ALL_BONES) {
    if (bones[human] !== undefined) continue;
    delete confidence[human];
    delete reasons[human];
  }
  const left = leftDirection(bones, restOf(figure), found.up);
  return {
    bones,
    joints: jointsOf(figure, bones),
    confidence,
    reasons,
    left,
    up: found.up,
    forward: triple(vec3.cross(left, found.up)),
  };
}

/**
 * {@link findHumanoid} where a human is needed who stands along `options.up`, or the figure's.
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
  const up = unit(requireTriple(options.up ?? figure.up, 'options.up'));
  if (humanoid !== undefined && vec3.dot(humanoid.up, up) > 0.9) return humanoid;
  const path = `figure ${figure.name}`;
  const stands = humanoid === undefined ? namedHumanStands(figure, up) : false;
  if (stands === undefined) throw new FigureError('unsupported', what, { path, remedy });
  const fault = stands ? 'it is not recognised' : 'its trunk is not upright';
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

const ALL_BONES: readonly (HumanBone | DetailBone)[] = [...HUMAN_BONES, ...DETAIL_BONES];

/** The bones of a map, those it says that the figure has none of, and both in one (-1 for none). */
interface Given {
  readonly bones: HumanBoneMap<number>;
  readonly absent: readonly (HumanBone | DetailBone)[];
  readonly known: HumanBoneMap<number>;
}

function givenBones(figure: Figure, given: Readonly<HumanBoneMap<string | number | null>>): Given {
  const bones: HumanBoneMap<number> = {};
  const absent: (HumanBone | DetailBone)[] = [];
  for (const [name, bone] of Object.entries(given)) {
    const path = `options.bones.${name}`;
    const human = ALL_BONES.find((other) => other === name);
    if (human === undefined) {
      throw unknownBone(
        name,
        ALL_BONES,
        path,
        `Use ${HUMAN_BONES.join(', ')}; fingers, eyes and jaw as VRM 1.0.`,
      );
    }
    if (bone === null) absent.push(human);
    if (bone === undefined || bone === null) continue;
    const index = boneIndex(figure, bone, path);
    const twin = ALL_BONES.find((other) => bones[other] === index);
    if (twin !== undefined) {
      throw new FigureError('duplicate-name', `is ${shown(bone)}, which is ${twin} already.`, {
        path,
        remedy: 'Give each human bone a different bone, or leave it out.',
      });
    }
    bones[human] = index;
  }
  const known = { ...bones };
  for (const human of absent) known[human] = -1;
  return { bones, absent, known };
}

function asGiven(bones: HumanBoneMap<number>): {
  bones: HumanBoneMap<number>;
  confidence: HumanBoneMap<number>;
  reasons: HumanBoneMap<readonly string[]>;
} {
  return { bones: { ...bones }, confidence: {}, reasons: {} };
}

function lacking(bones: Readonly<HumanBoneMap<number>>): FigureError {
  const missing = ESSENTIAL_BONES.filter((bone) => bones[bone] === undefined);
  return new FigureError('wrong-size', `lacks ${missing.join(', ')}.`, {
    path: 'options.bones',
    remedy: 'Give these bones too: they are not found around those given.',
  });
}

/** The bones between each human bone and the one above it, itself included. */
function jointsOf(figure: Figure, bones: Readonly<HumanBoneMap<number>>): HumanBoneMap<readonly number[]> {
  const joints: HumanBoneMap<readonly number[]> = {};
  for (const human of ALL_BONES) {
    const bone = bones[human];
    if (bone === undefined) continue;
    const above = boneAbove(human, bones);
    const path = above === undefined ? [] : pathDown(figure, above, bone);
    if (path.length > 0) joints[human] = path;
    else if (above !== undefined && isWithin(figure, above, bone))
      joints[human] = pathDown(figure, bone, above).reverse();
    else joints[human] = [bone];
  }
  return joints;
}

/** The human bone present above another: of a finger the phalanx before it, then the hand. */
function boneAbove(human: HumanBone | DetailBone, bones: Readonly<HumanBoneMap<number>>): number | undefined {
  let above: HumanBone | DetailBone | undefined = parentOf(human);
  while (above !== undefined && bones[above] === undefined) above = parentOf(above);
  return above === undefined ? undefined : bones[above];
}

function parentOf(human: HumanBone | DetailBone): HumanBone | DetailBone | undefined {
  const body = HUMAN_BONES.find((bone) => bone === human);
  if (body !== undefined) return humanParent(body);
  if (/Eye|jaw/.test(human)) return 'head';
  const isFirst = /Metacarpal$|(Index|Middle|Ring|Little)Proximal$/.test(human);
  return isFirst
    ? human.startsWith('left')
      ? 'leftHand'
      : 'rightHand'
    : DETAIL_BONES[DETAIL_BONES.indexOf(human as DetailBone) - 1];
}

/** The horizontal direction from right to left: mean over the limb bones present on both sides. */
function leftDirection(bones: Readonly<HumanBoneMap<number>>, rest: Rest, up: Vec3): Triple {
  const sum = new Float64Array(3);
  for (const limb of ['UpperLeg', 'LowerLeg', 'Foot', 'UpperArm'] as const) {
    const [l, r] = [bones[`left${limb}`], bones[`right${limb}`]];
    if (l === undefined || r === undefined) continue;
    vec3.add(sum, vec3.subtract(originOf(rest, l), originOf(rest, r)), sum);
  }
  const horizontal = vec3.addScaled(sum, up, -vec3.dot(sum, up));
  if (vec3.norm(horizontal) > 1e-9 * Math.max(1, vec3.norm(sum))) return unit(horizontal);
  return unit(vec3.perpendicular(up));
}

function unit(v: Vec3): Triple {
  if (vec3.norm(v) > 0) return triple(vec3.normalize(v));
  throw new FigureError('out-of-range', 'has length 0.', { path: 'options.up', remedy: 'Give a direction.' });
}

function triple(v: Vec3): Triple {
  return [v[0], v[1], v[2]];
}
