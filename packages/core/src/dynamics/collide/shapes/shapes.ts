import type { Quadruple, Triple } from '../../../figure/data/types.js';

/** What a surface is like, and what it meets. */
export interface Surface {
  /** Coefficient of Coulomb friction, zero or more. Default 0.8. Two surfaces rub with the geometric mean of theirs. */
  readonly friction?: number;
  /** Coefficient of restitution, 0 to 1. Default 0. Of two surfaces the greater counts. */
  readonly restitution?: number;
  /** Bits of the groups that the shape is in, 32 of them. Default 1. */
  readonly group?: number;
  /** Bits of the groups that it meets; two shapes meet where each one's group is in the other's mask. Default all. */
  readonly mask?: number;
}

/** A ball. */
export interface Sphere {
  readonly type: 'sphere';
  /** m, positive. */
  readonly radius: number;
  /** Default: the origin of its frame. */
  readonly center?: Triple;
}

/** All points within `radius` of a segment; where its ends coincide a ball. */
export interface Capsule {
  readonly type: 'capsule';
  readonly from: Triple;
  readonly to: Triple;
  /** m, positive. */
  readonly radius: number;
}

/** A cuboid. */
export interface Box {
  readonly type: 'box';
  /** Half the edges, m, positive. */
  readonly halfSizes: Triple;
  /** Its frame, from the box to the bone (or the world). Default: centred on the origin, upright. */
  readonly placement?: { readonly position?: Triple; readonly rotation?: Quadruple };
}

/** All points x with normal . x <= offset: the solid is below. */
export interface Plane {
  readonly type: 'plane';
  /** Out of the solid, any length but zero. Default `[0, 1, 0]`. */
  readonly normal?: Triple;
  /** Distance of the plane from the origin along the unit normal, m. Default 0. */
  readonly offset?: number;
}

/**
 * A grid of heights, solid below. Vertex (i, j) stands at (i dx, heights[j * columns + i], j dz) in the field's frame; each cell is split along
 * the diagonal from (i, j) to (i + 1, j + 1). There is nothing beyond its border, and no wall below it.
 */
export interface Heightfield {
  readonly type: 'heightfield';
  /** Vertices along x, at least 2. */
  readonly columns: number;
  /** Vertices along z, at least 2. */
  readonly rows: number;
  /** [dx, dz], m, positive. */
  readonly spacing: readonly [number, number];
  /** Row by row, m. */
  readonly heights: ArrayLike<number>;
  /** World from the field's frame. Default: the identity. */
  readonly placement?: { readonly position?: Triple; readonly rotation?: Quadruple };
}

/** A shape that a bone carries, in the bone's frame. */
export type BoneShape = (Sphere | Capsule | Box) & Surface & { readonly bone: string | number };

/** A shape of the world, at rest, in world axes. */
export type WorldShape = (Sphere | Capsule | Box | Plane | Heightfield) & Surface;
