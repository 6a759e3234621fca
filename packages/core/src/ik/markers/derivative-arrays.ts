import type { MarkerProblem } from './marker-problem.js';

/** What the derivatives are written to, made once. n = dof coordinates, then one column a length group. */
export interface Derivatives {
  /** n + groups. */
  readonly size: number;
  /** Against scaled coordinates (`columnScale`), then factors. */
  readonly gradient: Float64Array;
  /** Lower triangle, size x size, row by row. Rows of coordinates are complete; those of groups too where asked for. */
  readonly hessian: Float64Array;
  /** Spatial columns (u, a) of the scaled coordinates, 6 each. */
  readonly columns: Float64Array;
  /** Markers seen in the subtree of each bone. */
  readonly below: Int32Array;
  /** K, 36 numbers a bone: own markers, then the subtree's. */
  readonly stiffness: Float64Array;
  /** F and p x F, 6 numbers a bone. */
  readonly wrench: Float64Array;
  /** [F][p], 9 numbers a bone. */
  readonly turning: Float64Array;
  /** Answer of a bone's own markers to its factor: force, couple, and the second derivative: 7 numbers a bone. */
  readonly stretch: Float64Array;
  /** How the start of each bone moves with the factor of its parent, 3 numbers a bone. */
  readonly edges: Float64Array;
}

export function createDerivatives({ figure, lengths }: MarkerProblem): Derivatives {
  const size = figure.dof + lengths.factors.length;
  const bones = figure.bones.length;
  return {
    size,
    gradient: new Float64Array(size),
    hessian: new Float64Array(size * size),
    columns: new Float64Array(6 * figure.dof),
    below: new Int32Array(bones),
    stiffness: new Float64Array(36 * bones),
    wrench: new Float64Array(6 * bones),
    turning: new Float64Array(9 * bones),
    stretch: new Float64Array(7 * bones),
    edges: new Float64Array(3 * bones),
  };
}
