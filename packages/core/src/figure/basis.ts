import { FigureError } from '../errors.js';
import * as rigid from '../math/geometry/rigid-transform.js';
import type { MutableNumbers } from '../math/linear/types.js';
import type { Figure } from './model/figure.js';
import type { FigureState } from './model/state.js';

const ancestorFromTarget = /* @__PURE__ */ new Float64Array(12);
const ancestorFromSource = /* @__PURE__ */ new Float64Array(12);

/** Index of the world frame in basis conversions. */
export const WORLD_FRAME = -1;

/** Lowest common ancestor of two bones (possibly one of them); {@link WORLD_FRAME} when they have different roots. */
export function lowestCommonAncestor(figure: Figure, a: number, b: number): number {
  requireFrame(figure, a, 'a');
  requireFrame(figure, b, 'b');
  return lowestCommonAncestorIn(figure.parents, a, b);
}

/**
 * Rigid transform `targetFromSource` between the frames of two bones ({@link WORLD_FRAME} for the world), 12 numbers, at the
 * pose last given to `forwardKinematics`.
 *
 * Both chains stop at the lowest common ancestor, so the transforms above it cancel exactly (the lecture notes on constraints
 * in a scene graph, section 2.2: the hip's transformations cancel). Inverses are by transpose and negation.
 *
 * @throws FigureError `unknown-name` for an index that is not a bone of the figure.
 */
export function basisBetween(
  state: FigureState,
  target: number,
  source: number,
  out: MutableNumbers = new Float64Array(12),
): MutableNumbers {
  const ancestor = lowestCommonAncestor(state.figure, target, source);
  const { parents } = state.figure;
  composeChain(parents, state.parentFromBone, ancestor, target, ancestorFromTarget);
  composeChain(parents, state.parentFromBone, ancestor, source, ancestorFromSource);
  rigid.inverse(ancestorFromTarget, ancestorFromTarget);
  return rigid.compose(ancestorFromTarget, ancestorFromSource, out);
}

/**
 * Lowest common ancestor in a list of parents (-1 for a root) in topological order; -1 for different roots.
 */
export function lowestCommonAncestorIn(parents: ArrayLike<number>, a: number, b: number): number {
  let i = a;
  let j = b;
  // Parents have smaller indices, so the larger one cannot be an ancestor of the other.
  while (i !== j) {
    if (i > j) i = parents[i];
    else j = parents[j];
  }
  return i;
}

/** `ancestorFromNode` for an ancestor of `node`, from packed transforms to the parent, 12 numbers each. */
export function composeChain(
  parents: ArrayLike<number>,
  parentFromNode: ArrayLike<number>,
  ancestor: number,
  node: number,
  out: MutableNumbers,
): void {
  rigid.identity(out);
  for (let n = node; n !== ancestor; n = parents[n]) rigid.composeAt(parentFromNode, 12 * n, out, 0, out, 0);
}

function requireFrame(figure: Figure, index: number, path: string): void {
  if (Number.isInteger(index) && index >= WORLD_FRAME && index < figure.bones.length) return;
  throw new FigureError('unknown-name', `${index} is not the index of a bone of ${figure.name}.`, {
    path,
    remedy: 'Give boneIndex(figure, name), or WORLD_FRAME.',
  });
}
