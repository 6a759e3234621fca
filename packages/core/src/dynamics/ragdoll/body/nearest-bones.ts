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

/** Lengths of all bones, m: to the tip, else the mean distance to the children, else half the distance from the parent. */
export function boneLengths({ bones, parents }: Figure): Float64Array {
  const children = childCounts(parents);
  const lengths = new Float64Array(bones.length);
  for (const { index, parent, rest, tip } of bones) {
    const distance = Math.hypot(...rest.position);
    if (tip !== undefined) lengths[index] = Math.hypot(...tip);
    else if (children[index] === 0 && parent >= 0) lengths[index] = distance / 2;
    if (parent >= 0 && bones[parent].tip === undefined) lengths[parent] += distance / children[parent];
  }
  return lengths;
}

/** Ends of all bones in their frames, three numbers each: the tip, else the mean of the children's origins; of leaves the origin. */
export function boneEnds({ bones, parents }: Figure): Float64Array {
  const children = childCounts(parents);
  const ends = new Float64Array(3 * bones.length);
  for (const { index, parent, rest, tip } of bones) {
    if (tip !== undefined) ends.set(tip, 3 * index);
    if (parent < 0 || bones[parent].tip !== undefined) continue;
    for (let k = 0; k < 3; k++) ends[3 * parent + k] += rest.position[k] / children[parent];
  }
  return ends;
}

/** How many bones hang on each. */
function childCounts(parents: Figure['parents']): Uint32Array {
  const counts = new Uint32Array(parents.length);
  for (const parent of parents) if (parent >= 0) counts[parent]++;
  return counts;
}
