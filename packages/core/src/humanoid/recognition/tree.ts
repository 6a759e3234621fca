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

/** Marks the bones that are joints alone: hinges without mass, with one child, of a figure with masses, as MJCF has several joints a body. */
export function jointsAlone({ bones }: Figure): Uint8Array {
  const children = new Int32Array(bones.length);
  for (const { parent } of bones) if (parent >= 0) children[parent]++;
  const hasMasses = bones.some(({ mass = 0 }) => mass > 0);
  return Uint8Array.from(bones, ({ joint, mass = 0 }, b) =>
    hasMasses && joint.type === 'hinge' && mass === 0 && children[b] === 1 ? 1 : 0,
  );
}
/** Number of ancestors of a bone. */
export function depthOf({ parents }: Figure, bone: number): number {
  let depth = 0;
  for (let b = parents[bone]; b >= 0; b = parents[b]) depth++;
  return depth;
}

/** Marks a bone and all below it with 1. */
export function descendants({ parents }: Figure, bone: number): Uint8Array {
  const marks = new Uint8Array(parents.length);
  marks[bone] = 1;
  // Parents come first.
  for (let b = bone + 1; b < parents.length; b++)
    if (parents[b] >= 0 && marks[parents[b]] === 1) marks[b] = 1;
  return marks;
}

/** A bone and those above it, none for -1. */
export function ancestorsOf({ parents }: Figure, bone: number): number[] {
  const path: number[] = [];
  for (let b = bone; b >= 0; b = parents[b]) path.push(b);
  return path;
}
