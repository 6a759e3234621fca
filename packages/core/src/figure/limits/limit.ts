import type { MutableNumbers, Numbers } from '../../math/linear/types.js';

/** The kinds of convex set that a limit is made of. */
export type LimitKind = 'interval' | 'disk' | 'ellipse' | 'quad-ellipse';

/** Which freedom of the joint a part limits; the word that results and pictures use. */
export type LimitRole = 'angle' | 'distance' | 'swing' | 'twist' | 'position';

/**
 * One convex set over `size` consecutive coordinates of a pose: the object that the clamp, the solver's active
 * set and the picture share. Parts of a figure never share a coordinate, so projection is part by part.
 */
export interface LimitPart {
  readonly bone: number;
  /** Index in the pose of the first coordinate limited. */
  readonly coordinate: number;
  /** How many coordinates: 1, 2 or 3. */
  readonly size: number;
  readonly kind: LimitKind;
  readonly role: LimitRole;
  /** Numbers of the kind: interval [min, max]; disk [radius]; ellipse [a, b]; quad-ellipse [s-, s+, t-, t+]. */
  readonly parameters: readonly number[];
}

/**
 * A kind of convex set g(x) <= 0, x = q[i .. i + size).
 * `value` is g itself; `gradient` and `hessian` are exact where the boundary is smooth.
 */
export interface LimitShape {
  /** g(x): negative inside, zero on the boundary, positive outside. */
  value(parameters: Numbers, q: Numbers, i: number, size: number): number;
  /** dg/dx to out[o .. o + size). */
  gradient(parameters: Numbers, q: Numbers, i: number, size: number, out: MutableNumbers, o: number): void;
  /** d2g/dx2, size x size, row by row. */
  hessian(parameters: Numbers, q: Numbers, i: number, size: number, out: MutableNumbers, o: number): void;
  /** Moves x to the nearest point of the set, in place; leaves points inside untouched. True when it moved. */
  project(parameters: Numbers, q: MutableNumbers, i: number, size: number): boolean;
}
