import type { Figure } from '../../figure/model/figure.js';
import type { HumanBoneMap } from './human-bones.js';
import { type Limbs, nameBones, type Side } from './limbs.js';
import { depthOf, isWithin } from './tree.js';

/** A bone's name taken apart. */
interface Name {
  readonly bone: number;
  readonly side: 'left' | 'right' | undefined;
  /** What is left of the name, lower case, run together. */
  readonly part: string;
}

const SIDES: Readonly<Record<string, 'left' | 'right'>> = {
  left: 'left',
  l: 'left',
  right: 'right',
  r: 'right',
};

/** Words of exporters and naming schemes that say nothing of the part. */
const FILLERS = new Set(
  'mixamorig bip bone b bn c cc base character def org j jnt joint jt rig skeleton skel armature valve biped bind sk'.split(
    ' ',
  ),
);

/** A bone with one of these words drives or follows others. */
const HELPERS = new Set(
  'ik fk pole target control ctrl con twist roll helper end nub socket slot tip dummy adjust handle mch effector site top weapon prop'.split(
    ' ',
  ),
);

/**
 * What parts are called, the surest first: names in one group are as good as each other and the bone nearest to the hips is taken. A word in
 * two lists (`leg`, `shoulder`) goes to the part that has no surer name.
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

/** The human bones of a figure by what its bones are called (VRM, Mixamo, Unreal, Biped, Rigify, Daz and what is like them). */
export function bonesByName(figure: Figure): HumanBoneMap<number> | undefined {
  const names = figure.bones
    .map(({ name, index }) => takeApart(name, index))
    .filter((name) => name !== undefined);
  const limbs: Limbs = {
    left: sideOf(figure, names, 'left'),
    right: sideOf(figure, names, 'right'),
    hips: find(figure, names, 'hips', undefined),
    neck: find(figure, names, 'neck', undefined),
    head: find(figure, names, 'head', undefined),
  };
  return nameBones(figure, limbs);
}

function sideOf(figure: Figure, names: readonly Name[], side: 'left' | 'right'): Side {
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
  names: readonly Name[],
  part: keyof typeof PARTS,
  side: 'left' | 'right',
  above: number | undefined,
): number | undefined {
  if (above === undefined) return undefined;
  return find(figure, names, part, side, (bone) => bone !== above && isWithin(figure, bone, above));
}

/** The bone of a part: of its surest name, and of these the nearest to the root. */
function find(
  figure: Figure,
  names: readonly Name[],
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

/** undefined for helpers. `mixamorig:LeftUpLeg` is left, `upleg`; `J_Bip_R_UpperArm` right, `upperarm`. */
function takeApart(name: string, bone: number): Name | undefined {
  const words = name
    .replace(/^.*:/, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
  if (words.some((word) => HELPERS.has(word))) return undefined;
  const side = words.map((word) => SIDES[word]).find((word) => word !== undefined);
  const part = words.filter((word) => !(word in SIDES) && !FILLERS.has(word)).join('');
  return { bone, side, part };
}
