import type { MutableNumbers, Numbers } from '../../math/linear/types.js';

/** Convex set of a limit component. */
export type LimitKind = 'interval' | 'disk' | 'ellipse' | 'quad-ellipse';

/** Degree of freedom of the joint that a component limits, as named in results and drawings. */
export type LimitRole = 'angle' | 'distance' | 'swing' | 'twist' | 'position';

/**
 * One component of a limit: a convex set over `size` consecutive coordinates of a pose, shared by clamping, the active set of
 * the solver and drawing. The components of a figure have no coordinate in common, so each is projected independently.
 */
export interface LimitComponent {
  readonly bone: number;
  /** Index in the pose of the first limited coordinate. */
  readonly coordinate: number;
  /** Number of coordinates: 1, 2 or 3. */
  readonly size: number;
  readonly kind: LimitKind;
  readonly role: LimitRole;
  /** Parameters by kind: interval [min, max]; disk [radius]; ellipse [a, b]; quad-ellipse [s-, s+, t-, t+]. */
  readonly parameters: readonly number[];
}

/**
 * Functions of a convex set g(x) <= 0, x = q[i .. i + size). `gradient` and `hessian` are exact where g is smooth.
 */
export interface LimitShape {
  /** g(x): negative inside, zero on the boundary, positive outside. */
  value(parameters: Numbers, q: Numbers, i: number, size: number): number;
  /** dg/dx to out[o .. o + size). */
  gradient(parameters: Numbers, q: Numbers, i: number, size: number, out: MutableNumbers, o: number): void;
  /** d2g/dx2, size x size, row by row. */
  hessian(parameters: Numbers, q: Numbers, i: number, size: number, out: MutableNumbers, o: number): void;
  /** Projects x to the nearest point of the set, in place; points inside are unchanged. @returns whether x changed. */
  project(parameters: Numbers, q: MutableNumbers, i: number, size: number): boolean;
}
