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
  /** Weight of the squares of the forces, in weights of the figure. */
  readonly evenness: number;
  /** Two unit vectors in the plane. */
  readonly sides: readonly [Numbers, Numbers];
  /** Where the points stand, world, m, 3 numbers each; with `isFree` up to a shift in the plane. */
  readonly places: Float64Array;
  readonly isFree: boolean;
  /** Of the forces. */
  readonly basis: SplineBasis;
}
