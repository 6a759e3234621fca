import { FigureError } from '../../errors.js';
import { unknownBone } from './normalize.js';
import type { BoneData } from './types.js';

/** A bone of the source list and its parent's place in that list (-1 for a root). */
interface Placed {
  readonly source: number;
  readonly parent: number;
}

/**
 * The order in which parents come before children and which otherwise keeps the order given.
 *
 * @throws FigureError for a missing or repeated name, an unknown parent, a cycle (which is spelled out).
 */
export function parentsFirst(bones: readonly BoneData[]): Placed[] {
  const indexOf = new Map<string, number>();
  bones.forEach((bone, i) => {
    if (typeof bone?.name !== 'string' || bone.name === '') {
      throw new FigureError('unknown-name', 'has no name.', {
        path: `bones[${i}].name`,
        remedy: 'Give each bone a name of its own.',
      });
    }
    if (indexOf.has(bone.name)) {
      throw new FigureError(
        'duplicate-name',
        `'${bone.name}' is already the name of bones[${indexOf.get(bone.name)}].`,
        {
          path: `bones[${i}].name`,
          remedy: 'Give each bone a name of its own.',
        },
      );
    }
    indexOf.set(bone.name, i);
  });
  const parents = bones.map((bone, i) => parentOf(bone, i, indexOf));
  const order: Placed[] = [];
  const placed = new Uint8Array(bones.length);
  for (let start = 0; start < bones.length; start++) {
    // Climb to the first ancestor that is placed, then place the chain from there down.
    const chain: number[] = [];
    const inChain = new Set<number>();
    for (let i = start; i >= 0 && placed[i] === 0; i = parents[i]) {
      if (inChain.has(i)) throw cycle(bones, chain.slice(chain.indexOf(i)));
      inChain.add(i);
      chain.push(i);
    }
    for (const source of chain.reverse()) {
      placed[source] = 1;
      order.push({ source, parent: parents[source] });
    }
  }
  return order;
}

function parentOf(bone: BoneData, i: number, indexOf: ReadonlyMap<string, number>): number {
  if (bone.parent === undefined || bone.parent === null) return -1;
  const parent = indexOf.get(bone.parent);
  if (parent !== undefined) return parent;
  throw unknownBone(
    bone.parent,
    indexOf.keys(),
    `bones[${i}].parent`,
    'Name a bone of this figure, or null for a root.',
  );
}

function cycle(bones: readonly BoneData[], loop: readonly number[]): FigureError {
  const names = [...loop, loop[0]].map((i) => bones[i].name).join(' -> ');
  return new FigureError('cycle', `is among its own ancestors: ${names}.`, {
    path: `bones[${loop[0]}].parent`,
    remedy: 'Make one of them a root: a figure is a tree, and loops are constraints between its bones.',
  });
}
