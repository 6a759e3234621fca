import { parseBoneName, type Side } from '../../figure/model/bone-name.js';
import type { Figure } from '../../figure/model/figure.js';
import * as vec3 from '../../math/geometry/vec3.js';
import type { Vec3 } from '../../math/linear/types.js';
import type { HumanBone, HumanBoneMap } from './human-bones.js';
import { nameBones, type SideLimbs } from './limbs.js';
import { COINCIDENT, type RestForm } from './rest-form.js';
import { ancestorsOf, commonAncestor, descendants, jointsAlone } from './tree.js';

/** A parsed bone name. */
interface ParsedName {
  readonly bone: number;
  readonly side: Side | undefined;
  /** The other words of the name, lower case, concatenated. */
  readonly part: string;
}

/** Words of exporters, naming schemes and robots that do not name a body part. */
const FILLERS = new Set(
  'mixamorig bip bone b bn c cc base character def org j jnt joint jt rig skeleton skel armature valve biped bind sk link body genesis'.split(
    ' ',
  ),
);

/** Words of the axes of a robot's hinges. */
const AXES = new Set('pitch roll yaw x y z'.split(' '));

/** Words of control and helper bones, which are not matched. */
const HELPERS = new Set(
  'ik fk pole target control ctrl con twist roll helper end nub socket slot tip dummy adjust handle mch effector site top weapon prop camera sensor frame led'.split(
    ' ',
  ),
);

/**
 * Names of body parts in groups of decreasing reliability; within a group the bone nearest to the root is taken. A word in two lists
 * (`leg`, `shoulder`) names the part without a match in a more reliable group.
 */
const PARTS = {
  hips: [['hips', 'pelvis', 'spinebase', 'hipcenter'], ['hip']],
  neck: [['neck', 'necklower', 'lowerneck', 'upperneck', 'necktwist']],
  head: [['head']],
  upperLeg: [
    ['upperleg', 'thigh', 'upleg', 'legupper', 'thighbend', 'thighstretch', 'femur', 'uleg'],
    ['hip'],
    ['leg'],
    ['hipjoint'],
  ],
  lowerLeg: [
    [
      'lowerleg',
      'calf',
      'shin',
      'loleg',
      'lowleg',
      'lleg',
      'leglower',
      'knee',
      'shank',
      'tibia',
      'legstretch',
    ],
    ['leg'],
  ],
  foot: [['foot', 'ankle', 'talus']],
  toes: [['toes', 'toe', 'toebase', 'toesbase', 'ball'], ['foot']],
  upperArm: [
    ['upperarm', 'uparm', 'uarm', 'armupper', 'shldr', 'shldrbend', 'humerus', 'armstretch'],
    ['arm'],
    ['shoulder'],
  ],
  lowerArm: [
    [
      'lowerarm',
      'forearm',
      'loarm',
      'lowarm',
      'larm',
      'farm',
      'armlower',
      'forearmbend',
      'forearmstretch',
      'elbow',
      'radius',
    ],
    ['arm'],
  ],
  hand: [['hand', 'wrist'], ['palm']],
  shoulder: [['clavicle', 'collar', 'collarbone', 'clav'], ['shoulder']],
} as const satisfies Record<string, readonly (readonly string[])[]>;

/** All words of {@link PARTS}, and those of thumbs, fingers and eyes, whose side may be a letter before or after them. */
const WORDS: ReadonlySet<string> = new Set([
  ...Object.values(PARTS).flat(2),
  ...'thumb fingers finger eye hipjoint'.split(' '),
]);

/** More hinges of one name in series make up a whole limb: `LARM_LINK1` to `LARM_LINK7`. */
const MAX_JOINT_HINGES = 3;

/** The names of a figure's bones, read. */
export interface BoneNames {
  /** Bones whose names say what part of the body they are. */
  readonly segments: readonly ParsedName[];
  /** +1 for a bone whose name says left, -1 for right, 0 for none. */
  readonly lateral: (bone: number) => number;
  /** Whether a name is that of a control, a helper, a target or an end. */
  readonly isHelper: (bone: number) => boolean;
}

