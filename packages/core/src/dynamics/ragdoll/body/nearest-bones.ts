import type { Figure } from '../../../figure/model/figure.js';

/** For each bone the nearest of `bones` on its way to the root, itself first; -1 where there is none. */
export function ownersOf({ parents }: Figure, bones: Iterable<number>): Int32Array {
  const owner = new Int32Array(parents.length).fill(-1);
  for (const bone of bones) owner[bone] = bone;
  // Parents come first.
  parents.forEach((parent, bone) => {
    if (owner[bone] < 0 && parent >= 0) owner[bone] = owner[parent];
  });
  return owner;
}

/** Length of a bone: to its tip, else to its children in the mean, else half of what carries it, m. */
export function lengthOf({ bones }: Figure, bone: number): number {
  const { tip, rest } = bones[bone];
  if (tip !== undefined) return Math.hypot(...tip);
  const children = bones.filter(({ parent }) => parent === bone);
  if (children.length === 0) return bones[bone].parent < 0 ? 0 : Math.hypot(...rest.position) / 2;
  return children.reduce((sum, child) => sum + Math.hypot(...child.rest.position) / children.length, 0);
}
