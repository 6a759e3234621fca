import type { Figure } from '../../figure/model/figure.js';

/** Whether bone b is bone a or hangs from it. */
export function isWithin({ parents }: Figure, b: number, a: number): boolean {
  let up = b;
  // Parents come first.
  while (up > a) up = parents[up];
  return up === a;
}

/** The bones from `above` (left out) down to `below` (with it), top first; empty where one does not hang from the other. */
export function pathDown({ parents }: Figure, above: number, below: number): number[] {
  const path: number[] = [];
  let b = below;
  for (; b > above; b = parents[b]) path.push(b);
  return b === above ? path.reverse() : [];
}

/** The lowest bone that all hang from or are, -1 for none. */
export function commonAncestor(figure: Figure, bones: readonly number[]): number {
  let a = bones[0];
  while (a >= 0 && !bones.every((b) => isWithin(figure, b, a))) a = figure.parents[a];
  return a;
}

/** Parents above a bone. */
export function depthOf({ parents }: Figure, bone: number): number {
  let depth = 0;
  for (let b = parents[bone]; b >= 0; b = parents[b]) depth++;
  return depth;
}
