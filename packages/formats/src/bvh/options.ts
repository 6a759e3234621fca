/** Options of `readBvh`. */
export interface ReadBvhOptions {
  /** Name of the file, for messages. Default: `motion.bvh`. */
  readonly source?: string;
  /** Name of figure and motion. Default: `source` without `.bvh`. */
  readonly name?: string;
  /** Metres per unit of the file, which does not say it: 0.01 for centimetres. Default: 1. */
  readonly scale?: number;
  /**
   * Which axis of the file's world points up. `z`: the root is turned by -90 degrees about x, so that the figure stands in a scene of +Y up,
   * x staying x. Default: `y`.
   */
  readonly fileUpAxis?: 'y' | 'z';
  /**
   * What position channels are, for files differ: `absolute`, the joint's place in its parent instead of its OFFSET; `added` to its OFFSET.
   * Default: where joints below a root have position channels, whichever keeps bones nearer to their lengths; else `absolute`.
   */
  readonly positions?: BvhPositions;
}

/** What position channels are. */
export type BvhPositions = 'absolute' | 'added';
