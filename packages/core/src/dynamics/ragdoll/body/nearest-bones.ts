import type { Figure } from '../../../figure/model/figure.js';

/** For each bone the nearest of `bones` on its way to the root, itself included; -1 for none. */
export function nearestBones({ parents }: Figure, bones: Iterable<number>): Int32Array {
  const nearest = new Int32Array(parents.length).fill(-1);
  for (const bone of bones) nearest[bone] = bone;
  // Parents come first.
  parents.forEach((parent, bone) => {
    if (nearest[bone] < 0 && parent >= 0) nearest[bone] = nearest[parent];
  });
  return nearest;
}

/** Length of a bone, m: to its tip, else the mean distance to its children, else half its distance from its parent. */
export function boneLength({ bones }: Figure, bone: number): number {
  const { tip, rest } = bones[bone];
  if (tip !== undefined) return Math.hypot(...tip);
  const children = bones.filter(({ parent }) => parent === bone);
  if (children.length === 0) return bones[bone].parent < 0 ? 0 : Math.hypot(...rest.position) / 2;
  return children.reduce((sum, child) => sum + Math.hypot(...child.rest.position) / children.length, 0);
}
