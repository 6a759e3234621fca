import { parseBoneName, type Side } from '../../figure/model/bone-name.js';
import type { Figure } from '../../figure/model/figure.js';
import type { HumanBoneMap } from './human-bones.js';
import { type Limbs, nameBones, type SideLimbs } from './limbs.js';
import { depthOf, isWithin } from './tree.js';

/** A parsed bone name. */
interface ParsedName {
  readonly bone: number;
  readonly side: Side | undefined;
  /** The other words of the name, lower case, concatenated. */
  readonly part: string;
}

/** Words of exporters and naming schemes that do not name a body part. */
const FILLERS = new Set(
  'mixamorig bip bone b bn c cc base character def org j jnt joint jt rig skeleton skel armature valve biped bind sk'.split(
    ' ',
  ),
);

/** Words of control and helper bones, which are not matched. */
const HELPERS = new Set(
  'ik fk pole target control ctrl con twist roll helper end nub socket slot tip dummy adjust handle mch effector site top weapon prop'.split(
    ' ',
  ),
);

/**
 * Names of body parts in groups of decreasing reliability; within a group the bone nearest to the root is taken. A word in two lists
 * (`leg`, `shoulder`) names the part without a match in a more reliable group.
 */
const PARTS = {
  hips: [['hips', 'pelvis'], ['hip']],
  neck: [['neck', 'necklower']],
  head: [['head']],
  upperLeg: [
    ['upperleg', 'thigh', 'upleg', 'legupper', 'thighbend', 'thighstretch', 'femur'],
    ['hip', 'hipjoint'],
    ['leg'],
  ],
  lowerLeg: [
    ['lowerleg', 'calf', 'shin', 'loleg', 'lowleg', 'leglower', 'knee', 'shank', 'tibia', 'legstretch'],
    ['leg'],
  ],
  foot: [['foot', 'ankle']],
  toes: [['toes', 'toe', 'toebase', 'toesbase', 'ball']],
  upperArm: [
    ['upperarm', 'uparm', 'armupper', 'shldr', 'shldrbend', 'humerus', 'armstretch'],
    ['arm'],
    ['shoulder'],
  ],
  lowerArm: [
    ['lowerarm', 'forearm', 'loarm', 'lowarm', 'armlower', 'forearmbend', 'forearmstretch', 'elbow'],
    ['arm'],
  ],
  hand: [['hand', 'wrist'], ['palm']],
  shoulder: [['clavicle', 'collar', 'collarbone', 'clav'], ['shoulder']],
} as const satisfies Record<string, readonly (readonly string[])[]>;

/**
 * Matches human bones by bone names (VRM, Mixamo, Unreal, Biped, Rigify, Daz and similar).
 *
 * @param isLoose - Whether the side may be a last letter without a separator: `upperarml`, as three.js's loaders write `upperarm.l`.
 */
export function matchByName(figure: Figure, isLoose = false): HumanBoneMap<number> | undefined {
  const parsed = figure.bones
    .map(({ name, index }) => partOf(name, index))
    .filter((name) => name !== undefined);
  const names = isLoose ? parsed.map(withLastLetter) : parsed;
  const limbs: Limbs = {
    left: sideOf(figure, names, 'left'),
    right: sideOf(figure, names, 'right'),
    hips: find(figure, names, 'hips', undefined),
    neck: find(figure, names, 'neck', undefined),
    head: find(figure, names, 'head', undefined),
  };
  return nameBones(figure, limbs);
}

function sideOf(figure: Figure, names: readonly ParsedName[], side: 'left' | 'right'): SideLimbs {
  const upperLeg = find(figure, names, 'upperLeg', side);
  const lowerLeg = findBelow(figure, names, 'lowerLeg', side, upperLeg);
  const foot = findBelow(figure, names, 'foot', side, lowerLeg);
  const toes = findBelow(figure, names, 'toes', side, foot);
  const upperArm = find(figure, names, 'upperArm', side);
  const lowerArm = findBelow(figure, names, 'lowerArm', side, upperArm);
  const hand = findBelow(figure, names, 'hand', side, lowerArm);
  const shoulder = find(figure, names, 'shoulder', side, (bone) => {
    return upperArm !== undefined && bone !== upperArm && isWithin(figure, upperArm, bone);
  });
  return { upperLeg, lowerLeg, foot, toes, upperArm, lowerArm, hand, shoulder };
}

function findBelow(
  figure: Figure,
  names: readonly ParsedName[],
  part: keyof typeof PARTS,
  side: 'left' | 'right',
  above: number | undefined,
): number | undefined {
  if (above === undefined) return undefined;
  return find(figure, names, part, side, (bone) => bone !== above && isWithin(figure, bone, above));
}

/** The bone of a body part: from its most reliable name group, the one nearest to the root. */
function find(
  figure: Figure,
  names: readonly ParsedName[],
  part: keyof typeof PARTS,
  side: 'left' | 'right' | undefined,
  allowed: (bone: number) => boolean = () => true,
): number | undefined {
  for (const group of PARTS[part] as readonly (readonly string[])[]) {
    const found = names.filter(
      (name) => name.side === side && group.includes(name.part) && allowed(name.bone),
    );
    if (found.length === 0) continue;
    const depths = found.map(({ bone }) => depthOf(figure, bone));
    return found[depths.indexOf(Math.min(...depths))].bone;
  }
  return undefined;
}

/** Side and part of a name: `mixamorig:LeftUpLeg` is left, `upleg`; `J_Bip_R_UpperArm` is right, `upperarm`. undefined for helpers. */
function partOf(name: string, bone: number): ParsedName | undefined {
  const { side, words } = parseBoneName(name.replace(/^.*:/, ''));
  if (words.some((word) => HELPERS.has(word))) return undefined;
  const part = words.filter((word) => /^[a-z]/.test(word) && !FILLERS.has(word)).join('');
  return { bone, side, part };
}

function withLastLetter(name: ParsedName): ParsedName {
  const part = name.part.slice(0, -1);
  const isPart = Object.values(PARTS).some((groups) =>
    groups.some((group) => (group as readonly string[]).includes(part)),
  );
  if (name.side !== undefined || !isPart || !/[lr]$/.test(name.part)) return name;
  return { ...name, side: name.part.endsWith('l') ? 'left' : 'right', part };
}
