import type { Figure } from '../../../figure/model/figure.js';

/**
 * The free bone that carries all else that moves or weighs; -1 for a figure without. Above and beside it may stand bones that do neither, as files have
 * them. Its coordinates are the first six.
 */
export function floatingRoot({ bones, parents }: Figure): number {
  const root = bones.findIndex(({ dof, mass = 0 }) => dof > 0 || mass > 0);
  if (root < 0 || bones[root].joint.type !== 'free') return -1;
  const hangs = new Set([root]);
  for (const { index, dof, mass = 0 } of bones) {
    if (hangs.has(parents[index])) hangs.add(index);
    else if (index !== root && (dof > 0 || mass > 0)) return -1;
  }
  return root;
}
