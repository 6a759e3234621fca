import { requireRoom } from '../checks.js';
import { FigureError } from '../errors.js';
import * as rigid from '../math/geometry/rigid-transform.js';
import type { MutableNumbers } from '../math/linear/types.js';
import { boneIndex, type Figure } from './model/figure.js';
import type { FigureState } from './model/state.js';

const ancestorFromTarget = /* @__PURE__ */ new Float64Array(12);
const ancestorFromSource = /* @__PURE__ */ new Float64Array(12);

/** Index of the world frame in basis conversions. */
export const WORLD_FRAME = -1;

/** Lowest common ancestor of two bones, by name or index (possibly one of them); {@link WORLD_FRAME} when they have different roots. */
export function lowestCommonAncestor(figure: Figure, a: string | number, b: string | number): number {
  return lowestCommonAncestorIn(figure.parents, frameIndex(figure, a, 'a'), frameIndex(figure, b, 'b'));
}

/**
 * Rigid transform `targetFromSource` between the frames of two bones, by name or index ({@link WORLD_FRAME} for the world), 12
 * numbers, at the pose last given to `forwardKinematics`.
 *
 * Both chains stop at the lowest common ancestor, so the transforms above it cancel exactly (the lecture notes on constraints
 * in a scene graph, section 2.2: the hip's transformations cancel). Inverses are by transpose and negation.
 *
 * @throws FigureError `unknown-name` for no bone of the figure, `wrong-size` for an `out` without room.
 */
export function basisBetween(
  state: FigureState,
  target: string | number,
  source: string | number,
  out: MutableNumbers = new Float64Array(12),
): MutableNumbers {
  const { parents } = state.figure;
  const to = frameIndex(state.figure, target, 'target');
  const from = frameIndex(state.figure, source, 'source');
  requireRoom(out, 12, 'out', FigureError);
  const ancestor = lowestCommonAncestorIn(parents, to, from);
  composeChain(parents, state.parentFromBone, ancestor, to, ancestorFromTarget);
  composeChain(parents, state.parentFromBone, ancestor, from, ancestorFromSource);
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

/** Index of a bone, or {@link WORLD_FRAME} itself. */
function frameIndex(figure: Figure, bone: string | number, path: string): number {
  return bone === WORLD_FRAME ? bone : boneIndex(figure, bone, path);
}
