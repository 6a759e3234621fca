import type { Vec3 } from 'poise/math';
import type { Limb } from '../character/limbs.js';

/** A point of a bone that is dragged, in the frame of the bone, m. */
export interface Grip {
  readonly bone: number;
  readonly point: Vec3;
}

/** What the pointer or the keys move. */
export interface Drag extends Grip {
  /** A turn keeps the joint where it is; a swivel both ends of a limb, and all beside it. */
  readonly kind: 'move' | 'turn' | 'swivel';
  /** That swivels. */
  readonly limb: Limb | undefined;
  /** Of the handle; empty for a point of the skin. */
  readonly id: string;
  readonly target: number[];
  /** Position of the point at the start of the drag. */
  readonly start: readonly number[];
  /** Pose at the start of the drag. */
  readonly from: Float64Array;
  /** Factor, up to 1, of the fractions by which joints relax towards it before each solve. */
  relaxation: number;
  /** Orientation of the bone at the start, and to be. */
  readonly orientation: readonly number[];
  readonly rotated: number[];
  /** What it looked at before. */
  readonly gaze: readonly number[] | undefined;
}
