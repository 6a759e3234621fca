import { FigureError } from '../../errors.js';
import { unknownBone } from './normalize.js';
import type { BoneData } from './types.js';

/** Index of a bone and of its parent (-1 for a root) in the caller's list. */
interface OrderedBone {
  readonly source: number;
  readonly parent: number;
}

/**
 * Stable topological order: parents before children, otherwise the order given.
 *
 * @throws FigureError for a missing or repeated name, an unknown parent, or a cycle, listing its bones.
 */
export function topologicalOrder(bones: readonly BoneData[]): OrderedBone[] {
  const indexOf = new Map<string, number>();
  bones.forEach((bone, i) => {
    if (typeof bone?.name !== 'string' || bone.name === '') {
      throw new FigureError('unknown-name', 'has no name.', {
        path: `bones[${i}].name`,
        remedy: 'Give each bone a unique name.',
      });
    }
    if (indexOf.has(bone.name)) {
      throw new FigureError(
        'duplicate-name',
        `'${bone.name}' is already the name of bones[${indexOf.get(bone.name)}].`,
        {
          path: `bones[${i}].name`,
          remedy: 'Give each bone a unique name.',
        },
      );
    }
    indexOf.set(bone.name, i);
  });
  const parents = bones.map((bone, i) => parentOf(bone, i, indexOf));
  const order: OrderedBone[] = [];
  const visited = new Uint8Array(bones.length);
  for (let start = 0; start < bones.length; start++) {
    // Climb to the first visited ancestor, then append the chain from there down.
    const chain: number[] = [];
    const inChain = new Set<number>();
    for (let i = start; i >= 0 && visited[i] === 0; i = parents[i]) {
      if (inChain.has(i)) throw cycle(bones, chain.slice(chain.indexOf(i)));
      inChain.add(i);
      chain.push(i);
    }
    for (const source of chain.reverse()) {
      visited[source] = 1;
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
    'Name a bone of this figure, or give null for a root.',
  );
}

function cycle(bones: readonly BoneData[], loop: readonly number[]): FigureError {
  const names = [...loop, loop[0]].map((i) => bones[i].name).join(' -> ');
  return new FigureError('cycle', `is one of its own ancestors: ${names}.`, {
    path: `bones[${loop[0]}].parent`,
    remedy: 'Make one of them a root: a figure is a tree; close loops with constraints between bones.',
  });
}
