import type { Quadruple, Triple } from '../../../figure/data/types.js';

/** Surface material and collision filter of a shape. */
export interface Surface {
  /** Coefficient of Coulomb friction, zero or more. Default 0.8. A pair has the geometric mean of both. */
  readonly friction?: number;
  /** Coefficient of restitution, 0 to 1. Default 0. A pair has the greater of both. */
  readonly restitution?: number;
  /** Collision groups of the shape, 32 bits. Default 1. */
  readonly group?: number;
  /** Groups that it collides with: two shapes collide where each one's group is in the other's mask. Default all. */
  readonly mask?: number;
}

/** A sphere. */
export interface Sphere {
  readonly type: 'sphere';
  /** m, positive. */
  readonly radius: number;
  /** Default: the origin of its frame. */
  readonly center?: Triple;
}

/** All points within `radius` of a segment; a sphere where its ends coincide. */
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
  /** Bone (or world) from the box's frame. Default: the identity. */
  readonly placement?: { readonly position?: Triple; readonly rotation?: Quadruple };
}

/** The half-space of all points x with normal . x <= offset. */
export interface Plane {
  readonly type: 'plane';
  /** Out of the solid, any length but zero. Default: up of the figures. */
  readonly normal?: Triple;
  /** Distance of the plane from the origin along the unit normal, m. Default 0. */
  readonly offset?: number;
}

/**
 * A grid of heights, solid below. Vertex (i, j) is at (i dx, heights[j * columns + i], j dz) in the heightfield's frame; each cell is split along
 * the diagonal from (i, j) to (i + 1, j + 1). There is nothing beyond the border, and no vertical face at it.
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
  /** World from the heightfield's frame, whose +Y is the height. Default: at the origin, rotated from +Y to the up of the figures. */
  readonly placement?: { readonly position?: Triple; readonly rotation?: Quadruple };
}

/** A shape of a bone, in the bone's frame. */
export type BoneShape = (Sphere | Capsule | Box) & Surface & { readonly bone: string | number };

/** A static shape of the world, in world axes. */
export type WorldShape = (Sphere | Capsule | Box | Plane | Heightfield) & Surface;
