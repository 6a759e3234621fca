import type { Figure } from './figure.js';

/**
 * The root joints of a figure, in bone order: joints that no other joint moves. The bones above them are fixed, as the `Armature` of a file above its hips.
 */
export function findRootJoints({ bones }: Figure): number[] {
  const moved = new Set<number>();
  return bones.flatMap(({ index, parent, joint }) => {
    const isBelow = moved.has(parent);
    if (!isBelow && joint.type === 'fixed') return [];
    moved.add(index);
    return isBelow ? [] : [index];
  });
}

/** The free roots of a figure, in bone order: root joints ({@link findRootJoints}) of type `free`. What is below them floats. */
export function findFreeRoots(figure: Figure): number[] {
  return findRootJoints(figure).filter((bone) => figure.bones[bone].joint.type === 'free');
}

/**
 * The floating base: the free root ({@link findFreeRoots}) that carries all other joints and all masses; -1 for a figure without. Fixed bones above and
 * beside it have no mass.
 */
export function findFloatingBase(figure: Figure): number {
  const roots = findRootJoints(figure);
  const [root] = roots;
  if (roots.length !== 1 || figure.bones[root].joint.type !== 'free') return -1;
  const carried = new Set([root]);
  for (const { index, parent, mass = 0 } of figure.bones) {
    if (carried.has(parent)) carried.add(index);
    else if (index !== root && mass > 0) return -1;
  }
  return root;
}
