import type { Figure } from '../../figure/model/figure.js';

/** Whether bone b is bone a or a descendant of it. */
export function isWithin({ parents }: Figure, b: number, a: number): boolean {
  let ancestor = b;
  // Parents have smaller indices.
  while (ancestor > a) ancestor = parents[ancestor];
  return ancestor === a;
}

/** The path from `above` (exclusive) down to `below` (inclusive), top first; empty unless `below` is a descendant of `above`. */
export function pathDown({ parents }: Figure, above: number, below: number): number[] {
  const path: number[] = [];
  let b = below;
  for (; b > above; b = parents[b]) path.push(b);
  return b === above ? path.reverse() : [];
}

/** Lowest common ancestor of the bones (possibly one of them), -1 for none. */
export function commonAncestor(figure: Figure, bones: readonly number[]): number {
  let a = bones[0];
  while (a >= 0 && !bones.every((b) => isWithin(figure, b, a))) a = figure.parents[a];
  return a;
}

/** Number of ancestors of a bone. */
export function depthOf({ parents }: Figure, bone: number): number {
  let depth = 0;
  for (let b = parents[bone]; b >= 0; b = parents[b]) depth++;
  return depth;
}
