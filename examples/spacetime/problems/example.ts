import type { Figure, Triple } from 'poise/figure';
import type { SpacetimeData, SpacetimeOptions } from 'poise/spacetime';

/** A problem to solve and to look at. */
export interface SpacetimeExample {
  /** For addresses and files. */
  readonly name: string;
  readonly title: string;
  readonly figure: Figure;
  readonly data: SpacetimeData;
  /** Accuracy that is enough to look at. */
  readonly options: SpacetimeOptions;
  /** What is asked for, in a sentence or two. */
  readonly about: string;
  /** Round logs that lie about, world, m. */
  readonly logs?: readonly { readonly from: Triple; readonly to: Triple; readonly radius: number }[];
  /** Places that something is to reach, world, m. */
  readonly marks?: readonly Triple[];
  /**
   * How it is drawn: degrees that the view is turned about y (0 from ahead, 90 from its right, where ahead is to the right), the width of a pose
   * and the height in a strip, and what of its way is in the
   * middle, m, or the hips wherever they are.
   */
  readonly view: {
    readonly yaw: number;
    readonly apart: number;
    readonly height: number;
    readonly middle: number | 'hips';
  };
  /** The bone that stands out. */
  readonly traced: string;
}
