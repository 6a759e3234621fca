import type { Numbers, Vec3 } from '../../math/linear/types.js';
import type { SplineBasis } from '../transcription/spline-basis.js';

/** A contact, checked. */
export interface Contact {
  readonly bone: number;
  readonly points: readonly Vec3[];
  /** Index of its first point among those of all contacts. */
  readonly firstPoint: number;
  readonly from: number;
  readonly to: number;
  readonly normal: Numbers;
  readonly height: number;
  readonly friction: number;
  /** Weight of the squared forces, in weights of the figure. */
  readonly forceRegularization: number;
  /** Orthonormal tangents of the plane. */
  readonly tangents: readonly [Numbers, Numbers];
  /** Positions of the points, world, m, 3 numbers each; with `isFree` up to a tangential shift. */
  readonly positions: Float64Array;
  readonly isFree: boolean;
  /** Of the force splines. */
  readonly basis: SplineBasis;
}