/**
 * Reads the names of all bones.
 *
 * @param isLoose - Whether the side may be a last letter without a separator: `upperarml`, as three.js's loaders write `upperarm.l`.
 */
export function readBoneNames(figure: Figure, isLoose = false): BoneNames {
  const parsed: (ParsedName | undefined)[] = [];
  for (const { name, index, joint } of figure.bones) {
    parsed.push(partOf(name, index, joint.type === 'hinge', isLoose));
  }
  const alone = jointsAlone(figure);
  const counts = new Map<string, number>();
  const key = ({ side, part }: ParsedName): string => `${side} ${part}`;
  for (const name of parsed) {
    if (name !== undefined && figure.bones[name.bone].joint.type === 'hinge')
      counts.set(key(name), (counts.get(key(name)) ?? 0) + 1);
  }
  return {
    segments: parsed
      .filter((name) => name !== undefined)
      .filter(({ bone }) => alone[bone] === 0)
      .filter((name) => (counts.get(key(name)) ?? 0) <= MAX_JOINT_HINGES),
    lateral: (bone) => {
      const side = parsed[bone]?.side;
      return side === undefined ? 0 : side === 'left' ? 1 : -1;
    },
    isHelper: (bone) => parsed[bone] === undefined,
  };
}

/**
 * The bones that the names say: VRM, Mixamo, Unreal, Unity, Biped, Rigify, Daz, CMU, MakeHuman, Kinect, SMPL, robots and similar. Of the hinges
 * in series of one name it is the last, which moves with the segment.
 *
 * @param given - Bones known already; -1 for none.
 */
export function matchByName(
  figure: Figure,
  { segments: parts }: BoneNames,
  form: RestForm,
  up: Vec3,
  given: Readonly<HumanBoneMap<number>> = {},
): { readonly limbs: HumanBoneMap<number>; readonly body: HumanBoneMap<number> | undefined } {
  const coincident = COINCIDENT * form.extent(up);
  const search: Search = { figure, segments: parts, depth: depthsOf(figure), given, form, coincident };
  const left = sideOf(search, 'left');
  const right = sideOf(search, 'right');
  const arms = [left.upperArm, right.upperArm].filter((bone) => bone !== undefined);
  const chest = arms.length === 2 ? commonAncestor(figure, arms) : -1;
  // A control named head stands before the face, or beside the body.
  const carried = chest < 0 ? undefined : descendants(figure, chest);
  const isAbove = (bone: number): boolean => {
    if (carried === undefined) return true;
    const offset = vec3.subtract(form.at(bone), form.at(chest));
    return carried[bone] === 1 && vec3.dot(offset, up) >= 0.5 * vec3.norm(offset) - coincident;
  };
  const neck = find(search, 'neck', undefined, isAbove);
  const head = find(search, 'head', undefined, (bone) => isAbove(bone) && bone !== neck);
  const pelvis = find(search, 'hips', undefined);
  const limbs: HumanBoneMap<number> = {};
  for (const [side, bones] of [
    ['left', left],
    ['right', right],
  ] as const) {
    for (const [name, bone] of Object.entries(bones)) {
      if (bone !== undefined) limbs[`${side}${name[0].toUpperCase()}${name.slice(1)}` as HumanBone] = bone;
    }
  }
  return { limbs, body: nameBones(figure, { left, right, neck, head, pelvis }, form, up) };
}

interface Search {
  readonly figure: Figure;
  readonly segments: readonly ParsedName[];
  readonly depth: Int32Array;
  readonly given: Readonly<HumanBoneMap<number>>;
  readonly form: RestForm;
  /** Distance of origins at one place, m. */
  readonly coincident: number;
}

function sideOf(search: Search, side: 'left' | 'right'): SideLimbs {
  const { figure, segments: parts } = search;
  const upperLeg = find(search, 'upperLeg', side);
  const lowerLeg = findBelow(search, 'lowerLeg', side, upperLeg);
  const foot = findBelow(search, 'foot', side, lowerLeg);
  const toes = findBelow(search, 'toes', side, foot);
  const upperArm = find(search, 'upperArm', side);
  const lowerArm = findBelow(search, 'lowerArm', side, upperArm);
  const hand = findBelow(search, 'hand', side, lowerArm);
  const partAt = (bone: number): string | undefined => parts.find((name) => name.bone === bone)?.part;
  const carriers = new Set(ancestorsOf(figure, upperArm ?? -1));
  const shoulder = find(search, 'shoulder', side, (bone) => {
    return (
      upperArm !== undefined && bone !== upperArm && carriers.has(bone) && partAt(bone) !== partAt(upperArm)
    );
  });
  return { upperLeg, lowerLeg, foot, toes, upperArm, lowerArm, hand, shoulder };
}

