export type Side = 'left' | 'right';

/** A bone's name, taken apart. */
export interface BoneName {
  readonly side: Side | undefined;
  /** The other words and numbers, lower case: `upper`, `arm`, `01` of `UpperArm.01_L`. */
  readonly words: readonly string[];
}

const SIDES: Readonly<Record<string, Side>> = { left: 'left', l: 'left', right: 'right', r: 'right' };
/** A side at the beginning or the end of a word of more: `lefthand`, `handright`. */
const JOINED = /^(?:(left|right)([a-z]{3,})|([a-z]{3,})(left|right))$/;

/**
 * Side and words of a bone's name, as exporters write them: `leftHand`, `mixamorig:LeftHand`, `hand.l`, `Hand_L`, `J_Bip_L_Hand`, `lHand`,
 * `lefthand`. The first side in the name counts.
 */
export function parseBoneName(name: string): BoneName {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .match(/[a-z]+|\d+|[^ -~]+/g);
  let side: Side | undefined;
  const others: string[] = [];
  for (const word of words ?? []) {
    const [, first, rest, start, last] = JOINED.exec(word) ?? [];
    side ??= Object.hasOwn(SIDES, word) ? SIDES[word] : ((first ?? last) as Side | undefined);
    if (!Object.hasOwn(SIDES, word)) others.push(rest ?? start ?? word);
  }
  return { side, words: others };
}

/** Index of the bone of the other side with the same words, -1 for none: `hand.r` of `hand.l`. Of several the first. */
export function mirrorBone(names: readonly BoneName[], bone: number): number {
  const { side, words } = names[bone];
  if (side === undefined) return -1;
  const key = words.join(' ');
  return names.findIndex(
    (other) => other.side !== undefined && other.side !== side && other.words.join(' ') === key,
  );
}
