import type { ReadBudget } from '../budget.js';

/** Options of `readBvh`. */
export interface ReadBvhOptions {
  /** Name of the file, for messages. Default: `motion.bvh`. */
  readonly source?: string;
  /** Name of figure and motion. Default: `source` without `.bvh`. */
  readonly name?: string;
  /**
   * Metres per unit of the file: 0.01 for centimetres, an entry of `BVH_UNITS`. BVH does not state its unit. `auto` finds it by the height where the
   * skeleton is a person's, with a warning that says which, and is 1 elsewhere. Default: 1, with a warning above 10 m.
   */
  readonly scale?: number | 'auto';
  /**
   * Which axis of the file's world points up. `z`: the root is rotated by -90 degrees about x, which keeps x, so that the figure stands upright
   * in a scene with +Y up. `auto` is `z` where only that makes the skeleton of a person stand, with a warning. Default: `y`.
   */
  readonly fileUpAxis?: 'y' | 'z' | 'auto';
  /**
   * Meaning of position channels, which differs between files: `absolute` positions in the parent that replace the OFFSET, or values `added` to
   * the OFFSET. Default: where joints below a root have position channels, whichever keeps bone lengths more constant; else `absolute`.
   */
  readonly positions?: BvhPositions;
  /**
   * The rest pose: the OFFSETs without rotation, or a frame of the clip, from 0, facing forward. `auto`: the frame in which legs and trunk are most upright
   * where bones have the names of a human's and the OFFSETs do not stand (files whose OFFSETs all go one way), with a warning; else the OFFSETs. Default: `offsets`.
   */
  readonly rest?: 'offsets' | 'auto' | number;
  /** How much the file may ask for: of the entries `bones` applies. */
  readonly budget?: ReadBudget;
}

/** Meaning of position channels. */
export type BvhPositions = 'absolute' | 'added';
