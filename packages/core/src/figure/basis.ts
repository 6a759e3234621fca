import { FigureError } from '../errors.js';
import * as rigid from '../math/geometry/rigid-transform.js';
import type { MutableNumbers } from '../math/linear/types.js';
import type { Figure } from './model/figure.js';
import type { FigureState } from './model/state.js';

const topFromTarget = /* @__PURE__ */ new Float64Array(12);
const topFromSource = /* @__PURE__ */ new Float64Array(12);

/** Names the world in basis conversions. */
export const WORLD_FRAME = -1;

/** Deepest bone that is an ancestor of both (or one of them itself); {@link WORLD_FRAME} when their roots differ. */
export function lowestCommonAncestor(figure: Figure, a: number, b: number): number {
  requireFrame(figure, a, 'a');
  requireFrame(figure, b, 'b');
  return deepestShared(figure.parents, a, b);
}

/**
 * Rigid transform `targetFromSource` between the frames of any two bones of the figure ({@link WORLD_FRAME} for the world), 12
 * numbers, at the pose last given to `forwardKinematics`.
 *
 * Both chains are followed only up to the lowest common ancestor, so what they share cancels exactly instead of being
 * multiplied and undone (the notes, section 2.2: the hip's transformations cancel). Each inverse is by transpose and negation.
 *
 * @throws FigureError `unknown-name` for an index that is not a bone of the figure.
 */
export function basisBetween(
  state: FigureState,
  target: number,
  source: number,
  out: MutableNumbers = new Float64Array(12),
): MutableNumbers {
  const top = lowestCommonAncestor(state.figure, target, source);
  const { parents } = state.figure;
  writeChain(parents, state.parentFromBone, top, target, topFromTarget);
  writeChain(parents, state.parentFromBone, top, source, topFromSource);
  rigid.inverse(topFromTarget, topFromTarget);
  return rigid.compose(topFromTarget, topFromSource, out);
}

/**
 * Lowest common ancestor in a list of parents (-1: none) in which parents stand before their children; -1 when there is
 * none.
 */
export function deepestShared(parents: ArrayLike<number>, a: number, b: number): number {
  let i = a;
  let j = b;
  // Parents have smaller indices, so the larger one cannot be an ancestor of the other.
  while (i !== j) {
    if (i > j) i = parents[i];
    else j = parents[j];
  }
  return i;
}

/** `topFromNode` for an ancestor `top` of `node`, from packed 12-number transforms to the parent. */
export function writeChain(
  parents: ArrayLike<number>,
  parentFromNode: ArrayLike<number>,
  top: number,
  node: number,
  out: MutableNumbers,
): void {
  rigid.identity(out);
  for (let n = node; n !== top; n = parents[n]) rigid.composeAt(parentFromNode, 12 * n, out, 0, out, 0);
}

function requireFrame(figure: Figure, index: number, path: string): void {
  if (Number.isInteger(index) && index >= WORLD_FRAME && index < figure.bones.length) return;
  throw new FigureError('unknown-name', `${index} is not the index of a bone of ${figure.name}.`, {
    path,
    remedy: 'Give boneIndex(figure, name), or WORLD.',
  });
}
