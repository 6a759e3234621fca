import type { ConvexBlock } from '../../math/optimization/active-limits.js';

/** Convex set of a limit component; its value, gradient, Hessian and projection are a `LimitShape` (`shapes.ts`). */
export type LimitKind = 'interval' | 'disk' | 'ellipse' | 'quad-ellipse';

/** Degree of freedom of the joint that a component limits, as named in results and drawings. */
export type LimitRole = 'angle' | 'distance' | 'swing' | 'twist' | 'position';

/**
 * One component of a limit: a convex set over `size` consecutive coordinates of a pose, shared by clamping, the active set of
 * the solver and drawing. The components of a figure have no coordinate in common, so each is projected independently.
 */
export interface LimitComponent extends ConvexBlock {
  readonly bone: number;
  readonly kind: LimitKind;
  readonly role: LimitRole;
}
