import * as rigid from '../math/rigid.js';
import type { MutableNumbers } from '../math/types.js';
import type { Figure } from './figure.js';
import type { FigureState } from './state.js';

const downA = /* @__PURE__ */ new Float64Array(12);
const downB = /* @__PURE__ */ new Float64Array(12);

/** Names the world in basis conversions. */
export const WORLD = -1;

/** Deepest bone that is an ancestor of both (or one of them itself); -1, the world, when their roots differ. */
export function lowestCommonAncestor(figure: Figure, a: number, b: number): number {
  let i = a;
  let j = b;
  // Parents have smaller indices, so the larger one cannot be an ancestor of the other.
  while (i !== j) {
    if (i > j) i = figure.parents[i];
    else j = figure.parents[j];
  }
  return i;
}

/**
 * Rigid transform `targetFromSource` between the frames of any two bones of the figure ({@link WORLD} for the world), 12
 * numbers, at the pose last given to `forwardKinematics`.
 *
 * Both chains are followed only up to the lowest common ancestor, so what they share cancels exactly instead of being
 * multiplied and undone (the notes, section 2.2: the hip's transformations cancel). Each inverse is by transpose and negation.
 */
export function basisBetween(
  state: FigureState,
  target: number,
  source: number,
  out: MutableNumbers = new Float64Array(12),
): MutableNumbers {
  const top = lowestCommonAncestor(state.figure, target, source);
  chainFrom(state, top, target, downA);
  chainFrom(state, top, source, downB);
  rigid.inverse(downA, downA);
  return rigid.compose(downA, downB, out);
}

/** `topFromBone` for an ancestor `top` of `bone`. */
function chainFrom(state: FigureState, top: number, bone: number, out: Float64Array): void {
  rigid.identity(out);
  for (let b = bone; b !== top; b = state.figure.parents[b]) {
    rigid.compose(state.parentFromBone.subarray(12 * b, 12 * b + 12), out, out);
  }
}
