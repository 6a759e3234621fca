import type { Figure } from '../../figure/model/figure.js';
import type { DetailBone, HumanBoneMap } from './human-bones.js';
import { depthOf, isWithin } from './tree.js';

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
    const below = figure.bones.filter(
      ({ index }) => index !== above && index !== bones[`${side}Hand`] && isWithin(figure, index, above),
    );
    for (const finger of Object.keys(FINGERS) as (keyof typeof FINGERS)[]) {
      const chain = below
        .filter(({ name }) => isPhalanx(name, finger))
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
  const words = name
    .replace(/^.*:/, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
  const isOther = words.some((word) => OTHERS.has(word) && !(finger === 'Thumb' && word === 'metacarpal'));
  return !isOther && words.some((word) => (FINGERS[finger] as readonly string[]).includes(word));
}
