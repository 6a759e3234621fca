import type { MarkerProblem } from './marker-problem.js';

/** Derivatives of a marker problem. n = dof coordinates, then one column per length group. */
export interface Derivatives {
  /** n + groups. */
  readonly size: number;
  /** Over scaled coordinates (`columnScale`), then length factors. */
  readonly gradient: Float64Array;
  /** Lower triangle, size x size, row by row. Rows of groups only on request. */
  readonly hessian: Float64Array;
  /** Spatial columns (u, a) of the scaled coordinates, 6 each. */
  readonly columns: Float64Array;
  /** Number of observed markers in the subtree of each bone. */
  readonly observedBelow: Int32Array;
  /** K, 36 numbers per bone: of its own markers, then of its subtree. */
  readonly stiffness: Float64Array;
  /** F and p x F, 6 numbers per bone. */
  readonly wrench: Float64Array;
  /** [F][p], 9 numbers per bone. */
  readonly forceMoments: Float64Array;
  /** Response of a bone's own markers to its length factor: force, couple, and the second derivative: 7 numbers per bone. */
  readonly lengthResponse: Float64Array;
  /** Of one column, by `writeResponse`: spatial force, then couple about c, per unit. */
  readonly response: Float64Array;
  /** Derivative of each bone's origin with respect to the length factor of its parent, 3 numbers per bone. */
  readonly originDerivatives: Float64Array;
}

export function createDerivatives({ figure, lengths }: MarkerProblem): Derivatives {
  const size = figure.dof + lengths.factors.length;
  const bones = figure.bones.length;
  return {
    size,
    gradient: new Float64Array(size),
    hessian: new Float64Array(size * size),
    columns: new Float64Array(6 * figure.dof),
    observedBelow: new Int32Array(bones),
    stiffness: new Float64Array(36 * bones),
    wrench: new Float64Array(6 * bones),
    forceMoments: new Float64Array(9 * bones),
    lengthResponse: new Float64Array(7 * bones),
    response: new Float64Array(6),
    originDerivatives: new Float64Array(3 * bones),
  };
}
