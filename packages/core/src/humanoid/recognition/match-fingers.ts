import { parseBoneName } from '../../figure/model/bone-name.js';
import type { Figure } from '../../figure/model/figure.js';
import type { DetailBone, HumanBoneMap } from './human-bones.js';
import { depthOf, descendants, isWithin } from './tree.js';

/** Words for each finger. */
const FINGERS = {
  Thumb: ['thumb'],
  Index: ['index', 'pointer'],
  Middle: ['middle', 'mid'],
  Ring: ['ring'],
  Little: ['little', 'pinky', 'pinkie'],
} as const;

/** Words of bones that are no phalanx: ends, helpers, and metacarpals of the four fingers. */
const OTHERS = new Set(
  'tip end nub twist ik pole target ctrl control helper adjust metacarpal meta carpal'.split(' '),
);

/**
 * Finger bones by their names, below the lower arms of recognised human bones: up to three along each chain, from the hand outwards. Two
 * thumb bones are the proximal and the distal one.
 */
export function matchFingers(figure: Figure, bones: Readonly<HumanBoneMap<number>>): HumanBoneMap<number> {
  const found: HumanBoneMap<number> = {};
  for (const side of ['left', 'right'] as const) {
    const above = bones[`${side}LowerArm`];
    if (above === undefined) continue;
    const marks = descendants(figure, above);
    const below = figure.bones.filter(
      ({ index }) => index !== above && index !== bones[`${side}Hand`] && marks[index] === 1,
    );
    // Fingers by number, the thumb first: `finger1-1` of MakeHuman.
    const isNumbered = below.some(({ name }) => /(^|[:|])finger1-1/i.test(name));
    for (const finger of Object.keys(FINGERS) as (keyof typeof FINGERS)[]) {
      const chain = below
        .filter(({ name }) => (isNumbered ? isOfNumber(name, finger) : isPhalanx(name, finger)))
        .sort((a, b) => depthOf(figure, a.index) - depthOf(figure, b.index))
        .filter(({ index }, k, all) => k === 0 || isWithin(figure, index, all[k - 1].index))
        .slice(0, 3);
      const segments =
        finger !== 'Thumb'
          ? ['Proximal', 'Intermediate', 'Distal']
          : chain.length === 3
            ? ['Metacarpal', 'Proximal', 'Distal']
            : ['Proximal', 'Distal'];
      chain.forEach(({ index }, k) => {
        found[`${side}${finger}${segments[k]}` as DetailBone] = index;
      });
    }
  }
  return found;
}

function isPhalanx(name: string, finger: keyof typeof FINGERS): boolean {
  if (/(^|[:|])__/.test(name)) return false;
  const { words } = parseBoneName(name.replace(/^.*[:|]/, ''));
  const isOther = words.some((word) => OTHERS.has(word) && !(finger === 'Thumb' && word === 'metacarpal'));
  return !isOther && words.some((word) => (FINGERS[finger] as readonly string[]).includes(word));
}

function isOfNumber(name: string, finger: keyof typeof FINGERS): boolean {
  const number = /(?:^|[:|])finger(\d)-\d/i.exec(name)?.[1];
  return number !== undefined && Object.keys(FINGERS)[Number(number) - 1] === finger;
}

/** Eyes and jaw by their names, below the head: the first of each. */
export function matchFace(figure: Figure, bones: Readonly<HumanBoneMap<number>>): HumanBoneMap<number> {
  const { head } = bones;
  const found: HumanBoneMap<number> = {};
  if (head === undefined) return found;
  const marks = descendants(figure, head);
  for (const { name, index } of figure.bones) {
    if (
      !/eye|jaw/i.test(name) ||
      /(^|[:|])__|brow|lid|lash|ctrl|target|_end/i.test(name) ||
      marks[index] === 0
    )
      continue;
    const { side, words } = parseBoneName(name.replace(/^.*[:|]/, ''));
    const part = words.filter((word) => /^(eye|eyeball|jaw)$/.test(word))[0];
    if (part === 'jaw') found.jaw ??= index;
    else if (part !== undefined && side !== undefined) found[`${side}Eye`] ??= index;
  }
  return found;
}