function findBelow(
  search: Search,
  part: keyof typeof PARTS,
  side: 'left' | 'right',
  above: number | undefined,
): number | undefined {
  const below = above === undefined ? undefined : descendants(search.figure, above);
  return find(search, part, side, (bone) => bone !== above && below?.[bone] === 1);
}

/** The bone of a body part: from its most reliable name group, the one nearest to the root; the last of its hinges in series. */
function find(
  { figure, segments: parts, depth, given, form, coincident }: Search,
  part: keyof typeof PARTS,
  side: 'left' | 'right' | undefined,
  allowed: (bone: number) => boolean = () => true,
): number | undefined {
  const name = side === undefined ? part : (`${side}${part[0].toUpperCase()}${part.slice(1)}` as HumanBone);
  const known = given[name as HumanBone];
  if (known !== undefined) return known < 0 ? undefined : known;
  for (const group of PARTS[part] as readonly (readonly string[])[]) {
    const found = parts.filter(
      (other) => other.side === side && group.includes(other.part) && allowed(other.bone),
    );
    if (found.length === 0) continue;
    let best = found[0];
    for (const other of found) if (depth[other.bone] < depth[best.bone]) best = other;
    const isHinge = (bone: number): boolean => figure.bones[bone].joint.type === 'hinge';
    let hinges = isHinge(best.bone) ? 1 : 0;
    for (const next of found) {
      const isInSeries = figure.parents[next.bone] === best.bone && isHinge(next.bone);
      if (hinges === 0 || hinges >= MAX_JOINT_HINGES || !isInSeries) continue;
      if (next.part !== best.part && form.length[next.bone] > coincident) continue;
      best = next;
      hinges++;
    }
    return best.bone;
  }
  return undefined;
}

/** Side and part of a name: `mixamorig:LeftUpLeg` is left, `upleg`; `J_Bip_R_UpperArm` is right, `upperarm`. undefined for helpers. */
function partOf(name: string, bone: number, isHinge: boolean, isLoose: boolean): ParsedName | undefined {
  const own = name.replace(/^.*[:|]/, '');
  if (own.startsWith('__')) return undefined;
  const { side, words } = parseBoneName(own);
  // A neck is twisted by itself: no other bone bears its name.
  const isNeck = words.includes('neck');
  const isHelper = (word: string): boolean =>
    HELPERS.has(word) && !(isHinge && AXES.has(word)) && !(isNeck && word === 'twist');
  if (words.some(isHelper)) return undefined;
  const used = words.filter((word) => /^[a-z]/.test(word) && !FILLERS.has(word) && !AXES.has(word));
  const part = words.includes('hip') && words.includes('joint') ? 'hipjoint' : used.join('');
  if (side !== undefined || WORDS.has(part)) return { bone, side, part };
  // The side as a letter without a separator: `lfemur`, `LARM_LINK1`.
  const first = lettered(part[0], part.slice(1));
  const found = first ?? (isLoose ? lettered(part.at(-1), part.slice(0, -1)) : undefined);
  return found === undefined ? { bone, side, part } : { bone, ...found };
}

function lettered(letter: string | undefined, part: string): { side: Side; part: string } | undefined {
  if ((letter !== 'l' && letter !== 'r') || !WORDS.has(part)) return undefined;
  return { side: letter === 'l' ? 'left' : 'right', part };
}

function depthsOf({ parents }: Figure): Int32Array {
  const depth = new Int32Array(parents.length);
  // Parents come first.
  for (let b = 0; b < parents.length; b++) depth[b] = parents[b] < 0 ? 0 : depth[parents[b]] + 1;
  return depth;
}
