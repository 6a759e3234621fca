import type { Figure, Triple } from 'poise/figure';
import type { SpacetimeData, SpacetimeOptions } from 'poise/spacetime';

/** A problem to solve and to display. */
export interface SpacetimeExample {
  /** Name in URLs and files. */
  readonly name: string;
  readonly title: string;
  readonly figure: Figure;
  readonly data: SpacetimeData;
  /** Accuracy sufficient for display. */
  readonly options: SpacetimeOptions;
  /** Description in a sentence or two. */
  readonly about: string;
  /** Logs on the floor, world, m. */
  readonly logs?: readonly { readonly from: Triple; readonly to: Triple; readonly radius: number }[];
  /** Target points, world, m. */
  readonly marks?: readonly Triple[];
  /**
   * View: rotation about y in degrees (0 from the front, 90 from its right, where the front is to the right), the width of a pose
   * and the height in a strip, and the coordinate in the
   * middle, m, or the hips.
   */
  readonly view: {
    readonly yaw: number;
    readonly apart: number;
    readonly height: number;
    readonly middle: number | 'hips';
  };
  /** The highlighted bone. */
  readonly traced: string;
}
